"""When the search forest pays: on its paper's kinds of points and on six other sets.

Beside it stand what a user would take today, each with the settings that its library documents as
defaults. One setting of each, how far a query searches, goes through several values.

:func:`search` is a task: it gets a :class:`paper_figures.registry.Job` and its parameters. Every
index is built and asked on one thread; all queries are asked in one call where the library takes
them so.

Not handled here: the rows (`when_results.py`), so that a change of these computes nothing anew.
"""

import importlib
import os
import pickle
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paper_figures.comparisons.learners import spent
from paper_figures.registry import Context, Job, Task
from refimpl.kernels import SearchForest

PRINTED, MOVED = "forest as printed", "forest, moved planes"
EXACT = "brute force"
COMPILED = "PyNNDescent"  # while it runs, for a minute; the small scale goes without it
# a method, and the package that it takes beside this project's own
METHODS: Mapping[str, str | None] = {
    PRINTED: None,
    MOVED: None,
    "annoy": "annoy",
    "FAISS IVF": "faiss-cpu",
    "hnswlib": "hnswlib",
    COMPILED: "pynndescent",
    "ball tree": None,
    EXACT: None,
}
TREES = 16  # of annoy, which has no default: those of the forest
LISTS = 4  # of FAISS: so many times the root of the number of points, the least it advises
PROBES = (1, 2, 4, 8, 16, 32, 64)
EFS = (10, 20, 40, 80, 160, 320)
EPSILONS = (0.0, 0.05, 0.1, 0.2, 0.4)
SHARES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 1.0)  # of the points, as candidates
PASSES = 3
ROUNDING = 1e-4  # of distances in float32, whose points have a root mean squared length of 1
# a set, and its leading principal components; None: its standardised columns
SETS: Mapping[str, tuple[tuple[str, int | None], ...]] = {
    "small": (("digits", 30), ("wdbc-small", None)),
    "paper": (
        ("MNIST-10", 64),
        ("tiny-images", 384),
        ("letters", None),
        ("pen-digits", None),
        ("magic", None),
        ("satellite", None),
        ("isolet", None),
        ("20news", None),
    ),
}
POINTS = {"small": 400, "paper": 10_000}
QUERIES = {"small": 100, "paper": 500}
K = 10
DRAWS = {"small": 2, "paper": 20}
BLOCK = {"small": 2, "paper": 5}  # draws of a task
KERNELS = ("eigen", "forest", "meetings", "planes", "pairs", "trees", "growing")


class Index(NamedTuple):
    """An index that has been built.

    Attributes
    ----------
    ask : callable
        ``ask(Q, setting)`` gives the indices of the nearest points that it finds.
    compared : callable
        ``compared(Q, setting)`` gives the mean number of points, planes and centres that a query is
        compared with; None if the method does not say.
    settings : sequence
        How far a query searches, the least first.
    megabytes : callable
        What the index takes on a disk.
    """

    ask: Callable[[Any, Any], Any]
    compared: Callable[[Any, Any], float | None]
    settings: Sequence[Any]
    megabytes: Callable[[], float]


def search(
    job: Job,
    *,
    data_set: str,
    d: int | None,
    draws: Sequence[int],
    points: int,
    queries: int,
    methods: Sequence[str],
    versions: Mapping[str, str | None],
) -> dict[str, Any]:
    """Return what each method that is installed shows on each draw of database and queries."""
    runs = []
    for draw in draws:
        X, Q = drawn(job, data_set, d, draw, points, queries)
        seed = int(job.rng_for("when, seed", data_set, draw).integers(2**31))
        runs.append(
            {
                name: measured(partial(BUILD[name], job, X, seed), X, Q)
                for name in methods
                if missing(name, versions) is None
            }
        )
    return {"runs": runs, "about": {"columns": X.shape[1], "points": len(X)}}


def missing(method: str, versions: Mapping[str, str | None]) -> str | None:
    """Return the package that a method takes if it is not installed, or None."""
    package = METHODS[method]
    return package if package is not None and versions[package] is None else None


def drawn(
    job: Job, data_set: str, d: int | None, draw: int, points: int, queries: int
) -> tuple[Any, Any]:
    """Return a database and queries that are not in it, drawn at random.

    Parameters
    ----------
    job : registry.Job
    data_set : str
    d : int or None
        The number of principal components; None takes the standardised columns.
    draw : int
    points, queries : int
        At most so many.

    Returns
    -------
    X, Q : ndarray of float32
    """
    Z = _prepared(data_set, job.data_dir, d)
    order = job.rng_for("when", data_set, draw).permutation(len(Z))
    rest = order[queries : queries + points]
    return np.ascontiguousarray(Z[rest]), np.ascontiguousarray(Z[order[:queries]])


