"""Nearest neighbour under the distances that Amores, Sebe & Radeva (2006), § 4.3, compare against.

All of them but L1 are ``(x - y)^T W (x - y)`` (§ 1 of the paper) and differ in what W is estimated from:

======  ==================================================================================================
L1      the sum of absolute differences
L2      W = I
RCA     W = inverse of the average covariance within the chunklets (Bar-Hillel, Hertz, Shental & Weinshall
        2003, "Learning distance functions using equivalence relations", § 2); the chunklets are the classes
        of the training set
Mah     W = inverse covariance of the whole training set
Mah-C   W_C = inverse covariance of class C; a training vector of class C is compared with W_C
-D      RCA-D, Mah-D, Mah-CD: only the diagonal of the covariance is estimated
======  ==================================================================================================

Readings of what the paper leaves open
--------------------------------------
* "the same covariance matrix for all the classes" (Mah) is taken as the covariance about the mean of the
  whole training set. Were it the covariance pooled within the classes, Mah would be RCA with the classes as
  chunklets, and Table 2 names the two as different winners.
* Mah-C is a distance, as the paper says, and has no log-determinant; ``log_det=True`` adds the term
  of the Gaussian likelihood.
* Sums of squares are divided by n - 1 (by the number of points in RCA, as its source has it). This matters
  for Mah-C and Mah-CD only: elsewhere a common factor does not move the nearest neighbour.
* Singular covariances are the rule in this paper (200 vectors in 1,558 dimensions). W is then the
  pseudo-inverse: a direction in which the sample does not vary has weight zero. For the full matrices that is
  a singular value of the centred data below `rcond` times the largest; for the diagonal ones, whose features
  need not have a common scale, it is a feature that is constant. A class that does not vary at all, for
  instance one with a single vector, has no distance of its own: Mah-C and Mah-CD raise ValueError.
  ``ridge`` adds a variance in every direction instead.

Not handled here: K > 1 neighbours, missing values, an index structure.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from refimpl.checks import as_labels, as_matrix, as_number, as_vectors_like, one_of
from refimpl.results import result
from refimpl.rivals.whitening import centred, centred_by_class, principal_deviations

__all__ = ["NAMES", "Distance", "fit_distance", "nearest_neighbor", "pairwise"]

NAMES = ("L1", "L2", "RCA", "Mah", "Mah-C", "RCA-D", "Mah-D", "Mah-CD")
BLOCK_ENTRIES = 1 << 22  # numbers held for one block of queries: 32 MB


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
        W_c = L_c^T L_c. For full W_c the factors L_c, each r_c x d with r_c the rank of W_c, stand below one
        another; a diagonal one has the diagonal of L_c in row c. A distance common to all classes has one L.
    starts : numpy.ndarray of int64, shape (G + 1,)
        L_c is ``factor[starts[c]:starts[c + 1]]``; G is M for Mah-C and Mah-CD, else 1.
    log_det : numpy.ndarray of float64, shape (G,)
        What is added to the squared distances to vectors of class c; zero unless asked for.
    """

    name: str
    classes: np.ndarray
    factor: np.ndarray
    starts: np.ndarray
    log_det: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "name", str(self.name))  # a file gives it back as an array
        one_of(self.name, NAMES, "name")
        if self.factor.ndim != 2 or self.classes.ndim != 1:
            raise ValueError(f"factor, classes have the shapes {self.factor.shape}, {self.classes.shape}; (R, d), (M,)")
        groups = len(self.classes) if self.name.startswith("Mah-C") else 1
        if self.starts.shape != (groups + 1,) or self.log_det.shape != (groups,):
            shapes = f"{self.starts.shape}, {self.log_det.shape}"
            raise ValueError(f"starts, log_det have the shapes {shapes}; they must be {(groups + 1,)}, {(groups,)}")
        if self.starts[0] != 0 or self.starts[-1] != len(self.factor) or (np.diff(self.starts) <= 0).any():
            raise ValueError(f"starts is {self.starts}; it must rise from 0 to the {len(self.factor)} rows of factor")

    def group(self, c):
        """Where the weights of class number `c` stand."""
        return c if len(self.starts) > 2 else 0

    def transform(self, V, c=0):
        """Map the rows of `V`, shape (n, d), with L_c: distances to class number `c` become L1 or L2."""
        g = self.group(c)
        L = self.factor[self.starts[g] : self.starts[g + 1]]
        return V * L if _is_diagonal(self.name) else V @ L.T


