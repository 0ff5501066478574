"""Nearest neighbour under the distances that Amores, Sebe & Radeva (2006), § 4.3, compare against.

All of them but L1 are ``(x - y)^T W (x - y)`` (§ 1 of the paper) and differ in what W is estimated
from:

=======  =========================================================================================
L1       the sum of absolute differences
L2       W = I
RCA      W = inverse of the average covariance within the chunklets (Bar-Hillel, Hertz, Shental &
         Weinshall 2003, "Learning distance functions using equivalence relations", § 2); a chunklet
         is a set of points known to be of one class, here each class of the training set
Mah      W = inverse covariance of the whole training set
Mah-C    W_C = inverse covariance of class C; a training vector of class C is compared with W_C
-D       RCA-D, Mah-D, Mah-CD: only the diagonal of the covariance is estimated
=======  =========================================================================================

Readings of what the paper leaves open
--------------------------------------
* The one covariance of all classes (Mah) is taken about the mean of the whole training set. Were it
  the covariance pooled within the classes, Mah would be RCA with the classes as chunklets, and
  Table 2 names the two as different winners.
* Mah-C is a distance, as the paper says, and has no log-determinant; ``log_det=True`` adds the term
  of the Gaussian likelihood.
* Sums of squares are divided by n - 1 (by the number of points in RCA, as its source has it). This
  matters for Mah-C and Mah-CD only: elsewhere a common factor does not move the nearest neighbour.
* Singular covariances are the rule in this paper (200 vectors in 1,558 dimensions). W is then the
  pseudo-inverse: a direction in which the sample does not vary has weight zero. For the full
  matrices that is a singular value of the centred data below `rcond` times the largest; for the
  diagonal ones, whose features need not have a common scale, it is a feature that is constant. A
  class that does not vary at all, for instance one with a single vector, has no distance of its
  own: Mah-C and Mah-CD raise ValueError. ``ridge`` adds a variance in every direction instead.

Not handled here: K > 1 neighbours, missing values, an index structure.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy

from refimpl.arrays import as_matrix, as_points, as_vectors_like, blocks, plain_labels
from refimpl.checks import as_flag, as_labels, as_number, one_of
from refimpl.results import result
from refimpl.rivals.whitening import centred, centred_by_class, principal_deviations
from refimpl.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["NAMES", "Distance", "fit_distance", "nearest_neighbor", "pairwise"]

NAMES = ("L1", "L2", "RCA", "Mah", "Mah-C", "RCA-D", "Mah-D", "Mah-CD")
"""The distances of Table 2."""

BLOCK_ENTRIES = 1 << 22  # numbers held for one block of queries: 32 MB

Groups: TypeAlias = list[tuple[int, IntArray, FloatArray]]
"""A class's number, its training indices and its mapped training vectors, for each class."""


