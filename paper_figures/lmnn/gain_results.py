"""Rows."""

from collections.abc import Sequence

from paper_figures.registry import Context, Gathered, Result


def training_gain(context: Context, results: Sequence[Result]) -> Gathered:
    """Return rows."""
    return Gathered([])
