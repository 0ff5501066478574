"""What the figures of Weinberger & Saul (2008) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from functools import lru_cache
from time import perf_counter

import numpy as np
from scipy.ndimage import affine_transform

from refimpl.ball_trees import as_tree, nearest_neighbors, neighbors_in
from refimpl.lmnn import algorithm, kmeans_partition, lmnn, lmnn_rect, lmnn_svd, target_neighbors
from refimpl.lmnn.neighbors import classify, leave_one_out_error
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.resources import on_one_blas_thread
from refimpl.rivals.rotated_scan import rotated_scan

QUERIES = 1000  # whose search is timed
HELD_OUT = 0.3  # § 5.2


# ------------------------------------------------------------------------------------------------ points


def deskewed(images):
    """Images sheared until their second moments do not slant, and moved until their mass is in the middle."""
    side = images.shape[1]
    rows, columns = np.mgrid[:side, :side]
    out = np.empty_like(images)
    for place, image in enumerate(images):
        mass = image.sum() or 1.0
        row, column = (rows * image).sum() / mass, (columns * image).sum() / mass
        slant = ((rows - row) * (columns - column) * image).sum() / max(((rows - row) ** 2 * image).sum(), 1e-9)
        shear = np.array([[1.0, 0.0], [slant, 1.0]])
        offset = np.array([row, column]) - shear @ np.array([side / 2, side / 2])
        out[place] = affine_transform(image, shear, offset=offset, order=1)
    return out


@lru_cache(maxsize=2)
def _images(data_set, data_dir, preparation):
    from paper_figures.registry import Job

    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X / loaded.X.max() if preparation != "as they are" else loaded.X
    if preparation == "deskewed":
        side = round(X.shape[1] ** 0.5)
        X = deskewed(X.reshape(-1, side, side)).reshape(len(X), -1)
    if preparation == "normalised":
        X = X - X.mean(axis=1, keepdims=True)
    if preparation in ("normalised", "unit length"):
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return X, loaded.y, loaded.n_train


def _points(job, data_set, preparation, d, n=None):
    """Training and test points on the leading principal components of the training part, and their classes.

    d is a number of components, or the share of the variance that they must have together.
    """
    X, y, n_train = _images(data_set, job.data_dir, preparation)
    centred = X[:n_train] - X[:n_train].mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    values, vectors = values[::-1], vectors[:, ::-1]
    if d < 1:
        d = int(np.searchsorted(np.cumsum(values) / values.sum(), d)) + 1
    Z = (X - X[:n_train].mean(axis=0)) @ vectors[:, :d]
    return Z[:n_train][:n], y[:n_train][:n], Z[n_train:], y[n_train:]


def _error(found, y):
    return 100 * float((found != y).mean())


def preparations(job, *, data_set, kinds, d, k):
    """Euclidean k-nn errors for ways to prepare the images, in per cent (§ 3 prints 2.33 on MNIST)."""
    found = {}
    for kind in kinds:
        X, y, Q, z = _points(job, data_set, kind, d)
        found[kind] = _error(classify(X, y, Q, k, np.eye(X.shape[1]), kernels=job.kernels), z)
    return {"errors": found}


# ------------------------------------------------------------------------------------------------ Table 1


def solved(job, *, data_set, preparation, n, d, k, tol):
    """One row of table 1: the training of n points, and errors with those n and with all training points."""
    X, y, Q, z = _points(job, data_set, preparation, d)
    used = _first_of_classes(y, n)
    before = perf_counter()
    found = lmnn(X[used], y[used], k, tol=tol, kernels=job.kernels)
    seconds = perf_counter() - before
    sizes = np.unique(y[used], return_counts=True)[1]
    L = found.L[0]
    return {
        "seconds": seconds, "objective": found.objective, "gap": found.gap, "full_checks": found.full_checks,
        "active": int(found.history[-1, 2]), "pairs": int(found.history[-1, 3]), "n": int(sizes.sum()),
        "total": int((sizes * (sizes.sum() - sizes)).sum()),
        "train_error": 100 * leave_one_out_error(X[used], y[used], k, L, kernels=job.kernels),
        "test_error": _error(classify(X[used], y[used], Q, k, L, kernels=job.kernels), z),
        "test_error_all": _error(classify(X, y, Q, k, L, kernels=job.kernels), z),
        "euclidean": _error(classify(X[used], y[used], Q, k, np.eye(X.shape[1]), kernels=job.kernels), z),
        "euclidean_all": _error(classify(X, y, Q, k, np.eye(X.shape[1]), kernels=job.kernels), z),
    }  # fmt: skip


def _first_of_classes(y, n):
    """The first n points; of few points the first of each class, equally many, so that each has target neighbours."""
    if n >= 500:
        return np.arange(min(n, len(y)))
    classes = np.unique(y)
    return np.sort(np.concatenate([np.flatnonzero(y == c)[: n // len(classes)] for c in classes]))


def steps(job, *, data_set, preparation, n, d, k, scaled, checks):
    """The paper's steps from the Euclidean metric: what each full check finds, with the n points as references.

    The steps are those of ``refimpl.lmnn.algorithm``, on the points as given. `scaled`: from the Euclidean metric at a
    scale of its own, else from the identity.
    """
    X, y, Q, z = _points(job, data_set, preparation, d)
    used = _first_of_classes(y, n)
    X, y = X[used], y[used]
    found = []

    for t, (objective, L), now in _steps(X, y, k, _euclidean(X, y, k, scaled), checks, job.kernels):
        error = _error(classify(X, y, Q, k, L, kernels=job.kernels), z)
        found.append({"steps": t, "objective": objective, "active": now.active, "error": error})
    best = lmnn(X, y, k, tol=2e-3, kernels=job.kernels)
    error = _error(classify(X, y, Q, k, best.L, kernels=job.kernels), z)
    return {"checks": found, "optimum": {"objective": best.objective, "error": error,
                                         "active": int(best.history[-1, 2])}}


def _steps(X, y, k, L, checks, kernels):
    """The full checks of the paper's steps on the points as given, from the factor L."""
    classes, targets = np.unique(y, return_inverse=True)[1], target_neighbors(X, y, k)
    one = np.zeros(len(X), dtype=np.int64)
    problem = LargeMarginProblem(np.ascontiguousarray(X), classes, targets, 1.0, one, kernels)
    return on_one_blas_thread(algorithm.steps(problem, L[None], tol=1e-6, checks=checks))


