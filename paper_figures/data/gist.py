"""The GIST of images: Oliva & Torralba, "Modeling the shape of the scene", IJCV 42(3), 2001.

An image is whitened and its local contrast evened out; then it passes Gabor filters of several
scales and orientations, and the mean amplitude of each filter in each block of a grid is one
number. With 3 scales, 8 orientations and 4 x 4 blocks these are the 384 numbers that Torralba,
Fergus & Freeman (2008) keep of a tiny image.

Readings of what is left open
-----------------------------
* Images go on beyond their borders as in a mirror, by half a side at least.
* Grey values 0..255 become log(1 + value): then a factor in front of them is a constant, which
  whitening takes away.
* Low frequencies are those whose weight 2^-(f / f_c)^2 is large, f_c = 4 cycles an image. They are
  subtracted, and the rest is divided by 0.2 + sqrt(the low frequencies of its square).
* In the plane of frequencies (cycles a pixel, in polar coordinates f, t) a filter is exp(-3.5 (f /
  f_s - 1)^2 - 2 pi (t - t_o)^2), f_s = 0.3, 0.3 / 1.85, 0.3 / 1.85^2 and t_o = 0, pi / 8, ..., 7 pi
  / 8: real, on one side of the origin, so that the absolute value of what it lets through is an
  amplitude. The origin, which has no direction, is left out.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from refimpl.typing import FloatArray

Real: TypeAlias = NDArray[np.floating[Any]]

HIGHEST = 0.3  # cycles a pixel at the finest scale
RATIO = 1.85  # of the frequencies of two scales
ALONG = 3.5  # how narrow a filter is in frequency
ACROSS = 2 * np.pi  # how narrow a filter is in angle
CUT = 4.0  # f_c
DAMPING = 0.2  # added to the local contrast
BATCH = 64  # images at a time


def filters(side: int, scales: int, orientations: int) -> NDArray[np.float32]:
    """Return Gabor filters in the plane of frequencies, (scales, orientations, side, side)."""
    f, t = _polar(side)
    f_s = HIGHEST / RATIO ** np.arange(scales)[:, np.newaxis, np.newaxis, np.newaxis]
    t_o = np.pi * np.arange(orientations)[:, np.newaxis, np.newaxis] / orientations
    turn = (t - t_o + np.pi) % (2 * np.pi) - np.pi
    bank = np.exp(-ALONG * (f / f_s - 1) ** 2 - ACROSS * turn**2).astype(np.float32)
    bank[..., 0, 0] = 0.0
    return bank


def _polar(side: int) -> tuple[FloatArray, FloatArray]:
    """Return frequency (cycles a pixel) and direction at each place of a Fourier transform."""
    f = fft.fftfreq(side)
    return np.hypot(f[:, np.newaxis], f), np.arctan2(f[:, np.newaxis], f)


def gist(
    images: ArrayLike, *, scales: int = 3, orientations: int = 8, blocks: int = 4
) -> NDArray[np.float32]:
    """Return the GIST of grey images (n, side, side), 0 to 255: filter by filter, then blocks."""
    images = np.asarray(images)
    if images.ndim != 3 or images.shape[1] != images.shape[2] or images.shape[1] % blocks:
        raise ValueError(
            f"images must have shape (n, side, side) with side a multiple of {blocks}; "
            f"got {images.shape}"
        )
    n, side = images.shape[:2]
    margin = fft.next_fast_len(2 * side) - side
    around = (margin // 2, margin - margin // 2)
    f, _ = _polar(side + margin)
    low = np.exp2(-((f * side / CUT) ** 2)).astype(np.float32)
    bank = filters(side + margin, scales, orientations).reshape(-1, side + margin, side + margin)
    numbers = np.empty((n, len(bank), blocks, blocks), dtype=np.float32)
    inside = slice(around[0], around[0] + side)
    for start in range(0, n, BATCH):
        some = np.log1p(images[start : start + BATCH], dtype=np.float32)
        some = _even(np.pad(some, ((0, 0), around, around), mode="symmetric"), low)
        _amplitudes(fft.fft2(some), bank, inside, numbers[start : start + BATCH])
    return numbers.reshape(n, -1)


def _even(images: Real, low: Real) -> Real:
    """Return images without their low frequencies, divided by their local contrast."""
    rest = images - _passed(images, low)
    return rest / (DAMPING + np.sqrt(np.abs(_passed(rest**2, low))))


def _passed(images: Real, low: Real) -> Real:
    spectra = fft.rfft2(images) * low[:, : low.shape[1] // 2 + 1]
    passed: Real = fft.irfft2(spectra, s=images.shape[1:])
    return passed


def _amplitudes(
    spectra: NDArray[Any], bank: NDArray[np.float32], inside: slice, out: NDArray[np.float32]
) -> None:
    """Write each filter's mean amplitude in each block to `out`, (b, filters, blocks, blocks)."""
    b = len(spectra)
    blocks = out.shape[-1]
    for place, passes in enumerate(bank):
        rows = fft.ifft(spectra * passes, axis=1, overwrite_x=True)[:, inside]
        amplitude = np.abs(fft.ifft(rows, axis=2)[:, :, inside])
        step = amplitude.shape[1] // blocks
        out[:, place] = amplitude.reshape(b, blocks, step, blocks, step).mean(axis=(2, 4))
