"""Amores, Sebe & Radeva (2006), § 4.3: AdaBoost with trees, by its settings and its learner.

The settings are chosen on seven sets and checked on the other seven.
"""

from collections.abc import Sequence
from typing import Any

from paper_figures.boosted_distance.protocol import OPTIONS, sets_of
from paper_figures.boosted_distance.tree_boosting import boosted_trees, outside_trees, versions
from paper_figures.registry import Context, Gathered, Result, Task

ROUNDS = {"small": 20, "paper": 100}
REPETITIONS = {"small": 2, "paper": 20}
BLOCK = 5  # repetitions of a task


def pruned(alpha: float, start: str) -> dict[str, Any]:
    """Return the setting of a tree that is pruned by cost and complexity."""
    tree = {"ccp_alpha": alpha, "min_samples_leaf": 2}
    return {"tree": tree, "share": 0.0, "start": start, "resample": False}


def unpruned(share: float, start: str) -> dict[str, Any]:
    """Return the setting of a tree as the toolbox grows it, on samples drawn by the weights."""
    return {"tree": {}, "share": share, "start": start, "resample": True}


STARTS = ("equal", "by class")
SETTINGS = {
    "small": (pruned(0.02, "equal"), pruned(0.02, "by class"), unpruned(0.05, "equal")),
    "paper": (
        *(pruned(alpha, start) for start in STARTS for alpha in (0.0, 0.01, 0.02, 0.05)),
        *(unpruned(share, "equal") for share in (0.0, 0.05, 0.1, 0.2)),
        *(unpruned(share, "by class") for share in (0.05, 0.1)),
    ),
}
WAYS = (
    {"start": "equal", "resample": False},
    {"start": "by class", "resample": False},
    {"start": "equal", "resample": True},
)


def tasks(context: Context) -> list[Task]:
    """Return the repetitions of all sets with scikit-learn's trees, then with Weka's."""
    common = [
        {
            "data_set": name,
            "options": OPTIONS.get(name, {}),
            "repetitions": list(range(first, min(first + BLOCK, REPETITIONS[context.scale]))),
            "rounds": ROUNDS[context.scale],
        }
        for name in sets_of(context)
        for first in range(0, REPETITIONS[context.scale], BLOCK)
    ]
    settings = {"settings": SETTINGS[context.scale]}
    outside = {"ways": WAYS, "versions": versions()}
    kernels = ("similarity", "stumps")
    return [
        Task("trees", boosted_trees, params | settings, (params["data_set"],), kernels)
        for params in common
    ] + [
        Task("outside_trees", outside_trees, params | outside, (params["data_set"],), ())
        for params in common
    ]


def trees(context: Context, results: Sequence[Result]) -> Gathered:
    return Gathered([])
