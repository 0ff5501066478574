"""The forest beside libraries of approximate neighbours: what the figure computes.

This goes beyond Li et al. (2011).

:func:`search` is the task: it gets a :class:`paper_figures.registry.Job` and its parameters. Every
index is built and asked on one thread, for the K nearest, one query a call.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import numpy as np

from paper_figures.registry import Job
from paper_figures.search_forest.methods import learn_forest
from paper_figures.search_forest.points import load_problem
from refimpl.search_forest import InvertedIndex
from refimpl.typing import FloatArray, IntArray

# a package, and what is imported of it
MODULES = {"annoy": "annoy", "faiss-cpu": "faiss", "hnswlib": "hnswlib"}
PACKAGES = {"annoy": "annoy", "ivf": "faiss-cpu", "hnsw": "hnswlib"}  # what a kind of index takes
SEED = 1  # of the libraries' own generators


def versions() -> dict[str, str | None]:
    """Return the version of each package, None where it is not installed.

    They are parameters of the task, as times depend on them.
    """
    installed = dict.fromkeys(MODULES)
    for package in installed:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


@dataclass(frozen=True)
class Search:
    """An index that has been built.

    Attributes
    ----------
    ask : callable
        ``ask(q, setting)`` gives the indices of the K nearest that it finds, the nearest first.
    compared : callable
        ``compared(Q, setting)`` gives the mean number of points that a query is compared with; None
        if the method does not say.
    """

    ask: Callable[[FloatArray, Any], Any]
    compared: Callable[[FloatArray, Any], Any]


def search(
    job: Job,
    *,
    versions: Mapping[str, str | None],
    methods: Mapping[str, Any],
    passes: int,
    **at: Any,
) -> dict[str, Any]:
    """Return recall, points compared and milliseconds a query, by method and setting.

    `methods` has for each name the ``kind`` of index, its ``settings`` and what it is built
    ``with``. What is not installed is left out.
    """
    X, Q, near = load_problem(job, at)
    lines = []
    built = {}
    for name, method in methods.items():
        if missing(method["kind"], versions):
            continue
        start = perf_counter()
        index = BUILD[method["kind"]](job, X, at, **method["with"])
        built[name] = perf_counter() - start
        lines += [
            {"method": name, "setting": setting} | _measured(index, Q, near, setting, passes)
            for setting in method["settings"]
        ]
    return {"lines": lines, "built": built}


def missing(kind: str, versions: Mapping[str, str | None]) -> str | None:
    """Return the package that a kind of index takes if it is not installed, or None."""
    package = PACKAGES.get(kind)
    return package if package is not None and versions[package] is None else None


def _measured(
    index: Any, Q: FloatArray, near: IntArray, setting: Any, passes: int
) -> dict[str, Any]:
    """Return recall, points compared and time of an index with a setting."""
    seconds = []
    for _ in range(passes):
        start = perf_counter()
        answers = [index.ask(q, setting) for q in Q]
        seconds.append(perf_counter() - start)
    recalls = []
    for k in (near.shape[1], min(10, near.shape[1])):
        hits = [np.isin(row[:k], ids[:k]).mean() for row, ids in zip(near, answers, strict=True)]
        recalls.append(100 * float(np.mean(hits)))
    compared = index.compared(Q, setting)
    return {
        "recall": recalls[0],
        "recall@10": recalls[1],
        "compared": None if compared is None else float(compared),
        "ms": 1000 * min(seconds) / len(Q),
    }


# ------------------------------------------------------------------------------------------ methods


def _forest(job: Job, X: FloatArray, at: dict[str, Any], **options: Any) -> Search:
    """Return the forest with its inverted index; a setting is n_candidates."""
    forest = learn_forest(job, X, at["K"], threads=1, **options)
    index = InvertedIndex(forest, X, kernels=job.kernels, threads=1)
    return Search(
        lambda q, n: index.query(q[np.newaxis], at["K"], n_candidates=n)[0][0],
        lambda Q, n: np.diff(index.candidates(Q, n_candidates=n).offsets).mean(),
    )


def _annoy(job: Job, X: FloatArray, at: dict[str, Any], *, trees: int) -> Search:
    """Return annoy's index; a setting is its search_k.

    It compares the points that it returns when it may return all.
    """
    index = importlib.import_module("annoy").AnnoyIndex(X.shape[1], "euclidean")
    index.set_seed(SEED)
    for i, x in enumerate(X):
        index.add_item(i, x)
    index.build(trees, n_jobs=1)

    def compared(Q: FloatArray, search_k: int) -> float:
        return float(np.mean([len(index.get_nns_by_vector(q, len(X), search_k)) for q in Q]))

    return Search(lambda q, search_k: index.get_nns_by_vector(q, at["K"], search_k), compared)


def _ivf(job: Job, X: FloatArray, at: dict[str, Any], *, lists: int) -> Search:
    """Return FAISS's inverted file of whole vectors; a setting is the number of probed lists."""
    faiss = importlib.import_module("faiss")
    faiss.omp_set_num_threads(1)
    quantizer = faiss.IndexFlatL2(X.shape[1])
    index = faiss.IndexIVFFlat(quantizer, X.shape[1], lists)
    index.cp.seed = SEED
    index.cp.min_points_per_centroid = 1
    index.train(X)
    index.add(X)
    sizes = np.array([index.invlists.list_size(i) for i in range(lists)])

    def ask(q: FloatArray, probes: int) -> Any:
        index.nprobe = probes
        return index.search(q[np.newaxis], at["K"])[1][0]

    return Search(ask, lambda Q, probes: sizes[quantizer.search(Q, probes)[1]].sum(axis=1).mean())


def _hnsw(job: Job, X: FloatArray, at: dict[str, Any], *, links: int, effort: int) -> Search:
    """Return hnswlib's graph; a setting is its ef. It does not count what it compares."""
    index = importlib.import_module("hnswlib").Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), M=links, ef_construction=effort, random_seed=SEED)
    index.add_items(X, num_threads=1)

    def ask(q: FloatArray, ef: int) -> Any:
        index.set_ef(ef)
        return index.knn_query(q, at["K"], num_threads=1)[0][0].astype(np.int64)

    return Search(ask, lambda Q, ef: None)


def _scan(job: Job, X: FloatArray, at: dict[str, Any]) -> Search:
    """Return a scan: the kernel that reranks the forest's candidates gets all points."""
    offsets = np.array([0, len(X)])
    rows = np.arange(len(X))
    return Search(
        lambda q, _: job.kernels.rerank(q[np.newaxis], X, offsets, rows, at["K"], threads=1)[1][0],
        lambda Q, _: len(X),
    )


BUILD: dict[str, Callable[..., Search]] = {
    "forest": _forest,
    "annoy": _annoy,
    "ivf": _ivf,
    "hnsw": _hnsw,
    "scan": _scan,
}
