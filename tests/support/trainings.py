"""The trainings of the five papers as one table: how each is called on small data, and its own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from agreement import KERNELS

from refimpl import boosted_distance as bd
from refimpl import boostmap as bm
from refimpl import ftune as ft
from refimpl import lmnn as lm
from refimpl import search_forest as sf
from refimpl.boosted_distance.weak_learners import DepthTwoTrees

FASTEST = KERNELS[-1]


@dataclass(frozen=True)
class Training:
    """A training and its small problem.

    `arguments` makes its arguments by name, `start` is the type of a step's result, and `labels`
    are the phases that a callback can end, in their order. `refused` are changes of the arguments
    after which it cannot go on from a result of the problem, each with the message; `longer` is a
    change by which it goes on beyond its end. Of a training that is not `exact` another start ends
    at the same optimum, not at the same bits. `ask` asks a result about new points.
    """

    function: Callable[..., Any]
    arguments: Callable[[], dict[str, Any]]
    result: type
    start: type
    labels: tuple[Any, ...] = (None,)
    refused: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    longer: dict[str, Any] = field(default_factory=dict)
    estimate: Callable[..., int] | None = None
    options: type | None = None
    exact: bool = True
    ask: Callable[..., Any] | None = None

    def __call__(self, **changes: Any) -> Any:
        """Train; `changes` are other arguments than those of the problem."""
        return self.function(**{**self.arguments(), "kernels": FASTEST, **changes})

    def memory(self, **changes: Any) -> int:
        """Return the estimate of the training's memory."""
        assert self.estimate is not None
        return self.estimate(**{**self.arguments(), "kernels": FASTEST, **changes})

    def steps(self, **changes: Any) -> tuple[Any, list[Any]]:
        """Train, and return the result and the steps that a callback gets."""
        steps: list[Any] = []
        return self(callback=steps.append, **changes), steps


def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


NAMES = ("ape", "bee", "cow")
_drawn = np.random.default_rng(0)
y = np.array(NAMES)[np.arange(48) % 3]
X = _drawn.normal(size=(48, 4)) + 0.7 * (np.arange(48) % 3)[:, np.newaxis]
OTHER_Y = np.roll(y, 1)
D = np.linalg.norm(X[:, np.newaxis] - X, axis=2)
K = np.exp(-D)
Q = _drawn.normal(size=(20, 4))
NEW = np.exp(-np.linalg.norm(Q[:, np.newaxis] - X, axis=2))
DISTANCES = bm.CandidateDistances(D, D)
TRIPLES = bm.random_triples(D, 300, rng=_drawn)
NEAR = sf.neighbor_similarity(X, 6)
PAIRS = ft.random_landmarks(y, 6, rng=_drawn)
HELD = K[::3], y[::3]

SAME_VECTORS = "^start must come from the same training vectors and "
SAME_TRAINING = "^start must come from a training with the same"
SAME_POINTS = "^start must have been learnt from the same X and S; got .* tree 1 "


# --------------------------------------------------------------------------------- Boosted Distance


def _boosted_distance(learner: Any, other: Any) -> Training:
    return Training(
        bd.boosted_distance,
        lambda: {"X": X, "y": y, "T": 4, "weak_learner": learner},
        bd.BoostedDistance,
        bd.BoostedDistance,
        labels=NAMES,
        refused={
            "vectors": ({"X": X[::-1]}, SAME_VECTORS),
            "labels": ({"y": OTHER_Y}, SAME_VECTORS),
            "classes": ({"y": y == "ape"}, r"^start must have the classes of y, \[False, True\]"),
            "rounds": ({"T": 3}, "^T must be at least 4, the rounds of `start`; got 3"),
            "learner": ({"weak_learner": other}, "^start must have the weak classifiers of `weak"),
            "features": ({"X": X[:, :1]}, "which have 1 features; got an ensemble that looks"),
        },
        longer={"T": 6},
        estimate=bd.estimate_memory,
        ask=lambda model, **how: (
            bd.nearest_neighbor_boosted_distance(model, Q, X, y, **how),
            bd.similarity(model, Q, X, y, normalize=False, **how),
            bd.class_similarities(model, Q, X, y, **how),
        ),
    )


