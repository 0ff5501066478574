"""LMNN's arguments, options, callbacks and estimates of memory are those of all papers."""

import numpy as np
import pytest
from agreement import assert_same
from lmnn_toys import blobs, trained
from test_lmnn import FASTEST

from refimpl.lmnn import (
    LMNNOptions,
    classify,
    leave_one_out_error,
    lmnn,
    lmnn_rect,
    lmnn_svd,
    metric_neighbors,
)
from refimpl.lmnn.problem import LargeMarginProblem

X, y = blobs(2, n=60)
HELD = (X[1::2], y[1::2])
TRAININGS = {
    "one": lambda **options: lmnn(X, y, 2, **options),
    "several": lambda **options: lmnn(X, y, 2, partition=y, **options),
    "low rank": lambda **options: lmnn_rect(X, y, 2, 2, **options),
}
# ------------------------------------------------------------------------------------- the callback


def test_a_step_tells_the_metric_of_the_lowest_validation_error():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60, 8))
    labels = np.arange(60) // 2 % 2
    points[:, 0] += labels
    options = LMNNOptions(validation=(points[1::2], labels[1::2]), patience=100)
    steps = []
    lmnn(points[::2], labels[::2], options=options, kernels=FASTEST, callback=steps.append)
    result = steps[-2].result
    best = int(result.validation_errors.argmin())
    assert best < len(steps) - 2 and "lowest validation error" in result.message
    assert_same(result.L, steps[best].state.L)


def test_a_callback_ends_all_rounds_of_targets():
    points, labels = blobs(1, n=60)
    steps = []

    def train(ends):
        steps.clear()
        how = {"callback": lambda step: steps.append(step) or step.number == ends}
        return trained(points, labels, 2, n_target_rounds=3, **how)

    whole = train(None)
    numbers = [step.number for step in steps]
    assert numbers == list(range(1, len(numbers) + 1)) and steps[0].total == 600
    firsts = [step.number for step in steps if step.state.t == 1]
    assert len(firsts) == 3 and whole.full_checks == len(steps) - firsts[2] + 1
    assert train(2).full_checks == 2 and len(steps) == 2
    assert train(firsts[1]).full_checks == 1 and len(steps) == firsts[1]


# -------------------------------------------------------------------------------------- the options


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"validation": X}, TypeError, r"validation must be a pair \(points, labels\).*ndarray"),
        ({"validation": (X,)}, TypeError, "validation must be a pair"),
    ],
)
def test_options_are_checked_when_they_are_made(change, error, message):
    with pytest.raises(error, match=message):
        LMNNOptions(**change)


def test_options_compare_by_what_they_hold():
    assert LMNNOptions(validation=HELD) == LMNNOptions(validation=list(HELD)) != LMNNOptions()


def test_each_training_has_its_own_default_of_tol():
    for train, tol in ((TRAININGS["one"], 1e-3), (TRAININGS["low rank"], 1e-4)):
        assert train(kernels=FASTEST) == train(options=LMNNOptions(tol=tol), kernels=FASTEST)
        assert train(kernels=FASTEST) != train(options=LMNNOptions(tol=tol / 50), kernels=FASTEST)


def test_low_rank_searches_in_trees_too_and_refuses_what_it_has_not(monkeypatch):
    train = TRAININGS["low rank"]
    whole = LargeMarginProblem._in_trees
    searches = []

    def in_trees(self, *given, **options):
        searches.append(1)
        return whole(self, *given, **options)

    monkeypatch.setattr(LargeMarginProblem, "_in_trees", in_trees)
    plain = train(kernels=FASTEST)
    assert not searches
    assert train(options=LMNNOptions(search="tree"), kernels=FASTEST) == plain and searches
    with pytest.raises(ValueError, match="solver must be None in lmnn_rect; got 'pri"):
        train(options=LMNNOptions(solver="printed"))
    with pytest.raises(ValueError, match="n_target_rounds must be 1 in lmnn_rect; got 2"):
        train(options=LMNNOptions(n_target_rounds=2))


# ----------------------------------------------------------------------------- what a metric is for


def test_a_result_knows_the_metric_of_its_training_points():
    result = trained(X, y, 2, partition=y, max_checks=3)
    for metric in (result, result.L):
        given = {} if metric is result else {"partition": y}
        assert_same(
            metric_neighbors(metric, X[:5], X, 3, **given)[1],
            metric_neighbors(result.L, X[:5], X, 3, partition=result.partition)[1],
        )
        assert leave_one_out_error(metric, X, y, 3, **given) < 0.5
    with pytest.raises(
        ValueError, match=r"partition must be passed .* the training, which had 60 points"
    ):
        classify(result, X, X[:30], y[:30], 3)
    with pytest.raises(ValueError, match=r"partition must say which of 3 metrics .* got None"):
        classify(result.L, X, X, y, 3)
    for partition in (y - 1, y + 1, y[:-1], y.astype(float)):
        with pytest.raises(ValueError, match="partition must hold the index of a metric, 0 to 2"):
            classify(result, X, X, y, 3, partition=partition)
    with pytest.raises(ValueError, match=r"metric must be a single metric .*got shape \(3, 4, 4\)"):
        lmnn_svd(result, 2)


SHAPES = r"metric must hold factors of shape \(r, 4\) or \(partitions, r, 4\), .* got shape "


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (np.eye(3), SHAPES + r"\(3, 3\)"),
        (np.ones(4), SHAPES + r"\(4,\)"),
        (np.ones((1, 1, 4, 4)), SHAPES + r"\(1, 1, 4, 4\)"),
        (np.ones((0, 4, 4)), SHAPES + r"\(0, 4, 4\)"),
        (np.full((4, 4), np.nan), "metric must hold finite numbers; got NaN"),
        (1e200 * np.eye(4), "metric must hold values within 1e140"),
    ],
)
def test_a_metric_that_does_not_fit_is_refused_by_its_name(metric, message):
    for call in (
        lambda: metric_neighbors(metric, X, X, 3),
        lambda: classify(metric, None, X, y, 3),
        lambda: leave_one_out_error(metric, X, y, 3),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_points_held_out_that_are_too_large_are_refused_before_the_training():
    steps = []
    options = LMNNOptions(validation=(1e145 * X, y))
    with pytest.raises(ValueError, match=r"validation\[0\] must hold values within 1e140"):
        lmnn(X, y, 2, options=options, callback=steps.append, kernels=FASTEST)
    with pytest.raises(ValueError, match=r"start must hold finite factors .* got shape \(2, 3\)"):
        lmnn(X, y, 2, start=np.ones((2, 3)))
    assert not steps


def test_a_step_says_which_of_all_full_checks_was_the_last():
    steps = []
    options = LMNNOptions(n_target_rounds=2, tol=1e-2)
    lmnn(X, y, options=options, callback=steps.append, kernels=FASTEST)
    assert [step for step in steps if step.number > step.result.full_checks]
    for step in steps:
        if "the callback" in step.result.message:
            assert f"after full check {step.number};" in step.result.message
