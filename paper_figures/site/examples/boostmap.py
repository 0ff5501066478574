"""BoostMap on iris flowers, as objects of which only the distances are known."""

from itertools import islice
from typing import Any

import numpy as np

from paper_figures.site.examples import flowers
from paper_figures.site.pictures import Picture
from paper_figures.site.tracing import Trace
from refimpl.boostmap import CandidateDistances, algorithm, boostmap, nearby_triples
from refimpl.boostmap.algorithm import Problem
from refimpl.kernels.triples import margins
from refimpl.rivals.lipschitz import lipschitz
from refimpl.spaces import FilterAndRefine, PrecomputedSpace

X, kind = flowers(
    0, 14, 24, 41, 50, 57, 66, 70, 77, 83, 86, 101, 106, 118, 126, 133, columns=(0, 1, 2, 3)
)
D = np.sqrt(np.sum((X[:, None] - X) ** 2, axis=-1))
N = len(D)
TRIPLES = algorithm.random_triples(N, 60, np.random.default_rng(2)).astype(np.int32)
Q, A, B = TRIPLES.T
ORDERS = np.sign(D[Q, B] - D[Q, A])
TRIPLES, ORDERS = TRIPLES[ORDERS != 0], ORDERS[ORDERS != 0]
PROBLEM = Problem(D, D, TRIPLES, ORDERS)
PIVOTS = (0, 13)
ASKED = 5


def embeddings(kernels: Any) -> None:
    x_1, x_2 = PIVOTS
    F = algorithm.pivot_embedding(D[x_1], D[x_2], float(D[x_1, x_2]))
    algorithm.reference_embedding(D[4])
    near, far = D[TRIPLES[:, 0], TRIPLES[:, 1]], D[TRIPLES[:, 0], TRIPLES[:, 2]]
    algorithm.classification_error(algorithm.proximity_order(near, far), margins(F, TRIPLES))
    lipschitz(PrecomputedSpace(D), list(PIVOTS)).embed(PrecomputedSpace(D))


def draw_pivots(trace: Trace, round: int) -> str:
    """The objects on the line through two pivots, the embedding of eq. 8."""
    return _line(PIVOTS, f"The embedding {_name(PIVOTS)}")


def retrieval(kernels: Any) -> None:
    space = PrecomputedSpace(D)
    index = FilterAndRefine(lipschitz(space, list(PIVOTS)), space, kernels=kernels)
    index.query(D[[ASKED]], 2, 4)


def draw_filter(trace: Trace, round: int) -> str:
    """The vectors of the objects, the query's, and rings around the candidates."""
    E, candidates = (trace.latest(name, round) for name in ("self.vectors", "candidates"))
    labels = tuple(f"distance to object {r}" for r in PIVOTS)
    picture = Picture(E, "The vectors, and the candidates", (labels[0], labels[1]))
    for i, (u, v) in enumerate(E):
        picture.point(u, v, int(kind[i]), 4, i in candidates[0], f"object {i}")
    picture.cross(*E[ASKED])
    return picture.svg()


def trained(kernels: Any) -> list[algorithm.Round]:
    rng = np.random.default_rng(2)
    rounds = algorithm.training_rounds(PROBLEM, 3, 5, 5, 3, rng=rng, kernels=kernels)
    return list(islice(rounds, 12))


def training(kernels: Any) -> None:
    algorithm.strong_classifier(trained(kernels))


def embedded(kernels: Any) -> None:
    rng = np.random.default_rng(2)
    triples = nearby_triples(D, 5, 100, rng=rng)
    model = boostmap(CandidateDistances(D, D), triples, 3, rng=rng, kernels=kernels)
    E = model.embed(PrecomputedSpace(D))
    model.pairwise(E[:2], E, kernels=kernels)


def draw_line(trace: Trace, round: int) -> str:
    """The objects on the line of the round's 1D embedding."""
    h_j = trace.latest("h_j", round)
    return _line(h_j, f"Round {round}: the embedding {_name(h_j)}")


