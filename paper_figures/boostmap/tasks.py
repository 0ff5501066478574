"""What the figures of Athitsos, Alon, Sclaroff & Kollios (2005) compute; a change here computes
them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
Trainings end as the paper's do: :data:`paper_figures.boostmap.problem.AS_PRINTED`.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from paper_figures.boostmap.problem import (
    AS_PRINTED,
    PERCENTS,
    SIGMA,
    Problem,
    load_problem,
    space_of,
)
from paper_figures.tasks import TaskJob
from refimpl.boostmap import (
    BoostMap,
    BoostMapOptions,
    CandidateDistances,
    boostmap,
    random_triples,
    selective_triples,
)
from refimpl.boostmap.algorithm import pivot_embedding, proximity_order, reference_embedding
from refimpl.boostmap.edges import chamfer
from refimpl.kernels.triples import margins
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import CallableSpace, enn_ranks, percentile, vote
from refimpl.typing import BoolArray, FloatArray, Labels

RANKS_AT = (1, 2, 5, 10, 20, 50, 100)
"""The k of the ENN-k ranks: the paper shows 1, 10 and 100, and names others up to 100."""

MODEL_FIELDS = (
    "first",
    "second",
    "length",
    "alpha",
    "coordinate",
    "by",
    "low",
    "high",
    "inside",
    "extra",
    "round_first",
    "round_second",
    "round_length",
    "round_alpha",
)
"""What a stored result keeps of a model."""


def exact(job: TaskJob, *, data_set: str, enlarge: int, most: int, sigma: float) -> dict[str, Any]:
    """Return k-nn errors of the chamfer distance itself in per cent (figure 11, table 3).

    k is 1, ..., `most`.
    """
    problem = load_problem(job, data_set, sigma, enlarge, most)
    wrong = wrong_votes(problem.labels[problem.nearest], problem.distances, problem.truth, job.rng)
    pixels = problem.database.sum(axis=(1, 2)).mean()
    return errors_of(wrong) | {"edge_pixels": float(pixels)}


def wrong_votes(
    labels: Labels, distances: FloatArray, truth: Labels, rng: np.random.Generator
) -> BoolArray:
    """Return for k = 1, 2, ... which queries their k nearest give a wrong class, shape (k, m)."""
    return np.array(
        [
            vote(labels[:, :k], distances[:, :k], rng=rng) != truth
            for k in range(1, labels.shape[1] + 1)
        ]
    )


def errors_of(wrong: BoolArray) -> dict[str, Any]:
    """Return the errors in per cent for each k, and which queries are wrong as packed bits."""
    return {
        "errors": [float(error) for error in 100 * wrong.mean(axis=1)],
        "wrong": [np.packbits(row).tobytes().hex() for row in wrong],
        "queries": wrong.shape[1],
    }


def fastmap_ranks(
    job: TaskJob,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    n_train: int,
    dimensions: Sequence[int],
    clip: bool,
    draw: int,
) -> dict[str, Any]:
    """Return ENN-k ranks of FastMap by the number of dimensions (figure 5).

    FastMap is trained on `n_train` database objects. The draws of these objects and of the pivots
    are counted by `draw`.
    """
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    rng = job.rng
    picked = np.sort(rng.choice(len(problem.database), n_train, replace=False))
    space = space_of(job, problem.database[picked])
    model = fastmap(space, max(dimensions), rng=rng, clip=clip)
    Q = model.embed(space, problem.queries)
    X = model.embed(space, problem.database)
    measures = {}
    for d in dimensions:
        if d <= model.d:
            short = model.truncated(d)
            measures[str(d)] = _ranks(job, short, Q[:, :d], X[:, :d], problem) | {
                "cost": short.cost
            }
    return {"dimensions": measures, "d": model.d}


def variant(
    job: TaskJob,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    distance: str,
    triples: str,
    sizes: dict[str, Any],
    dimensions: Sequence[int],
    votes: bool,
    draw: int,
) -> dict[str, Any]:
    """Train one BoostMap variant and measure it: QI at each number of dimensions, QS at the last.

    The model is kept whole, its infinite thresholds as None.

    `distance` is "Fe" or "Pa", `triples` "Ra" or "Se" (§ 11); `sizes` are those of the training.
    With `votes` the k-nn errors are measured, too. `draw` counts the draws of objects, triples and
    classifiers.
    """
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    model, space = _train(job, problem, distance, triples, sizes)
    measures = {}
    for d in (d for d in dimensions if d < model.d):
        measures[str(d)] = _measure(job, model.truncated(d), space, problem)
    insensitive = model.truncated(model.d)
    arrays = {
        name: [None if np.isinf(x) else x for x in getattr(model, name).tolist()]
        for name in MODEL_FIELDS
    }
    return {
        "model": arrays,
        "dimensions": measures,
        "d": model.d,
        "QI": _measure(job, insensitive, space, problem, votes),
        "QS": _measure(job, model, space, problem, votes),
        "rounds": len(model.round_alpha),
    }


def five_points(job: TaskJob) -> dict[str, Any]:
    """Return five points of the plane that F^r orders as the paper says (figure 1).

    F^r orders 46 of 60 triples correctly, and makes the three mistakes that the paper names.

    The paper prints no coordinates: points are drawn until they have these properties.
    """
    rng = job.rng
    names = "rabcd"
    places = np.array(list(permutations(range(5), 3)))
    wrong = [tuple(names.index(x) for x in triple) for triple in ("bac", "cbd", "dbr")]
    while True:
        X = rng.random((5, 2))
        D = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=-1))
        truth = proximity_order(D[places[:, 0], places[:, 1]], D[places[:, 0], places[:, 2]])
        right = truth == np.sign(margins(reference_embedding(D[0]), places))
        if right.sum() == 46 and all(
            not right[(places == triple).all(axis=1)][0] for triple in wrong
        ):
            return {
                "names": names,
                "points": X,
                "line": D[0],
                "right": int(right.sum()),
                "triples": len(places),
            }


def triangle(job: TaskJob) -> dict[str, Any]:
    """Return F^{x1,x2}(x) of eq. 8 as the foot of a height (figure 2).

    It is computed from the three sides alone, and from coordinates.
    """
    A = np.array([1.1, 1.3])
    B = np.array([0.0, 0.0])
    C = np.array([3.0, 0.0])
    sides = [float(np.linalg.norm(side)) for side in (A - B, A - C, B - C)]
    foot = pivot_embedding(np.array([sides[0]]), np.array([sides[1]]), sides[2])[0]
    return {"corners": [A, B, C], "foot": foot, "projection": float((A - B) @ (C - B) / sides[2])}


def example_digits(job: TaskJob, *, data_set: str, per_class: int) -> dict[str, Any]:
    """Return images of each class, drawn at random: figure 4."""
    loaded = job.load(data_set)
    rng = job.rng
    side = round(loaded.X.shape[1] ** 0.5)
    picked = [
        rng.choice(np.flatnonzero(loaded.y == label), per_class, replace=False)
        for label in loaded.classes
    ]
    scale = 255.0 / loaded.X.max()
    return {
        "side": side,
        "images": [(loaded.X[members] * scale).round().astype(int) for members in picked],
    }


def _train(
    job: TaskJob, problem: Problem, distance: str, triples: str, sizes: dict[str, Any]
) -> tuple[BoostMap, CallableSpace]:
    """Return the model, with the candidates as the objects of its space."""
    rng = job.rng
    picked = rng.permutation(len(problem.database))[: sizes["candidates"] + sizes["objects"]]
    C = picked[: sizes["candidates"]]
    T = picked[sizes["candidates"] :]
    candidates = problem.database[C]
    objects = problem.database[T]
    labels = problem.labels[T]
    distances = CandidateDistances(
        chamfer(candidates, objects, kernels=job.kernels), chamfer(candidates, kernels=job.kernels)
    )
    D_X = chamfer(objects, kernels=job.kernels)
    Phi = (labels[:, np.newaxis] != labels).astype(np.float64)
    order_by = Phi if distance == "Pa" else D_X
    if triples == "Se":
        chosen = selective_triples(
            D_X, labels, sizes["k_most"], sizes["triples"], rng=rng, order_by=order_by
        )
    else:
        chosen = random_triples(order_by, sizes["triples"], rng=rng)
    options = BoostMapOptions(
        n_references=sizes["M_1"],
        n_best=sizes["M_2"],
        query_sensitive=sizes["query_sensitive"],
        **AS_PRINTED,
    )
    model = boostmap(
        distances,
        chosen,
        sizes["d"],
        rng=rng,
        options=options,
        kernels=job.kernels,
        threads=sizes["threads"],
    )
    return model, space_of(job, candidates)


def _measure(
    job: TaskJob, model: BoostMap, space: CallableSpace, problem: Problem, votes: bool = False
) -> dict[str, Any]:
    Q = model.embed(space, problem.queries)
    X = model.embed(space, problem.database)
    measures = _ranks(job, model, Q, X, problem) | {"cost": model.cost}
    if votes:
        k = problem.nearest.shape[1]
        distances, nearest = job.kernels.weighted_l1_nearest(Q, model.weights(Q), X, k)
        rng = job.rng_for("votes")
        labels = problem.labels[nearest]
        measures |= errors_of(wrong_votes(labels, distances, problem.truth, rng))
    return measures


def _ranks(
    job: TaskJob, model: Any, Q: FloatArray, X: FloatArray, problem: Problem
) -> dict[str, Any]:
    """Return percentiles of the ENN-k ranks: for each k a list over :data:`PERCENTS`."""
    ks = [k for k in RANKS_AT if k <= problem.nearest.shape[1]]
    ranks = enn_ranks(model, Q, X, problem.nearest, ks, kernels=job.kernels)
    return {
        "ranks": {
            str(k): [int(percentile(ranks[:, i], p)) for p in PERCENTS] for i, k in enumerate(ks)
        }
    }
