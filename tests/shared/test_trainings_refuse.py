"""All trainings refuse the same wrong arguments, and so do their estimates of memory."""

import re

import numpy as np
import pytest

from refimpl import Step
from refimpl.boosted_distance import adaboost, boosted_distance
from refimpl.boosted_distance import estimate_memory as boosted_distance_memory
from refimpl.boosted_distance.weak_learners import Stumps
from refimpl.boostmap import BoostMapOptions, CandidateDistances, Triples, boostmap
from refimpl.boostmap import estimate_memory as boostmap_memory
from refimpl.ftune import FTuneOptions, bbs, ftune, ftune_single_and_per_class, random_landmarks
from refimpl.ftune import estimate_memory as ftune_memory
from refimpl.lmnn import LMNNOptions, lmnn, lmnn_rect
from refimpl.lmnn import estimate_memory as lmnn_memory
from refimpl.search_forest import ForestOptions, label_similarity, search_forest
from refimpl.search_forest import estimate_memory as search_forest_memory

X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 2
D = np.linalg.norm(X[:, None] - X, axis=2)
DISTANCES = CandidateDistances(D, D)
TRIPLES = Triples([[0, 1, 2], [3, 4, 5]], [1, -1])
PAIRS = random_landmarks(y, 3, rng=np.random.default_rng(0))
OPTIONS = FTuneOptions(C=1.0, choose="training")


def rng():
    return np.random.default_rng(0)


TRAININGS = {
    "boosted_distance": lambda **k: boosted_distance(X, y, 2, **k),
    "adaboost": lambda **k: adaboost(X, X + 1, 2, **k),
    "boostmap": lambda **k: boostmap(DISTANCES, TRIPLES, 2, rng=rng(), **k),
    "search_forest": lambda **k: search_forest(X, label_similarity(y), 2, 0.1, rng=rng(), **k),
    "lmnn": lambda **k: lmnn(X, y, **k),
    "lmnn_rect": lambda **k: lmnn_rect(X, y, 2, **k),
    "ftune": lambda **k: ftune(D, y, PAIRS, **{"options": OPTIONS} | k),
    "bbs": lambda **k: bbs(D, y, [0, 1], **{"options": OPTIONS} | k),
    "both": lambda **k: ftune_single_and_per_class(D, y, PAIRS, **{"options": OPTIONS} | k),
}
ESTIMATES = {
    "boosted_distance": lambda **k: boosted_distance_memory(X, y, 2, **k),
    "boostmap": lambda **k: boostmap_memory(DISTANCES, TRIPLES, 2, **k),
    "search_forest": lambda **k: search_forest_memory(X, label_similarity(y), 2, 0.1, **k),
    "lmnn": lambda **k: lmnn_memory(X, y, **k),
    "ftune": lambda **k: ftune_memory(D, y, PAIRS, **{"options": OPTIONS} | k),
}
every_training = pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
every_estimate = pytest.mark.parametrize("estimate", ESTIMATES.values(), ids=ESTIMATES)
ignoring_scale = pytest.mark.filterwarnings("ignore::refimpl.ftune.NormalizationWarning")


@every_training
@pytest.mark.parametrize("wrong", ["1", 1.5, 0, -1, True, np.nan])
@ignoring_scale
def test_max_memory_is_an_integer_of_at_least_1(train, wrong):
    error = ValueError if wrong in (0, -1) else TypeError
    with pytest.raises(error, match=r"^max_memory must be an integer of at least 1; got "):
        train(max_memory=wrong)


@every_training
@ignoring_scale
def test_too_little_memory(train):
    with pytest.raises(MemoryError, match=r"^max_memory is 1 bytes"):
        train(max_memory=1)
    train(max_memory=np.int64(10**9))


@every_training
def test_callback_is_callable(train):
    with pytest.raises(TypeError, match=r"^callback must be a function of a refimpl\.Step; got 3$"):
        train(callback=3)


@every_training
def test_start_of_another_type(train):
    with pytest.raises(TypeError, match=r"^start must "):
        train(start={"a": 1})


