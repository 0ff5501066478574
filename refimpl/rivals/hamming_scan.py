"""Linear scan of binary codes: the search behind the codes of spectral hashing, timed in Table 1 of Li et al. (2011).

The scan itself is a kernel, :func:`refimpl.kernels.hamming_nearest`. Codes are rows of 64-bit words; they may be mapped
from a file (``numpy.load(path, mmap_mode="r")``) and are only read.

Not handled here: making codes (:mod:`refimpl.rivals.spectral_hashing`), tables of codes.
"""

import numpy as np

from refimpl.checks import as_count, as_kernels
from refimpl.rivals.candidates import Candidates

__all__ = ["hamming_scan", "pack_bits", "scan_within", "unpack_bits"]


def pack_bits(bits):
    """Codes as words.

    Parameters
    ----------
    bits : array_like of bool, shape (n, b)

    Returns
    -------
    ndarray, shape (n, ceil(b / 64)), uint64
        Bit i of a code is bit i mod 64 of word i // 64, the lowest first; those after the last are zero.

    Raises
    ------
    TypeError, ValueError
        If `bits` is no matrix of booleans, or has no column.
    """
    bits = np.asarray(bits)
    if bits.dtype != bool:
        raise TypeError(f"bits has dtype {bits.dtype}; it must hold booleans, for example bits > 0")
    if bits.ndim != 2 or bits.shape[1] == 0:
        raise ValueError(f"bits has shape {bits.shape}; it must be (n, b), one code in each row, b >= 1")
    packed = np.zeros((len(bits), -(-bits.shape[1] // 64) * 8), dtype=np.uint8)
    packed[:, : -(-bits.shape[1] // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64)


def unpack_bits(codes, b):
    """The first `b` bits of each code, as :func:`pack_bits` takes them: bool, shape (n, b)."""
    codes, b = as_codes(codes, "codes"), as_count(b, "b")
    if b > 64 * codes.shape[1]:
        raise ValueError(f"b is {b}; the codes have {64 * codes.shape[1]} bits")
    bytes_ = np.ascontiguousarray(codes.astype("<u8")).view(np.uint8)
    return np.unpackbits(bytes_, axis=1, count=b, bitorder="little").astype(bool)


def as_codes(codes, name, like=None):
    """The codes, checked, not copied: uint64, C-contiguous, shape (n, words), the words as many as those of `like`."""
    codes = np.asarray(codes)
    if codes.dtype.kind != "u" or codes.dtype.itemsize != 8 or not codes.dtype.isnative:
        raise TypeError(f"{name} has dtype {codes.dtype}; it must be uint64, as pack_bits returns")
    if codes.ndim != 2 or 0 in codes.shape:
        raise ValueError(f"{name} has shape {codes.shape}; it must be (n, words), with at least one code and one word")
    if like is not None and codes.shape[1] != like.shape[1]:
        raise ValueError(f"{name} has {codes.shape[1]} words; the codes of the database have {like.shape[1]}")
    if not codes.flags.c_contiguous:
        raise ValueError(f"{name} is not C-contiguous; pass numpy.ascontiguousarray({name})")
    return codes


def hamming_scan(codes, queries, most, *, kernels=None, threads=None):
    """The codes nearest to each query, by comparing it with all of them.

    Parameters
    ----------
    codes : ndarray, shape (n, words), uint64
        From :func:`pack_bits` or :meth:`refimpl.rivals.spectral_hashing.SpectralHashing.encode`.
    queries : ndarray, shape (m, words), uint64
    most : int
        Candidates wanted; all codes if there are no more.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    Candidates
        Scores: Hamming distances. Of equal ones the lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        If codes or queries are no matrices of uint64, are empty, or differ in length, or `most` is below 1.
    """
    kernels, codes = as_kernels(kernels), as_codes(codes, "codes")
    queries, most = as_codes(queries, "queries", codes), min(as_count(most, "most"), len(codes))
    distances, indices = kernels.hamming_nearest(codes, queries, most, threads=threads)
    starts = np.arange(len(queries) + 1) * most
    return Candidates(starts, indices.reshape(-1), distances.reshape(-1).astype(np.int64))


def scan_within(codes, queries, radius, *, kernels=None, threads=None):
    """All codes within a Hamming distance of each query, the nearest first.

    Parameters
    ----------
    codes, queries, kernels, threads
        As for :func:`hamming_scan`.
    radius : int
        In bits, at least 0.

    Returns
    -------
    Candidates
        Scores: Hamming distances. There may be none.

    Raises
    ------
    TypeError, ValueError
        As :func:`hamming_scan`.
    """
    kernels, codes = as_kernels(kernels), as_codes(codes, "codes")
    queries, radius = as_codes(queries, "queries", codes), as_count(radius, "radius", minimum=0)
    radii = np.full(len(queries), min(radius, 64 * codes.shape[1]))
    starts, indices, distances = kernels.hamming_within(codes, queries, radii, threads=threads)
    return Candidates(starts, indices, distances.astype(np.int64))
