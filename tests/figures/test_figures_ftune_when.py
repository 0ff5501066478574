"""When FTUNE pays: the errors of the methods against the same machines made here, rows by hand.

Not tested: times beyond their presence, which no test can hold; what is measured, and conclusions
(`test_when.py`).
"""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import SVC, LinearSVC
from toy_sets import provide

from paper_figures.comparisons import when as shared
from paper_figures.ftune import figures, when, when_results
from paper_figures.registry import Context, Job, Result
from refimpl.ftune import dselect, ftune, random_landmarks

N, D = 100, 6
QUANTITIES = {"balanced": 4.0, "fit": 0.1, "ask": 1.0, "model": 3.0, "peak": 5.0}
SETS = {"when points": "raw", "when matrix": "matrix"}


def toy():
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    X = rng.normal(size=(N, 3)) + 0.9 * (y[:, None] == [0, 1, 2])
    distances = cdist(X, X, "cityblock")
    return {"when points": X, "when matrix": 1 - (distances / distances.max()) ** 3}, y


@pytest.fixture
def job(monkeypatch):
    sets, y = toy()
    for name, X in sets.items():
        provide(monkeypatch, name, X, y)
    return Job(0, {}, "reference", None, tuple(SETS))


def error(job, name, method):
    preparation = SETS[name]
    (runs,) = when.when(job, data_set=name, preparation=preparation, d=D, run=2)["runs"]
    assert list(runs) == list(when.METHODS)
    value = runs[method]
    assert value["fit"] >= 0 and value["ask"] >= 0 and value["model"] > 0
    return value["error"]


def parts(job, name):
    sets, y = toy()
    X = sets[name]
    order = job.rng_for("split", name, 2).permutation(N)
    train, validation, test = np.split(order, [70, 80] if name == "when matrix" else [50, 70])
    features = [
        X[np.ix_(part, train)] if name == "when matrix" else X[part]
        for part in (train, validation, test)
    ]
    return features, [y[part] for part in (train, validation, test)]


def percent(labels, truth):
    return pytest.approx(100 * np.mean(labels != truth))


@pytest.mark.parametrize("name", SETS)
def test_forests_have_the_features_or_the_rows_of_the_matrix(job, name):
    (A, _, T), (y, _, q) = parts(job, name)
    for method, kind in (
        ("gradient boosting", HistGradientBoostingClassifier),
        ("random forest", RandomForestClassifier),
    ):
        seed = int(job.rng_for("when", method, name, D, 2).integers(2**31))
        model = kind(random_state=seed).fit(A, y)
        assert error(job, name, method) == percent(model.predict(T), q)


@pytest.mark.parametrize("name", SETS)
def test_the_nearest_neighbor_is_the_most_similar(job, name):
    (A, _, T), (y, _, q) = parts(job, name)
    nearest = np.argmax(T, axis=1) if name == "when matrix" else np.argmin(cdist(T, A), axis=1)
    assert error(job, name, "1-NN") == percent(y[nearest], q)


def test_the_svm_has_ftunes_kernel(job):
    """exp(-|x - x'|^2 / width^2) with the mean distance; C is the first of the best."""
    (A, V, T), (y, v, q) = parts(job, "when points")
    gamma = 1 / pdist(A).mean() ** 2
    machines = [SVC(C=C, gamma=gamma).fit(A, y) for C in (1, 10, 100, 1000)]
    rights = [np.mean(machine.predict(V) == v) for machine in machines]
    best = machines[int(np.argmax(rights))]
    assert error(job, "when points", "SVM") == percent(best.predict(T), q)


def test_ftune_has_fresh_pairs_or_those_of_dselect(job):
    (S, V, Q), (y, v, q) = parts(job, "when matrix")
    key = "when matrix", D, 2
    for method, landmarks in (
        ("FTUNE-S", random_landmarks(y, D, rng=job.rng_for("pairs", *key))),
        ("FTUNE+D-S", dselect(S, y, D, rng=job.rng_for("dselect", *key))),
    ):
        model = ftune(S, y, landmarks, validation=(V, v))
        assert error(job, "when matrix", method) == percent(model.predict(S, Q), q)


