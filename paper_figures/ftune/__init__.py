"""Figures of FTUNE and DSELECT: Kar & Jain (2011)."""

from paper_figures.ftune import figures

__all__ = ["PAPER"]

PAPER = figures.PAPER
