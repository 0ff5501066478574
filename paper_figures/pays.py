"""Which method when: the five papers' methods beside what a user would take today.

Eight learners and indexes on eight sets, five splits each. The papers' methods have their default
settings, the others are tuned by cross-validation within the training points. A fit that takes more
than ten seconds of a processor is not shown.

Not handled here: what the papers print. No paper compares these methods.
"""

import importlib
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.rows import absent, by, number
from paper_figures.store import Record, Row
from paper_figures.study import SCALES, Gathered, Grid, Job, Observation, Paper, Seen, Study, View
from paper_figures.themes import LIGHT, SMALLEST

LIMIT = 10.0  # seconds of a processor, for a fit with its choice of settings
MOST = {"small": 250, "paper": 1000}  # points to train on, and points to test on
PASSES = 0.1  # seconds of asking
SPLITS = {"small": 2, "paper": 5}
COLUMNS = 50  # with more of them, so many principal components of the training points
K = 5  # neighbours that vote where they are not chosen
SETS: Mapping[str, list[dict[str, str]]] = {
    "small": [
        *({"data_set": name, "kind": "columns"} for name in ("wine", "digits")),
        {"data_set": "wine", "kind": "similarities"},
    ],
    "paper": [
        *(
            {"data_set": name, "kind": "columns"}
            for name in ("ionosphere", "wdbc", "splice", "segment", "letters", "MNIST-10")
        ),
        *({"data_set": name, "kind": "similarities"} for name in ("aural-sonar", "protein")),
    ],
}
PAPERS = ("Boosted Distance", "BoostMap", "Search Forest", "LMNN", "FTUNE")
METHODS = (*PAPERS, "k-NN", "hnswlib", "SVC", "random forest")
OF_MATRICES = ("BoostMap", "FTUNE", "k-NN")
TOO_LONG = f"a fit takes more than {LIMIT:g} seconds"
BEST = "no other method errs less, beyond chance"
ERROR, FIT, ASK = "error (%)", "seconds to fit", "milliseconds a query"
MEASURES = {"error": ERROR, "fit": FIT, "ask": ASK}


class TooLong(BaseException):
    """A fit took more than :data:`LIMIT`; no Exception, which a library could catch."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TooLong after so many seconds of the processor, where the system can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# ------------------------------------------------------------------------------------ the methods


class Voted:
    """Classify by the vote of the nearest points that an index finds; classes count from 0."""

    def __init__(self, index: Any) -> None:
        self.index = index

    def fit(self, X: Any, y: Any) -> None:
        self.index.fit(X)
        self.y = y

    def predict(self, Q: Any) -> Any:
        near = self.y[self.index.kneighbors(Q, K, return_distance=False)]
        return np.array([np.bincount(row).argmax() for row in near])


class Hnsw:
    """hnswlib's graph, with the settings that its documentation begins with."""

    def fit(self, X: Any) -> None:
        self.graph = importlib.import_module("hnswlib").Index(space="l2", dim=X.shape[1])
        self.graph.init_index(max_elements=len(X), M=16, ef_construction=200, random_seed=1)
        self.graph.add_items(X, num_threads=1)
        self.graph.set_ef(50)

    def kneighbors(self, Q: Any, k: int, return_distance: bool) -> Any:
        return self.graph.knn_query(Q, k=k, num_threads=1)[0]


