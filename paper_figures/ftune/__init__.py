"""Figures of FTUNE and DSELECT: Kar & Jain (2011)."""

from paper_figures.ftune import gaussian, matrices, spread, transfer
from paper_figures.study import Paper

PAPER = Paper(
    "ftune",
    "Similarity-based learning via data driven embeddings",
    "P. Kar, P. Jain. NIPS 2011",
    (matrices.STUDY, gaussian.STUDY, transfer.STUDY, spread.STUDY),
)