def _adaboost(learner: Any, other: Any) -> Training:
    P, N = X[y == "ape"], X[y != "ape"]
    return Training(
        bd.adaboost,
        lambda: {"P": P, "N": N, "T": 5, "weak_learner": learner},
        learner.Ensemble,
        learner.Ensemble,
        refused={
            "sets": ({"P": N, "N": P}, "^start must come from the same .* another weight of round"),
            "rounds": ({"T": 4}, "^T must be at least 5, the rounds of `start`; got 4"),
            "learner": ({"weak_learner": other}, "^start must have the weak classifiers of `weak"),
            "features": ({"P": P[:, :1], "N": N[:, :1]}, "which have 1 features; got an ensemble"),
        },
        longer={"T": 7},
    )


# ----------------------------------------------------------------------------------------- BoostMap


def _boostmap(query_sensitive: int) -> Training:
    def options(**changes: Any) -> dict[str, Any]:
        usual = {"n_references": 12, "n_best": 5, "query_sensitive": query_sensitive}
        return {"options": bm.BoostMapOptions(**{**usual, **changes})}

    turned = bm.Triples(TRIPLES.objects[:, [0, 2, 1]], TRIPLES.y)
    if query_sensitive:  # the second phase depends on all of the first
        longer = options(query_sensitive=query_sensitive + 2)
        fewer = {
            "d": ({"d": 5}, SAME_TRAINING),
            "max_rounds": (options(max_rounds=300), SAME_TRAINING),
            "query_sensitive": (
                options(query_sensitive=1),
                "^query_sensitive must be at least 3, the query-sensitive rounds of start; got 1",
            ),
        }
    else:
        longer = {"d": 6}
        fewer = {
            "d": ({"d": 3}, "^d must be at least 4, the coordinates of start; got 3"),
            "max_rounds": (
                options(max_rounds=4),
                r"^max_rounds must be at least \d+, the rounds of start; got 4",
            ),
        }
    return Training(
        bm.boostmap,
        lambda: {"distances": DISTANCES, "triples": TRIPLES, "d": 4, "rng": _rng(), **options()},
        bm.BoostMap,
        bm.BoostMap,
        labels=("first phase", "second phase") if query_sensitive else ("first phase",),
        refused={
            "distances": ({"distances": bm.CandidateDistances(2 * D, D)}, SAME_TRAINING),
            "names": ({"distances": bm.CandidateDistances(D, D, np.arange(48) + 9)}, SAME_TRAINING),
            "triples": ({"triples": turned}, SAME_TRAINING),
            "orders": ({"triples": bm.Triples(TRIPLES.objects, -TRIPLES.y)}, SAME_TRAINING),
            "n_best": (options(n_best=6), SAME_TRAINING),
            "least_gain": (options(least_gain=0.1), SAME_TRAINING),
            "ranges_by": (options(ranges_by="Z"), SAME_TRAINING),
            "generator": (
                {"rng": np.random.Generator(np.random.MT19937(0))},
                "^rng must be a Generator of PCG64, like that of start; got MT19937",
            ),
            **fewer,
        },
        longer=longer,
        estimate=bm.estimate_memory,
        options=bm.BoostMapOptions,
    )


# ------------------------------------------------------------------------------------ Search Forest


def _search_forest(pairs: str) -> Training:
    options = sf.ForestOptions(stump_above=20, pairs=pairs)
    call = {"X": X, "S": NEAR, "M": 4, "lam": 0.05, "options": options}
    return Training(
        sf.search_forest,
        lambda: {**call, "rng": _rng()},
        sf.SearchForest,
        sf.SearchForest,
        refused={
            "lam": ({"lam": 0.1}, r"^start must have been learnt from points .* with lam=0.1; got"),
            "trees": ({"M": 3}, "^start must have at most M = 3 trees; got 4"),
            "points": ({"X": X + np.arange(48)[:, np.newaxis] % 7}, SAME_POINTS),
            "fewer": ({"X": X[:30], "S": sf.neighbor_similarity(X[:30], 6)}, SAME_POINTS),
            "similarity": ({"S": NEAR + NEAR.T}, SAME_POINTS),
        },
        longer={"M": 6},
        estimate=sf.estimate_memory,
        ask=lambda forest, **how: (
            sf.to_terms(forest, Q, **how),
            sf.selection(forest, Q, X, **how),
            sf.InvertedIndex(forest, X, **how).query(Q, 3),
        ),
        options=sf.ForestOptions,
    )


