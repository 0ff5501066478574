"""The tasks of LMNN's figures 2 and 4 and the gain in training, and their sizes at both scales."""

from collections.abc import Callable
from typing import Any

from paper_figures.lmnn import clusters, gain, low_rank
from paper_figures.tasks import Context, Task

KERNELS = ("subgradient", "trees", "growing")
K = 3
SOLVERS = ("printed", "optimum")
LOW_RANK: dict[str, dict[str, Any]] = {
    "small": {
        "at": {"data_set": "digits", "preparation": "as they are", "n": 600, "d": 30},
        "ranks": (5, 10, 15),
        "pca": (5, 10, 15, 20),
        "checks": 8,
    },
    "paper": {
        "at": {"data_set": "MNIST-10", "preparation": "normalised", "n": 60_000, "d": 350},
        "ranks": (15, 20, 25, 30, 35, 40),
        "pca": (10, 15, 20, 25, 30, 35, 40, 60, 100),
        "checks": 12,  # 151 steps
    },
}
GAIN: dict[str, dict[str, Any]] = {
    "small": {
        "at": {"data_set": "digits", "preparation": "as they are"},
        "sizes": (600,),
        "dimensions": (5, 20),
    },
    "paper": {
        "at": {"data_set": "MNIST-10", "preparation": "normalised"},
        "sizes": (600, 6000, 60_000),
        "dimensions": (10, 20, 30, 50, 100),
    },
}
CLUSTERS: dict[str, dict[str, Any]] = {
    "small": {
        "sets": (("digits", "as they are", 300, 20), ("wine", "as they are", 119, 13)),
        "p": (1, 2, 4),
        "runs": 2,
        "checks": 8,
    },
    "paper": {
        "sets": (("isolet", "as they are", 6238, 50), ("MNIST-10", "normalised", 10_000, 50)),
        "p": (1, 2, 3, 5, 10, 15, 20, 30),
        "runs": 20,
        "checks": 30,
    },
}


def _task(name: str, function: Callable[..., dict[str, Any]], params: dict[str, Any]) -> Task:
    return Task(name, function, params, data=(params["data_set"],), kernels=KERNELS)


def figure2_tasks(context: Context) -> list[Task]:
    """Return the Euclidean metric, and both solvers of the full metric and of each rank."""
    at = LOW_RANK[context.scale]
    same = at["at"] | {"k": K}
    trained = same | {"checks": at["checks"]}
    ranks = at["ranks"]
    return [
        _task("low_rank_euclidean", low_rank.euclidean, same | {"ranks": at["pca"]}),
        *(
            _task(
                "low_rank_full",
                low_rank.full_metric,
                trained | {"ranks": ranks, "solver": solver, "tol": 2e-3},
            )
            for solver in SOLVERS
        ),
        *(
            _task("low_rank_rect", low_rank.rect, trained | {"r": r, "solver": solver, "tol": 1e-3})
            for solver in SOLVERS
            for r in ranks
        ),
    ]


def training_gain_tasks(context: Context) -> list[Task]:
    """Return a training for each number of points and of dimensions."""
    at = GAIN[context.scale]
    same = at["at"] | {"k": K, "checks": 12, "every": 4}
    return [
        _task("training_gain", gain.training_gain, same | {"n": n, "d": d})
        for n in at["sizes"]
        for d in at["dimensions"]
    ]


def figure4_tasks(context: Context) -> list[Task]:
    """Return the runs with p metrics, and with a metric for each class."""
    at = CLUSTERS[context.scale]
    return [
        _task(
            "several_metrics",
            clusters.several,
            {
                "data_set": name,
                "preparation": kind,
                "n": n,
                "d": d,
                "k": K,
                "p": p,
                "run": run,
                "max_checks": at["checks"],
            },
        )
        for name, kind, n, d in at["sets"]
        for run in range(at["runs"])
        for p in (None, *at["p"])
    ]
