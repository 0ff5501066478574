"""What the figures of Li et al. (2011) compute; a change here computes them anew.

A task gets a :class:`paper_figures.registry.Job` and its parameters. The protocol is that of § 4:
the database is searched for each query, and recall is the share of the query's K nearest among the
returned items. A value has a curve for each reading of :mod:`readings`.

What the paper leaves open is chosen by one rule for all methods and readings: the setting of the
largest mean recall along the curve is taken, on a trial (:mod:`points`). The draws of a method
share the setting that draw 0 chooses.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from paper_figures.search_forest import methods
from paper_figures.search_forest.methods import Method
from paper_figures.search_forest.planes import learn_other
from paper_figures.search_forest.points import load_problem, load_trial
from paper_figures.search_forest.readings import ranked_list
from paper_figures.store import digest
from paper_figures.tasks import Job
from refimpl.rivals.hamming_scan import hamming_scan
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.typing import FloatArray

# The mean recalls of the trials that this process has made, by what they depend on: the draws of a
# method share a trial.
TRIALS: dict[str, list[dict[str, float]]] = {}


def searched(
    job: Job,
    method_of: Callable[[int], Method],
    settings: Sequence[Any],
    draw: int,
    at: dict[str, Any],
    how: dict[str, Any],
) -> dict[str, Any]:
    """Return the curves of a method under its readings.

    Each reading has its own setting. A model that two readings choose is built once.

    Parameters
    ----------
    job : Job
    method_of : callable
        Returns the method of a draw.
    settings : sequence
        The settings to choose from.
    draw : int
    at : dict
        Data set, database and queries, and the trial.
    how : dict
        What else names the trial.
    """
    method = method_of(draw)
    tried: list[dict[str, float]] = []
    if len(settings) > 1:
        tried = _tried(job, method_of(0), settings, at, how)
    X, Q, near = load_problem(job, at)
    built: dict[int, tuple[Any, float]] = {}
    value: dict[str, Any] = {}
    for reading, read in method.read.items():
        means = [of_setting[reading] for of_setting in tried]
        best = means.index(max(means)) if means else 0
        if best not in built:
            start = perf_counter()
            model = method.build(X, settings[best], at)
            built[best] = model, perf_counter() - start
        model, seconds = built[best]
        value[reading] = read(model, X, Q, near, at["counts"]) | {
            "setting": settings[best],
            "tried": [[s, mean] for s, mean in zip(settings, means, strict=False)],
            "model": method.describe(model) | {"seconds": seconds},
        }
    return value


def _tried(
    job: Job, method: Method, settings: Sequence[Any], at: dict[str, Any], how: dict[str, Any]
) -> list[dict[str, float]]:
    """Return the mean recall along each reading's curve, for each setting, on the trial."""
    key = digest([job.seed, job.kernels_name, job.data_dir, list(settings), at, how])
    if key not in TRIALS:
        X, Q, near, small = load_trial(job, at)
        TRIALS[key] = []
        for setting in settings:
            model = method.build(X, setting, small)
            TRIALS[key].append(
                {
                    reading: float(read(model, X, Q, near, small["counts"])["recall"].mean()) / 100
                    for reading, read in method.read.items()
                }
            )
    return TRIALS[key]


def forest(
    job: Job,
    *,
    draw: int,
    lams: Sequence[float],
    n_train: int,
    max_depth: int,
    trees: int,
    refine: int = 0,
    offset: str = "eigenvector",
    augment: float = 0.1,
    **at: Any,
) -> dict[str, Any]:
    """Return the forest's curves: learnt from `n_train` points, all of them indexed.

    By default the trees are those of the printed form.
    """
    shape: dict[str, Any] = {"n_train": n_train, "max_depth": max_depth, "trees": trees}
    options: dict[str, Any] = {"refine": refine, "offset": offset, "augment": augment}

    def method_of(draw: int) -> Method:
        def learn(X: FloatArray, lam: float, K: int) -> Any:
            return methods.learn_forest(job, X, K, lam=lam, draw=draw, **shape, **options)

        return methods.forest_method(job, learn, max_depth)

    of_trial = shape | {"n_train": min(n_train, at["trial"])}  # a trial has no more points
    return searched(job, method_of, lams, draw, at, {"forest": of_trial | options})


def other_planes(
    job: Job,
    *,
    draw: int,
    planes: str,
    lams: Sequence[float],
    n_train: int,
    max_depth: int,
    trees: int,
    **at: Any,
) -> dict[str, Any]:
    """Return the curves of a forest whose planes are not learnt; see :mod:`planes`."""
    shape = {"n_train": n_train, "max_depth": max_depth, "trees": trees}

    def method_of(draw: int) -> Method:
        def learn(X: FloatArray, lam: float, K: int) -> Any:
            return learn_other(job, X, K, planes, lam=lam, draw=draw, **shape)

        return methods.forest_method(job, learn, max_depth)

    of_trial = shape | {"n_train": min(n_train, at["trial"])}
    return searched(job, method_of, lams, draw, at, {"planes": planes, **of_trial})


def kmeans(
    job: Job, *, draw: int, settings: Sequence[Any], trees: int, **at: Any
) -> dict[str, Any]:
    """Return the curves of k-means trees by the leaves that a query reaches."""

    def method_of(draw: int) -> Method:
        return methods.leaves_method(job, trees, draw)

    return searched(job, method_of, _lists(settings), draw, at, {"leaves": trees})


def best_first(
    job: Job, *, draw: int, settings: Sequence[Any], trees: int, **at: Any
) -> dict[str, Any]:
    """Return the curve of k-means trees that are searched best bin first."""

    def method_of(draw: int) -> Method:
        return methods.best_bin_first_method(job, trees, draw)

    return searched(job, method_of, _lists(settings), draw, at, {"best bin first": trees})


def _lists(settings: Sequence[Any]) -> list[list[Any]]:
    return [list(setting) for setting in settings]


def hashing(
    job: Job,
    *,
    draw: int,
    functions: Sequence[int],
    widths: Sequence[float],
    tables: int,
    **at: Any,
) -> dict[str, Any]:
    """Return the curves of hash tables.

    A table has k functions of width w, in units of the root mean squared length.
    """

    def method_of(draw: int) -> Method:
        return methods.hashing_method(job, tables, draw)

    settings = [[k, w] for k in functions for w in widths]
    return searched(job, method_of, settings, draw, at, {"tables": tables})


def spectral(job: Job, *, bits: int, **at: Any) -> dict[str, Any]:
    """Return the curve of spectral hashing with a linear scan of its codes; it has no chance."""
    X, Q, near = load_problem(job, at)
    model = spectral_hashing(X, bits, kernels=job.kernels)
    codes, of_queries = (model.encode(part, kernels=job.kernels) for part in (X, Q))
    nearest = hamming_scan(of_queries, codes, max(at["counts"]), kernels=job.kernels)
    curve = ranked_list(nearest, near, at["counts"])
    return {methods.RANKED: curve | {"setting": bits, "tried": [], "model": {}}}
