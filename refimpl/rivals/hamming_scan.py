"""Linear scan of binary codes: the search behind the codes of spectral hashing.

Source: Table 1 of Z. Li, H. Ning, L. Cao, T. Zhang, Y. Gong & T. Huang, "Learning to search
efficiently in high dimensions", NIPS 2011, which times it. The scan itself is a kernel,
:func:`refimpl.kernels.hamming_nearest`. Codes are packed: rows of 64-bit words, as
:func:`pack_bits` makes them. They may be mapped from a file (``numpy.load(path, mmap_mode="r")``)
and are only read.

Not handled here: making codes (:mod:`refimpl.rivals.spectral_hashing`), tables of codes.
"""

import numpy as np

from refimpl.arrays import as_array, for_kernel
from refimpl.checks import as_count, as_kernels
from refimpl.rivals.candidates import Candidates
from refimpl.typing import ArrayLike, Kernels, UInt64Array

__all__ = ["hamming_scan", "pack_bits"]


def pack_bits(bits: ArrayLike) -> UInt64Array:
    """Pack codes of bits into words of 64 bits.

    Parameters
    ----------
    bits : array_like of bool, shape (n, b)

    Returns
    -------
    ndarray, shape (n, ceil(b / 64)), uint64
        Bit i of a code is bit i mod 64 of word i // 64, the lowest first; the bits after the last
        are zero.

    Raises
    ------
    TypeError, ValueError
        If `bits` is no matrix of booleans, or has no column.

    See Also
    --------
    hamming_scan : Compare packed codes.

    Examples
    --------
    >>> from refimpl.rivals.hamming_scan import pack_bits
    >>> pack_bits([[True, False, True], [False, True, False]])
    array([[5],
           [2]], dtype=uint64)
    """
    array = as_array(bits, "bits", "a matrix")
    if array.dtype != bool:
        raise TypeError(f"bits must hold booleans, such as bits > 0; got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            f"bits must be of shape (n, b), a code in each row, b >= 1; got {array.shape}"
        )
    n_bytes = -(-array.shape[1] // 8)
    packed = np.zeros((len(array), -(-array.shape[1] // 64) * 8), dtype=np.uint8)
    packed[:, :n_bytes] = np.packbits(array, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64)


def as_codes(codes: ArrayLike, name: str, like: UInt64Array | None = None) -> UInt64Array:
    """Return the packed codes, checked: uint64, shape (n, words), copied only for their layout."""
    # with `like` they must have as many words as the codes `like`
    array = as_array(codes, name, "a matrix")
    if array.dtype.kind != "u" or array.dtype.itemsize != 8:
        raise TypeError(f"{name} must hold uint64, as pack_bits returns; got dtype {array.dtype}")
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name} must be of shape (n, words), with at least a code and a word; "
            f"got {array.shape}"
        )
    if like is not None and array.shape[1] != like.shape[1]:
        raise ValueError(
            f"{name} must have {like.shape[1]} words, as the codes X have; got {array.shape[1]}"
        )
    return for_kernel(array, np.uint64)


def hamming_scan(
    Q: ArrayLike,
    X: ArrayLike,
    n_candidates: int,
    *,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Candidates:
    """Find the packed codes nearest to each query, by comparing it with all of them.

    Table 1 of Li et al. (2011).

    Parameters
    ----------
    Q : ndarray, shape (m, words), uint64
        Packed codes of the queries.
    X : ndarray, shape (n, words), uint64
        Packed codes, from :func:`pack_bits` or
        :meth:`refimpl.rivals.spectral_hashing.SpectralHashing.encode`.
    n_candidates : int
        Candidates for each query; all codes if there are no more.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    Candidates
        Scores: Hamming distances. Of equal distances the lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        If `Q` or `X` is no matrix of uint64, is empty, or their lengths differ, or `n_candidates`
        is below 1.

    See Also
    --------
    spectral_hashing : Learn codes.

    Examples
    --------
    >>> from refimpl.rivals.hamming_scan import hamming_scan, pack_bits
    >>> X = pack_bits([[True, True, False], [False, False, False], [True, True, True]])
    >>> hamming_scan(X[:1], X, 2).of(0)
    array([0, 2])
    """
    kernels = as_kernels(kernels)
    codes = as_codes(X, "X")
    queries = as_codes(Q, "Q", codes)
    n_candidates = min(as_count(n_candidates, "n_candidates"), len(codes))
    distances, indices = kernels.hamming_nearest(queries, codes, n_candidates, threads=threads)
    starts = np.arange(len(queries) + 1) * n_candidates
    return Candidates(starts, indices.reshape(-1), distances.reshape(-1).astype(np.int64))
