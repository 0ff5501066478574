"""Figures of BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005)."""

from paper_figures.boostmap.figures import PAPER

__all__ = ["PAPER"]
