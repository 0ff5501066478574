"""Figures of LMNN: Weinberger & Saul (2008)."""

from paper_figures.lmnn.figures import PAPER

__all__ = ["PAPER"]
