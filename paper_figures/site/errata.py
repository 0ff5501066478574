"""The errata of the five papers: as published and as corrected side by side.

The words are those of PAPER.md; what differs between both is marked. The numbers of a
counter-example are computed when the site is built, by refimpl.
"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from paper_figures.site import front, printed, rows, rst
from paper_figures.site.typeset import compared, typeset
from paper_figures.site.values import number
from refimpl.boosted_distance import algorithm as boosted_distance
from refimpl.ftune.goodness import pairs_for_loss, pairs_for_margin
from refimpl.search_forest import algorithm as search_forest

__all__ = ["NUMBERS", "write"]

INTRODUCTION = """\
Misprints and errors of the five papers, as published and as corrected. What differs is marked. The
numbers are computed when the site is built."""
Row = tuple[str, str, str]
"""What is counted, its number as published, and as corrected."""


# ------------------------------------------------------------------------- numbers of the examples


def bd_1() -> list[Row]:
    """The weights of a stump by its error, from a training on four numbers."""
    P, N = np.array([[0.0], [0.2], [1.1]]), np.array([[1.0], [1.3], [1.6]])
    one = next(boosted_distance.adaboost_rounds(P, N))
    beta = one.epsilon / (1 - one.epsilon)
    what = f"α of a stump with ε = {number(one.epsilon)}"
    return [(what, number(1 / math.log(beta)), number(one.alpha))]


def bd_2() -> list[Row]:
    """The largest similarity of random vectors, as a sum and divided."""
    rng = np.random.default_rng(0)
    A, labels = rng.normal(size=(40, 3)), np.arange(40) % 4 == 0
    Y = rng.normal(size=(60, 3))
    Phi = boosted_distance.boosted_distance(A, labels, 10)[True]
    largest = [
        float(boosted_distance.similarity(Y, A[labels], Phi, normalize=divide).max())
        for divide in (False, True)
    ]
    return [("the largest S, which should be at most 1", number(largest[0]), number(largest[1]))]


def bd_3() -> list[Row]:
    """The weight of a stump without an error."""
    P, N = np.array([[0.0], [0.0]]), np.array([[1.0], [1.0]])
    one = next(boosted_distance.adaboost_rounds(P, N))
    return [("α of a stump without an error", "∞", number(one.alpha))]


def bsf_1() -> list[Row]:
    """The loss of eq. 14 at both weights."""
    lam, met, wrong, missed = 0.3, 90.0, 20.0, 400.0

    def loss(c: float) -> float:
        return math.exp(-c * (1 - lam)) * met + math.exp(c * lam) * wrong

    published = math.log((1 - lam) * met / (lam * missed))
    c = search_forest.best_c(met, wrong, lam)
    return [
        ("c, where λ = 0.3 and the masses are 90, 20 and 400", number(published), number(c)),
        ("eq. 14 at this c; the least is best", number(loss(published)), number(loss(c))),
    ]


def bsf_2() -> list[Row]:
    """The weight of a dissimilar pair that a tree has selected."""
    lam, c = 0.3, 0.8
    z = search_forest.z_values(np.array([[False]]), lam)
    w = search_forest.weights(z, np.array([[c]]))[0, 0]
    what = "a dissimilar pair's weight after it was selected; before, 1"
    return [(what, number(math.exp(-c)), number(w))]


def bsf_3() -> list[Row]:
    """The weights of a tree that selects the wrong pairs, and of one without an error."""
    lam = 0.3
    bad, good = search_forest.best_c(1.0, 90.0, lam), search_forest.best_c(90.0, 0.0, lam)
    return [
        ("c of a tree with masses 1 and 90", number(math.log(0.7 / (0.3 * 90))), number(bad)),
        ("c of a tree with masses 90 and 0", "∞", number(good)),
    ]


def lm_5() -> list[Row]:
    """The impostors of the first of four points on a line."""
    from refimpl.lmnn import algorithm as lmnn

    X, y = np.array([[0.0], [1.0], [1.2], [9.0]]), np.array([0, 0, 1, 1])
    near = ((X - X[[1, 0, 3, 2]]) ** 2).sum(axis=1, keepdims=True)
    examples = lmnn.Examples(X, y, np.array([[1], [0], [3], [2]]), np.zeros(4, dtype=np.int64))
    i, _ = lmnn.impostors(examples, X, near)
    others = int(((X[0] - X[0]) ** 2 <= near[0] + 1).all() * (y != y[0]).sum())
    what = "impostors of 0, with target 1, among 1.2 and 9"
    return [(what, str(others), str(int((i == 0).sum())))]


def lm_2() -> list[Row]:
    """The trace and the distance of two points."""
    M, difference = np.diag([4.0, 1.0]), np.array([1.0, 2.0])
    trace = float(np.trace(np.outer(difference, difference) @ M))
    distance = float(np.linalg.norm(np.sqrt(M) @ difference))
    what = f"d and d² for M = diag(4, 1) and x − x′ = (1, 2); tr(C M) = {number(trace)}"
    return [(what, number(distance), number(distance**2))]


def ft_1() -> list[Row]:
    """The landmark that line 3 chooses after object 0."""
    K = np.array([[-1.0, 0.0, 0.2], [0.0, 1.0, 0.3], [0.2, 0.3, 1.0]])
    again, other = int(K[:, 0].argmin()), 1 + int(K[1:, 0].argmin())
    return [("the landmark after object 0", str(again), str(other))]


def ft_3() -> list[Row]:
    """The number of pairs, before and after w and gamma are multiplied by 100."""
    gamma, epsilon_1, delta, B = 0.05, 0.1, 0.1, 100.0
    found = []
    for scale in (1.0, B):
        published = math.ceil(8 / (scale * gamma) ** 2 * math.log(2 / (delta * epsilon_1)))
        d = pairs_for_margin(scale * gamma, epsilon_1, delta, B=scale)
        found.append((f"d for B = {scale:g}, γ = {scale * gamma:g}", f"{published:,}", f"{d:,}"))
    return found


def ft_10() -> list[Row]:
    """The number of pairs, before and after the loss is multiplied by 80."""
    found = []
    for s in (1.0, 80.0):
        epsilon_1, delta, C_L = 0.5 * s, 0.1, s / 0.45
        bound = 16 * (C_L / epsilon_1) ** 2 * math.log(4 / (delta * epsilon_1))
        published = max(1, math.ceil(bound))
        d = pairs_for_loss(epsilon_1, delta, C_L=C_L)
        found.append((f"d for the hinge loss times {s:g}", f"{published:,}", f"{d:,}"))
    return found


_ALL = (bd_1, bd_2, bd_3, bsf_1, bsf_2, bsf_3, lm_2, lm_5, ft_1, ft_3, ft_10)
NUMBERS: dict[str, Callable[[], list[Row]]] = {
    made.__name__.upper().replace("_", "-"): made for made in _ALL
}
"""The numbers of a counter-example, by erratum."""

# ----------------------------------------------------------------------------------------- the page


def write(sources: Path) -> None:
    """Write ``errata.rst``, a section for each paper, into the copy of the sources."""
    text = [*rst.titled("Errata"), INTRODUCTION, ""]
    tests: list[str] = []
    shown = rst.macros("errata", rows.anchor, rows.coded, rows.test_of)
    for room in printed.PREFIXES:
        paper = printed.read(room)
        text += [f".. _{room}:", "", *rst.titled(front.ABOUT[room][0], "-")]
        for one in paper.errata:
            ids = [id for id in paper.lines if one in paper.errata_of(id)]
            sides = compared(one.printed, one.corrected)
            numbers = NUMBERS[one.id]() if one.id in NUMBERS else []
            text += rst.raw(shown.card(room, one, ids, sides, typeset(one.evidence), numbers))
            tests.append(one.test.strip("`"))
    text += [*rst.raw(rows.sources_of(tests)), *rst.scripts("tests", top="")]
    rst.put(sources, "errata", text)
