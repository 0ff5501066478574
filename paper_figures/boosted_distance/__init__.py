"""Figures of Boosted Distance: Amores, Sebe & Radeva (2006)."""

from paper_figures.boosted_distance import data, errors
from paper_figures.study import Paper

PAPER = Paper(
    "boosted_distance",
    "Boosting the distance estimation: application to the K-nearest neighbor classifier",
    "J. Amores, N. Sebe, P. Radeva. Pattern Recognition Letters 27 (2006) 201-209",
    (data.EXAMPLES, data.SIZES, errors.STUDY),
    order=(
        *("figure1", "table1", "figure2", "figure3", "table2", "figure4", "figure5"),
        *("rounds", "distances"),
    ),
)