def _euclidean(X, y, k, scaled):
    """A factor c I to start from: c such that the mean squared distance of target neighbours is 1, or c = 1."""
    near = (X[:, None] - X[target_neighbors(X, y, k)]) ** 2 if scaled else np.ones((1, 1, 1))
    return np.eye(X.shape[1]) / np.sqrt(near.sum(axis=2).mean())


# ------------------------------------------------------------------------------------------- Figures 1-3


def ball(job, *, data_set, preparation, k):
    """A ball of a tree over two principal components, a query outside and the two distances of eq. 7 (figure 1)."""
    X, _, Q, _ = _points(job, data_set, preparation, 2)
    X, Q = X[:400], Q[:200]
    tree = as_tree(X, leaf_size=12, direction="principal", kernels=job.kernels)
    leaves = [j for j in range(len(tree.starts)) if 5 <= tree.ends[j] - tree.starts[j] <= 24]
    node = max(leaves, key=lambda j: tree.radii[j])
    centre, radius = tree.centres[node], float(tree.radii[node])
    apart = np.linalg.norm(Q - centre, axis=1)
    query = Q[np.argsort(np.abs(apart - 3 * radius))[0]]
    inside = tree.points[tree.starts[node] : tree.ends[node]]
    nearest = np.linalg.norm(inside - query, axis=1)
    found = nearest_neighbors(X, query[None], 1, kernels=job.kernels)
    return {
        "inside": inside, "centre": centre, "radius": radius, "query": query,
        "neighbour": X[found.indices[0, 0]], "neighbour_distance": float(found.distances[0, 0]),
        "bound": max(float(np.linalg.norm(query - centre)) - radius, 0.0), "least": float(nearest.min()),
    }  # fmt: skip


def _speedup(job, X, Q, L, k):
    """How many times faster the search in ball trees is than the rotated scan, and the trees' distances a query."""
    Q = Q[:QUERIES]
    tree = as_tree(X, L=L, kernels=job.kernels)
    start = perf_counter()
    found = neighbors_in(tree, Q @ L.T, k, kernels=job.kernels, threads=1)
    middle = perf_counter()
    rotated_scan(X, Q, k, L, kernels=job.kernels, threads=1)
    return {"speedup": (perf_counter() - middle) / (middle - start), "distances": float(found.computed.mean())}


def _low_rank(job, X, y, Q, z, L, k, timed):
    measures = {"error": _error(classify(X, y, Q, k, L, kernels=job.kernels), z)}
    return measures | (_speedup(job, X, Q, L, k) if timed else {})


def euclidean_ranks(job, *, data_set, preparation, n, d, k, ranks, timed):
    """k-nn errors of PCA for each rank, and of all components (figure 2)."""
    X, y, Q, z = _points(job, data_set, preparation, d, n)
    identity = np.eye(X.shape[1])
    return {
        "full": _error(classify(X, y, Q, k, identity, kernels=job.kernels), z),
        "ranks": {str(r): _low_rank(job, X, y, Q, z, identity[:r], k, timed) for r in ranks},
    }  # fmt: skip


def full_rank(job, *, data_set, preparation, n, d, k, ranks, timed, tol, checks):
    """k-nn errors of LMNN-SVD for each rank, and of all components (figure 2).

    With `checks` None the metric is that of the optimum, else that of the paper's steps from the Euclidean metric,
    which end after so many full checks.
    """
    X, y, Q, z = _points(job, data_set, preparation, d, n)
    before = perf_counter()
    if checks is None:
        found = lmnn(X, y, k, tol=tol, kernels=job.kernels)
        objective, gap, L = found.objective, found.gap, found.L[0]
    else:
        for _, best, _ in _steps(X, y, k, _euclidean(X[:2000], y[:2000], k, True), checks, job.kernels):
            objective, gap, L = best[0], None, best[1][0]
    seconds = perf_counter() - before
    spectrum = np.linalg.eigvalsh(L.T @ L)[::-1]
    return {
        "full": _error(classify(X, y, Q, k, L, kernels=job.kernels), z), "gap": gap, "seconds": seconds,
        "objective": objective, "spectrum": spectrum / spectrum[0],
        "ranks": {str(r): _low_rank(job, X, y, Q, z, lmnn_svd(L.T @ L, r), k, timed) for r in ranks},
    }  # fmt: skip