def _is_diagonal(name):
    return name in ("L1", "L2") or name.endswith("D")


def fit_distance(name, X, labels, *, rcond=None, ridge=0.0, log_det=False):
    """Estimate the distance `name` from a training set.

    Amores, Sebe & Radeva (2006), § 4.3; the module's text has the definitions and the rules for singular
    covariances.

    Parameters
    ----------
    name : {"L1", "L2", "RCA", "Mah", "Mah-C", "RCA-D", "Mah-D", "Mah-CD"}
    X : array_like, shape (n, d)
        Training vectors.
    labels : array_like, shape (n,)
        Their classes.
    rcond : float, optional
        Full matrices only: singular values of the centred data not above `rcond` times the largest count as
        zero. The default is that of :func:`numpy.linalg.matrix_rank`, ``max(n, d) * eps``.
    ridge : float, default 0.0
        This variance is added in every direction before the inversion. Then nothing is singular, and the
        full matrices take O(d**3).
    log_det : bool, default False
        Mah-C and Mah-CD only: add log det of the class's covariance (the product of its non-zero eigenvalues)
        to the squared distances.

    Returns
    -------
    Distance

    Raises
    ------
    ValueError
        If the name is unknown, the input is empty or not finite or shapes do not fit, `log_det` is asked for
        where no class has its own covariance, or a covariance is zero.
    """
    one_of(name, NAMES, "name")
    X = as_matrix(X, "X")
    labels = as_labels(labels, len(X), "labels")
    rcond = None if rcond is None else as_number(rcond, "rcond", below=1.0)
    ridge = as_number(ridge, "ridge")
    if log_det and not name.startswith("Mah-C"):
        raise ValueError(f"log_det=True needs one covariance for each class: Mah-C or Mah-CD, not {name}")
    classes = np.unique(labels)
    samples = _centred_samples(name, X, labels, classes)
    factor = _diagonal_factor if _is_diagonal(name) else _full_factor
    parts = []
    for label, D, count in samples:
        parts.append(factor(D, count, rcond, ridge))
        if not parts[-1][0].any():
            raise ValueError(_no_variance(name, label))
    if not samples:  # L1, L2
        parts = [(np.ones((1, X.shape[1])), 0.0)]
    starts = np.cumsum([0] + [len(L) for L, _ in parts])
    offsets = np.array([v if log_det else 0.0 for _, v in parts])
    return Distance(name, classes, np.concatenate([L for L, _ in parts]), starts, offsets)


def _centred_samples(name, X, labels, classes):
    """(class or None, centred vectors, divisor) of each covariance that the distance `name` needs."""
    if name.startswith("RCA"):
        _, c, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        in_chunklet = sizes[c] > 1  # a chunklet of one point says nothing
        return [(None, centred_by_class(X, labels), max(np.count_nonzero(in_chunklet), 1))]
    if name in ("Mah", "Mah-D"):
        return [(None, centred(X), max(len(X) - 1, 1))]
    if name in ("Mah-C", "Mah-CD"):
        groups = [(c, X[labels == c]) for c in classes]
        return [(c, centred(Xc), max(len(Xc) - 1, 1)) for c, Xc in groups]
    return []


def _full_factor(D, count, rcond, ridge):
    """L with L^T L = pinv(D^T D / count + ridge I), and the log of the product of the eigenvalues."""
    if ridge > 0:
        D = np.vstack([D, np.sqrt(count * ridge) * np.eye(D.shape[1])])
    sigma, V = principal_deviations(D, count, rcond)
    return V / sigma[:, None], 2.0 * np.log(sigma).sum()


def _diagonal_factor(D, count, rcond, ridge):
    """The same for the diagonal of the covariance; L is one row, a constant feature has weight zero."""
    sigma = np.sqrt((D * D).sum(axis=0) / count + ridge)
    varies = sigma > 0
    L = np.zeros((1, D.shape[1]))
    L[0, varies] = 1.0 / sigma[varies]
    return L, 2.0 * np.log(sigma[varies]).sum()


