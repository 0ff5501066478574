"""What the estimators refuse in fit, in words of their parameters.

Not tested here: parameters that all of them have, and integers, numbers and choices that none of
them takes (tests/promises); values that the options of a paper refuse (tests of the paper's room).
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

from refimpl import estimators

NEVER = {"kernel": lambda a, b: pytest.fail("K was looked up")}
NO_ORDER = "a 1D embedding can order better than chance; got"
HALVES = np.arange(40) % 2
REFUSED = {
    "BoostMap": [
        ({"triples": "selective", "y": None}, "y must hold classes with .*; got y=None"),
        ({"metric": 3}, "metric must be .*; got 3"),
        ({"metric_params": [1]}, r"metric_params must be a dict of .*; got \[1\]"),
        ({"metric": "precomputed"}, "X with metric='precomputed' must be square, .*; got shape"),
        ({"metric": "precomputed", "X": -np.ones((5, 5)), "y": None}, "Negative values"),
        ({"X": "abcdef", "y": None}, "X must be a list of objects or a table; got one string"),
        ({"X": "abcdef", "y": None, "metric": cdist}, "X must be a list .*; got one string"),
        ({"random_state": -1}, "random_state"),
        ({"X": np.full((9, 2), np.nan), "y": None}, "NaN"),
    ],
    "BoostedDistanceClassifier": [
        ({"y": set(range(178))}, "y must hold a label for each row of X; got one set")
    ],
    "BoostMapClassifier": [
        ({"X": np.arange(20.0)[:, np.newaxis], "y": HALVES[:20]}, NO_ORDER),
        ({"X": np.arange(40.0)[:, np.newaxis], "y": HALVES}, NO_ORDER),
        ({"X": np.ones((40, 3)), "y": HALVES}, NO_ORDER),
        (
            {"X": np.ones((40, 3)), "y": HALVES, "target": "distances"},
            "X, y must allow triples for triples='selective'; D must order some triples",
        ),
        ({"X": np.repeat(np.arange(10.0).reshape(5, 2), 8, axis=0), "y": HALVES}, NO_ORDER),
        (
            {"X": np.arange(8.0)[:, np.newaxis], "y": np.arange(8)},
            r"y must have 2 class\(es\) with",
        ),
        ({"X": np.eye(40) * 1e-140, "y": HALVES}, "X: distances above 0 must lie"),
        ({"n_neighbors": 999}, "n_neighbors"),
        ({"n_neighbors": 5, "n_refine": 2}, "n_refine"),
    ],
    "FTuneClassifier": [
        ({"n_landmarks": 5000, **NEVER}, "n_landmarks must be at most 4845, as 142 .* got 5000"),
        ({"n_landmarks": 10**9, **NEVER, "selection": "random"}, "n_landmarks must be at most 48"),
        ({"n_landmarks": 10**9, **NEVER, "selection": "diverse"}, "n_landmarks must be at most 48"),
        ({"per_problem": True}, r"per_problem must be False .*; got True"),
        ({"family": (-1.0,)}, r"family\[0\] must be a positive slope"),
        ({"kernel": "tanh"}, "kernel must be .*; got 'tanh'"),
        ({"kernel": 3}, "kernel must be .*; got 3"),
        ({"kernel": "rbf", "distance": True}, "distance must be False.*; got True"),
        ({"kernel_params": 3}, "kernel_params must be a dict of .*; got 3"),
        ({"kernel_params": {"gamma": 1.0}}, r"kernel_params must .*; got \['gamma'\]"),
        ({"kernel": "precomputed", "kernel_params": {"c": 1.0}}, r"kernel_params .*; got \['c'\]"),
        ({"kernel": "precomputed"}, "must be square"),
        ({"max_memory": 10, "pairs": False}, "max_memory is 10 bytes"),
        ({"C": 10**400}, "C must be "),
        ({"C": 1e300}, r"C must be between 1e-100 and 1e\+12; got 1e\+300"),
        ({"class_weight": {"a": 1e160}}, r"C times class_weight\['a'\] .*; got 1 times 1e\+160"),
        ({"class_weight": {"a": 1e-101}}, r"C times class_weight\['a'\] must be between 1e-100"),
        ({"C": 1e9, "class_weight": {"b": 1e4}}, r"got 1e\+09 times 10000.0"),
        ({"class_weight": {"b": 10**400}}, "got 1 times 1000"),
        ({"class_weight": {"a": -1}}, r"class_weight\['a'\] must be a positive number; got -1"),
        ({"class_weight": {"z": 2.0}}, "class_weight must have the labels of y, .*; got 'z'"),
        ({"class_weight": "x"}, "class_weight must be a dict .* 'balanced' or None; got 'x'"),
        ({"class_weight": [1, 2]}, "class_weight must be a dict .* 'balanced' or None; got "),
    ],
    "LandmarkTransformer": [
        ({"n_components": 10**9, "slope": 1.0, **NEVER}, "n_components must be at most 7597, as"),
        ({"slope": -1}, "slope must be a positive slope"),
        ({"slope": "1"}, "slope must be a positive slope"),
        ({"slope": [1.0]}, "slope must be a positive slope"),
        ({"slope": 1.0, "y": None}, "y must hold classes.*; got None"),
        ({"slope": 1.0, "per_problem": True, "selection": "random"}, "per_problem .*; got True"),
        ({"per_problem": True, "selection": "diverse"}, "per_problem must be False .*; got True"),
    ],
    "LMNN": [
        ({"n_components": 14}, "at most 13"),
        ({"n_neighbors": 200}, "n_neighbors must be at most .*; got 200"),
        ({"n_components": 1, "max_memory": 10}, "max_memory"),
        ({"validation": "x"}, "validation must be between 0 and 1, or None; got 'x'"),
        ({"validation": 10**400}, "validation must be between 0 and 1, or None; got 1000"),
        ({"n_components": 2, "solver": "printed"}, "solver must be None in lmnn_rect"),
    ],
    "MultiMetricLMNN": [
        ({"partition": "kmeans"}, "partition"),
        ({"partition": 0}, "partition"),
        ({"partition": 999}, "partition must be at most .*, the points of X; got 999"),
    ],
    "SearchForestNeighbors": [
        ({"similarity": "classes", "y": np.arange(178)}, "y must have two points of the same clas"),
        ({"random_state": -1}, "random_state"),
        ({"n_candidates": 4}, "n_candidates must be at least 5, the number of neighb.*got 4"),
        ({"X": np.full((178, 2), 1e200)}, "X must hold values within 1e140"),
    ],
}


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [(name, *case) for name, cases in REFUSED.items() for case in cases],
)
def test_the_parameter_is_named(name, given, message):
    X, y = load_wine(return_X_y=True)
    X, y = given.get("X", X), given.get("y", np.array(list("abc"))[y])
    model = getattr(estimators, name)(**{key: v for key, v in given.items() if key not in "Xy"})
    if "random_state" in model.get_params() and "random_state" not in given:
        model.set_params(random_state=0)
    with pytest.raises((TypeError, ValueError, MemoryError), match=message):
        model.fit(X, y)
