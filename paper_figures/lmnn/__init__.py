"""Figures of LMNN: Weinberger & Saul (2008)."""

from paper_figures.lmnn import clusters, courses, decoupled, gain, low_rank, shapes, table1
from paper_figures.study import Paper

PAPER = Paper(
    "lmnn",
    "Fast solvers and efficient implementations for distance metric learning",
    "K. Q. Weinberger, L. K. Saul. ICML 2008",
    (
        table1.STUDY,
        shapes.BALL,
        low_rank.STUDY,
        gain.STUDY,
        shapes.ELLIPSOIDS,
        clusters.STUDY,
        decoupled.STUDY,
        courses.STUDY,
    ),
)
