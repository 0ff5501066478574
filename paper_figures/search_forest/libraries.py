"""What the figure computes that holds the forest against libraries of approximate neighbours; beyond Li et al. (2011).

:func:`search` is the task: it gets a :class:`paper_figures.registry.Job` and its parameters. Every index is built and
asked on one thread, for the K nearest, one query a call.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter

import numpy as np

from paper_figures.search_forest.tasks import learn_forest, load_problem
from refimpl.search_forest.index import InvertedIndex

MODULES = {"annoy": "annoy", "faiss-cpu": "faiss", "hnswlib": "hnswlib"}  # a package, and what is imported of it
PACKAGES = {"annoy": "annoy", "ivf": "faiss-cpu", "hnsw": "hnswlib"}  # what a kind of index takes
SEED = 1  # of the libraries' own generators


def versions():
    """The version of each package, None where it is not installed; parameters of the task, for times depend on them."""
    found = dict.fromkeys(MODULES)
    for package in found:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True)
class Search:
    """An index that has been built.

    Attributes
    ----------
    ask : callable
        ``ask(q, setting)`` gives the indices of the K nearest that it finds, the nearest first.
    compared : callable
        ``compared(Q, setting)`` gives the mean number of points that a query is compared with; None if the method does
        not say.
    """

    ask: Callable
    compared: Callable


def search(job, *, versions, methods, passes, **at):
    """Recall, points compared and milliseconds a query, for each method and each of its settings.

    `methods` has for each name the ``kind`` of index, its ``settings`` and what it is built ``with``. What is not
    installed is left out.
    """
    X, Q, near = load_problem(job, at)
    lines, built = [], {}
    for name, given in methods.items():
        if missing(given["kind"], versions):
            continue
        start = perf_counter()
        index = BUILD[given["kind"]](job, X, at, **given["with"])
        built[name] = perf_counter() - start
        lines += [{"method": name, "setting": setting} | _measured(index, Q, near, setting, passes)
                  for setting in given["settings"]]  # fmt: skip
    return {"lines": lines, "built": built}


def missing(kind, versions):
    """The package that a kind of index takes and that is not there, or None."""
    package = PACKAGES.get(kind)
    return package if package is not None and versions[package] is None else None


def _measured(index, Q, near, setting, passes):
    seconds = []
    for _ in range(passes):
        start = perf_counter()
        found = [index.ask(q, setting) for q in Q]
        seconds.append(perf_counter() - start)
    recalls = [100 * float(np.mean([np.isin(row[:k], mine[:k]).mean() for row, mine in zip(near, found, strict=True)]))
               for k in (near.shape[1], min(10, near.shape[1]))]  # fmt: skip
    compared = index.compared(Q, setting)
    return {"recall": recalls[0], "recall@10": recalls[1], "compared": None if compared is None else float(compared),
            "ms": 1000 * min(seconds) / len(Q)}  # fmt: skip


# ------------------------------------------------------------------------------------------------ methods


def _forest(job, X, at, **options):
    """The forest and its inverted index; a setting is the number of candidates that are compared, None for all."""
    forest = learn_forest(job, X, at["K"], threads=1, **options)
    index = InvertedIndex(forest, X, kernels=job.kernels, threads=1)
    return Search(lambda q, most: index.query(q[np.newaxis], at["K"], most)[0][0],
                  lambda Q, most: np.diff(index.candidates(Q, most).offsets).mean())  # fmt: skip


def _annoy(job, X, at, *, trees):
    """annoy: a setting is its search_k. What it compares is what it returns when it may return all."""
    index = importlib.import_module("annoy").AnnoyIndex(X.shape[1], "euclidean")
    index.set_seed(SEED)
    for i, x in enumerate(X):
        index.add_item(i, x)
    index.build(trees, n_jobs=1)

    def compared(Q, search_k):
        return np.mean([len(index.get_nns_by_vector(q, len(X), search_k)) for q in Q])

    return Search(lambda q, search_k: index.get_nns_by_vector(q, at["K"], search_k), compared)


def _ivf(job, X, at, *, lists):
    """FAISS, an inverted file of whole vectors: a setting is the number of lists that are probed."""
    faiss = importlib.import_module("faiss")
    faiss.omp_set_num_threads(1)
    quantizer = faiss.IndexFlatL2(X.shape[1])
    index = faiss.IndexIVFFlat(quantizer, X.shape[1], lists)
    index.cp.seed, index.cp.min_points_per_centroid = SEED, 1
    index.train(X)
    index.add(X)
    sizes = np.array([index.invlists.list_size(i) for i in range(lists)])

    def ask(q, probes):
        index.nprobe = probes
        return index.search(q[np.newaxis], at["K"])[1][0]

    return Search(ask, lambda Q, probes: sizes[quantizer.search(Q, probes)[1]].sum(axis=1).mean())


def _hnsw(job, X, at, *, links, effort):
    """hnswlib: a setting is its ef. It does not count what it compares."""
    index = importlib.import_module("hnswlib").Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), M=links, ef_construction=effort, random_seed=SEED)
    index.add_items(X, num_threads=1)

    def ask(q, ef):
        index.set_ef(ef)
        return index.knn_query(q, at["K"], num_threads=1)[0][0].astype(np.int64)

    return Search(ask, lambda Q, ef: None)


def _scan(job, X, at):
    """Every point: the kernel that reranks the forest's candidates gets all of them."""
    offsets, rows = np.array([0, len(X)]), np.arange(len(X))
    return Search(lambda q, _: job.kernels.rerank(q[np.newaxis], X, offsets, rows, at["K"], threads=1)[1][0],
                  lambda Q, _: len(X))  # fmt: skip


BUILD = {"forest": _forest, "annoy": _annoy, "ivf": _ivf, "hnsw": _hnsw, "scan": _scan}
