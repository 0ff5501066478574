"""What the figures beyond Athitsos et al. (2005) compute: edge detectors, readings of § 7.3.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

import numpy as np
from scipy import ndimage

from paper_figures.boostmap.tasks import SIGMA, Problem, knn_errors, load_problem, ranks_of, space_of
from refimpl.boostmap import addition, boostmap, embedding, from_rounds, modification
from refimpl.boostmap.bounds import least_z
from refimpl.boostmap.edges import canny, chamfer, chamfer_nearest, gradient
from refimpl.boostmap.triples import random_triples, selective_triples
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import exp, margins
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import CallableSpace
from refimpl.spaces.retrieval import enn_ranks, percentile

SUCCESS, K = 98, 10  # § 11.2
SHOWN = (95, 99)
AT_ONCE = 5000  # images that are worked on at a time
DIMENSIONS = 11  # of FastMap in § 11.2


# ------------------------------------------------------------------------------------------ edge detectors


def detect(images, white, detector):
    """Edge images of grey images by a detector: ("canny", sigma, low, high), ("sobel", t), ("outline", t), ("ink", t).

    Thresholds of ink are shares of white, that of Sobel's gradient is on the scale of :func:`canny`. An outline is the
    ink that touches, over its 4 neighbours, what is none.
    """
    kind, *numbers = detector
    grey = images / white
    if kind == "canny":
        return canny(grey, sigma=numbers[0], low=numbers[1], high=numbers[2])
    if kind == "sobel":
        return np.hypot(*gradient(grey, 0)) > numbers[0]
    ink = grey > numbers[0]
    cross = ndimage.generate_binary_structure(2, 1)[np.newaxis]
    return ink & ~ndimage.binary_erosion(ink, cross) if kind == "outline" else ink


def edges(job, *, data_set, enlarge, most, detector, n_train):
    """k-nn errors of the chamfer distance with a detector, and the p of § 11.2 for FastMap at 11 dimensions.

    Returns None in their place, and the number of images, if some have no edge at all.
    """
    loaded = job.load(data_set)
    side, n = round(loaded.X.shape[1] ** 0.5), loaded.n_train
    images, white = loaded.X.reshape(-1, side, side), loaded.X.max()
    found = np.concatenate([
        detect(ndimage.zoom(part, (1, enlarge, enlarge), order=1) if enlarge > 1 else part, white, detector)
        for part in np.array_split(images, -(-len(images) // AT_ONCE))
    ])
    lost = int((~found.any(axis=(1, 2))).sum())
    if lost:
        return {"lost": lost, "errors": None, "candidates": None, "edge_pixels": None}
    distances, nearest = chamfer_nearest(found[n:], found[:n], most, kernels=job.kernels)
    errors = knn_errors(loaded.y[:n][nearest], distances, loaded.y[n:], job.rng_for("votes"))
    problem = Problem(found[:n], found[n:], loaded.y[:n], loaded.y[n:], distances, nearest)
    return {"lost": 0, "errors": errors, "candidates": _fastmap_candidates(job, problem, n_train),
            "edge_pixels": float(found[:n].sum(axis=(1, 2)).mean())}


def _fastmap_candidates(job, problem, n_train):
    rng = job.rng_for("edges")
    picked = np.sort(rng.choice(len(problem.database), n_train, replace=False))
    space = space_of(job, problem.database[picked])
    model = fastmap(space, DIMENSIONS, rng)
    Q, X = model.embed(space, problem.queries), model.embed(space, problem.database)
    ranks = enn_ranks(model, Q, X, problem.nearest, [K], kernels=job.kernels)
    return int(percentile(ranks[:, 0], SUCCESS))


# ------------------------------------------------------------------------------------------ readings of § 7.3


def reading(job, *, data_set, enlarge, most, triples, sizes, queries, reading):
    """ENN-k ranks of query-insensitive embeddings trained as one reading of §§ 7 and 10 says.

    `reading` holds what differs: "m", "M_2", "triples", "objects", "sigma", "steps" ("add", "printed"),
    "octaves" (weights only at powers of 2**octaves), "same" (objects of the triples are the candidates), "draw".
    """
    problem = load_problem(job, data_set, reading.get("sigma", SIGMA), enlarge, most)
    sizes = {"m": sizes["M_1"]} | sizes | {name: reading[name] for name in reading if name in (*sizes, "m")}
    rng = job.rng_for("reading", triples, reading.get("draw", 0))
    picked = rng.permutation(len(problem.database))[: sizes["candidates"] + sizes["objects"]]
    C, T = picked[: sizes["candidates"]], picked[sizes["candidates"]:]
    T = C[: sizes["objects"]] if reading.get("same") else T
    candidates, objects, labels = problem.database[C], problem.database[T], problem.labels[T]
    D_X = chamfer(objects, kernels=job.kernels)
    if triples == "Se":
        chosen, y = selective_triples(D_X, labels, sizes["k_most"], sizes["triples"], rng)
    else:
        chosen, y = random_triples(D_X, sizes["triples"], rng)
    D, between = chamfer(candidates, objects, kernels=job.kernels), chamfer(candidates, kernels=job.kernels)
    model = _train(job, D, between, chosen, y, sizes, reading, rng)
    return _measured(job, model, problem, candidates, queries)


def _train(job, D, between, triples, y, sizes, reading, rng):
    kernels, threads = job.kernels, sizes["threads"]
    if "octaves" in reading:
        kernels = CoarseWeights(kernels, reading["octaves"])
    if "steps" in reading:
        return from_rounds(list(_rounds(D, between, triples, y, sizes, reading["steps"], rng, kernels, threads)))
    return boostmap(D, between, triples, y, sizes["d"], rng=rng, M_1=sizes["M_1"], m=sizes["m"], M_2=sizes["M_2"],
                    kernels=kernels, threads=threads)


def _measured(job, model, problem, candidates, queries):
    space = CallableSpace(lambda A, B: chamfer(A, B, kernels=job.kernels), candidates, pairwise=True)
    Q, X = model.embed(space, problem.queries[:queries]), model.embed(space, problem.database)
    part = Problem(problem.database, problem.queries[:queries], problem.labels, problem.truth[:queries],
                   problem.distances[:queries], problem.nearest[:queries])
    ranks = ranks_of(job, model, Q, X, part)["ranks"]
    return {"ranks": {k: [values[p - 1] for p in SHOWN] for k, values in ranks.items()}, "d": model.d,
            "rounds": len(model.round_alpha), "pairs": int((model.second >= 0).sum())}


def _rounds(D, between, triples, y, sizes, steps, rng, kernels, threads):
    """§ 7.3 with additions alone ("add"), or with its steps 1-2 as printed ("printed"), at most 4 d rounds."""
    w, H, F = on_grid(np.full(len(triples), 1 / len(triples))), {}, {}
    for _ in range(4 * sizes["d"]):
        h, alpha = None, 0.0
        if steps == "printed" and H:
            names, weights = list(H), np.array(list(H.values()))
            g, _ = least_z([F[c] for c in names], triples, y, w, weights, kernels, threads, below=1.0)
            h, alpha = (None, 0.0) if g is None else (names[g], -float(weights[g]))
            if h is None:
                h, alpha = modification(H, F, triples, y, w, kernels, threads)
        if h is None and len(H) == sizes["d"]:
            return
        if h is None:
            h, alpha = addition(D, between, triples, y, w, sizes["M_1"], sizes["m"], sizes["M_2"], rng, kernels,
                                threads)
        F[h] = embedding(D, *h, between[h[1], h[0]])
        z = float(kernels.z_values(F[h][np.newaxis], triples, y, w, np.array([alpha]))[0])
        w = on_grid(w * exp(-alpha * (y * margins(F[h], triples))) / z)
        H[h] = H.get(h, 0.0) + alpha
        yield (*h, float(between[h[1], h[0]]) if h[1] >= 0 else 0.0, alpha)
        if H[h] == 0:
            del H[h], F[h]


class CoarseWeights:
    """Kernels whose ``minimize_z`` looks at weights on a coarse grid only: powers of 2**octaves."""

    def __init__(self, kernels, octaves):
        self._kernels, self._octaves = kernels, octaves

    def __getattr__(self, name):
        return getattr(self._kernels, name)

    def minimize_z(self, F, triples, y, w, least, threads=None):
        """The power of 2**octaves nearest to the best weight, by its logarithm, and Z there."""
        alpha, _ = self._kernels.minimize_z(F, triples, y, w, least, threads=threads)
        size = np.where(alpha == 0, 1.0, np.abs(alpha))
        coarse = np.sign(alpha) * 2.0 ** (self._octaves * np.round(np.log2(size) / self._octaves))
        alpha = np.maximum(coarse, least)
        return alpha, self._kernels.z_values(F, triples, y, w, alpha, threads=threads)
