"""Figures of BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005)."""

from paper_figures.boostmap import figures, layouts

__all__ = ["PAPER"]

PAPER = figures.PAPER.laid_out(layouts.LAYOUTS)
