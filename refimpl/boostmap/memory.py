"""How much memory a training of BoostMap takes, beyond its arguments."""

import numpy as np

from refimpl.resources import processors

SMALL = 2**20  # what does not grow with the arguments
ROUND = 400  # bytes that are kept of a round: names, weights, factors
PER_TRIPLE = 200  # the triples turned, weights before and after, margins and factors, with their temporaries


def estimate_memory(D, between, triples, y, d, *, candidates=None, M_1=1000, m=None, M_2=200, query_sensitive=0, k=20,
                    ranges_by="error", max_rounds=None, threads=None):  # fmt: skip
    """Bytes that :func:`refimpl.boostmap.boostmap` will take at most, beyond its arguments, on either kernel.

    Parameters
    ----------
    D, between, triples, y, d, candidates, M_1, m, M_2, query_sensitive, k, ranges_by, max_rounds, threads
        As for the training.

    Returns
    -------
    int
    """
    D, between, triples, y = (np.asarray(given) for given in (D, between, triples, y))
    (n_C, n), t = D.shape, len(triples)
    M_1 = min(M_1, n_C)
    m = M_1 if m is None else m
    rounds = (100 * d if max_rounds is None else max_rounds) + query_sensitive
    copies = sum(8 * A.size for A in (D, between) if A.dtype != np.float64 or not A.flags.c_contiguous)
    checks = max(D.size, between.size)  # where a value is finite, or above 0
    threads = processors() if threads is None else threads
    scratch = (PER_TRIPLE + 8 * threads) * t
    addition = 8 * n * (2 * m + M_1 + (M_1 + m) + M_2 + 4) + 16 * n_C + 300 * (M_1 + m)
    looked_at = 8 * n * (d + 8)  # steps 1-4: all classifiers in one array, then a few of them
    first = max(addition, looked_at) + 8 * n * (d + 1)
    second = _second_phase(n, t, d, k, ranges_by) if query_sensitive else 0
    return int(SMALL + copies + checks + scratch + ROUND * rounds + max(first, second))


def _second_phase(n, t, d, k, ranges_by):
    """Values of the coordinates, of those that split, and the splitters; with "Z" those of all ranges."""
    ranges = (k + 1) * (k + 2) // 2 + k * (k - 1) // 2
    tried = 8 * n * 4 * ranges if ranges_by == "Z" else 0
    needed = 8 * n * 6 * d + tried + 200 * d * (k + 4) + 300 * ranges + 24 * t
    return needed + needed // 10  # the gaps between arrays, and objects of Python
