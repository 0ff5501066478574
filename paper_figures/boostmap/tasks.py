"""What the figures of Athitsos, Alon, Sclaroff & Kollios (2005) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters. Trainings end as the
paper's do: :data:`AS_PRINTED`.
"""

from dataclasses import asdict
from itertools import permutations

import numpy as np

from paper_figures.boostmap.problem import SIGMA, knn_errors, load_problem, rank_percentiles, space_of
from refimpl.boostmap import boostmap, pivot_embedding, reference_embedding
from refimpl.boostmap.edges import chamfer
from refimpl.boostmap.triples import proximity_order, random_triples, selective_triples
from refimpl.kernels.triples import margins
from refimpl.rivals.fastmap import fastmap

AS_PRINTED = {"least_gain": 0.0, "max_rounds": 10**9}
"""Of ``boostmap``: its rounds are those of algorithm.py, to the bit; in the second phase with ``ranges_of_least_error``
(§ 8.3) in the place of § 8.1 step 3."""


def exact(job, *, data_set, enlarge, most, sigma):
    """k-nn error of the chamfer distance itself for k = 1, ..., `most`, in per cent (figure 11, table 3)."""
    problem = load_problem(job, data_set, sigma, enlarge, most)
    errors = knn_errors(problem.labels[problem.nearest], problem.distances, problem.truth, job.rng)
    pixels = problem.database.sum(axis=(1, 2)).mean()
    return {"errors": errors, "edge_pixels": float(pixels)}


def fastmap_ranks(job, *, data_set, enlarge, most, n_train, dimensions, clip):
    """ENN-k ranks of FastMap, trained on `n_train` database objects, by the number of dimensions (figure 5)."""
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    rng = job.rng
    picked = np.sort(rng.choice(len(problem.database), n_train, replace=False))
    space = space_of(job, problem.database[picked])
    model = fastmap(space, max(dimensions), rng, clip=clip)
    Q, X = model.embed(space, problem.queries), model.embed(space, problem.database)
    measures = {}
    for d in dimensions:
        if d <= model.d:
            short = model.truncated(d)
            measures[str(d)] = rank_percentiles(job, short, Q[:, :d], X[:, :d], problem) | {"cost": short.cost}
    return {"dimensions": measures, "d": model.d}


def variant(job, *, data_set, enlarge, most, distance, triples, sizes, dimensions):
    """Train one BoostMap variant and measure it: QI at each number of dimensions, QS at the last.

    The model is kept whole, its infinite thresholds as None.

    `distance` is "Fe" or "Pa", `triples` "Ra" or "Se" (§ 11); `sizes` are those of the training.
    """
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    model, space = _train(job, problem, distance, triples, sizes)
    measures = {}
    for d in (d for d in dimensions if d < model.d):
        measures[str(d)] = _measure(job, model.truncated(d), space, problem)
    insensitive = model.truncated(model.d)
    arrays = {name: [None if np.isinf(x) else x for x in value.tolist()] for name, value in asdict(model).items()}
    return {
        "model": arrays,
        "dimensions": measures,
        "d": model.d,
        "QI": _measure(job, insensitive, space, problem, votes=True),
        "QS": _measure(job, model, space, problem, votes=True),
        "rounds": len(model.round_alpha),
    }


def five_points(job):
    """Figure 1: five points of the plane that F^r orders as the paper says, 46 of 60 triples and its three mistakes.

    The paper prints no coordinates: points are drawn until they have these properties.
    """
    rng, names = job.rng, "rabcd"
    places = np.array(list(permutations(range(5), 3)))
    wrong = [tuple(names.index(x) for x in triple) for triple in ("bac", "cbd", "dbr")]
    while True:
        X = rng.random((5, 2))
        D = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=-1))
        truth = proximity_order(D[places[:, 0], places[:, 1]], D[places[:, 0], places[:, 2]])
        right = truth == np.sign(margins(reference_embedding(D[0]), places))
        if right.sum() == 46 and all(not right[(places == triple).all(axis=1)][0] for triple in wrong):
            return {"names": names, "points": X, "line": D[0], "right": int(right.sum()), "triples": len(places)}


def triangle(job):
    """Figure 2: F^{x1,x2}(x) of eq. 8 as the foot of a height, from the three sides alone and from coordinates."""
    A, B, C = np.array([1.1, 1.3]), np.array([0.0, 0.0]), np.array([3.0, 0.0])
    sides = [np.linalg.norm(A - B), np.linalg.norm(A - C), np.linalg.norm(B - C)]
    foot = pivot_embedding(np.array([sides[0]]), np.array([sides[1]]), sides[2])[0]
    return {"corners": [A, B, C], "foot": foot, "projection": float((A - B) @ (C - B) / sides[2])}


def example_digits(job, *, data_set, per_class):
    """Figure 4: images of each class, drawn at random."""
    loaded = job.load(data_set)
    rng, side = job.rng, round(loaded.X.shape[1] ** 0.5)
    picked = [rng.choice(np.flatnonzero(loaded.y == label), per_class, replace=False) for label in loaded.classes]
    scale = 255.0 / loaded.X.max()
    return {"side": side, "images": [(loaded.X[members] * scale).round().astype(int) for members in picked]}


def _train(job, problem, distance, triples, sizes):
    """The model, with the candidates as the objects of its space."""
    rng = job.rng
    picked = rng.permutation(len(problem.database))[: sizes["candidates"] + sizes["objects"]]
    C, T = picked[: sizes["candidates"]], picked[sizes["candidates"]:]
    candidates, objects, labels = problem.database[C], problem.database[T], problem.labels[T]
    D = chamfer(candidates, objects, kernels=job.kernels)
    between = chamfer(candidates, kernels=job.kernels)
    D_X = chamfer(objects, kernels=job.kernels)
    Phi = (labels[:, np.newaxis] != labels).astype(np.float64)
    if triples == "Se":
        chosen, y = selective_triples(
            D_X, labels, sizes["k_most"], sizes["triples"], rng, Phi if distance == "Pa" else D_X)
    else:
        chosen, y = random_triples(Phi if distance == "Pa" else D_X, sizes["triples"], rng)
    model = boostmap(
        D, between, chosen, y, sizes["d"], rng=rng, M_1=sizes["M_1"], M_2=sizes["M_2"],
        query_sensitive=sizes["query_sensitive"], kernels=job.kernels, threads=sizes["threads"],
        **AS_PRINTED,
    )
    return model, space_of(job, candidates)


def _measure(job, model, space, problem, votes=False):
    Q, X = model.embed(space, problem.queries), model.embed(space, problem.database)
    found = rank_percentiles(job, model, Q, X, problem) | {"cost": model.cost}
    if votes:
        k = problem.nearest.shape[1]
        distances, nearest = job.kernels.weighted_l1_nearest(Q, model.weights(Q), X, k)
        rng = job.rng_for("votes")
        found["errors"] = knn_errors(problem.labels[nearest], distances, problem.truth, rng)
    return found