def _name(h_j: Any) -> str:
    first, second = h_j
    return f"of reference object {first}" if second < 0 else f"of the pivots {first} and {second}"


def _line(h_j: Any, title: str, low: float = np.nan, high: float = np.nan, inside: int = 1) -> str:
    F = algorithm.embeddings(PROBLEM, [tuple(h_j)])[0]
    picture = Picture(F, title, (title, ""))
    if not np.isnan(low):
        x_0, x_1 = picture.x_range
        a, b = (float(np.clip(v, x_0, x_1)) for v in (low, high))
        parts = [(a, b)] if inside else [(x_0, a), (b, x_1)]
        for left, right in parts:
            picture.area([(left, 0), (right, 0), (right, 1), (left, 1)])
    picture.line([(x, 0.4) for x in picture.x_range], "thin")
    for i, value in enumerate(F):
        above = 0.4 + 0.17 * (int(kind[i]) - 1)
        picture.point(float(value), above, int(kind[i]), 5, i in tuple(h_j), f"object {i}")
    return picture.svg()


def _second_phase() -> tuple[Any, ...]:
    import refimpl.kernels

    rounds = trained(refimpl.kernels)[:6]
    H = algorithm.strong_classifier(rounds)
    return list(H), algorithm.embeddings(PROBLEM, list(H)), np.array(list(H.values())), rounds[-1].m


NAMES, COORDINATES, ALPHA, MARGINS = _second_phase()
CHOICES = algorithm.Choices(4)


def query_sensitive(kernels: Any) -> None:
    rng = np.random.default_rng(1)
    second = []
    rounds = algorithm.query_sensitive_rounds(
        COORDINATES, TRIPLES, ORDERS, MARGINS, CHOICES, rng=rng, kernels=kernels
    )
    for round in islice(rounds, 6):
        second.append((round.c, round.g, round.low, round.high, round.inside, round.alpha))
    E = np.ascontiguousarray(COORDINATES.T[:4])
    weights = algorithm.query_weights(E, ALPHA, second)
    kernels.weighted_l1(E, weights, np.ascontiguousarray(COORDINATES.T))
    _, splitters = algorithm.both_splitters(len(COORDINATES), rng)
    F = COORDINATES[np.r_[0 : len(COORDINATES), 0 : len(COORDINATES)]]
    asked = np.unique(TRIPLES[:, 0])
    t = [algorithm.thresholds(F_g, TRIPLES[:, 0], asked, 4, rng) for F_g in COORDINATES[splitters]]
    algorithm.ranges_of_least_error(
        COORDINATES[splitters], F, TRIPLES, ORDERS, MARGINS, np.array(t), kernels=kernels
    )


def draw_range(trace: Trace, round: int) -> str:
    """The objects on the splitting coordinate, and the range in which the classifier speaks."""
    g, V, gamma = (trace.latest(name, round) for name in ("g", "V", "gamma"))
    return _line(NAMES[int(gamma[g])], f"Round {round}: queries in the shaded range", *V[g])


def triples(kernels: Any) -> None:
    order = np.argsort(D, axis=1, kind="stable")
    alike = [[j for j in row if kind[j] == kind[i] and j != i] for i, row in enumerate(order)]
    others = [[j for j in row if kind[j] != kind[i]] for i, row in enumerate(order)]
    algorithm.selective_triples(_padded(alike), _padded(others), 3, 2, 12, np.random.default_rng(0))


def _padded(rows: list[list[int]]) -> Any:
    width = max(map(len, rows))
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows], dtype=np.int32)


EXAMPLES = {
    "embeddings": (embeddings, draw_pivots),
    "retrieval": (retrieval, draw_filter),
    "training": (training, draw_line),
    "embedded": (embedded, None),
    "query_sensitive": (query_sensitive, draw_range),
    "triples": (triples, None),
}
