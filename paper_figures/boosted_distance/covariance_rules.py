"""Amores, Sebe & Radeva (2006), Table 2's second column: which distance serves NN best, and why.

The paper names the best of eight distances for each set. A rule says, for all sets alike, what
becomes of directions that hardly vary and which power of the covariance RCA takes.
"""

from collections.abc import Sequence

from paper_figures.boosted_distance.by_rounds import blocks
from paper_figures.boosted_distance.covariances import COLUMNS, covariance_readings
from paper_figures.boosted_distance.protocol import OPTIONS, sets_of
from paper_figures.registry import Context, Gathered, Result, Task

POWERS = (-1.0, -0.5, 1.0)
HANDLINGS: tuple[tuple[str, float], ...] = (
    ("none", 0.0),
    *(("ridge", size) for size in (0.001, 0.1, 1.0, 100.0)),
    *(("ridge, share", size) for size in (0.001, 0.01, 0.1, 1.0)),
    *(("drop", size) for size in (1e-8, 1e-4, 1.0)),
    *(("drop, share", size) for size in (1e-4, 0.01, 0.1, 0.25)),
    *((COLUMNS, size) for size in (0.01, 0.1, 0.25)),
)


def tasks(context: Context) -> list[Task]:
    """Return the repetitions of all sets, in blocks."""
    return [
        Task(
            "covariances",
            covariance_readings,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetitions": repetitions,
                "handlings": HANDLINGS,
                "powers": POWERS,
            },
            data=(name,),
            kernels=(),
        )
        for name in sets_of(context)
        for repetitions in blocks(context, name)
    ]


def covariances(context: Context, results: Sequence[Result]) -> Gathered:
    return Gathered([])