def _no_variance(name, label):
    if label is None:
        about = "within the classes of X" if name.startswith("RCA") else "among the vectors of X"
        return f"there is no variance {about}, so {name} has nothing to invert; pass ridge > 0, or use L2"
    common = {"Mah-C": "Mah", "Mah-CD": "Mah-D"}[name]
    return (
        f"the training vectors of class {label!r} do not vary (or it has only one), so {name} has no "
        f"covariance for it; give the class more vectors, pass ridge > 0, or use {common}"
    )


def pairwise(distance, Y, X, labels):
    """Distances from queries to training vectors, each by the weights of the training vector's class.

    Parameters
    ----------
    distance : Distance
    Y : array_like, shape (m, d)
        Queries.
    X : array_like, shape (n, d)
        Training vectors.
    labels : array_like, shape (n,)
        Their classes, all of them known to `distance`.

    Returns
    -------
    numpy.ndarray of float64, shape (m, n)
        L1 distances if that is the name, else squared distances (plus the log-determinant if asked for).

    Raises
    ------
    ValueError
        If shapes do not fit, values are not finite, or a label is unknown to `distance`.
    """
    Y, groups = _checked(distance, Y, X, labels)
    return _block(distance, Y, groups)


def nearest_neighbor(distance, Y, X, labels):
    """The label of each query's nearest training vector; the lowest index wins ties.

    Equation 1 of Amores, Sebe & Radeva (2006) with a distance in the place of the similarity. Queries are
    taken in blocks, so memory stays bounded; n_query x n_train x d numbers are never held. Equal training
    vectors with equal weights are exactly tied.

    Parameters
    ----------
    distance : Distance
        From :func:`fit_distance`.
    Y : array_like, shape (m, d)
        Queries.
    X : array_like, shape (n, d)
        Training vectors.
    labels : array_like, shape (n,)
        Their classes, all of them known to `distance`.

    Returns
    -------
    numpy.ndarray, shape (m,)
        Labels, in the dtype of `labels`.

    Raises
    ------
    ValueError
        If shapes do not fit, values are not finite, or a label is unknown to `distance`.
    """
    Y, groups = _checked(distance, Y, X, labels)
    labels = np.asarray(labels)
    step = max(1, BLOCK_ENTRIES // max(len(labels), Y.shape[1]))
    nearest = np.empty(len(Y), dtype=np.int64)
    for start in range(0, len(Y), step):
        nearest[start : start + step] = _block(distance, Y[start : start + step], groups).argmin(axis=1)
    return labels[nearest]


def _checked(distance, Y, X, labels):
    """Checked queries, and for each class (its number, its training indices, its mapped training vectors)."""
    X = as_matrix(X, "X")
    if X.shape[1] != distance.factor.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns; the distance was learnt in {distance.factor.shape[1]}")
    Y = as_vectors_like(Y, X, "Y")
    labels = as_labels(labels, len(X), "labels")
    unknown = np.setdiff1d(labels, distance.classes)
    if len(unknown):
        raise ValueError(f"labels holds {unknown[0]!r}, which the distance was not fitted with")
    members = [(c, np.flatnonzero(labels == label)) for c, label in enumerate(distance.classes)]
    if len(distance.starts) == 2:
        members = [(0, np.arange(len(X)))]
    return Y, [(c, i, _map_equal_alike(distance, X[i], c)) for c, i in members if len(i)]


def _map_equal_alike(distance, X, c):
    """Map `X`, equal rows to equal rows: a matrix product may round them differently by their position."""
    rows, inverse = np.unique(X, axis=0, return_inverse=True)
    return distance.transform(rows, c)[inverse.reshape(-1)]


def _block(distance, Y, groups):
    metric = "cityblock" if distance.name == "L1" else "sqeuclidean"
    d = np.empty((len(Y), sum(len(i) for _, i, _ in groups)))
    for c, i, mapped in groups:
        d[:, i] = cdist(distance.transform(Y, c), mapped, metric) + distance.log_det[distance.group(c)]
    return d
