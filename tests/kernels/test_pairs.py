"""Sums over a node's pairs: which lists of pairs are refused, and weights that are no numbers."""

import numpy as np
from agreement import require_twins
from refusals import refusal

from refimpl.kernels import pairs as reference


def test_pairs_out_of_order_are_found_wherever_they_are():
    """Each thread looks at some of the pairs; no place between two of them is left out."""
    rng = np.random.default_rng(0)
    n = 1200
    first, second = (part.astype(np.int32) for part in np.triu_indices(n, k=1))
    v = rng.normal(size=len(first))
    assert len(v) > 4 * reference.PART
    leaf = np.arange(n)
    similar = np.zeros(len(v), dtype=np.uint8)
    A = rng.normal(size=(n, 1))
    for place in (1, 2047, 2048, 32767, 32768, reference.PART, len(v) - 1):
        wrong = second.copy()
        wrong[place] = n
        for name, arguments in (
            ("pair_product", (first, wrong, v, A[:, 0])),
            ("split_pairs", (A[:, 0] > 0, first, wrong, v)),
            ("best_thresholds", (A, first, wrong, v, 0.0)),
            ("meet_pairs", (leaf, first, wrong, similar, v, 1.0)),
        ):
            assert refusal(name, *arguments, threads=2).endswith(
                f"second must hold points from 0 to {n - 1}; got {n}"
            )
        order = np.arange(len(v))
        order[[place - 1, place]] = order[[place, place - 1]]
        assert "ascending" in refusal(
            "meet_pairs", leaf, first[order], second[order], similar, v, 1.0, threads=2
        )
        order = np.r_[np.arange(n - 1, len(v)), np.arange(n - 1)]  # point 0 comes last
        assert "ascending" in refusal(
            "pair_product", first[order], second[order], v, A[:, 0], threads=2
        )


def test_the_least_of_weights_that_are_no_numbers():
    """As numpy.argmin has it: the first NaN, if there is one; a cut of infinite weight is a cut."""
    pairs = {"first": np.array([0, 1], np.int32), "second": np.array([3, 2], np.int32)}
    for v in ([np.nan, 1.0], [1.0, np.nan], [np.inf, np.inf], [-np.inf, 1.0], [np.inf, -np.inf]):
        for base in (0.0, -1.0):
            values = {"A": np.arange(5.0)[:, np.newaxis], **pairs, "v": np.array(v), "base": base}
            require_twins("best_thresholds", values, (None,))


def test_midway_lies_between_neighbours():
    for low, high in ((1.0, np.nextafter(1.0, 2)), (-1e308, 1e308), (0.0, 5e-324), (-5e-324, 0.0)):
        assert low <= reference.midway(low, high) < high