@lru_cache(maxsize=1)
def _prepared(data_set: str, data_dir: str | None, d: int | None) -> Any:
    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    Z = loaded.X - loaded.X.mean(axis=0)
    if d is None:
        spread = Z.std(axis=0)
        Z = Z[:, spread > 0] / spread[spread > 0]
    else:
        Z = Z @ np.linalg.eigh(Z.T @ Z)[1][:, : -d - 1 : -1]
    return (Z / np.sqrt((Z**2).sum(axis=1).mean())).astype(np.float32)


def measured(build: Callable[[], Index], X: Any, Q: Any) -> dict[str, Any]:
    """Return what building an index takes, and its recall, comparisons and time by setting.

    Parameters
    ----------
    build : callable
        Returns the index of X.
    X, Q : ndarray of float32

    Returns
    -------
    dict
    """
    built = spent(build)
    index: Index = built.value
    limit = _exact(X).kneighbors(Q)[0][:, -1]
    lines = []
    for setting in index.settings:
        asked = [spent(partial(index.ask, Q, setting)) for _ in range(PASSES)]
        lines.append(
            {
                "setting": setting,
                "recall": recall(X, Q, asked[0].value, limit),
                "compared": index.compared(Q, setting),
                "ms": 1000.0 * min(a.seconds for a in asked) / len(Q),
            }
        )
    size = index.megabytes()
    return {"build": built.seconds, "peak": built.peak, "size": size, "lines": lines}


def recall(X: Any, Q: Any, answers: Sequence[Any], limit: Any) -> float:
    """Return the share, in per cent, of K points as near to a query as its K-th nearest.

    Parameters
    ----------
    X, Q : ndarray
    answers : sequence of sequence of int
        For each query, the points that an index finds; negative where it finds fewer.
    limit : ndarray
        For each query the distance of the K-th nearest.

    Returns
    -------
    float
    """
    right = 0
    for q, ids, farthest in zip(Q, answers, limit, strict=True):
        chosen = np.unique([i for i in ids if i >= 0]).astype(np.int64)
        distances = np.linalg.norm(X[chosen].astype(np.float64) - q, axis=1)
        right += min(K, int((distances <= farthest * (1 + ROUNDING) + ROUNDING).sum()))
    return 100.0 * right / (K * len(Q))


# ------------------------------------------------------------------------------------------ methods


def _forest(refine: int, job: Job, X: Any, seed: int) -> Index:
    """Return the forest; a setting is n_candidates."""
    from refimpl.estimators import SearchForestNeighbors

    kernels: Any = job.kernels_name
    model = SearchForestNeighbors(K, refine=refine, random_state=seed, kernels=kernels, n_jobs=1)
    model.fit(X)

    def ask(Q: Any, most: int) -> Any:
        return model.set_params(n_candidates=most).kneighbors(Q, return_distance=False)

    def compared(Q: Any, most: int) -> float:
        sizes = np.diff(model.candidates(Q, n_candidates=most).offsets)
        points = np.where(sizes < K, len(X), sizes).mean()  # with few it looks at all points
        words = model.index_.to_terms(model._mapped(Q))
        return float(points) + planes_passed(model.index_.forest, words)

    counts = sorted({max(K, round(share * len(X))) for share in SHARES})
    return Index(ask, compared, counts, lambda: _pickled(model))


def planes_passed(forest: SearchForest, words: Any) -> float:
    """Return with how many hyperplanes a query is compared on its way down all trees.

    Parameters
    ----------
    forest : SearchForest
        A node that compares a single coordinate does not count.
    words : ndarray, shape (n, M), int
        The leaf that each query reaches in each tree.

    Returns
    -------
    float
        The mean over the queries.
    """
    passed = np.zeros(len(forest.left))
    for k in np.flatnonzero(forest.left >= 0):  # a node comes before its children
        passed[forest.left[k] : forest.left[k] + 2] = passed[k] + (forest.plane[k] >= 0)
    of_word = np.zeros(forest.n_words)
    leaf = forest.word >= 0
    of_word[forest.word[leaf]] = passed[leaf]
    return float(of_word[words].sum(axis=1).mean())


def _annoy(job: Job, X: Any, seed: int) -> Index:
    """Return annoy's index; a setting is its search_k."""
    index = importlib.import_module("annoy").AnnoyIndex(X.shape[1], "euclidean")
    index.set_seed(seed)
    for i, x in enumerate(X):
        index.add_item(i, x)
    index.build(TREES, n_jobs=1)

    def compared(Q: Any, search_k: int) -> float:
        return float(np.mean([len(index.get_nns_by_vector(q, len(X), search_k)) for q in Q]))

    def ask(Q: Any, search_k: int) -> Any:
        return [index.get_nns_by_vector(q, K, search_k) for q in Q]

    counts = sorted({max(K, round(share * len(X))) for share in SHARES})
    return Index(ask, compared, counts, lambda: _saved(index.save))


