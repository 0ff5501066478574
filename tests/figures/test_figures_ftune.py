"""The tasks of FTUNE's figures on small sets: which split, similarities, landmarks and options.

Trainings are those of `refimpl.ftune`, on matrices of similarities that are computed here. The rows
and drawings are in test_figures_ftune_results.py.
"""

import warnings

import numpy as np
import pytest
from agreement import KERNELS
from figure_runs import require_missing_is_said
from scipy.spatial.distance import cdist, pdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import SVC, LinearSVC
from toy_sets import provide
from whole_figures import make_every_figure

from paper_figures.ftune import factorial, figures, pairs, readings, tasks, trials, when
from paper_figures.registry import Context, Job, Result
from refimpl.ftune import CS, SLOPES, FTuneOptions, bbs, dselect, ftune, random_landmarks
from refimpl.rivals.dboost import dboost

N, D = 90, 5
VECTORS = {"data_set": "ftune toy", "preparation": "standardised", "d": D, "run": 1}
MATRIX = VECTORS | {"data_set": "ftune matrix", "preparation": "matrix"}
TWO = VECTORS | {"data_set": "ftune two"}


def toy_points(classes):
    """Return points of overlapping classes in columns of unequal spread, one of them constant."""
    rng = np.random.default_rng(classes)
    y = rng.permutation(np.arange(N) % classes) * 10
    X = rng.normal(size=(N, 5)) * [1.0, 10.0, 0.1, 1.0, 0.0] + 3.0
    X[:, 0] += 1.2 * (y > 0)
    X[:, 2] += 0.12 * (y > 10)
    return X, y


def toy_matrix():
    """Return similarities with a negative spectrum, between 0 and 1, and the classes."""
    X, y = toy_points(3)
    distances = cdist(X, X, "cityblock")
    return 1 - (distances / distances.max()) ** 3, y


POINTS = {"ftune toy": toy_points(3), "ftune two": toy_points(2), "ftune matrix": toy_matrix()}


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    for name, (X, y) in POINTS.items():
        provide(monkeypatch, name, X, y)


@pytest.fixture(params=["reference", "fast"][: len(KERNELS)])
def job(request):
    return Job(0, {}, request.param, None, tuple(POINTS))


@pytest.fixture
def fastest():
    return Job(0, {}, "fast" if len(KERNELS) > 1 else "reference", None, tuple(POINTS))


class Split:
    """The similarities of a run, as matrices: K, V and Q from training, validation and test objects
    to training objects.
    """

    def __init__(self, job, params, preparation=None, width=1.0):
        X, y = POINTS[params["data_set"]]
        preparation = preparation or params["preparation"]
        order = job.rng_for("split", params["data_set"], params["run"]).permutation(N)
        first, second = (63, 72) if preparation in ("matrix", "cityblock") else (45, 63)
        train, validation, test = order[:first], order[first:second], order[second:]
        if preparation == "standardised":
            X = np.delete((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9), 4, axis=1)
        if preparation == "-1 to 1":
            low, high = X.min(axis=0), X.max(axis=0)
            X = np.delete(2 * (X - low) / np.maximum(high - low, 1e-9) - 1, 4, axis=1)
        if preparation == "matrix":
            S = X
        elif preparation == "cityblock":
            S = 1 - cdist(X, X, "cityblock") / pdist(X, "cityblock").max()
        else:
            mean = width * pdist(X[train]).mean()
            S = np.exp(-(cdist(X, X) ** 2) / mean**2)
        self.K, self.V, self.Q = (S[np.ix_(part, train)] for part in (train, validation, test))
        self.y, self.v, self.q = y[train], y[validation], y[test]
        self.key = params["data_set"], params["d"], params["run"]
        self.d = params["d"]
        self.job = job

    def rng(self, name):
        return self.job.rng_for(name, *self.key)

    def pool(self):
        return random_landmarks(self.y, self.d, rng=self.rng("landmarks"), pool=True)

    def fresh(self):
        return random_landmarks(self.y, self.d, rng=self.rng("pairs"))

    def diverse(self, **how):
        return dselect(self.K, self.y, self.d, rng=self.rng("dselect"), **how)

    def right(self, model):
        return np.mean(model.predict(self.K, self.Q) == self.q)

    def bbs(self, L=None, **options):
        L = self.pool().L[: self.d] if L is None else L
        options = FTuneOptions(**options)
        return self.right(bbs(self.K, self.y, L, validation=(self.V, self.v), options=options))

    def trained(self, landmarks, **options):
        return ftune(
            self.K, self.y, landmarks, validation=(self.V, self.v), options=FTuneOptions(**options)
        )

    def ftune(self, landmarks, **options):
        return self.right(self.trained(landmarks, **options))

    def dboost(self, **how):
        return self.right(dboost(self.K, self.y, self.d, rng=self.rng("dboost"), **how))


