"""Figures of LMNN: Weinberger & Saul (2008)."""

from paper_figures.lmnn import figures, layouts

__all__ = ["PAPER"]

PAPER = figures.PAPER.laid_out(layouts.LAYOUTS)
