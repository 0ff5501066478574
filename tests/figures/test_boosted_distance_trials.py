"""What Boosted Distance's figures beyond the paper compute: covariances, rounds, trees, reductions.

Small data with answers from the definitions, or from the project's other form of the same method.
The rows that are made of these answers are in test_boosted_distance_trial_rows.py.
"""

import numpy as np
import pytest

from paper_figures import data
from paper_figures.boosted_distance import (
    covariances,
    reduced,
    stages,
    tree_boosting,
    tree_distances,
)
from paper_figures.boosted_distance.splits import error_pair, split_rows
from paper_figures.data import DataSet
from paper_figures.registry import Job
from refimpl.boosted_distance import adaboost, boosted_distance, nearest_neighbor_boosted_distance
from refimpl.boosted_distance.weak_learners import DepthTwoTrees
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.nearest_neighbor import NAMES, fit_distance, nearest_neighbor

JOB = Job(0, {"task": "t"}, "reference", None, ("a",))


@pytest.fixture
def loaded(monkeypatch):
    """A set of 60 vectors in six columns of different scales; the last is constant."""
    rng = np.random.default_rng(3)
    y = (np.arange(60) % 3 == 0).astype(np.int64)
    X = rng.normal(size=(60, 6)) * [1.0, 3.0, 0.1, 1.0, 2.0, 0.0] + 1.2 * y[:, np.newaxis]
    X[:, 5] = 7.0
    found = DataSet("a", X, y, {0: "x", 1: "z"})
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: found)
    return found


def parts(loaded, repetition, share=None):
    train, test = split_rows(JOB, loaded, repetition, share)
    return loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test]


def error(guess, truth):
    return error_pair(np.asarray(guess), truth)[1]


# ------------------------------------------------------------------------------------- covariances


def readings_of(handlings, powers=(-1.0,), repetitions=(0, 1)):
    value = covariances.covariance_readings(
        JOB, data_set="a", options={}, repetitions=repetitions, handlings=handlings, powers=powers
    )
    return value["errors"]


@pytest.mark.parametrize("handling", [("none", 0.0), ("ridge", 0.01), ("ridge", 2.0)])
@pytest.mark.parametrize("name", NAMES)
def test_covariances_are_those_of_the_rival(loaded, name, handling):
    if name in ("L1", "L2") and handling[0] != "none":
        return
    (errors,) = readings_of([handling])
    key = name if name in errors else covariances.reading_name(name, -1.0)
    for repetition in (0, 1):
        X, y, Q, truth = parts(loaded, repetition)
        distance = fit_distance(name, X, y, ridge=handling[1])
        assert errors[key][repetition] == pytest.approx(
            error(nearest_neighbor(distance, Q, X, y), truth)
        )


def test_a_ridge_as_a_share_is_of_the_mean_variance(loaded):
    X, y, _, _ = parts(loaded, 0)
    (spectrum,) = covariances.spectra_of("Mah", X, y)
    mean = np.cov(X.T).trace() / 6
    weights, rest = covariances.weights_of(spectrum, "ridge, share", 0.5, -1.0)
    assert weights == pytest.approx(1.0 / (spectrum.variances + 0.5 * mean))
    assert rest == pytest.approx(1.0 / (0.5 * mean))


@pytest.mark.parametrize(
    "kind, size, power, expected",
    [
        ("none", 0.0, -0.5, [0.5, 1.0, 0.0]),
        ("none", 0.0, 1.0, [4.0, 1.0, 0.0]),
        ("drop", 1.0, -1.0, [0.25, 0.0, 0.0]),
        ("drop, share", 0.25, -1.0, [0.25, 0.0, 0.0]),
        ("drop, share", 0.2, -1.0, [0.25, 1.0, 0.0]),
        ("ridge", 5.0, -0.5, [1 / 3, 6**-0.5, 5**-0.5]),
    ],
)
def test_weights_by_hand(kind, size, power, expected):
    spectrum = covariances.Spectrum(np.array([4.0, 1.0, 0.0]), None, 3)
    weights, rest = covariances.weights_of(spectrum, kind, size, power)
    assert weights == pytest.approx(expected) and rest == 0.0


def test_columns_of_little_variance_are_left_out(loaded):
    plain, few = readings_of([("none", 0.0), ("columns, share", 0.05)])
    X, y, Q, truth = parts(loaded, 0)
    variances = X.var(axis=0)
    kept = variances > 0.05 * variances.max()
    assert kept.tolist() == [True, True, False, True, True, False]
    distance = fit_distance("L1", X[:, kept], y)
    expected = error(nearest_neighbor(distance, Q[:, kept], X[:, kept], y), truth)
    assert few["L1"][0] == pytest.approx(expected)
    assert plain["L1"] != few["L1"]