def rect(job, *, data_set, preparation, n, d, k, r, tol, timed):
    """k-nn error of LMNN-RECT of rank r (figure 2)."""
    X, y, Q, z = _points(job, data_set, preparation, d, n)
    before = perf_counter()
    found = lmnn_rect(X, y, r, k, tol=tol, kernels=job.kernels)
    return {"seconds": perf_counter() - before, "full_checks": found.full_checks} | _low_rank(
        job, X, y, Q, z, found.L[0], k, timed
    )


def ellipsoids(job, *, data_set, preparation, digits, n, k, shown):
    """Two principal components of some digits and the metric of each (figure 3)."""
    X, y, n_train = _images(data_set, job.data_dir, preparation)
    kept = np.flatnonzero(np.isin(y[:n_train], digits))[:n]
    X, y = X[kept] - X[kept].mean(axis=0), y[kept]
    X = X @ np.linalg.eigh(X.T @ X)[1][:, :-3:-1]
    found = lmnn(X, y, k, partition=y, kernels=job.kernels)
    one = lmnn(X, y, k, kernels=job.kernels)
    return {
        "points": [X[y == digit][:shown] for digit in digits], "metrics": found.M, "gap": found.gap,
        "centres": [X[y == digit].mean(axis=0) for digit in digits], "objective": found.objective,
        "several": 100 * leave_one_out_error(X, y, k, found.L, found.partition, kernels=job.kernels),
        "one": 100 * leave_one_out_error(X, y, k, one.L, kernels=job.kernels),
        "euclidean": 100 * leave_one_out_error(X, y, k, np.eye(2), kernels=job.kernels),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------- Figures 4, 5


def _held_out(y, rng):
    """Whether a point trains: three of ten of each class are held out for validation."""
    trains = np.ones(len(y), dtype=bool)
    for c in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == c))
        trains[members[: int(HELD_OUT * len(members))]] = False
    return trains


def several(job, *, data_set, preparation, n, d, k, p, run, max_checks):
    """Test error with p metrics: by k-means, or by class if p is None (figure 4)."""
    X, y, Q, z = _points(job, data_set, preparation, d, n)
    rng = job.rng_for("several", data_set, run)
    partition = y if p is None else kmeans_partition(X, p, rng)
    trains = _held_out(y, rng)
    metrics, inside = np.unique(partition[trains], return_inverse=True)
    found = lmnn(
        X[trains], y[trains], k, partition=inside, validation=(X[~trains], y[~trains]), max_checks=max_checks,
        kernels=job.kernels,
    )  # fmt: skip
    places = np.searchsorted(metrics, partition).clip(max=len(metrics) - 1)
    return {
        "error": _error(classify(X, y, Q, k, found.L, places, kernels=job.kernels), z), "metrics": len(metrics),
        "checks": found.full_checks, "message": found.message,
        "euclidean": _error(classify(X, y, Q, k, np.eye(X.shape[1]), kernels=job.kernels), z),
    }  # fmt: skip


def set_errors(job, *, data_set, preparation, share, by_class, ks, max_checks):
    """Test and leave-one-out training errors with one metric or one for each class; k by validation (figure 5)."""
    X, y, Q, z = _points(job, data_set, preparation, share)
    trains = _held_out(y, job.rng_for("held out", data_set))
    before = perf_counter()
    found = lmnn(
        X[trains], y[trains], 3, partition=y[trains] if by_class else None, validation=(X[~trains], y[~trains]),
        max_checks=max_checks, kernels=job.kernels,
    )  # fmt: skip
    seconds = perf_counter() - before
    places = np.unique(y, return_inverse=True)[1] if by_class else np.zeros(len(y), dtype=np.int64)
    voters, held = (X[trains], y[trains]), (X[~trains], y[~trains])
    by_k = {
        k: _error(classify(*voters, held[0], k, found.L, places[trains], kernels=job.kernels), held[1]) for k in ks
    }
    k = min(by_k, key=lambda k: (by_k[k], k))
    identity = np.eye(X.shape[1])
    return {
        "test": _error(classify(X, y, Q, k, found.L, places, kernels=job.kernels), z), "k": k, "d": X.shape[1],
        "train": 100 * leave_one_out_error(X, y, k, found.L, places, kernels=job.kernels), "seconds": seconds,
        "euclidean": _error(classify(X, y, Q, k, identity, kernels=job.kernels), z), "checks": found.full_checks,
        "message": found.message,
    }  # fmt: skip