# --------------------------------------------------------------------------------------------- LMNN


def _lmnn(function: Any, solver: str | None = None, **arguments: Any) -> Training:
    options = lm.LMNNOptions(solver=solver, tol=1e-2 if solver else 1e-3)
    estimated = function is lm.lmnn
    return Training(
        function,
        lambda: {"X": X, "y": y, "k": 2, "options": options, **arguments},
        lm.LMNNResult,
        lm.LMNNResult,
        refused={"columns": ({"X": X[:, :3]}, "^start must ")},
        estimate=lm.estimate_memory if estimated else None,
        options=lm.LMNNOptions,
        exact=False,
        ask=lambda result, **how: (
            lm.classify(result, Q, X, y, 2, **how),
            lm.metric_neighbors(result, Q, X, 3, **how),
        ),
    )


# -------------------------------------------------------------------------------------------- FTUNE


def _ftune(function: Any, result: type) -> Training:
    def options(**changes: Any) -> dict[str, Any]:
        usual = {"family": (1.0, np.tanh), "C": (1.0, 10.0)}
        return {"options": ft.FTuneOptions(**{**usual, **changes})}

    in_a_pair = np.isin(np.arange(48), [PAIRS.plus, PAIRS.minus])
    changes = {
        "similarities": {"K": K**2},
        "labels": {"y": np.where(in_a_pair, y, OTHER_Y)},
        "landmarks": {"landmarks": ft.random_landmarks(y, 6, rng=np.random.default_rng(1))},
        "validation": {"validation": (HELD[0][1:], HELD[1][1:])},
        "C": options(C=(1.0, 20.0)),
        "loss": options(loss="logistic"),
        "bias": options(bias=2.0),
        "bound": options(bound=2.0),
        "class_weight": options(class_weight={"ape": 2.0}),
    }
    if function is not ft.bbs:  # which has no family
        changes["function"] = options(family=(1.0, np.arctan))
        changes["slope"] = options(family=(2.0, np.tanh))
    return Training(
        function,
        lambda: {"K": K, "y": y, "landmarks": PAIRS, "validation": HELD, **options()},
        result,
        ft.FTuneTraining,
        labels=NAMES,
        refused={name: (change, SAME_TRAINING) for name, change in changes.items()},
        estimate=ft.estimate_memory if function is ft.ftune else None,
        ask=lambda found, **how: [
            (one.predict(K, NEW, **how), one.decision(NEW[:, one.landmarks], **how))
            for one in (found if isinstance(found, tuple) else (found,))
        ],
        options=ft.FTuneOptions,
    )


_STUMPS, _TREES = bd.weak_learners.Stumps(), DepthTwoTrees()

TRAININGS = {
    "boosted_distance": _boosted_distance(_STUMPS, _TREES),
    "boosted_distance, trees": _boosted_distance(_TREES, _STUMPS),
    "adaboost": _adaboost(_STUMPS, _TREES),
    "adaboost, trees": _adaboost(_TREES, _STUMPS),
    "boostmap": _boostmap(0),
    "boostmap, query-sensitive": _boostmap(3),
    "search_forest": _search_forest("meeting"),
    "search_forest, dense": _search_forest("dense"),
    "lmnn": _lmnn(lm.lmnn),
    "lmnn, several metrics": _lmnn(lm.lmnn, partition=y),
    "lmnn, printed": _lmnn(lm.lmnn, "printed"),
    "lmnn_rect": _lmnn(lm.lmnn_rect, r=2),
    "ftune": _ftune(ft.ftune, ft.LandmarkClassifier),
    "ftune, both choices": _ftune(ft.ftune_single_and_per_class, tuple),
    "bbs": _ftune(ft.bbs, ft.LandmarkClassifier),
}
"""The trainings that take `start`, `callback` and `max_memory`, in each form that has code of its
own."""


def each(choose: Callable[[Training], Any] = bool) -> Any:
    """Return the mark that runs a test on each training of the table that `choose` is true of."""
    chosen = {name: one for name, one in TRAININGS.items() if choose(one)}
    return pytest.mark.parametrize("training", chosen.values(), ids=chosen)