@result
@dataclass(frozen=True, eq=False)
class Distance:
    """A distance learnt from a training set: map with L_c, then compare with L1 or squared L2.

    Attributes
    ----------
    name : str
        One of :data:`NAMES`.
    classes : numpy.ndarray, shape (M,)
        The labels, sorted.
    factor : numpy.ndarray of float64, shape (R, d)
        W_c = L_c^T L_c. For full W_c the factors L_c, each r_c x d with r_c the rank of W_c, stand
        below one another; a diagonal one has the diagonal of L_c in row c. A distance common to all
        classes has one L.
    starts : numpy.ndarray of int64, shape (G + 1,)
        L_c is ``factor[starts[c]:starts[c + 1]]``; G is M for Mah-C and Mah-CD, else 1.
    log_det : numpy.ndarray of float64, shape (G,)
        What is added to the squared distances to vectors of class c; zero unless asked for.

    Raises
    ------
    ValueError
        If the name is unknown, or the shapes do not fit each other.

    See Also
    --------
    fit_distance : Estimate it, with an example.

    Examples
    --------
    >>> from refimpl.rivals.nearest_neighbor import fit_distance
    >>> distance = fit_distance("L1", [[0.0, 0.0], [1.0, 9.0]], [0, 1])
    >>> distance.name, distance.classes.tolist()
    ('L1', [0, 1])
    """

    name: str
    classes: Labels
    factor: FloatArray
    starts: IntArray
    log_det: FloatArray

    def __post_init__(self) -> None:
        one_of(self.name, NAMES, "name")
        if self.factor.ndim != 2 or self.classes.ndim != 1:
            raise ValueError(
                "factor, classes must be of shapes (R, d), (M,); "
                f"got {self.factor.shape}, {self.classes.shape}"
            )
        groups = len(self.classes) if self.name.startswith("Mah-C") else 1
        if self.starts.shape != (groups + 1,) or self.log_det.shape != (groups,):
            raise ValueError(
                f"starts, log_det must be of shapes {(groups + 1,)}, {(groups,)}; "
                f"got {self.starts.shape}, {self.log_det.shape}"
            )
        last = len(self.factor)
        if self.starts[0] != 0 or self.starts[-1] != last or (np.diff(self.starts) <= 0).any():
            raise ValueError(
                f"starts must rise from 0 to {last}, the rows of factor; got {self.starts}"
            )

    def group(self, c: int) -> int:
        """Return where the weights of class number `c` stand."""
        return c if len(self.starts) > 2 else 0

    def transform(self, X: FloatArray, c: int = 0) -> FloatArray:
        """Map vectors, (n, d) to (n, r_c), by L_c: distances to class `c` become L1 or L2."""
        g = self.group(c)
        L = self.factor[self.starts[g] : self.starts[g + 1]]
        mapped: FloatArray = X * L if _is_diagonal(self.name) else X @ L.T
        return mapped


def _is_diagonal(name: str) -> bool:
    return name in ("L1", "L2") or name.endswith("D")


def fit_distance(
    name: str,
    X: ArrayLike,
    y: ArrayLike,
    *,
    rcond: float | None = None,
    ridge: float = 0.0,
    log_det: bool = False,
) -> Distance:
    """Estimate the distance `name` from a training set.

    Amores, Sebe & Radeva (2006), § 4.3; the module's text has the definitions and the rules for
    singular covariances.

    Parameters
    ----------
    name : {"L1", "L2", "RCA", "Mah", "Mah-C", "RCA-D", "Mah-D", "Mah-CD"}
    X : array_like, shape (n, d)
        Training vectors.
    y : array_like, shape (n,)
        Their classes.
    rcond : float, optional
        Full matrices only: singular values of the centred data not above `rcond` times the largest
        count as zero. The default is that of :func:`numpy.linalg.matrix_rank`, ``max(n, d) * eps``.
    ridge : float, default 0.0
        This variance is added in every direction before the inversion. Then nothing is singular,
        and the full matrices take O(d**3).
    log_det : bool, default False
        Mah-C and Mah-CD only: add log det of the class's covariance (the product of its non-zero
        eigenvalues) to the squared distances.

    Returns
    -------
    Distance

    Raises
    ------
    ValueError
        If the name is unknown, the input is empty or not finite or shapes do not fit, `log_det` is
        asked for where no class has its own covariance, or a covariance is zero.

    See Also
    --------
    nearest_neighbor : Classify queries by it.
    pairwise : Compute it.

    Examples
    --------
    >>> from refimpl.rivals.nearest_neighbor import fit_distance, nearest_neighbor
    >>> X, y = [[0.0, 0.0], [1.0, 9.0], [4.0, 0.0], [5.0, 9.0]], ["a", "a", "b", "b"]
    >>> distance = fit_distance("RCA-D", X, y)
    >>> nearest_neighbor(distance, [[0.4, 9.0]], X, y)
    array(['a'], dtype='<U1')
    """
    name = one_of(name, NAMES, "name")
    points = as_points(X, "X") if name == "L2" or name.endswith("D") else as_matrix(X, "X")
    labels = as_labels(y, len(points), "y")
    rcond = None if rcond is None else as_number(rcond, "rcond", below=1.0)
    ridge = as_number(ridge, "ridge")
    log_det = as_flag(log_det, "log_det")
    if log_det and not name.startswith("Mah-C"):
        raise ValueError(
            "log_det must be False but for Mah-C and Mah-CD, which have a covariance for each "
            f"class; got True for {name}"
        )
    classes = plain_labels(np.unique(labels))
    samples = _centred_samples(name, points, labels, classes)
    factor = _diagonal_factor if _is_diagonal(name) else _full_factor
    parts: list[tuple[FloatArray, float]] = []
    for label, D, count in samples:
        parts.append(factor(D, count, rcond, ridge))
        if not parts[-1][0].any():
            raise ValueError(_no_variance(name, label))
    if not samples:  # L1, L2
        parts = [(np.ones((1, points.shape[1])), 0.0)]
    starts = np.cumsum([0] + [len(L) for L, _ in parts])
    offsets = np.array([v if log_det else 0.0 for _, v in parts])
    return Distance(name, classes, np.concatenate([L for L, _ in parts]), starts, offsets)


