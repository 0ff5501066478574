"""Figures of LMNN: Weinberger & Saul (2008)."""

from paper_figures.lmnn import figures

__all__ = ["PAPER"]

PAPER = figures.PAPER
