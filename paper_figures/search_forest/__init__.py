"""Figures of Boosted Search Forest: Li et al. (2011)."""

from paper_figures.search_forest import (
    balance,
    classes,
    curves,
    dimensions,
    growth,
    lookup,
    splits,
    table1,
)
from paper_figures.study import Paper

PAPER = Paper(
    "search_forest",
    "Learning to search efficiently in high dimensions",
    "Z. Li, H. Ning, L. Cao, T. Zhang, Y. Gong, T. S. Huang. NIPS 2011",
    (
        curves.STUDY,
        dimensions.STUDY,
        dimensions.TREES,
        splits.STUDY,
        balance.STUDY,
        table1.STUDY,
        growth.STUDY,
        lookup.STUDY,
        classes.STUDY,
    ),
)
