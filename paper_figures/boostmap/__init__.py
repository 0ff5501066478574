"""Figures of BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005)."""

from paper_figures.boostmap import errors, examples, ranks, remarks, trainings
from paper_figures.study import Paper, Study

TRAININGS = Study(
    "trainings",
    trainings.compute,
    trainings.CELLS,
    (*ranks.VIEWS, *errors.VIEWS),
    data=trainings.data_of,
)
PAPER = Paper(
    "boostmap",
    "Learning Euclidean embeddings for indexing and classification",
    "V. Athitsos, J. Alon, S. Sclaroff, G. Kollios. Boston University, 2005",
    (examples.POINTS, examples.TRIANGLE, examples.DIGITS, TRAININGS, remarks.STUDY),
    order=(
        *("figure1", "figure2", "figure4", "figure5", "costs", "table1", "figure6", "figure7"),
        *("table2", "figure8", "figure9", "figure10", "figure11", "table3"),
        *("other_k", "costs_by_k", "selective", "paired", "remarks"),
    ),
)
