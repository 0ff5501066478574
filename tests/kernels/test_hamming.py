"""The Hamming scan: against bits counted one by one, and twin against twin."""

import numpy as np
import oracles_hashing as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


@st.composite
def scans(draw, most=60, queries=4):
    """Codes with many ties or none, queries (some are codes), k, and a radius for each query."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, most))
    m = draw(st.integers(1, queries))
    words = draw(st.integers(1, 18))
    make = {
        "any": lambda count: rng.integers(0, 2**64, (count, words), dtype=np.uint64),
        "few": lambda count: rng.integers(0, 4, (count, words)).astype(np.uint64) << np.uint64(62),
        "all or nothing": lambda count: (
            np.where(rng.random((count, 1)) < 0.5, np.uint64(2**64 - 1), np.uint64(0))
            * np.ones(words, dtype=np.uint64)
        ),
    }[draw(st.sampled_from(["any", "few", "all or nothing"]))]
    codes = make(n)
    Q = make(m)
    Q[0] = codes[rng.integers(n)]
    radii = rng.integers(-1, 64 * words + 2, m)
    return codes, Q, draw(st.integers(0, n)), radii


@each
@settings(max_examples=60, deadline=None)
@given(case=scans())
def test_scans_find_what_brute_force_finds(kernels, case):
    codes, Q, k, radii = case
    D = kernels.hamming_distances(Q, codes)
    distances, indices = kernels.hamming_nearest(Q, codes, k)
    starts, found, near = kernels.hamming_within(Q, codes, radii)
    assert D.dtype == distances.dtype == near.dtype == np.int32
    assert starts[0] == 0 and starts[-1] == len(found) == len(near)
    for i, q in enumerate(Q):
        assert D[i].tolist() == [oracle.differing_bits(code, q) for code in codes]
        expected = oracle.nearest_codes(codes, q, k)
        assert list(zip(distances[i].tolist(), indices[i].tolist(), strict=True)) == expected
        mine = slice(starts[i], starts[i + 1])
        expected = oracle.codes_within(codes, q, radii[i])
        assert list(zip(near[mine].tolist(), found[mine].tolist(), strict=True)) == expected


def assert_same_scans(codes, Q, k, radii, threads):
    one, two = KERNELS
    assert_same(one.hamming_distances(Q, codes), two.hamming_distances(Q, codes, threads=threads))
    for a, b in zip(
        one.hamming_nearest(Q, codes, k),
        two.hamming_nearest(Q, codes, k, threads=threads),
        strict=True,
    ):
        assert_same(a, b)
    for a, b in zip(
        one.hamming_within(Q, codes, radii),
        two.hamming_within(Q, codes, radii, threads=threads),
        strict=True,
    ):
        assert_same(a, b)


@fast_only
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("m, k", [(1, 1), (1, 40_000), (3, 700), (260, 5)])
def test_twins_agree_on_codes_shared_by_threads(m, k, threads):
    """So many codes that the threads share them; equal ones far apart, and near ones last, which
    drive others out.
    """
    rng = np.random.default_rng(m)
    codes = rng.integers(0, 2**20, (40_000, 1), dtype=np.uint64)
    codes[-1000:] &= np.uint64(7)
    codes[1::2] = codes[: 2 * len(codes[1::2]) : 2]
    Q = rng.integers(0, 2**3, (m, 1), dtype=np.uint64)
    assert_same_scans(codes, Q, k, rng.integers(0, 9, m), threads)


@fast_only
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n, words", [(5000, 2), (20_000, 3), (4000, 9), (150, 600)])
def test_twins_agree_on_long_codes_in_several_blocks(n, words, threads):
    """A block holds 2048 codes, fewer if they are long; from 16,384 codes on the threads share
    them.
    """
    rng = np.random.default_rng(words)
    codes = rng.integers(0, 2**64, (n, words), dtype=np.uint64)
    Q = codes[[0, n // 2, n - 1]] ^ np.array([[0], [1], [3]], dtype=np.uint64)
    assert_same_scans(codes, Q, 40, np.array([0, 64 * words // 2, 30 * words]), threads)


@each
def test_a_mapped_file_is_only_read(kernels, tmp_path):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**64, (300, 3), dtype=np.uint64)
    np.save(tmp_path / "codes.npy", codes)
    mapped = np.load(tmp_path / "codes.npy", mmap_mode="r")
    Q = codes[:5].copy()
    Q.flags.writeable = False
    for a, b in zip(
        kernels.hamming_nearest(Q, codes, 9), kernels.hamming_nearest(Q, mapped, 9), strict=True
    ):
        assert_same(a, b)
    assert (kernels.hamming_distances(Q, mapped)[range(5), range(5)] == 0).all()
    radii = np.full(5, 90)
    radii.flags.writeable = False
    assert (np.diff(kernels.hamming_within(Q, mapped, radii)[0]) >= 1).all()


@each
def test_no_queries_and_no_codes(kernels):
    codes = np.zeros((3, 2), dtype=np.uint64)
    none = np.zeros((0, 2), dtype=np.uint64)
    assert kernels.hamming_distances(none, codes).shape == (0, 3)
    assert kernels.hamming_distances(codes, none).shape == (3, 0)
    assert [a.shape for a in kernels.hamming_nearest(none, codes, 2)] == [(0, 2), (0, 2)]
    assert [a.shape for a in kernels.hamming_nearest(codes, none, 0)] == [(3, 0), (3, 0)]
    assert [
        a.tolist() for a in kernels.hamming_within(none, codes, np.empty(0, dtype=np.int64))
    ] == [[0], [], []]
    assert kernels.hamming_within(codes, none, np.zeros(3, dtype=np.int64))[0].tolist() == [
        0,
        0,
        0,
        0,
    ]


@each
def test_radii_of_any_size(kernels):
    codes = np.array([[0], [1], [2**64 - 1]], dtype=np.uint64)
    radii = np.array([-(2**63), -1, 0, 63, 64, 2**63 - 1])
    starts, indices, distances = kernels.hamming_within(
        np.zeros((6, 1), dtype=np.uint64), codes, radii
    )
    assert np.diff(starts).tolist() == [0, 0, 1, 2, 3, 3]
    assert indices.tolist() == [0, 0, 1, 0, 1, 2, 0, 1, 2] and distances.tolist() == [
        0,
        0,
        1,
        0,
        1,
        64,
        0,
        1,
        64,
    ]


@fast_only
@pytest.mark.parametrize("words", [9, 700])
def test_twins_agree_on_more_queries_than_are_looked_at_at_a_time(words):
    rng = np.random.default_rng(words)
    codes = rng.integers(0, 2**64, (30, words), dtype=np.uint64)
    Q = codes[rng.integers(0, 30, 700)]
    assert_same_scans(codes, Q, 3, rng.integers(0, 40 * words, 700), 2)