def test_a_covariance_without_weight_has_no_number(loaded):
    (errors,) = readings_of([("drop", 1e6)])
    assert errors["Mah -1"] == [None, None]


# ------------------------------------------------------------------------------------------ rounds


def test_stages_are_the_errors_after_so_many_rounds(loaded):
    value = stages.stages(JOB, data_set="a", options={}, repetitions=[0, 2], rounds=[1, 4])
    X, y, Q, truth = parts(loaded, 2)
    for place, t in enumerate((1, 4)):
        model = boosted_distance(X, y, t)
        stumps = adaboost_classifier(X, y, t)
        for part, (points, labels) in {"test": (Q, truth), "train": (X, y)}.items():
            nearest = nearest_neighbor_boosted_distance(model, points, X, y)
            expected = {
                "boosted": error(nearest, labels),
                "stumps": error(stumps.predict(points), labels),
            }
            got = {method: value["errors"][method][part][1][place] for method in expected}
            assert got == pytest.approx(expected)


# ------------------------------------------------------------------------------------------- trees


def test_starting_weights_by_hand():
    second = np.array([0, 1, 1, 1])
    assert tree_boosting.starting_weights(second, "equal").tolist() == [0.25] * 4
    by_class = tree_boosting.starting_weights(second, "by class")
    assert by_class == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])