def _centred_samples(
    name: str, X: FloatArray, y: Labels, classes: Labels
) -> list[tuple[Any, FloatArray, int]]:
    """Return (class or None, centred vectors, divisor) of each covariance that `name` needs."""
    if name.startswith("RCA"):
        _, c, sizes = np.unique(y, return_inverse=True, return_counts=True)
        in_chunklet = sizes[c] > 1  # a chunklet of one point says nothing
        return [(None, centred_by_class(X, y), max(int(np.count_nonzero(in_chunklet)), 1))]
    if name in ("Mah", "Mah-D"):
        return [(None, centred(X), max(len(X) - 1, 1))]
    if name in ("Mah-C", "Mah-CD"):
        codes = np.unique(y, return_inverse=True)[1]
        groups = [(c, X[codes == i]) for i, c in enumerate(classes)]
        return [(c, centred(Xc), max(len(Xc) - 1, 1)) for c, Xc in groups]
    return []


def _full_factor(
    D: FloatArray, count: int, rcond: float | None, ridge: float
) -> tuple[FloatArray, float]:
    """Return L with L^T L = pinv(D^T D / count + ridge I), and the eigenvalues' log product."""
    if ridge > 0:
        D = np.vstack([D, np.sqrt(count * ridge) * np.eye(D.shape[1])])
    sigma, V = principal_deviations(D, count, rcond)
    return V / sigma[:, None], float(2.0 * np.log(sigma).sum())


def _diagonal_factor(
    D: FloatArray, count: int, rcond: float | None, ridge: float
) -> tuple[FloatArray, float]:
    """Return the same for the diagonal of the covariance, L as a row; a constant feature has 0."""
    exponent = np.frexp(np.abs(D).max(axis=0))[1]  # of each feature, whose squares could vanish
    squares = np.ldexp(D, -exponent) ** 2
    sigma = np.hypot(np.ldexp(np.sqrt(squares.sum(axis=0) / count), exponent), np.sqrt(ridge))
    varies = sigma >= np.finfo(np.float64).tiny  # the inverses of smaller ones can be infinite
    L = np.zeros((1, D.shape[1]))
    L[0, varies] = 1.0 / sigma[varies]
    return L, float(2.0 * np.log(sigma[varies]).sum())


def _no_variance(name: str, label: Any) -> str:
    """Return what to say of a covariance that is zero."""
    if label is None:
        about = "within the classes of X" if name.startswith("RCA") else "among the vectors of X"
        return (
            f"X must vary for {name}, which inverts a covariance; got no variance {about} "
            "(pass ridge > 0, or use L2)"
        )
    label = label.item() if isinstance(label, np.generic) else label
    common = {"Mah-C": "Mah", "Mah-CD": "Mah-D"}[name]
    return (
        f"the training vectors of each class must vary for {name}; got equal vectors, or only one, "
        f"for class {label!r} (give it more vectors, pass ridge > 0, or use {common})"
    )


