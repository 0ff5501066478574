"""Rows."""

from collections.abc import Sequence

from paper_figures.registry import Context, Gathered, Result


def figure2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return rows."""
    return Gathered([])