def different(landmarks):
    return len({*np.ravel(landmarks.plus)} | {*np.ravel(landmarks.minus)})


# --------------------------------------------------------------------------------- tables 1 and 2


@pytest.mark.parametrize("preparation", ["standardised", "-1 to 1", "raw", "cityblock"])
def test_accuracies_of_all_methods(fastest, preparation):
    params = VECTORS | {"preparation": preparation}
    value = tasks.accuracies(fastest, **params, methods=figures.MATRIX_METHODS)
    split = Split(fastest, params)
    fresh, diverse, each = split.fresh(), split.diverse(), split.diverse(per_problem=True)
    assert value["accuracies"] == {
        "BBS": split.bbs(),
        "BBS+D": split.bbs(diverse.L[:D]),
        "FTUNE-S": split.ftune(fresh),
        "FTUNE-M": split.ftune(fresh, per_class=True),
        "FTUNE+D-S": split.ftune(diverse),
        "FTUNE+D-M": split.ftune(diverse, per_class=True),
        "FTUNE+DP-S": split.ftune(each),
        "DBOOST": split.dboost(),
    }
    for name, landmarks, per_class in (
        ("FTUNE-S", fresh, False),
        ("FTUNE-M", fresh, True),
        ("FTUNE+D-S", diverse, False),
        ("FTUNE+DP-S", each, False),
    ):
        model = split.trained(landmarks, per_class=per_class)
        assert list(value["chosen"][name]) == [model.slopes[f] for f in model.f]
        assert value["compared"][name] == different(landmarks)
    assert value["compared"]["BBS"] == D and value["compared"]["BBS+D"] == min(D, len(diverse.L))
    assert (value["n"], value["classes"]) == (63 if preparation == "cityblock" else 45, 3)


def test_only_the_methods_that_are_asked_for_are_trained(fastest, monkeypatch):
    value = tasks.accuracies(fastest, **TWO, methods=("FTUNE-M",))
    split = Split(fastest, TWO)
    assert value["accuracies"] == {"FTUNE-M": split.ftune(split.fresh(), per_class=True)}
    assert value["chosen"].keys() == value["compared"].keys() == {"FTUNE-M"}
    assert value["classes"] == 2
    value = tasks.accuracies(fastest, **TWO, methods=("BBS+D",))
    assert value["accuracies"] == {"BBS+D": split.bbs(split.diverse().L[:D])}

    value = tasks.accuracies(fastest, **TWO, methods=("FTUNE+DP-S",))
    assert value["accuracies"] == {}  # two classes make one problem: that is FTUNE+D-S

    def unwanted(*arguments, **options):
        raise AssertionError("no method needs diverse landmarks")

    monkeypatch.setattr(tasks, "dselect", unwanted)
    value = tasks.accuracies(fastest, **TWO, methods=("BBS", "DBOOST"))
    assert value["accuracies"] == {"BBS": split.bbs(), "DBOOST": split.dboost()}