def _ivf(job: Job, X: Any, seed: int) -> Index:
    """Return FAISS's inverted file of whole vectors; a setting is the number of probed lists."""
    faiss = importlib.import_module("faiss")
    faiss.omp_set_num_threads(1)
    lists = round(LISTS * len(X) ** 0.5)
    quantizer = faiss.IndexFlatL2(X.shape[1])
    index = faiss.IndexIVFFlat(quantizer, X.shape[1], lists)
    index.cp.seed = seed
    index.cp.min_points_per_centroid = 1  # fewer points are no reason to warn
    index.train(X)
    index.add(X)
    sizes = np.array([index.invlists.list_size(i) for i in range(lists)])

    def ask(Q: Any, probes: int) -> Any:
        index.nprobe = probes
        return index.search(Q, K)[1]

    def compared(Q: Any, probes: int) -> float:
        return float(lists + sizes[quantizer.search(Q, probes)[1]].sum(axis=1).mean())

    probes = [count for count in PROBES if count <= lists]
    return Index(ask, compared, probes, lambda: faiss.serialize_index(index).nbytes / 1e6)


def _hnsw(job: Job, X: Any, seed: int) -> Index:
    """Return hnswlib's graph; a setting is its ef."""
    index = importlib.import_module("hnswlib").Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), random_seed=seed % 1000)
    index.add_items(X, num_threads=1)

    def ask(Q: Any, ef: int) -> Any:
        index.set_ef(ef)
        return index.knn_query(Q, K, num_threads=1)[0].astype(np.int64)

    return Index(ask, lambda Q, ef: None, EFS, lambda: _saved(index.save_index))


def _descent(job: Job, X: Any, seed: int) -> Index:
    """Return PyNNDescent's graph; a setting is the epsilon of a query."""
    _compile()
    index = importlib.import_module("pynndescent").NNDescent(X, random_state=seed, n_jobs=1)
    index.prepare()

    def ask(Q: Any, epsilon: float) -> Any:
        return index.query(Q, k=K, epsilon=epsilon)[0]

    return Index(ask, lambda Q, epsilon: None, EPSILONS, lambda: _pickled(index))


@lru_cache
def _compile() -> None:
    """Let PyNNDescent compile what it runs, once a process."""
    X = np.random.default_rng(0).standard_normal((500, 8), dtype=np.float32)
    index = importlib.import_module("pynndescent").NNDescent(X, random_state=0, n_jobs=1)
    index.prepare()
    index.query(X[:5], k=K)


def _ball_tree(job: Job, X: Any, seed: int) -> Index:
    """Return scikit-learn's ball tree, which is exact: there is no setting."""
    from sklearn.neighbors import BallTree

    tree = BallTree(X)

    def compared(Q: Any, setting: None) -> float:
        tree.reset_n_calls()
        tree.query(Q, K)
        return float(tree.get_n_calls() / len(Q))

    def ask(Q: Any, setting: None) -> Any:
        return tree.query(Q, K, return_distance=False)

    return Index(ask, compared, (None,), lambda: _pickled(tree))


def _scan(job: Job, X: Any, seed: int) -> Index:
    """Return scikit-learn's scan of all points."""
    model = _exact(X)

    def ask(Q: Any, setting: None) -> Any:
        return model.kneighbors(Q, return_distance=False)

    return Index(ask, lambda Q, setting: float(len(X)), (None,), lambda: X.nbytes / 1e6)


def _exact(X: Any) -> Any:
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, algorithm="brute").fit(X)


BUILD: Mapping[str, Callable[[Job, Any, int], Index]] = {
    PRINTED: partial(_forest, 0),
    MOVED: partial(_forest, 10),
    "annoy": _annoy,
    "FAISS IVF": _ivf,
    "hnswlib": _hnsw,
    COMPILED: _descent,
    "ball tree": _ball_tree,
    EXACT: _scan,
}


def _pickled(model: Any) -> float:
    return len(pickle.dumps(model)) / 1e6


def _saved(save: Callable[[str], Any]) -> float:
    """Return the size of the file that an index writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        save(os.fspath(path))
        return path.stat().st_size / 1e6


# ------------------------------------------------------------------------------------------- tasks


def versions() -> dict[str, str | None]:
    """Return the version of each package, None where it is not installed.

    They are parameters of the task, as times depend on them.
    """
    installed: dict[str, str | None] = {}
    for package in METHODS.values():
        if package is not None:
            try:
                installed[package] = version(package)
            except PackageNotFoundError:
                installed[package] = None
    return installed


def tasks(context: Context) -> list[Task]:
    """Return the draws of all sets."""
    scale = context.scale
    return [
        Task(
            "when",
            search,
            {
                "data_set": name,
                "d": d,
                "draws": list(range(first, min(first + BLOCK[scale], DRAWS[scale]))),
                "points": POINTS[scale],
                "queries": QUERIES[scale],
                "methods": [name for name in METHODS if scale == "paper" or name != COMPILED],
                "versions": versions(),
            },
            (name,),
            KERNELS,
        )
        for name, d in SETS[scale]
        for first in range(0, DRAWS[scale], BLOCK[scale])
    ]
