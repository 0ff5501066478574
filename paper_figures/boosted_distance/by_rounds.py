"""Amores, Sebe & Radeva (2006), Table 2 at several numbers of rounds, set by set."""

from collections.abc import Sequence

from paper_figures.boosted_distance.protocol import OPTIONS, REPETITIONS, sets_of
from paper_figures.boosted_distance.stages import stages
from paper_figures.registry import Context, Gathered, Result, Task

SHOWN = {"small": (10, 30, 100), "paper": (100, 200, 500)}
MANY_SPLITS = {"small": {}, "paper": {"sonar": 1000}}
"""Sets whose differences are too small for as many splits as the others have."""
BLOCK = 10  # repetitions of a task


def blocks(context: Context, name: str) -> list[list[int]]:
    """Return the repetitions of a set, in blocks of one task each."""
    whole = REPETITIONS[context.scale] if context.scale == "paper" else 4
    n = MANY_SPLITS[context.scale].get(name, whole)
    return [list(range(first, min(first + BLOCK, n))) for first in range(0, n, BLOCK)]


def tasks(context: Context) -> list[Task]:
    """Return the repetitions of all sets, in blocks."""
    return [
        Task(
            "stages",
            stages,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetitions": repetitions,
                "rounds": SHOWN[context.scale],
            },
            data=(name,),
            kernels=("similarity", "stumps"),
        )
        for name in sets_of(context)
        for repetitions in blocks(context, name)
    ]


def by_rounds(context: Context, results: Sequence[Result]) -> Gathered:
    return Gathered([])
