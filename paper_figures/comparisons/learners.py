"""What a user would take today, beside which the entries `when` measure a paper's method.

A learner is a function of a seed that returns an estimator with ``fit(X, y)`` and ``predict(Q)``;
its settings are those of its library, with columns scaled where the method measures distances. So
nobody is tuned. :func:`compare` measures errors, time and memory of some learners on one split.

Not handled here: the rows and the sentences (`paper_figures.comparisons.when`), so that a change
of these computes nothing anew; retrieval, but for :func:`spent`.
"""

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from paper_figures.data import DataSet
from paper_figures.registry import Job
from refimpl.typing import FloatArray, IntArray, Labels

Learner: TypeAlias = Callable[[int], Any]
"""Makes an estimator from a seed."""

OTHERS = ("magic", "segment", "satellite", "faults", "pen-digits", "letters")
"""Six sets that Boosted Distance's paper does not use: two to 26 classes, 10 to 36 columns."""


def gradient_boosting(seed: int) -> Any:
    """Return scikit-learn's histogram gradient boosting."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def random_forest(seed: int) -> Any:
    """Return scikit-learn's random forest, on one thread."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed)


def svc(seed: int) -> Any:
    """Return a support vector machine with the RBF kernel on scaled columns."""
    from sklearn.svm import SVC

    return _scaled(SVC(random_state=seed))


def nearest_neighbor(seed: int) -> Any:
    """Return 1-NN with the Euclidean distance on scaled columns."""
    from sklearn.neighbors import KNeighborsClassifier

    return _scaled(KNeighborsClassifier(1))


def nca(seed: int) -> Any:
    """Return 1-NN after neighbourhood components analysis of scaled columns."""
    from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

    return _scaled(NeighborhoodComponentsAnalysis(random_state=seed), KNeighborsClassifier(1))


def _scaled(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), *steps)


LEARNERS: Mapping[str, Learner] = {
    "gradient boosting": gradient_boosting,
    "random forest": random_forest,
    "SVC": svc,
    "1-NN": nearest_neighbor,
    "NCA, 1-NN": nca,
}


# ------------------------------------------------------------------------------------------ splits


def split(
    job: Job, loaded: DataSet, repetition: int, n_train: int, n_test: int
) -> tuple[IntArray, IntArray]:
    """Return the rows to train on and to test on: drawn at random, at least two of each class.

    Parameters
    ----------
    job : registry.Job
    loaded : DataSet
    repetition : int
    n_train, n_test : int
        How many of each there are at most; the rest of a small set is for testing.

    Returns
    -------
    train, test : ndarray of int
    """
    rng = job.rng_for("when", loaded.name, repetition)
    order = rng.permutation(len(loaded.y))
    first = np.concatenate([order[loaded.y[order] == C][:2] for C in np.unique(loaded.y)])
    rest = order[~np.isin(order, first)]
    train = np.concatenate([first, rest[: max(0, n_train - len(first))]])
    left = rest[max(0, n_train - len(first)) :]
    return rng.permutation(train), left[:n_test]


# --------------------------------------------------------------------------------------- measuring


def compare(
    job: Job,
    loaded: DataSet,
    repetition: int,
    learners: Mapping[str, Learner],
    *,
    n_train: int,
    n_test: int,
) -> dict[str, dict[str, float | None]]:
    """Return what :func:`measure` says of each learner on one split."""
    train, test = split(job, loaded, repetition, n_train, n_test)
    X, y, Q, truth = loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test]
    seed = int(job.rng_for("when, seed", loaded.name, repetition).integers(2**31))
    return {name: measure(make(seed), X, y, Q, truth) for name, make in learners.items()}


class Spent(NamedTuple):
    """What a call returned, its processor time in seconds, and the MB that it added to the process.

    The memory is None where the system does not tell.
    """

    value: Any
    seconds: float
    peak: float | None


def spent(call: Callable[[], Any]) -> Spent:
    """Make a call on one thread of BLAS and OpenMP, and return what it took.

    Parameters
    ----------
    call : callable

    Returns
    -------
    Spent
    """
    from threadpoolctl import threadpool_limits

    held = _reset_peak()
    with threadpool_limits(1):  # threads that wait would count as time
        start = process_time()
        value = call()
        seconds = process_time() - start
    most = _memory("VmHWM")
    return Spent(value, seconds, None if held is None or most is None else max(0.0, most - held))


def measure(
    estimator: Any, X: FloatArray, y: Labels, Q: FloatArray, truth: Labels
) -> dict[str, float | None]:
    """Fit an estimator and ask it, on one thread; return errors, processor time and memory.

    Returns
    -------
    dict
        ``error`` and ``balanced`` in per cent, ``fit`` in seconds, ``ask`` in milliseconds a query,
        ``model`` (the pickled model) and ``peak`` (what the process needs beyond what it had; None
        where the system does not tell) in MB.
    """
    fit = spent(lambda: estimator.fit(X, y))
    ask = spent(lambda: estimator.predict(Q))
    wrong = ask.value != truth
    return {
        "error": 100.0 * float(wrong.mean()),
        "balanced": 100.0 * float(np.mean([wrong[truth == C].mean() for C in np.unique(truth)])),
        "fit": fit.seconds,
        "ask": 1000.0 * ask.seconds / len(Q),
        "model": len(pickle.dumps(estimator)) / 1e6,
        "peak": fit.peak,
    }


def described(loaded: DataSet, n_train: int) -> dict[str, int]:
    """Return what a sentence may say of a set: its classes, columns and training points.

    Parameters
    ----------
    loaded : DataSet
    n_train : int
        How many points train at most.

    Returns
    -------
    dict
    """
    return {
        "classes": len(np.unique(loaded.y)),
        "columns": loaded.X.shape[1],
        "training points": min(n_train, len(loaded.y)),
    }


def _reset_peak() -> float | None:
    """Let the process's peak be what it holds now, and return that in MB."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return None
    return _memory("VmRSS")


def _memory(field: str) -> float | None:
    """Return a field of the process's status in MB, or None where there is none."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    found = [line.split()[1] for line in text.splitlines() if line.startswith(f"{field}:")]
    return float(found[0]) / 1e3 if found else None
