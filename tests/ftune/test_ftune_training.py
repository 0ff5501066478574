"""How a training of FTUNE is asked for, watched, stopped and continued."""

import dataclasses
import warnings

import numpy as np
import pytest
from agreement import assert_same
from sklearn.datasets import load_iris

from refimpl import checks, resources
from refimpl.ftune import (
    CS,
    SLOPES,
    FTuneOptions,
    FTuneTraining,
    NormalizationWarning,
    Ramp,
    bbs,
    ftune,
    ftune_single_and_per_class,
    random_landmarks,
    training,
)
from refimpl.ftune.similarities import Gaussian, Similarity

TRAININGS = (ftune, ftune_single_and_per_class, bbs)


@pytest.fixture(scope="module")
def iris():
    """K, y, pairs and a validation set of three classes."""
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    K = Similarity(Gaussian(2.0), X[::2], pairwise=True)
    return K, y[::2], random_landmarks(y[::2], 6, rng=np.random.default_rng(0)), (X[1::2], y[1::2])


def run(train, iris, **keywords):
    K, y, P, validation = iris
    return train(K, y, P, validation=validation, **keywords)


# ------------------------------------------------------------------------------------------ options


def test_one_slope_one_function_and_one_C_are_families_of_one(iris):
    assert FTuneOptions(family=5, C=2) == FTuneOptions(family=[5.0], C=np.array([2.0]))
    assert FTuneOptions(family=np.tanh).family == (np.tanh,)
    assert (
        FTuneOptions(family=Ramp(3.0)).family == FTuneOptions(family=[Ramp(3.0)]).family == (3.0,)
    )
    assert FTuneOptions() == FTuneOptions(family=np.array(SLOPES), C=list(CS))
    model = run(ftune, iris, options=FTuneOptions(family=5.0, C=1.0))
    assert model.slopes.tolist() == [5.0] and model.losses.shape == (3, 1, 1)


def test_slopes_and_costs_are_those_of_section_3():
    assert SLOPES == (1, 5, 10, 50, 100, 1000) and CS == (1, 10, 100, 1000)


def test_options_do_not_change():
    weights = {"a": 2.0}
    options = FTuneOptions(class_weight=weights)
    weights["a"] = -1.0
    assert options.class_weight == {"a": 2.0}


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"family": "5"}, TypeError, "family must be a slope, a function or .*; got '5'"),
        ({"family": None}, TypeError, "family must be .*; got None"),
        ({"family": -5.0}, ValueError, r"^family must be a positive slope .*; got -5.0"),
        ({"family": [-1]}, ValueError, r"^family\[0\] must be a positive slope .*; got -1"),
        ({"family": [1.0, True]}, ValueError, r"family\[1\] must be .*; got True"),
        ({"family": ()}, ValueError, "family must hold at least one .*; got an empty sequence"),
        ({"family": np.cos}, ValueError, r"family must be antisymmetric, f\(-x\) = -f\(x\); got"),
        ({"family": [np.sum]}, ValueError, r"family\[0\] must return a finite number for each"),
        ({"C": "1"}, TypeError, "C must be a number; got '1'"),
        ({"C": None}, TypeError, "C must be a number; got None"),
        ({"C": (1.0, 0.0)}, ValueError, "C must be between .*; got 0"),
        ({"C": [1, [2, 3]]}, ValueError, r"^C must be a number or a sequence of numbers; got \[1"),
        ({"C": []}, ValueError, "C must hold at least one number; got an empty sequence"),
        ({"class_weight": [1]}, TypeError, r"class_weight must be a dict .*; got \[1\]"),
        ({"class_weight": {"a": 0}}, ValueError, r"class_weight\['a'\] must be .*; got 0"),
        ({"class_weight": {"a": "x"}}, TypeError, r"class_weight\['a'\] must be .*; got 'x'"),
    ],
)
def test_bad_options(values, error, message):
    with pytest.raises(error, match=message):
        FTuneOptions(**values)


def test_class_weights_of_unknown_classes_are_refused(iris):
    with pytest.raises(ValueError, match=r"class_weight must have only labels .*; got 'rose'"):
        run(ftune, iris, options=FTuneOptions(class_weight={"rose": 1.0}))


def test_bbs_has_no_function_to_choose(iris):
    plain = run(bbs, iris)
    others = FTuneOptions(family=(5.0, np.tanh), choose="training", per_class=True)
    assert run(bbs, iris, options=others) == plain and plain.slopes.tolist() == [1.0]


def test_the_warning_names_the_line_of_the_caller(iris):
    K, y, P, validation = iris
    large = Similarity(lambda A, B: 7.0 * Gaussian(2.0)(A, B), K.objects, pairwise=True)
    for train in TRAININGS:
        with pytest.warns(NormalizationWarning, match="reaches 7") as seen:
            train(large, y, P, validation=validation, options=FTuneOptions(family=1.0, C=1.0))
        assert [one.filename for one in seen] == [__file__]


