"""Figures of Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

from paper_figures.search_forest.figures import PAPER

__all__ = ["PAPER"]