def test_there_are_no_more_landmarks_than_training_objects(fastest):
    params = TWO | {"d": 60}
    value = tasks.accuracies(fastest, **params, methods=("BBS", "BBS+D"))
    split = Split(fastest, params)
    assert value["compared"] == {"BBS": 45, "BBS+D": len(split.diverse().L[:60])}


# ------------------------------------------------------------------------------------------- beyond


@pytest.mark.parametrize("params", [MATRIX, TWO])
def test_peers(fastest, params):
    """The clipped kernel is K without its negative spectrum; C is the first of the best."""
    value = tasks.peers(fastest, **params)
    split = Split(fastest, params)
    values, vectors = np.linalg.eigh(split.K)
    positive = vectors * (values > 0) @ vectors.T
    K, V, Q = (part @ positive for part in (split.K, split.V, split.Q))

    def best(machines, A, B, T):
        rights = [np.mean(machine.fit(A, split.y).predict(B) == split.v) for machine in machines]
        machine = machines[int(np.argmax(rights))]
        return np.mean(machine.predict(T) == split.q)

    L = split.rng("nystroem").choice(len(split.y), D, replace=False)
    embedding = Nystroem(kernel="precomputed", n_components=D).fit(K[np.ix_(L, L)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        linear = best(
            [LinearSVC(C=C, dual=False, random_state=0) for C in CS],
            *(embedding.transform(part[:, L]) for part in (K, V, Q)),
        )
    assert value["accuracies"] == {
        "SVM, clipped kernel": best([SVC(C=C, kernel="precomputed") for C in CS], K, V, Q),
        "Nystroem, linear SVM": linear,
    }
    below = -values[values < 0].sum()
    assert value["negative"] == pytest.approx(below / np.abs(values).sum(), abs=1e-12)
    assert (value["negative"] > 0.001) == (params is MATRIX)


# ----------------------------------------------------------------------------------------- readings


def by_reading(value):
    """Return the accuracies by their keys, which must be sorted and different."""
    keys = [tuple(line[:-1]) for line in value["accuracies"]]
    assert keys == sorted(set(keys))
    return {tuple(line[:-1]): line[-1] for line in value["accuracies"]}


def liblinear(split, features):
    """Return the accuracy of LIBLINEAR as its command line trains it.

    `features` gives one matrix for each problem of one class against the rest; the penalty and the
    features are the first of the best by validation.
    """
    classes = np.unique(split.y)
    best = (-1.0, None)
    for matrices in features:
        for C in CS:
            columns = []
            for p, (A, B, T) in enumerate(matrices):
                positive = split.y == classes[p if len(matrices) > 1 else 1]
                machine = LinearSVC(
                    C=C, dual=True, tol=0.1, max_iter=1000, fit_intercept=False, random_state=0
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    machine.fit(A, np.where(positive, 1, -1))
                columns.append([machine.decision_function(part) for part in (B, T)])
            labels = [
                classes[(of[0] > 0).astype(int)] if len(of) == 1 else classes[np.argmax(of, axis=0)]
                for of in zip(*columns, strict=True)
            ]
            right = np.mean(labels[0] == split.v)
            if right > best[0]:
                best = (right, np.mean(labels[1] == split.q))
    return best[1]


def ramps(split, landmarks):
    """Return, for each slope, the features of each problem: K(x, x+) - K(x, x-), scaled and cut."""
    return [
        [
            tuple(
                np.clip(slope * (part[:, plus] - part[:, minus]), -1, 1)
                for part in (split.K, split.V, split.Q)
            )
            for plus, minus in zip(landmarks.plus, landmarks.minus, strict=True)
        ]
        for slope in SLOPES
    ]


def liblinear_bbs(split):
    """LinearSVC itself takes one class against the rest, with the same penalty for all."""
    L = split.pool().L[:D]
    rights = []
    for C in CS:
        machine = LinearSVC(
            C=C, dual=True, tol=0.1, max_iter=1000, fit_intercept=False, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(split.K[:, L], split.y)
        rights.append(
            [
                np.mean(machine.predict(part[:, L]) == labels)
                for part, labels in ((split.V, split.v), (split.Q, split.q))
            ]
        )
    return max(rights, key=lambda right: right[0])[1]


@pytest.mark.parametrize("params", [VECTORS, TWO])
def test_readings_change_one_thing_at_a_time(fastest, params):
    split = Split(fastest, params)
    fresh = split.fresh()
    expected = {
        ("as here", "BBS"): split.bbs(),
        ("as here", "FTUNE-S"): split.ftune(fresh),
        ("no bias", "BBS"): split.bbs(bias=0.0),
        ("no bias", "FTUNE-S"): split.ftune(fresh, bias=0.0),
        ("pairs out of d landmarks", "FTUNE-S"): split.ftune(split.pool()),
        ("f* by training loss", "FTUNE-S"): split.ftune(fresh, choose="training"),
        ("C = 1 alone", "BBS"): split.bbs(C=1.0),
        ("C = 1000 alone", "BBS"): split.bbs(C=1000.0),
        ("LIBLINEAR's own stop", "BBS"): liblinear_bbs(split),
        ("LIBLINEAR's own stop", "FTUNE-S"): liblinear(split, ramps(split, fresh)),
    }
    for name, other in (
        ("width with a 2", Split(fastest, params, width=2**0.5)),
        ("features raw", Split(fastest, params, "raw")),
        ("features -1 to 1", Split(fastest, params, "-1 to 1")),
    ):
        expected[name, "BBS"] = other.bbs()
        expected[name, "FTUNE-S"] = other.ftune(fresh)
    assert by_reading(readings.readings(fastest, **params)) == expected
    assert len(set(expected.values())) > 3


def test_ftune_by_liblinear_is_left_out_for_many_classes(fastest, monkeypatch):
    monkeypatch.setattr(readings, "FEW", 2)
    found = by_reading(readings.readings(fastest, **VECTORS))
    assert ("LIBLINEAR's own stop", "FTUNE-S") not in found and len(found) == 15
    assert ("LIBLINEAR's own stop", "FTUNE-S") in by_reading(readings.readings(fastest, **TWO))


def test_matrix_readings(fastest):
    split = Split(fastest, MATRIX)
    diverse, by_class = split.diverse(), split.diverse(by_class=True)
    expected = {
        ("as here", "BBS"): split.bbs(),
        ("no bias", "BBS"): split.bbs(bias=0.0),
        ("LIBLINEAR's own stop", "FTUNE+D-S"): liblinear(split, ramps(split, diverse)),
        ("as here", "FTUNE+D-S"): split.ftune(diverse),
        ("no bias", "FTUNE+D-S"): split.ftune(diverse, bias=0.0),
        ("landmarks by class", "FTUNE+D-S"): split.ftune(by_class),
        ("no bias, landmarks by class", "FTUNE+D-S"): split.ftune(by_class, bias=0.0),
        ("landmarks for each problem", "FTUNE+D-S"): split.ftune(split.diverse(per_problem=True)),
        ("f* by training loss", "FTUNE+D-S"): split.ftune(diverse, choose="training"),
    }
    assert by_reading(readings.matrix_readings(fastest, **MATRIX)) == expected
    assert len(set(expected.values())) > 2


def test_boosting_by_the_pairs_of_a_round(job):
    split = Split(job, VECTORS)
    assert by_reading(readings.boosting(job, **VECTORS)) == {
        ("1 pair a round, by weight", "DBOOST"): split.dboost(m=1, by_weight=True),
        ("1 pair a round, uniformly", "DBOOST"): split.dboost(m=1, by_weight=False),
        ("10 pairs a round, by weight", "DBOOST"): split.dboost(m=10, by_weight=True),
        ("10 pairs a round, uniformly", "DBOOST"): split.dboost(m=10, by_weight=False),
    }


def test_divided_features_are_a_stronger_penalty():
    """What `penalty` relies on: the classifier of K / s and C is that of K and C / s^2, with s for
    the constant.
    """
    rng = np.random.default_rng(0)
    s = 7.0
    X = rng.normal(size=(60, 4))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    one = bbs(K / s, y, np.arange(9), options=FTuneOptions(C=5.0))
    two = bbs(K, y, np.arange(9), options=FTuneOptions(C=5.0 / s**2, bias=s))
    np.testing.assert_allclose(
        one.decision(K[:, :9] / s), two.decision(K[:, :9]), rtol=0, atol=2e-3
    )


@pytest.mark.parametrize("params", [VECTORS, TWO])
def test_penalty_divides_by_the_landmarks_or_their_root(fastest, params):
    split = Split(fastest, params)
    divided = {"bias": float(D), "C": [C / D**2 for C in CS]}
    rooted = {"bias": D**0.5, "C": [C / D for C in CS]}
    assert by_reading(readings.penalty(fastest, **params)) == {
        ("sqrt(d)", "BBS"): split.bbs(**rooted),
        ("d", "BBS"): split.bbs(**divided),
        ("d", "FTUNE-S"): split.ftune(split.fresh(), **divided),
    }


def test_pairs_of_both_kinds_and_scales(fastest):
    value = pairs.pairs(fastest, **VECTORS)
    split = Split(fastest, VECTORS)
    few, fresh = split.pool(), split.fresh()
    divided = {"bias": float(D), "C": [C / D**2 for C in CS]}
    assert {tuple(line[:-1]): line[-1] for line in value["accuracies"]} == {
        ("BBS", "-", "1"): split.bbs(),
        ("FTUNE-S", "of d landmarks", "1"): split.ftune(few),
        ("FTUNE-S", "fresh for each class", "1"): split.ftune(fresh),
        ("BBS", "-", "d"): split.bbs(**divided),
        ("FTUNE-S", "of d landmarks", "d"): split.ftune(few, **divided),
        ("FTUNE-S", "fresh for each class", "d"): split.ftune(fresh, **divided),
    }
    assert len(value["accuracies"]) == 6
    assert value["compared"] == {"of d landmarks": D, "fresh for each class": different(fresh)}


# ---------------------------------------------------------------------------------------- the whole


def test_every_figure_is_made_of_what_its_tasks_return(fastest):
    def made(task, params, **more):
        params = params | more
        return Result(task.__name__, params, task(fastest, **params))

    of_boosting = made(factorial.boosting, TWO, pairs=3)
    boosted = Result("dboost_pairs", of_boosting.params, of_boosting.value)
    table1 = [made(tasks.accuracies, MATRIX, methods=figures.MATRIX_METHODS, run=r) for r in (0, 1)]
    table2 = [made(tasks.accuracies, TWO, methods=figures.FOUR, run=r) for r in (0, 1)]
    results_of = {
        "table1": table1,
        "figure1": table1,
        "table2": table2,
        "figure2": table2,
        "readings": [
            made(readings.readings, TWO),
            made(readings.boosting, TWO),
            made(readings.matrix_readings, MATRIX),
        ],
        "penalty": [made(readings.penalty, TWO)],
        "pairs": [made(pairs.pairs, TWO)],
        "splits": table1 + table2,
        "factorial": [made(factorial.factorial, TWO, **factorial.READINGS[0])],
        "check": [made(factorial.factorial, TWO, **factorial.READINGS[0])],
        "dboost": [boosted],
        "transfer": [*table2, made(factorial.transfer, TWO)],
        "equal": [*table1, made(factorial.random_landmarks, MATRIX)],
        "when": [made(when.when, MATRIX)],
        "beyond": [*table1, made(tasks.peers, MATRIX)],
    }
    make_every_figure(figures.PAPER, results_of)


# ---------------------------------------------------------------------------------------- the lists


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


COUNTS = {  # at the small scale: 3 runs, 2 sizes; at the paper's: 200 or 20 runs, 2 sizes
    "table1": (2 * 2 * 3, 3 * 2 * 200),
    "figure1": (2 * 3 * 3, 3 * 5 * 200),
    "table2": (2 * 2 * 3, 12 * 2 * 20),
    "figure2": (2 * 3 * 3, 4 * 5 * 20),
    "splits": (2 * 3 * 3 + 2 * 2 * 3, 3 * 5 * 200 + 12 * 2 * 20),
    "readings": (2 + 2 + 3, 9 * 3 + 12 * 3 + 2 * 200 + 4 * 20),
    "factorial": (1 * 2 * 16, 6 * 2 * 16 * 5),
    "check": (2 * 2 * 16, 12 * 2 * 16 * 5),
    "dboost": (2 * 2 * 2 * 2, 12 * 2 * 4 * 3),
    "transfer": (2 * 2 * 2, 12 * 2 * 5 * 2),
    "equal": (2 * 2 * 3 * 2, 3 * 2 * 200 * 2),
    "when": (2, (3 + 9 + 6) * 20),
    "penalty": (2 * 2 * 2, 12 * 2 * 3),
    "pairs": (2 * 2 * 3, 12 * 2 * 20),
    "beyond": (2 * 2 * 3, 2 * 6 * 2 * 20),
}


def test_the_tasks_of_every_figure():
    for figure in figures.PAPER.figures:
        for scale, count in zip(("small", "paper"), COUNTS[figure.name], strict=True):
            tasks_of = figure.tasks(Context(scale=scale))
            assert len(tasks_of) == count, (figure.name, scale)
            assert len({(task.name, str(dict(task.params))) for task in tasks_of}) == count
            assert all(task.data == (task.params["data_set"],) for task in tasks_of)


def test_all_readings_are_checked_as_they_are_chosen():
    """The same readings and runs on both groups of sets, so that any choice can be checked."""
    context = Context(scale="paper")
    of = {f.name: f.tasks(context) for f in figures.PAPER.figures}
    every = [dict(task.params) for task in of["check"]]
    kept = [params for params in every if params["data_set"] in trials.CHOOSING["paper"]]
    assert kept == [dict(task.params) for task in of["factorial"]]
    readings_of = {
        name: sorted(
            str({key: value for key, value in params.items() if key != "data_set"})
            for params in every
            if params["data_set"] == name
        )
        for name in figures.UCI
    }
    assert len({tuple(of_set) for of_set in readings_of.values()}) == 1


def test_the_papers_methods_and_sizes():
    of = {f.name: f.tasks(Context(scale="paper")) for f in figures.PAPER.figures}
    every = {name: [dict(task.params) for task in of[name]] for name in of}
    assert {params["d"] for params in every["table1"] + every["table2"]} == {30, 300}
    assert {params["d"] for params in every["figure1"]} == {30, 50, 100, 200, 300}
    assert {params["d"] for params in every["pairs"]} == {30, 300}
    assert {params["d"] for params in every["equal"]} == {30, 50}
    assert {params["methods"] for params in every["table1"]} == {figures.MATRIX_METHODS}
    assert {params["methods"] for params in every["table2"]} == {figures.FOUR}
    assert {params["preparation"] for params in every["table2"]} == {"standardised"}
    assert sorted({params["run"] for params in every["table1"]}) == list(range(200))
    assert sorted({params["run"] for params in every["table2"]}) == list(range(20))
    assert {params["preparation"] for params in every["penalty"]} == {"standardised"}
    beyond = {(params["preparation"], params.get("methods")) for params in every["beyond"]}
    assert beyond == {
        ("matrix", figures.MATRIX_METHODS),
        ("matrix", None),
        ("standardised", figures.FOUR),
        ("standardised", None),
    }
