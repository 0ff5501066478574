"""Figures of Boosted Distance: Amores, Sebe & Radeva (2006)."""

from paper_figures.boosted_distance import figures

__all__ = ["PAPER"]

PAPER = figures.PAPER
