"""Table 1 and its active set: their sizes at both scales.

Not handled here: their rows (`table1_rows.py`).
"""

from collections.abc import Iterator
from typing import Any

from paper_figures.lmnn import ever, samples
from paper_figures.tasks import Context, Task

KERNELS = ("subgradient", "trees", "growing")
K = 3
TOL = 2e-3
CHECKS = 14  # 191 steps
SIZES: dict[str, dict[str, Any]] = {
    "small": {
        "data_set": "digits",
        "d": 30,
        "samples": {60: 3, 600: 2, 1297: 1},
        "kinds": ("as they are",),
    },
    "paper": {
        "data_set": "MNIST-10",
        "d": 169,
        "samples": {60: 10, 600: 10, 6000: 10, 60_000: 1},
        "kinds": ("normalised", "raw", "deskewed"),
    },
}


def _sampled(context: Context) -> Iterator[dict[str, Any]]:
    """Yield the parameters that each training has, one for each preparation, size and sample."""
    at = SIZES[context.scale]
    for kind in at["kinds"]:
        for n, count in at["samples"].items():
            for sample in range(count):
                yield {
                    "data_set": at["data_set"],
                    "preparation": kind,
                    "n": n,
                    "sample": sample,
                    "d": at["d"],
                    "k": K,
                }


def _task(name: str, params: dict[str, Any]) -> Task:
    return Task(name, getattr(samples, name), params, data=(params["data_set"],), kernels=KERNELS)


def table1_tasks(context: Context) -> list[Task]:
    """Return the trainings of each sample by both solvers, and one of each size in another order.

    Of all points there is one sample. The other order shows how far chance, by equally near points
    and rounding, moves its numbers.
    """
    tasks = []
    for params in _sampled(context):
        more = {"tol": TOL, "shuffled": False}
        tasks.append(_task("certified", params | more))
        first = params["sample"] == 0 and params["preparation"] == SIZES[context.scale]["kinds"][0]
        if first:
            tasks.append(_task("certified", params | more | {"shuffled": True}))
    return tasks + [_task("printed", params | {"checks": CHECKS}) for params in _sampled(context)]


def active_set_tasks(context: Context) -> list[Task]:
    """Return the tasks that count the triples ever active, from the identity."""
    at = SIZES[context.scale]
    kinds = ("as they are", "raw", "deskewed") if context.scale == "paper" else ("as they are",)
    return [
        Task(
            "ever_active",
            ever.ever_active,
            {
                "data_set": at["data_set"],
                "preparation": kind,
                "n": n,
                "sample": sample,
                "d": at["d"],
                "k": K,
                "checks": CHECKS,
            },
            data=(at["data_set"],),
            kernels=KERNELS,
        )
        for kind in kinds
        for n, count in at["samples"].items()
        if kind == kinds[0] or n <= 600
        for sample in range(count)
    ]
