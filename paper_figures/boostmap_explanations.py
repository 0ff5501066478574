"""Athitsos et al. (2005), tables 1-3 and § 11.2: why a number of ours is not the printed one.

The reasons rest on the tables `edges` and `readings`; what they leave unexplained is said.
"""

from paper_figures.verdict import DIFFERS, row_verdict

NOT_IT = (
    "Tried alone, the detector, the draw of objects, candidates that are the training objects, a fifth of the triples, "
    "M_2 = 1 and weights at powers of 4 change our ranks by less than a half (tables `readings` and `edges`)"
)
OPEN = (
    "m, the pairs tried in a round, is not printed, nor how weights are searched. At these sizes additions alone with "
    "m = M_1 / 10 give {add} at the 95th percentile for k = 1, 10, 100, printed {printed} (table `readings`). Which of "
    "such readings the authors ran is not known. "
)
RANKS = {
    "Ra": OPEN.format(add="32, 598, 5362", printed="77, 949, 6220")
    + "That is 2.0, 2.1 and 1.6 times ours, the printed 4.8, 3.4 and 1.9 times: the rest is not explained. " + NOT_IT,
    "Se": OPEN.format(add="21, 378, 5134", printed="20, 330, 4406")
    + "The printed ranks lie between these and ours. " + NOT_IT,
}
SECOND = (
    "; the second phase goes on from that embedding. Its own open points, the number of its rounds and the ranges "
    "drawn, were not varied"
)
DETECTOR = (
    "the edge detector, which the paper does not name: with sigma 1.7 the chamfer distance gives 5.59 and, at k = 5 as "
    "printed, 4.64; with 1.8 it gives 5.45 and 4.72 (table `edges`)"
)
FEW_QUERIES = (
    "3 queries of 10,000 at k = 1 and 15 at the best k. Ours is one training, with a detector of another sigma; the "
    "chamfer distance's own errors change more with the detector (table `edges`)"
)
TABLE3 = {"chamfer distance": DETECTOR, "BoostMap-Pa-Se-QS": FEW_QUERIES}
FASTMAP = (
    "pivots and training objects are drawn, and the detector is not named: at the paper's 11 dimensions p is 3,567 to "
    "5,103 for Canny's sigmas from 0.7 to 2 (table `edges`), the most at 1.7, which fits the printed k-nn errors best. "
    "Ours gains up to 16 dimensions, of those that figure 5 tries; why the paper's stops at 11 is not known"
)
CLIPPED = (
    "squares below 0 set to 0, another reading than the printed: it gains up to 64 dimensions, while the paper's best "
    "is at 11. Clipping is excluded by that"
)
COUNTED = "ours counts the references, each once; the paper counts 2 d, 'at most'"


def rank_reason(distance, triples):
    """Why the ENN-k ranks of a feature-space variant are not the printed ones; `distance` is "QI" or "QS"."""
    reason = RANKS[triples]
    return reason if distance == "QI" else f"as without query-sensitivity: {reason}{SECOND}"


def cost_reason(method, quantity):
    """Why a number of § 11.2 is not the printed one."""
    if method.startswith("FastMap"):
        return CLIPPED if "clipped" in method else FASTMAP
    if quantity == "embedding_distances":
        return COUNTED
    return rank_reason("QI", method.split("-")[2])


def explained(row, why):
    """The row, with the reason if it differs from the printed number."""
    return row | {"why": why} if row_verdict(row) == DIFFERS else row
