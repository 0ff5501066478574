"""Figures of FTUNE and DSELECT: Kar & Jain (2011)."""

from paper_figures.ftune.figures import PAPER

__all__ = ["PAPER"]