@pytest.mark.parametrize("name", SETS)
def test_nystroem_has_as_many_landmarks_as_ftune(job, name, monkeypatch):
    """The landmarks of the matrix are not drawn anew here; only their number is compared."""
    method = "Nystroem, linear SVM"
    fit = Nystroem.fit
    counts = []
    monkeypatch.setattr(
        Nystroem, "fit", lambda self, X: counts.append(self.n_components) or fit(self, X)
    )
    of_method = error(job, name, method)
    (A, V, T), (y, v, q) = parts(job, name)
    pairs = random_landmarks(y, D, rng=job.rng_for("pairs", name, D, 2))
    touched = len({*pairs.plus.ravel().tolist(), *pairs.minus.ravel().tolist()})
    assert counts == [touched] and D < touched <= 2 * 3 * D
    if name == "when points":
        seed = int(job.rng_for("when", method, name, D, 2).integers(2**31))
        gamma = 1 / pdist(A).mean() ** 2
        F = Nystroem(gamma=gamma, n_components=touched, random_state=seed)
        B = F.fit(A).transform(A)
        machines = [LinearSVC(C=C, dual=False).fit(B, y) for C in (1, 10, 100, 1000)]
        rights = [np.mean(machine.predict(F.transform(V)) == v) for machine in machines]
        best = machines[int(np.argmax(rights))]
        assert of_method == percent(best.predict(F.transform(T)), q)


def test_the_size_is_that_of_what_an_answer_needs():
    """Of a matrix the nearest neighbour keeps the labels alone: 70 integers of eight bytes."""
    learner = when.Learner(np.zeros(10_000))
    learner.kept = np.zeros(70, dtype=np.int64)
    assert len(pickle.dumps(learner)) < 70 * 8 + 300


def results(**errors):
    """Return a result for each split: errors by method, _ for a space."""
    return [
        Result(
            "when",
            {"data_set": "wine", "d": 40, "run": run},
            {
                "runs": [
                    {
                        method.replace("_", "-"): QUANTITIES | {"error": error}
                        for method, error in zip(errors, of_split, strict=True)
                    }
                ]
            },
        )
        for run, of_split in enumerate(zip(*errors.values(), strict=True))
    ]


def test_rows_are_those_of_the_shared_comparison():
    """1 and 3 have the mean 2 and the deviation sqrt(2); the SVM errs 1 and 2 more: 1.5."""
    errors = {"FTUNE_S": [1.0, 3.0], "FTUNE+D_S": [4.0, 7.0], "SVM": [2.0, 5.0]}
    gathered = when_results.gather(Context(), results(**errors))
    rows = {(row["learner"], row["quantity"]): row for row in gathered.rows}
    keys = {"data_set": "wine", "published": None, "repetitions": 2}
    mean = {"learner": "FTUNE-S", "quantity": shared.ERROR, "ours": 2.0}
    assert rows["FTUNE-S", shared.ERROR] == keys | mean | {"std": pytest.approx(2**0.5)}
    less = {"learner": "SVM", "quantity": shared.LESS, "ours": 1.5, "std": pytest.approx(0.5**0.5)}
    assert rows["SVM", shared.LESS] == keys | less
    assert "FTUNE has 40 pairs for each class" in gathered.notes[-1]


def test_dselects_landmarks_are_a_form_of_the_method():
    """FTUNE+D-S errs less than FTUNE-S, and is no rival of it."""
    errors = {"FTUNE_S": [4.0, 5.0], "FTUNE+D_S": [1.0, 2.0], "SVM": [6.0, 7.5]}
    gathered = when_results.gather(Context(), results(**errors))
    wins = {row["learner"]: row["ours"] for row in gathered.rows if row["quantity"] == shared.WINS}
    assert wins["SVM"] == 1 and "Take FTUNE-S when" in " ".join(gathered.notes)


def test_what_is_left_out_is_said_at_the_papers_scale():
    """Twelve sets of vectors, of which three are left out, three matrices and six others."""
    lost = [Result("when", {"data_set": "x", "d": 300}, None, "no such file")]
    said = when_results.gather(Context(scale="paper"), lost).notes[-1]
    assert "cod-rna, isolet and letters are left out" in said
    assert not any("left out" in note for note in when_results.gather(Context(), lost).notes)
    names = {name for name, _ in figures.WHEN["paper"]}
    assert set(figures.UCI) - names == set(when_results.LEFT_OUT)
    assert len(names) == 18 and {name for name, _ in figures.MATRICES["paper"]} < names


def test_without_any_result_the_first_row_says_why():
    lost = Result("when", {"data_set": "x", "d": 3}, None, "no such file")
    row = when_results.gather(Context(), [lost]).rows[0]
    assert (row["data_set"], row["why"], row["ours"]) == ("x", "no such file", None)
