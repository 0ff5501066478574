"""How much memory a training of BoostMap takes, beyond its arguments."""

import numpy as np

from refimpl.boostmap.distances import CandidateDistances
from refimpl.boostmap.model import BoostMap
from refimpl.boostmap.options import DEFAULT_OPTIONS, BoostMapOptions
from refimpl.boostmap.rounds import ROWS
from refimpl.boostmap.triples import Triples
from refimpl.checks import as_count, as_options, as_threads
from refimpl.progress import Callback
from refimpl.typing import Kernels

__all__ = ["estimate_memory"]

SMALL = 2**20  # bytes that do not grow with the arguments
ROUND = 500  # bytes kept for each round: names, weights, factors
# transposed triples, weights before and after a round, margins, factors, and temporary arrays:
# 105 bytes in the reference kernels, 80 in refimpl_fast
PER_TRIPLE = 112


def estimate_memory(
    distances: CandidateDistances,
    triples: Triples,
    d: int,
    *,
    rng: np.random.Generator | None = None,
    options: BoostMapOptions = DEFAULT_OPTIONS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: BoostMap | None = None,
    max_memory: int | None = None,
) -> int:
    """Return the bytes that :func:`refimpl.boostmap.boostmap` takes at most, beyond its arguments.

    The estimate holds on either kernel module.

    Parameters
    ----------
    distances, triples, d, rng, options, kernels, threads, callback, start, max_memory
        As for the training; `rng`, `kernels`, `callback`, `start` and `max_memory` do not matter.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        If `distances`, `triples`, `d`, `options` or `threads` does not fit.

    See Also
    --------
    refimpl.boostmap.boostmap : The training, whose `max_memory` is compared with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import CandidateDistances, Triples, estimate_memory
    >>> D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    >>> few = Triples([[0, 1, 2]], [1])
    >>> many = Triples([[0, 1, 2]] * 1000, [1] * 1000)
    >>> distances = CandidateDistances(D, D)
    >>> estimate_memory(distances, few, 2) < estimate_memory(distances, many, 2)
    True
    """
    d = as_count(d, "d")
    require_arguments(distances, triples, options)
    n_C, n = distances.D.shape
    t = len(triples)
    d, M_1, m, M_2 = options.sizes(d, n_C)
    rounds = options.most_rounds(d) + options.query_sensitive
    # of each thread: margins; eight embeddings side by side, and what is gained at each object
    scratch = PER_TRIPLE * t + as_threads(threads) * (8 * t + 2 * 8 * 8 * n)
    addition = 8 * n * (M_1 + m + M_2 + 2 * ROWS + 4) + 16 * n_C + 300 * (M_1 + m)
    looked_at = 8 * n * (2 * d + 8)  # steps 1-4: a few classifiers; then copies of all of them
    first = max(addition, looked_at) + 8 * n * (d + 1)
    second = second_phase_bytes(n, t, d, options) if options.query_sensitive else 0
    return int(SMALL + scratch + ROUND * rounds + max(first, second))


def require_arguments(
    distances: CandidateDistances, triples: Triples, options: BoostMapOptions
) -> None:
    """Refuse arguments of another type, and triples of objects that have no distances."""
    for value, kind, name in (
        (distances, CandidateDistances, "distances"),
        (triples, Triples, "triples"),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__}; got a {type(value).__name__}")
    as_options(options, BoostMapOptions)
    n = distances.D.shape[1]
    most = int(triples.objects.max())
    if most >= n:
        raise ValueError(f"triples must name objects below {n}, the columns of D; got {most}")


def second_phase_bytes(n: int, t: int, d: int, options: BoostMapOptions) -> int:
    """Return the bytes of coordinates, of those that split, and of splitters; with "Z" those of all
    ranges.
    """
    k = options.n_thresholds
    ranges = (k + 1) * (k + 2) // 2 + k * (k - 1) // 2
    tried = 8 * n * 4 * ranges if options.ranges_by == "Z" else 0
    m = 2 * d if options.splitters == "both" else d  # classifiers in a round
    needed = 8 * n * (d + 5 * m) + tried + 200 * m * (k + 4) + 300 * ranges + 24 * t
    return needed + needed // 10  # the gaps between arrays, and objects of Python
