"""Of the metrics at which eq. 3 of LMNN is 0, that of least trace.

Eq. 3 is 0 if target neighbours coincide under the metric and points of other classes are at least 1
away. Points that target neighbours connect then coincide, so the metric only has to part these
groups: a small problem, solved here in the factor of M.

Not handled here: eq. 3 above 0.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from refimpl.typing import FloatArray, IntArray

ROUNDING = 1e-9  # a singular value below this share of the largest one is 0
STEPS = 1000


def least_trace(X: FloatArray, y: IntArray, targets: IntArray) -> FloatArray | None:
    """Return L of least trace among the metrics at which eq. 3 is 0; None if it is 0 nowhere."""
    n, k = targets.shape
    links = coo_array((np.ones(n * k), (np.repeat(np.arange(n), k), targets.ravel())), (n, n))
    groups = connected_components(links, directed=False)[1]
    first = np.unique(groups, return_index=True)[1]
    centres = X[first]
    free = _orthogonal_to(X - centres[groups])
    apart = (centres[:, None] - centres[None]) @ free
    a, b = np.nonzero(np.triu(y[first][:, None] != y[first][None], 1))
    differences = apart[a, b]
    spread = np.linalg.norm(X - X.mean(axis=0), axis=1).max()
    if (np.linalg.norm(differences, axis=1) <= ROUNDING * spread).any():
        return None
    axes = _span(differences)
    return _smallest_factor(differences @ axes) @ axes.T @ free.T


def _orthogonal_to(rows: FloatArray) -> FloatArray:
    """Return orthonormal columns that span what is orthogonal to the rows."""
    _, values, vectors = np.linalg.svd(rows, full_matrices=True)
    rank = int((values > ROUNDING * values[0]).sum())
    return np.ascontiguousarray(vectors[rank:].T)


def _span(rows: FloatArray) -> FloatArray:
    """Return orthonormal columns that span the rows."""
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return np.ascontiguousarray(vectors[: int((values > ROUNDING * values[0]).sum())].T)


def _smallest_factor(differences: FloatArray) -> FloatArray:
    """Return F of least |F|^2 with |F v| >= 1 for each difference v."""
    # as many rows as columns leave no local minimum that is not the least
    scale = np.linalg.norm(differences, axis=1).min()
    V = differences / scale
    q = V.shape[1]

    def margins(f: FloatArray) -> FloatArray:
        squares: FloatArray = ((V @ f.reshape(q, q).T) ** 2).sum(axis=1)
        return squares - 1.0

    def slopes(f: FloatArray) -> FloatArray:
        mapped = V @ f.reshape(q, q).T
        by_f: FloatArray = 2 * (mapped[:, :, None] * V[:, None, :]).reshape(len(V), -1)
        return by_f

    end = minimize(
        lambda f: (f @ f, 2 * f),
        np.eye(q).ravel(),
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": margins, "jac": slopes},
        options={"maxiter": STEPS, "ftol": 1e-12},
    )
    F = end.x.reshape(q, q)
    shortest = float(np.sqrt(margins(end.x).min() + 1.0))
    factor: FloatArray = F * (1 + ROUNDING) / (shortest * scale)
    return factor
