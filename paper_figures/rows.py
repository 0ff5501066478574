"""Rows of figures: a number beside the printed number, or the reason why there is none."""

from collections.abc import Sequence
from typing import Any

from paper_figures.registry import Result
from paper_figures.store import NOT_AVAILABLE, Row


def number_row(keys: Row, published: float | None, ours: float | None, **more: Any) -> Row:
    """Return the row of a number that has no standard deviation.

    Parameters
    ----------
    keys : dict
        What the row is about.
    published, ours : float or None
    **more
        Further fields, such as ``tolerance``.

    Returns
    -------
    dict
    """
    return keys | {"published": published, "ours": ours, "std": None} | more


def absent_row(keys: Row, why: str, published: float | None = None) -> Row:
    """Return the row of a number that could not be computed, with the reason."""
    return number_row(keys, published, None, status=NOT_AVAILABLE, why=why)


def absent_rows(results: Sequence[Result], keys: Row) -> list[Row]:
    """Return one row with the first reason for a missing result, or no row if none is missing.

    Parameters
    ----------
    results : sequence of registry.Result
    keys : dict

    Returns
    -------
    list of dict
    """
    why = next((r.why for r in results if r.value is None and r.why), None)
    return [] if why is None else [absent_row(keys, why)]