def method(name: str, kernels: str, seed: int, matrix: bool, columns: int) -> Any:
    """Return an estimator that is not fitted; with `matrix`, of distances or similarities."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    from refimpl import estimators as ours

    def chosen(model: Any, **grid: Sequence[Any]) -> Any:
        return GridSearchCV(model, grid, cv=3, error_score="raise")

    own: dict[str, Any] = {"kernels": kernels, "n_jobs": 1}
    drawn = own | {"random_state": seed}
    if matrix and name == "FTUNE":
        return ours.FTuneClassifier(kernel="precomputed", **drawn)
    if matrix and name == "BoostMap":
        return ours.BoostMapClassifier(metric="precomputed", **drawn)
    if matrix:
        return chosen(KNeighborsClassifier(metric="precomputed"), n_neighbors=(1, 3, 5, 9))
    widths = tuple(factor / columns for factor in (0.1, 0.3, 1.0, 3.0))
    forest = RandomForestClassifier(200, random_state=seed)
    made: dict[str, Callable[[], Any]] = {
        "Boosted Distance": lambda: ours.BoostedDistanceClassifier(**own),
        "BoostMap": lambda: ours.BoostMapClassifier(**drawn),
        "Search Forest": lambda: Voted(ours.SearchForestNeighbors(**drawn)),
        "LMNN": lambda: ours.MultiMetricLMNN(**drawn),
        "FTUNE": lambda: ours.FTuneClassifier(100, **drawn),
        "k-NN": lambda: chosen(KNeighborsClassifier(), n_neighbors=(1, 3, 5, 9), p=(1, 2)),
        "hnswlib": lambda: Voted(Hnsw()),
        "SVC": lambda: chosen(SVC(), C=(1, 10, 100), gamma=widths),
        "random forest": lambda: chosen(forest, max_features=("sqrt", 0.5)),
    }
    return made[name]()


def prepared(X: Any, seed: int) -> Any:
    """Return what standardises columns, and takes components of many, fitted to X."""
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    few = (PCA(COLUMNS, random_state=seed),) if X.shape[1] > COLUMNS else ()
    return make_pipeline(StandardScaler(), *few).fit(X)


# ---------------------------------------------------------------------------------------- a split


@lru_cache(maxsize=1)
def _data(job: Job, data_set: str, kind: str) -> tuple[Any, Any]:
    """Return X, or a symmetric matrix of similarities, and the classes as numbers from 0."""
    from scipy.spatial.distance import cdist

    loaded = job.load(data_set)
    X = loaded.X
    if kind == "similarities":
        if X.shape[0] != X.shape[1]:  # the small scale makes a matrix
            D = cdist(X, X, "cityblock")
            X = 1.0 - D / D.max()
        X = (X + X.T) / 2
        np.fill_diagonal(X, X.max())  # an object is at distance 0 from itself
    return X, np.unique(loaded.y, return_inverse=True)[1]


def compare(
    job: Job, *, data_set: str, kind: str, split: int, most: int, hnswlib: bool
) -> Iterable[Observation]:
    """Yield each method's error (%), seconds to fit, milliseconds a query, or why it has none."""
    X, y = _data(job, data_set, kind)
    rng = job.rng_for("pays", data_set, split)
    order = rng.permutation(len(y))
    train = order[: min(most, len(y) // 2)]
    test = order[len(train) : len(train) + most]
    seed = int(rng.integers(2**31))
    for name in METHODS:
        if name == "hnswlib" and not hnswlib:
            yield {"method": name, "why": "hnswlib is not installed"}
            continue
        A, Q = X[train], X[test]
        matrix = kind == "similarities" and name in OF_MATRICES
        if kind == "similarities":
            A, Q = A[:, train], Q[:, train]
        if matrix and name != "FTUNE":
            A, Q = X.max() - A, X.max() - Q
        model = method(name, job.kernels_name, seed, matrix, min(COLUMNS, A.shape[1]))
        yield {"method": name} | _measure(model, A, y[train], Q, y[test], None if matrix else seed)


def _measure(model: Any, X: Any, y: Any, Q: Any, truth: Any, seed: int | None) -> dict[str, Any]:
    """Fit and ask a model, on prepared columns if there is a seed for them."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    # threads that wait would count as time
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = process_time()
        try:
            with at_most(LIMIT):
                steps = None if seed is None else prepared(X, seed)
                model.fit(X if steps is None else steps.transform(X), y)
        except TooLong:
            return {"why": TOO_LONG}
        fit = process_time() - start
        if fit > LIMIT:
            return {"why": TOO_LONG}
        start, passes, ask = process_time(), 0, 0.0
        while ask < PASSES:  # a clock may tick each hundredth of a second
            labels = model.predict(Q if steps is None else steps.transform(Q))
            passes, ask = passes + 1, process_time() - start
    error = float(100 * (labels != truth).mean())
    return {"error": error, "fit": fit, "ask": 1000 * ask / passes / len(truth)}


# --------------------------------------------------------------------------- the table, the picture


def cells(scale: str) -> list[dict[str, Any]]:
    """Return a cell for each set and split."""
    same = {"most": MOST[scale], "hnswlib": find_spec("hnswlib") is not None}
    return [
        cell | {"split": split} | same for cell in SETS[scale] for split in range(SPLITS[scale])
    ]


def table(seen: Seen) -> Gathered:
    """Return errors and times of each method on each set, and who is among the best."""
    rows: list[Row] = []
    for m in {(m["data_set"], m["kind"]): m for m in seen.missing}.values():
        keys = {"data_set": _title(m), "method": "all", "measure": ERROR, "best": ""}
        rows.append(absent(keys, m["why"]))
    for (name, kind), mine in by(seen.items, "data_set", "kind").items():
        title = _title({"data_set": name, "kind": kind})
        failed = {item["method"]: item["why"] for item in reversed(mine) if "why" in item}
        methods = {m: runs for (m,), runs in by(mine, "method").items()}
        errors = {m: np.array([run.get("error") for run in methods[m]]) for m in methods}
        winners = among_the_best({m: of for m, of in errors.items() if m not in failed})
        for m, runs in methods.items():
            keys = {"data_set": title, "method": m}
            if m in failed:
                rows.append(absent(keys | {"measure": ERROR, "best": ""}, failed[m]))
                continue
            for field, measure in MEASURES.items():
                best = "yes" if field == "error" and m in winners else ""
                measured = [run[field] for run in runs]
                rows.append(number(keys | {"measure": measure, "best": best}, measured))
    return Gathered(rows, _notes(rows, MOST[seen.scale]))


def _title(cell: Mapping[str, Any]) -> str:
    return str(cell["data_set"]) + (" (similarities)" if cell["kind"] == "similarities" else "")


def among_the_best(errors: Mapping[str, Any]) -> list[str]:
    """Return the methods that no other one beats, by Student's t of paired differences at 95 %."""
    from scipy.stats import t

    def beats(a: str, b: str) -> bool:
        lead = errors[b] - errors[a]
        error = lead.std(ddof=1) / len(lead) ** 0.5
        return bool(lead.mean() > t.ppf(0.975, len(lead) - 1) * error)

    return [b for b in errors if not any(beats(a, b) for a in errors)]


def _notes(rows: Sequence[Row], most: int) -> list[str]:
    """Say how it is done, and of each method where it is among the best and what it costs."""
    notes = [
        f"Half of the points train, at most {most:,}; as many test. Of more than {COLUMNS} "
        f"columns {COLUMNS} principal components are taken. Boosted Distance, BoostMap, Search "
        f"Forest (the vote of {K} neighbours), LMNN (a metric for each class) and FTUNE (100 pairs "
        "for each class) have their default settings. k-NN, SVC (RBF) and the random forest choose "
        "theirs by three-fold cross-validation. Of similarities BoostMap, FTUNE and k-NN take the "
        "matrix; the other methods take an object's similarities to the training objects as its "
        f"columns. One thread; a fit of more than {LIMIT:g} seconds is not shown."
    ]
    for name in METHODS:
        mine = [row for row in rows if row["method"] == name and row["ours"] is not None]
        if mine:
            where = ", ".join(row["data_set"] for row in mine if row["best"]) or "no set"
            fit, ask = (
                median(row["ours"] for row in mine if row["measure"] == measure)
                for measure in (FIT, ASK)
            )
            notes.append(
                f"{name}: among the best on {where}. Over the sets it takes {fit:.2g} seconds to "
                f"fit and {ask:.2g} milliseconds a query (medians)."
            )
    return notes


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw the errors as a chart of methods and sets: the darker, the more above the best."""
    rows = [row for row in record["rows"] if row["measure"] == ERROR and row["ours"] is not None]
    sets = list(dict.fromkeys(row["data_set"] for row in rows))
    methods = [name for name in METHODS if any(r["method"] == name for r in rows)]
    axis = figure.subplots()
    for row in rows:
        least = min(r["ours"] for r in rows if r["data_set"] == row["data_set"])
        x, y = methods.index(row["method"]), sets.index(row["data_set"])
        lag = min(1.0, (row["ours"] - least) / 10.0)
        axis.fill_between((x - 0.5, x + 0.5), y - 0.5, y + 0.5, color=LIGHT.ink, alpha=0.4 * lag)
        text = f"{row['ours']:.1f}"
        weight = "bold" if row["best"] else "normal"
        axis.text(x, y, text, ha="center", va="center", fontsize=SMALLEST, weight=weight)
    axis.set_xticks(range(len(methods)), methods, rotation=90)
    axis.set_yticks(range(len(sets)), sets)
    axis.set(xlim=(-0.5, len(methods) - 0.5), ylim=(len(sets) - 0.5, -0.5))
    axis.grid(visible=False)
    plots.footnote(figure, f"Error (%). Bold: {BEST}")


WHEN = View(
    "when",
    "The papers' methods beside others, on eight sets",
    table,
    draw,
    alt="A chart of sets and methods with the error of each; bold ones are of methods that no "
    "other one beats.",
    size=(5.2, 4.6),
    layout=(
        Grid(
            ("data_set",),
            ("method",),
            tables=("measure",),
            best="best",
            headings={"best": BEST},
            order={"method": METHODS, "measure": (ERROR, FIT, ASK)},
        ),
    ),
)
PAPER = Paper(
    "pays",
    "Which method when",
    "The methods of the five papers beside others; not in any of them",
    (Study("when", compare, {scale: cells(scale) for scale in SCALES}, (WHEN,), version=3),),
)