def pairwise(distance: Distance, Q: ArrayLike, X: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return distances from queries to training vectors, by the weights of the vectors' classes.

    Amores, Sebe & Radeva (2006), § 4.3.

    Parameters
    ----------
    distance : Distance
    Q : array_like, shape (m, d)
        Queries.
    X : array_like, shape (n, d)
        Training vectors.
    y : array_like, shape (n,)
        Their classes, all of them known to `distance`.

    Returns
    -------
    numpy.ndarray of float64, shape (m, n)
        L1 distances if that is the name, else squared distances (plus the log-determinant if asked
        for).

    Raises
    ------
    ValueError
        If shapes do not fit, values are not finite, or a label is unknown to `distance`.

    See Also
    --------
    nearest_neighbor : The class of the nearest point.

    Examples
    --------
    >>> from refimpl.rivals.nearest_neighbor import fit_distance, pairwise
    >>> X, y = [[0.0, 0.0], [1.0, 9.0]], [0, 1]
    >>> pairwise(fit_distance("L1", X, y), [[0.0, 1.0]], X, y)
    array([[1., 9.]])
    """
    queries, groups, _ = _checked(distance, Q, X, y)
    return _block(distance, queries, groups)


def nearest_neighbor(distance: Distance, Q: ArrayLike, X: ArrayLike, y: ArrayLike) -> Labels:
    """Return the label of each query's nearest training vector; the lowest index wins ties.

    Equation 1 of Amores, Sebe & Radeva (2006) with a distance instead of the similarity.
    Queries are taken in blocks, so memory stays bounded. Equal training vectors with equal weights
    are exactly tied.

    Parameters
    ----------
    distance : Distance
        From :func:`fit_distance`.
    Q : array_like, shape (m, d)
        Queries.
    X : array_like, shape (n, d)
        Training vectors.
    y : array_like, shape (n,)
        Their classes, all of them known to `distance`.

    Returns
    -------
    numpy.ndarray, shape (m,)
        Labels, in the dtype of `y`.

    Raises
    ------
    ValueError
        If shapes do not fit, values are not finite, or a label is unknown to `distance`.

    See Also
    --------
    fit_distance : Estimate the distance, with an example.

    Examples
    --------
    >>> from refimpl.rivals.nearest_neighbor import fit_distance, nearest_neighbor
    >>> X, y = [[0.0, 0.0], [1.0, 9.0]], [0, 1]
    >>> nearest_neighbor(fit_distance("L1", X, y), [[0.0, 1.0]], X, y)
    array([0])
    """
    queries, groups, labels = _checked(distance, Q, X, y)
    nearest = np.empty(len(queries), dtype=np.int64)
    for part in blocks(len(queries), BLOCK_ENTRIES // max(len(labels), queries.shape[1])):
        nearest[part] = _block(distance, queries[part], groups).argmin(axis=1)
    chosen: Labels = labels[nearest]
    return chosen


def _checked(
    distance: Distance, Q: ArrayLike, X: ArrayLike, y: ArrayLike
) -> tuple[FloatArray, Groups, Labels]:
    """Return the checked queries, the mapped training vectors of each class, and the labels."""
    points = as_vectors_like(X, distance.factor, "X")
    queries = as_vectors_like(Q, points, "Q")
    labels = as_labels(y, len(points), "y")
    unknown = np.setdiff1d(labels, distance.classes)
    if len(unknown):
        raise ValueError(
            f"y must hold labels of the distance's training set; got {unknown.tolist()[0]!r}"
        )
    members = [(c, np.flatnonzero(labels == label)) for c, label in enumerate(distance.classes)]
    if len(distance.starts) == 2:
        members = [(0, np.arange(len(points)))]
    groups = [(c, i, _map_equal_alike(distance, points[i], c)) for c, i in members if len(i)]
    return queries, groups, labels


def _map_equal_alike(distance: Distance, X: FloatArray, c: int) -> FloatArray:
    """Map `X`, equal rows to equal rows: a matrix product may round them differently by place."""
    rows, inverse = np.unique(X, axis=0, return_inverse=True)
    mapped: FloatArray = distance.transform(rows, c)[inverse.reshape(-1)]
    return mapped


def _block(distance: Distance, Q: FloatArray, groups: Groups) -> FloatArray:
    """Return distances from a block of queries to all training vectors."""
    metric = "cityblock" if distance.name == "L1" else "sqeuclidean"
    d = np.empty((len(Q), sum(len(i) for _, i, _ in groups)))
    for c, i, mapped in groups:
        offset = distance.log_det[distance.group(c)]
        d[:, i] = scipy.spatial.distance.cdist(distance.transform(Q, c), mapped, metric) + offset
    if not np.isfinite(d).all():
        raise ValueError(
            "Q and X must have finite distances; got infinity, as for values far from those of "
            "the training set"
        )
    return d
