"""Figures of BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005)."""

from paper_figures.boostmap import figures

__all__ = ["PAPER"]

PAPER = figures.PAPER