@pytest.mark.parametrize("where", [TRAININGS, ESTIMATES], ids=["training", "estimate"])
@pytest.mark.parametrize(
    ("room", "name"),
    [
        ("boostmap", "BoostMapOptions"),
        ("search_forest", "ForestOptions"),
        ("lmnn", "LMNNOptions"),
        ("ftune", "FTuneOptions"),
    ],
)
def test_options_of_another_type(where, room, name):
    message = re.escape(f"options must be {name}(...); got {{'max_depth': 3}}")
    with pytest.raises(TypeError, match=f"^{message}$"):
        where[room](options={"max_depth": 3})


@every_estimate
@pytest.mark.parametrize("wrong", ["1", 1.5, 0, -1, True])
def test_estimates_refuse_wrong_threads(estimate, wrong):
    error = ValueError if wrong in (0, -1) else TypeError
    with pytest.raises(error, match=r"^threads must be "):
        estimate(threads=wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((D, TRIPLES, 2), "distances must be a CandidateDistances; got a ndarray"),
        ((DISTANCES, TRIPLES.objects, 2), "triples must be a Triples; got a ndarray"),
        ((DISTANCES, TRIPLES, "2"), "d must be an integer of at least 1; got '2'"),
    ],
)
def test_boostmap_estimate_checks_its_arguments(arguments, message):
    with pytest.raises(TypeError, match=rf"^{message}$"):
        boostmap_memory(*arguments)


@pytest.mark.parametrize("wrong", [3, "stumps", Stumps])
@pytest.mark.parametrize("train", [boosted_distance, boosted_distance_memory, adaboost])
def test_weak_learner_of_another_type(train, wrong):
    with pytest.raises(
        TypeError, match=r"^weak_learner must be an object with the members of Weak"
    ):
        train(X, y if train is not adaboost else X, 2, weak_learner=wrong)


def test_boosted_distance_goes_on_from_no_training_with_more_features():
    only_last = np.zeros_like(X)
    only_last[:, 2] = np.arange(12) * (2 * y - 1)
    for train, first in ((boosted_distance, y), (adaboost, -only_last)):
        start = train(only_last, first, 2)
        other = first if train is boosted_distance else first[:, :1]
        with pytest.raises(ValueError, match="which have 1 features; got an ensemble that looks"):
            train(X[:, :1], other, 3, start=start)


@pytest.mark.parametrize("start", ["abc", {"L": 1}, OPTIONS])
def test_lmnn_start_says_what_it_got(start):
    kind = type(start).__name__
    with pytest.raises(
        TypeError, match=rf"^start must be an LMNNResult or an array of factors; got a {kind}$"
    ):
        lmnn(X, y, start=start)


def test_lmnn_says_which_of_all_full_checks_was_the_last():
    steps = []
    options = LMNNOptions(n_target_rounds=2, tol=1e-2)
    lmnn(X, y, options=options, callback=steps.append)
    last_round = [step for step in steps if step.number > step.result.full_checks]
    assert last_round
    for step in steps:
        if "the callback" in step.result.message:
            assert f"after full check {step.number};" in step.result.message


@pytest.mark.parametrize(
    ("numpy", "plain"),
    [
        (LMNNOptions(max_checks=np.int64(9), tol=1), LMNNOptions(max_checks=9, tol=1.0)),
        (ForestOptions(max_depth=np.int8(9), tol=1), ForestOptions(max_depth=9, tol=1.0)),
        (BoostMapOptions(n_best=np.int64(9)), BoostMapOptions(n_best=9)),
        (FTuneOptions(C=np.array([1, 2])), FTuneOptions(C=(1.0, 2.0))),
    ],
)
def test_options_are_equal_whatever_the_type_of_their_numbers(numpy, plain):
    assert numpy == plain
    assert repr(numpy) == repr(plain)


def test_ragged_costs():
    with pytest.raises(ValueError, match=r"^C must be a number or a sequence of numbers; got \[1"):
        FTuneOptions(C=[1, [2, 3]])


def test_repr_of_a_step_is_short():
    steps = []
    boosted_distance(X, y, 1, callback=steps.append)
    assert repr(steps[0]) == "Step(number=1, total=1, label=0, Round)"
    assert isinstance(steps[0], Step)
