"""Athitsos et al. (2005), tables 1-3 and § 11.2: why a number of ours is not the printed one.

The reasons rest on the tables `edges` and `readings` and on figure 5.
"""

from paper_figures.verdict import DIFFERS, row_verdict

TABLE3 = {"chamfer distance": "", "BoostMap-Pa-Se-QS": ""}
COSTS = {}


def rank_reason(distance, triples):
    """Why the ENN-k ranks of a variant are not the printed ones."""
    return ""


def explained(row, why):
    """The row, with the reason if it differs from the printed number."""
    return row | {"why": why} if why and row_verdict(row) == DIFFERS else row
