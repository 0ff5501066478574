"""The tie rules and the constants of each training, each with a case that fails without it.

The case is a problem of :mod:`refimpl.check.trainings.drawn`, given by the seed of
:class:`refimpl.check.drawing.Lcg`, with some arguments of its own. It is a vector of the training.
A test breaks each rule in a copy of the reference, and the check must notice.

Not in the table, because no case decides them: which of two equal classifiers BoostMap removes or
modifies (their losses are sums in another order), and the least alpha of its step 3 (a classifier
that it holds back is removed before).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.trainings.drawn import DRAWS
from refimpl.check.trainings.table import Case

__all__ = ["RULES", "Rule", "rule_cases"]


class Rule(NamedTuple):
    """A rule of a training, the mark of its line, and its case."""

    training: str
    name: str
    source: str
    words: str
    seed: int
    change: Mapping[str, Any] = MappingProxyType({})


NEXT = 1 + 2.0**-52
NEIGHBOURS = {"P": np.array([[1.0]]), "N": np.array([[NEXT]]), "T": 2}
"""Two neighbouring floats: their midpoint is no number between them."""


def _chain(n: int) -> np.ndarray:
    """Return distances where the farthest object from i is i + 1: each pass goes two further."""
    D = np.full((n, n), 0.5)
    np.fill_diagonal(D, 0.0)
    steps = np.arange(n - 1)
    D[steps, steps + 1] = D[steps + 1, steps] = steps + 1.0
    return D


CHAIN = {"D": _chain(14), "d": 1, "starts": np.arange(14)[np.newaxis], "iterations": 5}
MIRRORED = {"P": np.array([[1.0, 0.0]]), "N": np.array([[0.0, 1.0]]), "T": 1}
"""Feature 0 with polarity -1 is as good as feature 1 with polarity 1."""
LARGE = {"P": np.array([[1.6e308]]), "N": np.array([[1.2e308]]), "T": 1}
"""The sum of these values is no float64; their midpoint is one."""
AT_ZERO = {
    "D": np.array([[0.0, 1, 0.5, 0.5], [1, 0, 0.5, 0.5], [0.5, 0.5, 0, 1e-6], [0.5, 0.5, 1e-6, 0]]),
    "d": 2,
    "starts": np.array([[0, 1, 2, 3], [0, 1, 2, 3]]),
    "iterations": 5,
}
"""After the first dimension one square is left, and it is 1e-12 of the largest to the last bit."""
NEAR = np.array([[-2.0, -2.0, 2.0, 2.0], 1 + 2.0**-52 * np.array([0, 3, 1, 2])])
PIVOTS = "Faloutsos & Lin (1995), choose-distant-objects"
RANKS = "Athitsos et al. (2005), § 11.1"
RCA = "Bar-Hillel et al. (2003), § 2"
BD_A3 = "nearest_neighbor_boosted_distance"

RULES = [
    Rule(*row)
    for row in (
        ("adaboost", "lowest-feature", "BD:A.2:8", "of equal errors the lowest feature", 68),
        ("adaboost", "polarity-1-first", "BD:A.2:8", "of equal errors polarity 1", 12),
        ("adaboost", "feature-before-polarity", "BD:A.2:8",
         "the lowest feature goes before polarity 1", 2, MIRRORED),
        ("adaboost", "midpoint-of-large-values", "BD:A.2:8",
         "a midpoint does not overflow", 3, LARGE),
        ("adaboost", "lowest-threshold", "BD:A.2:8", "of equal errors the lowest threshold", 209),
        ("adaboost", "constant-stump", "BD:A.2:8", "theta = -inf is a threshold, too", 214),
        ("adaboost", "midpoint", "BD:A.2:8", "theta is midway between two values", 70),
        ("adaboost", "neighbouring-floats", "BD:A.2:8",
         "a value where no float is between two", 1, NEIGHBOURS),
        ("adaboost", "strictly-below", "BD:A.2:8", "h is 1 strictly below theta", 1, NEIGHBOURS),
        ("adaboost", "first-weights", "BD:A.2:6", "each class has half of the weight", 17),
        ("adaboost", "normalised", "BD:A.2:6", "the weights add up to 1 in each round", 61),
        ("adaboost", "no-error", "BD:A.2:7", "epsilon is at least 2**-52", 70),
        ("adaboost", "slightly-less", "BD:A.2:7",
         "an error that is less by 1e-4 is less", 203, {"T": 5}),
        ("adaboost", "near-a-half", "BD:A.2:7", "1/2 - 1e-4 is not 1/2", 203, {"T": 5}),
        ("adaboost", "right-ones-lose", "BD:A.2:11", "beta for those that h labels right", 61),
        ("boosted_distance", "classes-ascend", "BD:A.1:1", "the classes in ascending order", 2),
        ("boosted_distance", "pairs-with-itself", "BD:A.1:2", "P has x - x, and both orders", 2),
        ("boosted_distance", "negatives-from-others", "BD:A.1:3", "N has others less C", 2),
        (BD_A3, "first-of-equals", "BD:A.3:7", "of equally similar points the first", 39),
        (BD_A3, "divided-by-weights", "BD:A.3:4", "s is divided by the sum of alpha", 381),
        (BD_A3, "no-weight", "BD:A.3:4", "all alpha are 0: s is 0", 39),
        (BD_A3, "strictly-below", "BD:A.3:4", "h is 1 strictly below theta", 91),
        (BD_A3, "query-less-point", "BD:A.3:4", "stumps get y - x", 381),
        ("boostmap", "remove-first", "BM:7.3:4", "a removal goes before a change", 2612),
        ("boostmap", "modify-below-.9999", "BM:7.3:4", "a change must reach .9999", 1451),
        ("boostmap", "first-added", "BM:7.3:9", "of equal losses the first classifier", 237),
        ("boostmap", "M_2-of-least-error", "BM:7.3:8", "M_2 = 1: one candidate", 1395, {"M_2": 1}),
        ("boostmap", "first-of-equal-errors", "BM:7.3:8",
         "of equal errors the first candidate", 237, {"M_2": 1}),
        ("boostmap", "reversed-pivots", "BM:7.3:7",
         "reversed pivots are the same classifier", 1409),
        ("boostmap", "coinciding-pivots", "BM:eq8", "pivots at distance 0 map to 0", 345),
        ("boostmap", "length-of-pivots", "BM:eq8", "the pivots' distance is D(x_1, x_2)", 1395),
        ("boostmap", "ends-at-d", "BM:7.3:12", "with d classifiers none is added", 903),
        ("boostmap", "no-error-left", "BM:7.3:12", "it ends when the loss is below 1 / t", 338),
        ("boostmap", "no-gain", "BM:7.3:11", "it ends when z is not below 1", 133),
        ("boostmap", "gain-of-a-thousandth", "BM:7.3:11", "a small gain is a gain", 1451),
        ("boostmap", "gone-at-zero", "BM:eq10", "a classifier of weight 0 is gone", 366),
        ("query_sensitive", "first-classifier", "BM:8.1:4", "of equal losses the first", 79),
        ("query_sensitive", "first-range", "BM:8.1:3", "of equal losses the first range", 351),
        ("query_sensitive", "half-way", "BM:8.1:2", "thresholds are midway", 74),
        ("query_sensitive", "greatest-value", "BM:8.1:2", "the greatest value has the last", 74),
        ("query_sensitive", "low-included", "BM:eq18", "low is in the range", 2440, {"F": NEAR}),
        ("query_sensitive", "high-excluded", "BM:eq18", "high is not in it", 2440, {"F": NEAR}),
        ("query_sensitive", "no-gain", "BM:8.1:7", "it ends when z is not below 1", 16),
        ("query_sensitive", "gain-of-a-thousandth", "BM:8.1:7", "a small gain is a gain", 290),
        ("query_sensitive", "equal-weights", "BM:8.1:8", "the first weights are equal", 351),
        ("enn_ranks", "strictly-closer", RANKS, "objects strictly closer count", 127),
        ("enn_ranks", "one-plus", RANKS, "the first rank is 1", 127),
        ("enn_ranks", "the-farthest-of-k", RANKS, "the worst of the k neighbours", 133),
        ("search_forest", "last-entry-1", "SF:eq18", "the last entry of x~ is 1", 18),
        ("search_forest", "mass-at-least-1", "SF:eq15", "dissimilar pairs weigh 1 or more", 1),
        ("search_forest", "no-weight-ends", "SF:1:1", "it ends when c is not above 0", 3),
        ("search_forest", "pairs-of-different-points", "SF:eq14", "no pair (x, x)", 107),
        ("search_forest", "depth", "SF:2:6", "max_depth splits in a row", 325),
        ("search_forest", "T-grows-by-c", "SF:1:3", "T + c t", 3),
        ("search_tree", "last-entry-1", "SF:eq18", "the last entry of x~ is 1", 15),
        ("search_tree", "depth", "SF:2:6", "max_depth splits in a row", 211),
        ("search_tree", "J-must-rise", "SF:2:5", "a node is split if J rises", 4),
        ("search_tree", "negligible-rise", "SF:2:5", "a rise of 0 is no rise", 23),
        ("search_tree", "symmetric-part", "SF:eq18", "M counts in both directions", 41),
        ("lmnn_steps", "lowest-of-equal-neighbours", "LM:2:1", "of equally near the lowest", 147),
        ("lmnn_steps", "step-.3", "LM:3:2", "the first step is .3 of M", 107),
        ("lmnn_steps", "root-of-t", "LM:3:2", "steps shrink as t**-.5", 199),
        ("lmnn_steps", "twenty-steps", "LM:3:2", "at most 20 steps between checks", 127),
        ("lmnn_steps", "steps-double", "LM:3:2", "1, 2, 4, ... steps between checks", 107),
        ("lmnn_steps", "projected", "LM:3:3", "negative eigenvalues become 0", 5),
        ("lmnn_steps", "start", "LM:3:2", "M starts as I", 107),
        ("lmnn_steps", "pairs-found-alone", "LM:3:7", "pairs of the checks alone", 355),
        ("lmnn", "lowest-of-equal-neighbours", "LM:2:1", "of equally near the lowest", 147),
        ("lmnn", "mu", "LM:eq3", "mu weighs the slacks", 2),
        ("lmnn", "margin-of-1", "LM:eq3", "the margin is 1", 8),
        ("dselect", "lowest-of-equal-sums", "FT:1:3", "of equal sums the lowest", 36),
        ("dselect", "landmarks-leave-T", "FT:1:4", "no landmark twice", 98),
        ("dselect", "sum-over-landmarks", "FT:1:3", "the sum over all landmarks", 30),
        ("dselect", "similarity-to-the-landmark", "FT:1:3", "K(x, z), not K(z, x)", 19),
        ("dselect", "order-of-choice", "FT:1:7", "landmarks in the order of their choice", 12),
        ("ftune", "penalty-1", "FT:2:3", "C = 1", 53),
        ("ftune", "bias-1", "FT:2:3", "the bias is penalised as w is", 53),
        ("ftune", "first-of-equal-losses", "FT:2:5", "of equal losses the first f", 408),
        ("ftune", "mean-loss", "FT:2:5", "f* has the least mean loss", 68),
        ("fastmap", "lowest-of-farthest", PIVOTS, "of equally far ones the lowest is a", 87),
        ("fastmap", "lowest-of-farthest-from-a", PIVOTS, "and the lowest is b", 117),
        ("fastmap", "passes", PIVOTS, "five passes", 1, CHAIN),
        ("fastmap", "fifth-pass", PIVOTS, "not four", 1, CHAIN),
        ("fastmap", "next-start", PIVOTS, "another start where all squares are 0", 542),
        ("fastmap", "first-start", PIVOTS, "the first start", 23),
        ("fastmap", "ends-at-zero", PIVOTS, "squares up to 1e-12 of the largest are 0", 99),
        ("fastmap", "at-the-limit-is-zero", PIVOTS, "1e-12 itself is 0", 2, AT_ZERO),
        ("fastmap", "squares-below-0", "Faloutsos & Lin (1995), eq. 3", "they stay", 229),
        ("relevant_component_analysis", "divided-by-n", RCA, "the sum is divided by n", 2),
        ("relevant_component_analysis", "a-class-of-one", RCA, "n counts no class of one", 16),
        ("lipschitz", "nearest-of-the-set", "BM:eq7", "the least distance to a set", 53),
    )
]  # fmt: skip


def rule_cases(training: str) -> list[Case]:
    """Return the cases of a training's rules; rules that share a case have it once."""
    listed: dict[tuple[int, tuple[str, ...]], Case] = {}
    for rule in RULES:
        if rule.training != training:
            continue
        key = rule.seed, tuple(rule.change)
        if key in listed:
            before = listed[key]
            words, flags = f"{before.comment}; {rule.words}", (*before.flags, rule.name)
            listed[key] = Case(words, flags, before.arguments)
        else:
            given = DRAWS[training](Lcg(rule.seed))
            listed[key] = Case(rule.words, (rule.name,), {**given, **rule.change})
    return list(listed.values())
