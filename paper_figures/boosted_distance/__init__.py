"""Figures of Boosted Distance: Amores, Sebe & Radeva (2006)."""

from paper_figures.boosted_distance.figures import PAPER

__all__ = ["PAPER"]
