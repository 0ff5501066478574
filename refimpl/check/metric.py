"""``metric``: eq. 3 of Weinberger & Saul (2008) for somebody's metric, against a certified bound.

Two conventions of other libraries are tried where the metric is far from the optimum. A margin m
instead of 1 gives the metric times m: the scale under which eq. 3 is least tells it. Another weight
of the violated margins gives the optimum for another mu; metric-learn's ``regularization`` c is
mu = (1 - c) / c. The convention is named; the metric is wrong in any case. A matrix that is optimal
as M, and not as L, wants ``--squared``.

Not handled here: several metrics, other target neighbours than the nearest in Euclidean distance.
"""

import sys
from typing import Any

import numpy as np
import scipy.optimize

from refimpl.check.comparing import Difference
from refimpl.check.files import UnusableError
from refimpl.check.judging import objective_of
from refimpl.check.reading import points, read_array, read_data
from refimpl.check.reports import Report
from refimpl.check.subject import Kind
from refimpl.kernels.arguments import floats
from refimpl.lmnn import LMNNOptions, estimate_memory, lmnn, project, target_neighbors
from refimpl.typing import FloatArray, IntArray

__all__ = ["check_metric"]

OTHER_MU = (0.25, 0.5, 2.0, 4.0)
MOST_POINTS = 3000
"""Up to so many points, other weights are tried."""


def check_metric(path: str, data: str, k: int, mu: float, squared: bool, tol: float) -> Report:
    """Compare a metric with the least value of eq. 3."""
    X, y = points(read_data(data), data, "it must have")
    kind = floats("d" if squared else "r", "d", finite=True)
    given = read_array(path, kind, d=X.shape[1])
    L = _factor(given, path) if squared else given
    report = Report(f"{path} as the metric of LMNN on {data}, k = {k}, mu = {mu:g}")
    try:
        targets = target_neighbors(X, y, k)
        print(
            f"the reference trains on {len(X)} points of {X.shape[1]} coordinates: at most "
            f"{estimate_memory(X, y, k, mu) / 2**20:.0f} MiB, and seconds for hundreds of points, "
            "minutes for thousands",
            file=sys.stderr,
        )
        with np.errstate(over="ignore", invalid="ignore"):
            now = objective_of(X @ L.T, y, targets)
        if not np.isfinite(now.at(mu)):
            raise ValueError(f"eq. 3 is beyond float64 at {path}")
        best = lmnn(X, y, k, mu, options=LMNNOptions(tol=min(1e-4, tol / 10)))
    except (ValueError, MemoryError) as error:
        raise UnusableError(f"{data} cannot be used: {error}") from error
    gap = _gap(now.at(mu), best.bound)
    report.facts += [
        ("eq. 3", now.at(mu)),
        ("of it the pull", now.pull),
        ("active triples", now.active),
        ("least value found by the reference", best.objective),
        ("no metric is below", best.bound),
        ("gap", gap),
    ]
    for slack, i, j, l in now.worst:
        if slack > 0:
            report.facts.append((f"slack of i = {i}, j = {j}, l = {l}", slack))
    if gap > tol:
        words = f"the proven bound is {100 * gap:.2g} % below eq. 3"
        if not squared and _fits_as_M(given, X, y, targets, mu, best.bound, tol):
            words += "; as M the matrix is optimal: --squared?"
        else:
            words += _convention(X, y, targets, mu, L, best.bound, tol)
        report.differences.append(Difference("lmnn", Kind.WRONG, "M", "LM:eq3", words))
    return report


def _fits_as_M(
    M: FloatArray, X: FloatArray, y: Any, targets: IntArray, mu: float, bound: float, tol: float
) -> bool:
    """Whether the matrix is optimal as M = L^T L."""
    if M.shape[0] != M.shape[1]:
        return False
    try:
        L = _factor(M, "")
    except UnusableError:  # not symmetric, positive semidefinite
        return False
    return _gap(objective_of(X @ L.T, y, targets).at(mu), bound) <= tol


def _gap(objective: float, bound: float) -> float:
    return (objective - bound) / objective if objective > 0 else 0.0


def _factor(array: FloatArray, path: str) -> FloatArray:
    """Return L of shape (r, d) of a matrix M."""
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * np.abs(array).max(initial=0.0)):
        raise UnusableError(f"{path} must be symmetric with --squared")
    values = np.linalg.eigvalsh(array)
    if values[0] < -1e-6 * max(abs(values[-1]), 1e-300):
        raise UnusableError(
            f"{path} must be positive semidefinite; its least eigenvalue is {values[0]:g}"
        )
    return project(array)


def _convention(
    X: FloatArray, y: Any, targets: IntArray, mu: float, L: FloatArray, bound: float, tol: float
) -> str:
    """Return words that name another convention under which the metric is optimal, or none."""
    k = targets.shape[1]
    scale, objective = _best_scale(X @ L.T, y, targets, mu)
    if _gap(objective, bound) <= tol:
        return f"; {scale:.3g} M is optimal: a margin of {1 / scale:.3g} instead of 1"
    if len(X) <= MOST_POINTS:
        for factor in OTHER_MU:
            other = lmnn(X, y, k, mu * factor, options=LMNNOptions(tol=tol / 10))
            if _gap(objective_of(X @ L.T, y, targets).at(mu * factor), other.bound) <= tol:
                share = 1 / (1 + mu * factor)
                return (
                    f"; it is optimal for mu = {mu * factor:g}, metric-learn's regularization "
                    f"{share:.4g}"
                )
    return ""


def _best_scale(Z: FloatArray, y: Any, targets: IntArray, mu: float) -> tuple[float, float]:
    """Return the s for which s M has the least eq. 3, and this value; eq. 3 is convex in s."""

    def at(exponent: float) -> float:
        return objective_of(Z * 2.0 ** (exponent / 2), y, targets).at(mu)

    found = scipy.optimize.minimize_scalar(at, bounds=(-12.0, 12.0), options={"xatol": 1e-4})
    return 2.0**found.x, found.fun
