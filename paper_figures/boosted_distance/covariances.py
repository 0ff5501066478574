"""What the readings of the estimated distances compute (Amores, Sebe & Radeva 2006, § 4.3).

RCA, Mah and Mah-C weigh differences by a matrix W that is the inverse of a covariance C; the names
with -D estimate its diagonal alone. The paper does not say what becomes of directions that hardly
vary, and it has no formula of RCA, whose W may be another power of C.
:func:`covariance_readings` tries RCA's powers with every handling:

=============  ===================================================================================
none           a direction that does not vary has weight 0 (`rivals.nearest_neighbor`)
ridge          a variance is added in every direction
ridge, share   the same, as a share of the mean variance
drop           directions up to a variance have weight 0
drop, share    the same, as a share of the largest variance
columns, share the columns of the training vectors up to a share of the largest variance are left
               out first, for all eight distances
=============  ===================================================================================

With the power -1 and the handlings "none" and "ridge" the distances are those of
:mod:`refimpl.rivals.nearest_neighbor`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from paper_figures.boosted_distance.splits import balanced_error, split_rows
from paper_figures.registry import Job
from refimpl.rivals.whitening import centred, centred_by_class, principal_deviations
from refimpl.typing import FloatArray, IntArray, Labels

ESTIMATED = ("RCA", "Mah", "Mah-C", "RCA-D", "Mah-D", "Mah-CD")
COLUMNS = "columns, share"
INVERSE = -1.0  # the power of C in the weights of Mah and Mah-C, which nobody doubts
TIE = 1e-10
"""Scores that differ by less, in units of the largest, are equal: the lowest index wins."""


@dataclass(frozen=True)
class Spectrum:
    """A covariance: variances along axes. Other directions do not vary.

    Attributes
    ----------
    variances : ndarray, shape (r,)
    axes : ndarray, shape (r, d), or None
        None: the columns themselves, r = d.
    d : int
    """

    variances: FloatArray
    axes: FloatArray | None
    d: int

    def project(self, X: FloatArray) -> FloatArray:
        """Return the coordinates of vectors along the axes."""
        return X if self.axes is None else X @ self.axes.T


@dataclass(frozen=True)
class Sample:
    """The training and the test part of a repetition.

    Attributes
    ----------
    X : ndarray, shape (n, d)
    y : ndarray, shape (n,)
    Q : ndarray, shape (m, d)
        The test vectors.
    truth : ndarray, shape (m,)
    """

    X: FloatArray
    y: Labels
    Q: FloatArray
    truth: Labels

    def with_columns(self, kept: FloatArray | IntArray) -> "Sample":
        """Return the sample with some columns alone."""
        return Sample(self.X[:, kept], self.y, self.Q[:, kept], self.truth)


@dataclass(frozen=True)
class Estimate:
    """A covariance, and the vectors that it weighs, by their coordinates along its axes.

    Attributes
    ----------
    spectrum : Spectrum
    members : ndarray of int
        The training vectors that are compared with this covariance.
    q, x : ndarray
        The coordinates of the test vectors and of the members.
    sample : Sample
    """

    spectrum: Spectrum
    members: IntArray
    q: FloatArray
    x: FloatArray
    sample: Sample

    @cached_property
    def outside(self) -> FloatArray:
        """The squared lengths of differences in the directions that do not vary."""
        X = self.sample.X[self.members]
        whole = _squared(self.sample.Q, X, np.ones(X.shape[1]))
        along = _squared(self.q, self.x, np.ones(self.x.shape[1]))
        return np.maximum(whole - along, 0.0)


def covariance_readings(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    handlings: Sequence[tuple[str, float]],
    powers: Sequence[float],
) -> dict[str, Any]:
    """Return the errors of NN under each reading of the eight distances.

    `powers` are RCA's and RCA-D's. An error is the mean of the two classes' rates, in per cent. For
    each handling the value holds the errors of L1 and L2 (with all columns, and where columns are
    left out), and those of the estimated distances by :func:`reading_name`: each a list over the
    repetitions, None where a covariance has no weight left.
    """
    loaded = job.load(data_set, **options)
    runs = []
    for repetition in repetitions:
        train, test = split_rows(job, loaded, repetition)
        sample = Sample(loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test])
        estimates = _estimates(sample)
        runs.append([_errors_of(sample, estimates, each, powers) for each in handlings])
    return {
        "errors": [
            {name: [run[place][name] for run in runs] for name in runs[0][place]}
            for place in range(len(handlings))
        ]
    }


def _estimates(sample: Sample) -> dict[str, list[Estimate]]:
    """Return the covariances of the estimated distances and the coordinates along their axes."""
    groups = [np.flatnonzero(sample.y == C) for C in np.unique(sample.y)]
    every = [np.arange(len(sample.y))]
    return {
        name: [
            Estimate(spectrum, members, spectrum.project(sample.Q), spectrum.project(X), sample)
            for spectrum, members in zip(
                spectra_of(name, sample.X, sample.y),
                groups if name.startswith("Mah-C") else every,
                strict=True,
            )
            for X in (sample.X[members],)
        ]
        for name in ESTIMATED
    }


def _errors_of(
    sample: Sample,
    estimates: Mapping[str, Sequence[Estimate]],
    handling: Sequence[Any],
    powers: Sequence[float],
) -> dict[str, float | None]:
    """Return the errors under one handling, by the names of :func:`reading_name`."""
    kind, size = handling
    if kind == COLUMNS:
        variances = sample.X.var(axis=0)
        sample = sample.with_columns(np.flatnonzero(variances > size * variances.max()))
        estimates = _estimates(sample)
    errors: dict[str, float | None] = {}
    if kind in ("none", COLUMNS):
        errors |= {"L1": _nearest_error(sample, "cityblock")}
        errors |= {"L2": _nearest_error(sample, "sqeuclidean")}
    for name, of_classes in estimates.items():
        for power in powers if name.startswith("RCA") else (INVERSE,):
            weights = [weights_of(each.spectrum, kind, size, power) for each in of_classes]
            errors[reading_name(name, power)] = (
                _weighted_error(sample, of_classes, weights)
                if all(w.any() or rest for w, rest in weights)
                else None
            )
    return errors


def reading_name(name: str, power: float) -> str:
    """Return the key of an estimated distance whose W is this power of C."""
    return f"{name} {power:g}"


def spectra_of(name: str, X: FloatArray, y: Labels) -> list[Spectrum]:
    """Return the covariance that a distance estimates, or one for each class, ascending."""
    diagonal = name.endswith("D")
    if name.startswith("RCA"):
        _, c, sizes = np.unique(y, return_inverse=True, return_counts=True)
        samples = [(centred_by_class(X, y), max(int(np.count_nonzero(sizes[c] > 1)), 1))]
    elif name.startswith("Mah-C"):
        groups = [X[y == c] for c in np.unique(y)]
        samples = [(centred(group), max(len(group) - 1, 1)) for group in groups]
    else:
        samples = [(centred(X), max(len(X) - 1, 1))]
    return [_spectrum(D, count, diagonal) for D, count in samples]


def _spectrum(D: FloatArray, count: int, diagonal: bool) -> Spectrum:
    if diagonal:
        return Spectrum((D * D).sum(axis=0) / count, None, D.shape[1])
    if not D.any():
        return Spectrum(np.zeros(1), np.zeros((1, D.shape[1])), D.shape[1])
    sigma, axes = principal_deviations(D, count)
    return Spectrum(sigma * sigma, axes, D.shape[1])


def weights_of(
    spectrum: Spectrum, kind: str, size: float, power: float
) -> tuple[FloatArray, float]:
    """Return the eigenvalues of W along the axes, and in all other directions."""
    variances = spectrum.variances
    ridge = {"ridge": size, "ridge, share": size * variances.sum() / spectrum.d}.get(kind, 0.0)
    least = {"drop": size, "drop, share": size * variances.max()}.get(kind, 0.0)
    raised = variances + ridge
    kept = raised > least
    weights = np.zeros(len(variances))
    weights[kept] = raised[kept] ** power
    rest = float(ridge**power) if ridge > 0.0 and spectrum.axes is not None else 0.0
    return weights, rest


def _nearest_error(sample: Sample, metric: Any) -> float:
    nearest = cdist(sample.Q, sample.X, metric).argmin(axis=1)
    return balanced_error(sample.y[nearest], sample.truth)


def _weighted_error(
    sample: Sample, estimates: Sequence[Estimate], weights: Sequence[tuple[FloatArray, float]]
) -> float:
    """Return the error under (q - x)^T W (q - x), with one W or the W of x's class."""
    scores = np.empty((len(sample.Q), len(sample.y)))
    for each, (w, rest) in zip(estimates, weights, strict=True):
        distances = _squared(each.q, each.x, w)
        scores[:, each.members] = distances + rest * each.outside if rest > 0.0 else distances
    least = scores.min(axis=1, keepdims=True)
    nearest = (scores <= least + TIE * scores.max()).argmax(axis=1)
    return balanced_error(sample.y[nearest], sample.truth)


def _squared(q: FloatArray, x: FloatArray, w: FloatArray) -> FloatArray:
    """Return sum_f w_f (q_f - x_f)**2 for all pairs, by one matrix product."""
    used = np.flatnonzero(w)
    q, x, w = q[:, used], x[:, used], w[used]
    shift = x.mean(axis=0)
    q, x = q - shift, x - shift
    scaled = q * w
    squares = (scaled * q).sum(axis=1)[:, np.newaxis] + (x * x) @ w
    distances: FloatArray = squares - 2.0 * (scaled @ x.T)
    return distances
