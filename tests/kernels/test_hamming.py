"""The Hamming scan: against bits counted one by one, and twin against twin."""

import numpy as np
import pytest
from agreement import assert_same, require_twins


def require_same_scans(codes, Q, k, radii, threads):
    require_twins("hamming_distances", {"Q": Q, "X": codes}, threads)
    require_twins("hamming_nearest", {"Q": Q, "X": codes, "k": k}, threads)
    require_twins("hamming_within", {"Q": Q, "X": codes, "radii": radii}, threads)


@pytest.mark.parametrize("n", [1, 2049, 40_000])
def test_twins_agree_on_equal_codes_far_apart_and_near_ones_at_the_end(n):
    """The near ones drive others out. A block holds 2048 codes, and threads share 40,000."""
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 2**20, (n, 1), dtype=np.uint64)
    codes[-1000:] &= np.uint64(7)
    codes[1::2] = codes[: 2 * len(codes[1::2]) : 2]
    Q = np.concatenate([codes[-1:], rng.integers(0, 8, (2, 1), dtype=np.uint64)])
    for k in (1, min(n, 700), n):
        require_same_scans(codes, Q, k, rng.integers(0, 9, 3), (2,))


@pytest.mark.parametrize(
    "n, words, queries",
    [(5000, 2, 3), (20_000, 3, 3), (4000, 9, 3), (150, 600, 3), (30, 9, 700), (30, 700, 700)],
)
def test_twins_agree_on_long_codes_in_several_blocks(n, words, queries):
    """A block holds 2048 codes, fewer if they are long; from 16,384 codes on the threads share
    them. 700 queries are more than are looked at at a time.
    """
    rng = np.random.default_rng(words)
    codes = rng.integers(0, 2**64, (n, words), dtype=np.uint64)
    Q = codes[rng.integers(0, n, queries)]
    Q[:3] = codes[[0, n // 2, n - 1]] ^ np.array([[0], [1], [3]], dtype=np.uint64)
    radii = np.resize([0, 32 * words, 30 * words], queries)
    require_same_scans(codes, Q, min(n // 3, 40), radii, (1, 2))


def test_a_mapped_file_is_only_read(kernels, tmp_path):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**64, (300, 3), dtype=np.uint64)
    np.save(tmp_path / "codes.npy", codes)
    mapped = np.load(tmp_path / "codes.npy", mmap_mode="r")
    Q = codes[:5].copy()
    Q.flags.writeable = False
    assert_same(kernels.hamming_nearest(Q, codes, 9), kernels.hamming_nearest(Q, mapped, 9))
    assert (kernels.hamming_distances(Q, mapped)[range(5), range(5)] == 0).all()
    radii = np.full(5, 90)
    radii.flags.writeable = False
    assert (np.diff(kernels.hamming_within(Q, mapped, radii)[0]) >= 1).all()


def test_radii_of_any_size(kernels):
    codes = np.array([[0], [1], [2**64 - 1]], dtype=np.uint64)
    radii = np.array([-(2**63), -1, 0, 63, 64, 2**63 - 1])
    Q = np.zeros((6, 1), dtype=np.uint64)
    starts, indices, distances = kernels.hamming_within(Q, codes, radii)
    assert np.diff(starts).tolist() == [0, 0, 1, 2, 3, 3]
    assert indices.tolist() == [0, 0, 1, 0, 1, 2, 0, 1, 2]
    assert distances.tolist() == [0, 0, 1, 0, 1, 64, 0, 1, 64]
