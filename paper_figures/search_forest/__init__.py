"""Figures of Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

from paper_figures.search_forest import figures

__all__ = ["PAPER"]

PAPER = figures.PAPER
