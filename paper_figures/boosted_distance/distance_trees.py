"""Amores, Sebe & Radeva (2006), § 5: Boosted Distance with trees in the place of stumps.

The paper leaves it to future work whether trees improve the distance as they improve AdaBoost.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.boosted_distance.protocol import (
    MEASURE,
    NORMALISED,
    OPTIONS,
    absent,
    row_of,
    sets_of,
)
from paper_figures.boosted_distance.tree_distances import entropy_trees, greedy_trees
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.store import Row
from refimpl.typing import FloatArray

DEPTHS = (1, 2, 3)
ROUNDS = {"small": (2, 5, 10), "paper": (10, 30, 100)}
ALPHAS = {"small": (0.005,), "paper": (0.001, 0.005)}
ENTROPY_ROUNDS = {"small": (2, 5), "paper": (10, 30)}
REPETITIONS = {"small": 2, "paper": 30}
ENTROPY_REPETITIONS = {"small": 2, "paper": 10}
BLOCK = 5  # repetitions of a task
WIDE = ("ad", "gender", "MNIST", "digits17", "arrhythmia", "splice")
"""Sets whose difference vectors take too long by entropy."""
STUMPS = "stumps, the paper's"
ERROR, LESS_STUMPS = "error (%)", "less the error with stumps, paired"


def tasks(context: Context) -> list[Task]:
    """Return the repetitions with greedy trees, then those with trees by entropy."""
    scale = context.scale
    greedy = {"rounds": ROUNDS[scale], "depths": DEPTHS}
    entropy = {"rounds": ENTROPY_ROUNDS[scale], "alphas": ALPHAS[scale]}
    listed = []
    for name in sets_of(context):
        listed += _blocks("greedy_trees", greedy_trees, name, REPETITIONS[scale], greedy)
    for name in sets_of(context):
        if name not in WIDE:
            n = ENTROPY_REPETITIONS[scale]
            listed += _blocks("entropy_trees", entropy_trees, name, n, entropy)
    return listed


def _blocks(task: str, function: Any, name: str, n: int, params: dict[str, Any]) -> list[Task]:
    """Return the repetitions of a set, a few to a task."""
    kernels = ("similarity", "stumps") if task == "greedy_trees" else ()
    return [
        Task(
            task,
            function,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetitions": list(range(first, min(first + BLOCK, n))),
            }
            | params,
            (name,),
            kernels,
        )
        for first in range(0, n, BLOCK)
    ]


def distance_trees(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors with each kind of tree, and the paired differences to stumps."""
    rows: list[Row] = []
    better: dict[str, list[bool]] = {}
    for name in sets_of(context):
        mine = [r for r in results if r.params["data_set"] == name and r.value]
        if not mine:
            keys: Row = {"data_set": name, "quantity": ERROR, "learner": "all", "rounds": None}
            rows.append(absent(keys, None, results, name))
            continue
        curves = _curves(context, mine)
        for learner, curve in curves.items():
            for t, values in curve.items():
                keys = {"data_set": name, "learner": learner, "rounds": t}
                rows.append(row_of(keys | {"quantity": ERROR}, None, values))
                if learner != STUMPS and t in curves[STUMPS]:
                    lead = values - curves[STUMPS][t][: len(values)]
                    rows.append(row_of(keys | {"quantity": LESS_STUMPS}, None, lead))
            if learner != STUMPS:
                last = max(t for t in curve if t in curves[STUMPS])
                lead = curve[last] - curves[STUMPS][last][: len(curve[last])]
                better.setdefault(f"{learner}, T = {last}", []).append(float(lead.mean()) < 0.0)
    counted = "; ".join(f"{name}: {sum(won)} of {len(won)}" for name, won in better.items())
    notes = [f"Sets on which trees err less than stumps after as many rounds: {counted}."]
    return Gathered(rows, [*notes, MEASURE, NORMALISED] if better else [MEASURE, NORMALISED])


def _curves(context: Context, results: Sequence[Result]) -> dict[str, dict[int, FloatArray]]:
    """Return the errors over the repetitions, by learner and number of rounds."""
    curves: dict[str, dict[int, FloatArray]] = {}
    names = {
        "greedy_trees": [STUMPS if d == 1 else f"greedy trees, depth {d}" for d in DEPTHS],
        "entropy_trees": [f"trees by entropy, cost {a:g}" for a in ALPHAS[context.scale]],
    }
    for task, learners in names.items():
        runs = [r for r in results if r.name == task]
        for place, learner in enumerate(learners if runs else ()):
            lines = np.concatenate([np.array(r.value["errors"][place]) for r in runs])
            rounds = runs[0].params["rounds"]
            curves[learner] = {t: lines[:, i] for i, t in enumerate(rounds)}
    return curves