def test_trees_of_one_split_are_boosted_as_stumps_are(loaded):
    """One split by entropy differs from a stump of least error, so the data let them agree."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([0, 0, 0, 1, 1, 0])
    setting = {"tree": {"max_depth": 1}, "share": 0.0, "start": "by class", "resample": False}
    guess = tree_boosting.boost(X, y, X, 1, setting, np.random.default_rng(0))
    assert guess.tolist() == [0, 0, 0, 1, 1, 1]
    model = adaboost_classifier(X, y, 1)
    assert model.predict(X).tolist() == guess.tolist()


def test_a_first_tree_without_error_decides_alone(loaded):
    setting = {"tree": {}, "share": 0.0, "start": "equal", "resample": False}
    X, y, _, _ = parts(loaded, 0)
    guess = tree_boosting.boost(X, y, X, 5, setting, np.random.default_rng(0))
    assert guess.tolist() == y.tolist()


@pytest.mark.parametrize("start", ["equal", "by class"])
def test_weighted_trees_are_boosted_as_scikit_learn_does(loaded, start):
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = loaded.X[:, :5], loaded.y
    setting = {"tree": {"max_depth": 2}, "share": 0.0, "start": start, "resample": False}
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=2)
    w = tree_boosting.starting_weights(y, start)
    for rounds in (2, 7):
        theirs = AdaBoostClassifier(tree, n_estimators=rounds).fit(X, y, sample_weight=w)
        guess = tree_boosting.boost(X, y, X, rounds, setting, np.random.default_rng(0))
        assert guess.tolist() == theirs.predict(X).tolist()


class Draws:
    """A generator whose samples are all vectors in order; it keeps the weights that it gets."""

    def __init__(self):
        self.weights = []

    def choice(self, n, size, p):
        self.weights.append(p.copy())
        return np.arange(n)

    def integers(self, n):
        return 0


def test_samples_are_drawn_by_the_weights():
    X, y = np.arange(6.0)[:, np.newaxis], np.array([0, 0, 0, 1, 1, 0])
    setting = {"tree": {"max_depth": 1}, "share": 0.0, "start": "equal", "resample": True}
    draws = Draws()
    tree_boosting.boost(X, y, X, 2, setting, draws)
    # the first tree errs on the last vector alone, which then has half of the weight
    assert draws.weights[0] == pytest.approx([1 / 6] * 6)
    assert draws.weights[1] == pytest.approx([0.1] * 5 + [0.5])


def test_boosted_trees_have_the_errors_of_the_project_beside_them(loaded):
    setting = {"tree": {}, "share": 0.1, "start": "equal", "resample": True}
    value = tree_boosting.boosted_trees(
        JOB, data_set="a", options={}, repetitions=[1], rounds=3, settings=[setting, setting]
    )["errors"]
    X, y, Q, truth = parts(loaded, 1)
    model = boosted_distance(X, y, 3)
    nearest = nearest_neighbor_boosted_distance(model, Q, X, y)
    assert value["boosted"] == [error(nearest, truth)]
    assert value["stumps"] == [error(adaboost_classifier(X, y, 3).predict(Q), truth)]
    assert value["trees"][0] == value["trees"][1]  # the stream hangs on the setting alone


def test_without_weka_there_are_no_errors(loaded):
    value = tree_boosting.outside_trees(
        JOB,
        data_set="a",
        options={},
        repetitions=[0],
        rounds=2,
        ways=[{"start": "equal", "resample": False}],
        versions={"python-weka-wrapper3": None, "java": None},
    )
    assert value == {"errors": None}


def test_arff_and_predictions_by_hand(tmp_path):
    path = tmp_path / "a.arff"
    X = np.array([[1.5, -2.0], [0.1, 3.0]])
    tree_boosting.write_arff(path, X, np.array([0, 1]), np.array([0.5, 1.5]))
    assert path.read_text() == (
        "@relation vectors\n@attribute a0 numeric\n@attribute a1 numeric\n"
        "@attribute class {0,1}\n@data\n1.5,-2.0,0,{0.5}\n0.1,3.0,1,{1.5}\n"
    )
    said = (
        " inst#  actual  predicted error\n     1     1:0    2:1   +   0.9\n     2  2:1 1:0  +  1\n"
    )
    assert tree_boosting.parse_predictions(said).tolist() == [1, 0]


# ------------------------------------------------------------------------------ distance with trees


def test_greedy_trees_of_depth_two_are_those_of_the_library(loaded):
    X, y, Q, _ = parts(loaded, 0)
    P, N = X[y == 1], X[y == 0]
    ours = adaboost(P, N, 3, weak_learner=tree_distances.GreedyTrees(2))
    theirs = adaboost(P, N, 3, weak_learner=DepthTwoTrees())
    assert ours.alpha.tolist() == theirs.alpha.tolist()
    assert [ours.h(t, Q).tolist() for t in range(3)] == [theirs.h(t, Q).tolist() for t in range(3)]


def test_greedy_trees_cut_a_line_into_four_at_depth_three():
    y = np.repeat([0, 1, 0, 1], [8, 4, 4, 1])
    X = np.arange(17.0)[:, np.newaxis]
    wrong = []
    for depth in (1, 2, 3):
        learner = tree_distances.GreedyTrees(depth)
        tree = adaboost(X[y == 1], X[y == 0], 1, weak_learner=learner)
        wrong.append(int((tree.h(0, X) != y).sum()))
    assert wrong == [4, 1, 0]
    assert tree.feature.shape == (1, 7) and tree.features().tolist() == [0]


def test_entropy_trees_against_the_distance_by_hand(loaded):
    """One tree without error on the pairs: the similarity is its answer alone."""
    from sklearn.tree import DecisionTreeClassifier

    value = tree_distances.entropy_trees(
        JOB, data_set="a", options={}, repetitions=[0], rounds=[1, 3], alphas=[0.0]
    )
    X, y, Q, truth = parts(loaded, 0)
    similarity = np.empty((len(Q), len(y)))
    for C in (0, 1):
        members = np.flatnonzero(y == C)
        pairs = np.array([a - b for a in X for b in X[members]])
        same = np.array([label == C for label in y for _ in members])
        w = np.where(same, len(same) / (2 * same.sum()), len(same) / (2 * (~same).sum()))
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=1)
        tree.fit(pairs, same, sample_weight=w)
        asked = np.array([q - b for q in Q for b in X[members]])
        similarity[:, members] = tree.predict(asked).reshape(len(Q), -1)
    expected = error(y[similarity.argmax(axis=1)], truth)
    assert value["errors"][0][0][0] == pytest.approx(expected)
    assert len(value["errors"][0][0]) == 2


# -------------------------------------------------------------------------------------- reductions


def test_reductions_are_those_of_the_libraries(loaded):
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    readings = [{"method": "PCA", "first": None}, {"method": "LDA", "first": 2}]
    value = reduced.reductions(
        JOB, data_set="a", options={}, repetition=0, share=0.5, dimensions=(1, 3), readings=readings
    )
    X, y, Q, truth = parts(loaded, 0, share=0.5)
    assert len(y) == 30

    def nearest(A, B):
        distances = ((B[:, np.newaxis] - A) ** 2).sum(axis=2)
        return error(y[distances.argmin(axis=1)], truth)

    assert value["none"] == pytest.approx(nearest(X, Q))
    pca = PCA().fit(X)
    A, B = pca.transform(X), pca.transform(Q)
    assert value["errors"][0] == pytest.approx(
        [nearest(A[:, :1], B[:, :1]), nearest(A[:, :3], B[:, :3])]
    )
    lda = LinearDiscriminantAnalysis().fit(A[:, :2], y)
    one = nearest(lda.transform(A[:, :2]), lda.transform(B[:, :2]))
    assert value["errors"][1] == [pytest.approx(one), None]
