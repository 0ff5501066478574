"""When a paper's method pays: its errors, time and memory beside what a user would take today.

Every paper's room has an entry ``when``. Its task hands its own method to :func:`compare`, beside
:data:`LEARNERS`; its ``reduce`` is :func:`gathered`. A learner is a function of a seed that returns
an estimator with ``fit(X, y)`` and ``predict(Q)``; its settings are those of its library, with
columns scaled where the method measures distances. So nobody is tuned.

Not handled here: retrieval (the rooms of indexes ask for neighbours, not for classes).
"""

import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

import numpy as np

from paper_figures.data import DataSet
from paper_figures.registry import Gathered, Grid, Job, Result
from paper_figures.rows import absent_rows, number_row
from paper_figures.store import Row
from refimpl.typing import FloatArray, IntArray, Labels

Learner: TypeAlias = Callable[[int], Any]
"""Makes an estimator from a seed."""

OTHERS = ("magic", "segment", "satellite", "faults", "pen-digits", "letters")
"""Six sets that Boosted Distance's paper does not use: two to 26 classes, 10 to 36 columns."""
ERROR, BALANCED = "error (%)", "error, mean of the classes (%)"
FIT, ASK = "CPU seconds to fit", "CPU milliseconds a query"
MODEL, PEAK = "MB of the fitted model", "MB that fitting adds"
LESS = "error less the method's, paired (points)"
QUANTITIES = {"error": ERROR, "balanced": BALANCED, "fit": FIT, "ask": ASK}
QUANTITIES |= {"model": MODEL, "peak": PEAK}
WINS = "sets on which the method errs less, beyond chance"
LOSSES = "sets on which the method errs more, beyond chance"
LAYOUT = (
    Grid(
        ("learner",),
        ("data_set",),
        where={"data_set": ("all sets",)},
        tables=("quantity",),
        title="Wins and losses",
        headings={"data_set": ""},
        once="from the means of all runs",
    ),
    Grid(("data_set",), ("learner",), tables=("quantity",), headings={"data_set": "data set"}),
)


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
    from threadpoolctl import threadpool_limits

    held = _reset_peak()
    with threadpool_limits(1):  # threads that wait would count as time
        start = process_time()
        estimator.fit(X, y)
        fit = process_time() - start
        most = _memory("VmHWM")
        start = process_time()
        guess = estimator.predict(Q)
        ask = process_time() - start
    wrong = guess != truth
    return {
        "error": 100.0 * float(wrong.mean()),
        "balanced": 100.0 * float(np.mean([wrong[truth == C].mean() for C in np.unique(truth)])),
        "fit": fit,
        "ask": 1000.0 * ask / len(Q),
        "model": len(pickle.dumps(estimator)) / 1e6,
        "peak": None if held is None or most is None else max(0.0, most - held),
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


# -------------------------------------------------------------------------------------------- rows


def gathered(results: Sequence[Result], method: str) -> Gathered:
    """Return the rows of an entry, from tasks whose value is ``{"runs": [compare(...), ...]}``.

    Parameters
    ----------
    results : sequence of Result
        Tasks with the parameter ``data_set``.
    method : str
        The paper's own method, which the others are compared with.
    """
    rows: list[Row] = []
    leads: dict[str, dict[str, FloatArray]] = {}
    for name in dict.fromkeys(result.params["data_set"] for result in results):
        mine = [result for result in results if result.params["data_set"] == name]
        runs = [run for result in mine if result.value for run in result.value["runs"]]
        if not runs:
            keys = {"data_set": name, "learner": "all", "quantity": ERROR}
            rows += absent_rows(mine, keys)
            continue
        for learner in runs[0]:
            for field, quantity in QUANTITIES.items():
                values = [run[learner][field] for run in runs]
                if None not in values:
                    keys = {"data_set": name, "learner": learner, "quantity": quantity}
                    rows.append(_row(keys, np.array(values, dtype=np.float64)))
            if learner != method:
                lead = np.array([run[learner]["error"] - run[method]["error"] for run in runs])
                leads.setdefault(learner, {})[name] = lead
                keys = {"data_set": name, "learner": learner, "quantity": LESS}
                rows.append(_row(keys, lead))
    return Gathered(rows + _counts(leads), [_conclusion(leads, method)])


def _row(keys: Row, values: FloatArray) -> Row:
    if len(values) < 2:
        return number_row(keys, None, float(values.mean()))
    return keys | {
        "published": None,
        "ours": float(values.mean()),
        "std": float(values.std(ddof=1)),
        "repetitions": len(values),
    }


def beyond_chance(values: FloatArray) -> int:
    """Return 1 or -1 if the mean is so many standard errors above or below zero: two; else 0."""
    if len(values) < 2:
        return 0
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    mean = float(values.mean())
    return int(mean > 2.0 * error) - int(mean < -2.0 * error)


def _counts(leads: Mapping[str, Mapping[str, FloatArray]]) -> list[Row]:
    rows = []
    for learner, of_sets in leads.items():
        signs = [beyond_chance(lead) for lead in of_sets.values()]
        for quantity, sign in ((WINS, 1), (LOSSES, -1)):
            keys = {"data_set": "all sets", "learner": learner, "quantity": quantity}
            rows.append(number_row(keys, None, signs.count(sign)))
    return rows


def _conclusion(leads: Mapping[str, Mapping[str, FloatArray]], method: str) -> str:
    """Say on which sets the method errs less than every other learner, or more than one of them."""
    sets = list(dict.fromkeys(name for of_sets in leads.values() for name in of_sets))
    signs = {name: [beyond_chance(of_sets[name]) for of_sets in leads.values()] for name in sets}
    best = [name for name, of_set in signs.items() if set(of_set) == {1}]
    never = [name for name, of_set in signs.items() if -1 not in of_set and name not in best]
    beaten = [name for name in sets if -1 in signs[name]]
    return (
        f"{method} errs less than every other learner, beyond chance, on {_listed(best)}; no other "
        f"errs less on {_listed(never)}; at least one errs less on {_listed(beaten)}."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "no set"