@pytest.mark.parametrize("train", TRAININGS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_that_answers_with_one_class_says_so(iris, train, n_classes, monkeypatch):
    """Similarities that vanish, or are all alike; a bound of their size scales them up."""
    K, y, _, _ = iris
    few = np.flatnonzero(np.isin(y, np.unique(y)[:n_classes]))
    S, y = K.within(few, few), y[few]
    P = random_landmarks(y, 6, rng=np.random.default_rng(0))
    how = {"landmarks": P, "validation": None}
    options = FTuneOptions(C=1.0, choose="training")
    for matrix in (1e-30 * S, np.full_like(S, 0.3), np.zeros_like(S)):
        with pytest.warns(UserWarning, match="gives all training objects the same class") as seen:
            model = train(matrix, y, **how, options=options)
        assert {one.filename for one in seen} == {__file__}
        for one in model if isinstance(model, tuple) else (model,):
            assert len(set(one.predict(matrix, matrix))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(S, y, **how, options=options)
        train(1e-30 * S, y, **how, options=dataclasses.replace(options, bound=1e-30))
        warnings.simplefilter("ignore", NormalizationWarning)
        train(1e30 * S, y, **how, options=options)
        monkeypatch.setattr(training, "BLOCK", 10)  # the first ten are of one class
        order = np.argsort(y, kind="stable")
        P = random_landmarks(y[order], 6, rng=np.random.default_rng(0))
        train(S[np.ix_(order, order)], y[order], **how | {"landmarks": P}, options=options)


# ----------------------------------------------------------------------------------------- callback


def test_two_classes_are_one_step_of_the_second(iris):
    K, y, _, _ = iris
    P = random_landmarks(y == "setosa", 6, rng=np.random.default_rng(0))
    steps = []
    options = FTuneOptions(C=1.0, choose="training")
    ftune(K, y == "setosa", P, options=options, callback=steps.append)
    assert [(step.number, step.total, step.label) for step in steps] == [(1, 1, True)]


def test_slopes_of_a_large_single_problem_are_trained_on_several_threads(iris, monkeypatch):
    """The threads train the same classifier, whatever is worth them."""
    K, y, _, (V, v) = iris
    P = random_landmarks(y == "setosa", 6, rng=np.random.default_rng(0))
    asked = []

    def share(work, n, threads):
        asked.append((n, threads))
        resources.share(work, n, threads)

    monkeypatch.setattr(training, "share", share)
    for module in (checks, resources):  # also on one processor, or with OMP_NUM_THREADS=1
        monkeypatch.setattr(module, "processors", lambda: 2)
    models = []
    for worth in (6 * len(y) + 1, 6 * len(y)):
        monkeypatch.setattr(training, "WORTH", worth)
        model = ftune(K, y == "setosa", P, validation=(V, v == "setosa"), threads=2)
        models.append(model)
    assert asked == [(len(SLOPES), 1), (len(SLOPES), 2)]
    for name in models[0].__dataclass_fields__:
        assert_same(getattr(models[0], name), getattr(models[1], name))


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("last", [1, 2, 3])
def test_true_leaves_a_classifier_of_the_classes_so_far(iris, last, per_class):
    K, _y, _P, (V, v) = iris
    options = FTuneOptions(per_class=per_class)
    stopped = run(ftune, iris, options=options, callback=lambda step: step.number == last)
    whole = run(ftune, iris, options=options)
    names = ["setosa", "versicolor", "virginica"][:last]
    assert stopped.classes.tolist() == names and len(stopped.w) == last
    assert set(stopped.predict(K, V)) <= set(names)
    assert (stopped.losses == whole.losses[:last]).all()
    if last == 3:
        assert stopped == whole
    elif last == 2:
        kept = v != "virginica"
        assert (stopped.predict(K, V)[kept] == v[kept]).mean() > 0.9
        if not per_class:
            right = (stopped.predict(K, V) == v).mean()
            assert right == pytest.approx(stopped.accuracies.max(), abs=1e-12)
    else:
        assert (stopped.predict(K, V) == "setosa").all()
        if not per_class:
            assert np.ptp(stopped.accuracies) == 0


# -------------------------------------------------------------------------------------------- start


def test_the_choice_is_made_at_the_end_so_a_start_may_have_another(iris):
    steps = []
    run(ftune, iris, callback=lambda step: steps.append(step) or step.number == 2)
    start = steps[1].result
    for options in (FTuneOptions(per_class=True), FTuneOptions(choose="training")):
        assert run(ftune, iris, start=start, options=options) == run(ftune, iris, options=options)


def test_a_training_without_problems_is_refused():
    with pytest.raises(ValueError, match="must hold the same problems"):
        FTuneTraining("", *(np.zeros((k, 1, 1, 1)) for k in (1, 2, 1, 1)))
