"""Ensembles: weighted sums of weak classifiers, which Algorithm A.2 of Amores, Sebe & Radeva (2006)
returns.

:mod:`.weak_learners` makes the weak classifiers.
"""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from refimpl.results import immutable, result, sealed
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, Kernels

__all__ = ["Ensemble", "Parameters", "StumpEnsemble", "TreeEnsemble", "stump"]

Parameters: TypeAlias = tuple[Any, ...]
"""The parameters of a weak classifier, in the order of the ensemble's fields after ``alpha``."""


@immutable
@dataclass(frozen=True, eq=False)
class Ensemble:
    """A weighted sum of weak classifiers, H(x) = sum_t alpha_t h_t(x) (eq. 2).

    It is the base class of the ensembles. A subclass is a frozen dataclass whose further fields are
    the parameters of the weak classifiers, with the rounds along the first axis; it defines
    :meth:`h` and :meth:`features`.

    Attributes
    ----------
    alpha : ndarray, shape (T,), float64
        Weights of the weak classifiers.

    Raises
    ------
    TypeError, ValueError
        If the fields are not arrays of numbers with one entry for each round.

    See Also
    --------
    StumpEnsemble, TreeEnsemble : The ensembles of the weak learners in this module.

    Examples
    --------
    >>> ensemble = StumpEnsemble([0.5, 2.0], [0, 1], [1, -1], [0.25, 3.0])
    >>> isinstance(ensemble, Ensemble), len(ensemble)
    (True, 2)
    """

    alpha: FloatArray

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            kind = "float" if field.name == "alpha" else None
            array = _as_numbers(getattr(self, field.name), field.name, kind)
            object.__setattr__(self, field.name, array)
            if field.name == "alpha" and array.ndim != 1:
                raise ValueError(
                    f"alpha must have shape (T,), one weight for each round; got {array.shape}"
                )
            if array.shape[:1] != self.alpha.shape:
                raise ValueError(
                    f"{field.name} must have shape ({len(self)}, ...), as alpha has; "
                    f"got {array.shape}"
                )
        if not np.isfinite(self.alpha).all():
            raise ValueError("alpha must hold finite weights; got NaN or infinity")

    @classmethod
    def from_rounds(cls, rounds: Iterable[tuple[Any, ...]]) -> Self:
        """Make an ensemble of rounds.

        A round is a tuple of the weight and the parameters, in the order of the fields.
        """
        return cls(*[np.array(values) for values in zip(*rounds, strict=True)])

    def __len__(self) -> int:
        return len(self.alpha)

    def weak_classifier(self, t: int) -> Parameters:
        """Return the parameters of round t, counted from 0.

        They are a tuple in the order of the fields after ``alpha``.
        """
        return tuple(getattr(self, field.name)[t] for field in dataclasses.fields(self)[1:])

    def rounds(self, first: int, last: int) -> Self:
        """Return the ensemble of the rounds first, ..., last - 1 alone, counted from 0."""
        fields = dataclasses.fields(self)
        return type(self)(*(getattr(self, field.name)[first:last] for field in fields))

    def h(self, t: int, D: FloatArray) -> BoolArray:
        """Apply the weak classifier of round t to the vectors D, shape (n, d).

        Returns a bool array, shape (n,).
        """
        raise TypeError(f"{type(self).__name__} must define h(t, D)")

    def features(self) -> IntArray:
        """Return the features that the ensemble looks at: int64 array, ascending."""
        raise TypeError(f"{type(self).__name__} must define features()")

    def __call__(self, D: FloatArray) -> FloatArray:
        """Return H(x) of eq. 2 for the vectors D, shape (n, d): float64 array, shape (n,)."""
        H = np.zeros(len(D))
        for t in range(len(self)):
            H += self.alpha[t] * self.h(t, D)  # BD:eq2, BD:A.2:14
        return H

    def add_similarity(
        self,
        S: FloatArray,
        Q: FloatArray,
        X: FloatArray,
        *,
        kernels: Kernels,
        threads: int | None = None,
    ) -> None:
        """Add H(q - x) to S, shape (n_Q, n_X), for every q in Q and x in X, one x at a time."""
        for i in range(len(X)):
            difference = Q - X[i]
            for t in range(len(self)):
                S[:, i] += self.alpha[t] * self.h(t, difference)


def _as_numbers(values: ArrayLike, name: str, kind: str | None = None) -> FloatArray | IntArray:
    """Return a read-only array of float64 or int64; `kind` asks for "float" or for "int"."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} must be an array with one entry for each round ({error})"
        ) from None
    if array.dtype.kind not in "iuf" or (kind == "int" and array.dtype.kind == "f" and array.size):
        numbers = "integers" if kind == "int" else "numbers"
        raise TypeError(f"{name} must hold {numbers}; got dtype {array.dtype}")
    is_float = array.dtype.kind == "f" if kind is None else kind == "float"
    if is_float:
        return sealed(np.array(array, dtype=np.float64, order="C"), copy=False)
    return sealed(np.array(array, dtype=np.int64, order="C"), copy=False)


def _check_stumps(ensemble: "StumpEnsemble | TreeEnsemble", per_round: tuple[int, ...]) -> None:
    """Check the stumps of an ensemble: arrays of shape (T, *per_round)."""
    shape = (len(ensemble), *per_round)
    for name, kind in (("feature", "int"), ("polarity", "int"), ("threshold", "float")):
        array = _as_numbers(getattr(ensemble, name), name, kind)
        if array.shape != shape:
            raise ValueError(
                f"{name} must have shape {shape}, for the {shape[0]} rounds of alpha; "
                f"got {array.shape}"
            )
        object.__setattr__(ensemble, name, array)
    if ensemble.feature.min(initial=0) < 0:
        raise ValueError(
            f"feature must hold numbers of features, from 0; got {ensemble.feature.min()}"
        )
    if not np.isin(ensemble.polarity, (-1, 1)).all():
        raise ValueError("polarity must hold only 1 and -1; got another number")
    if np.isnan(ensemble.threshold).any():
        raise ValueError("threshold must hold numbers, or -inf for a constant stump; got NaN")


def stump(x_f: FloatArray, p: int, theta: float) -> BoolArray:
    """Return the stump h(x, f, p, theta), 1 if p x_f < p theta and else 0 (eqs. 3 and A.1).

    A *decision stump* compares a single feature of a vector with a threshold.

    Parameters
    ----------
    x_f : ndarray, float64
        Feature f of the vectors.
    p : int
        Polarity: 1 or -1.
    theta : float
        Threshold.

    Returns
    -------
    ndarray of bool, of the shape of `x_f`

    See Also
    --------
    StumpEnsemble : Hold a weighted sum of stumps.

    Examples
    --------
    >>> stump(np.array([0.0, 1.0, 2.0]), 1, 1.0).tolist()
    [True, False, False]
    """
    return np.asarray(p * x_f < p * theta)  # BD:eq3, BD:eqA.1


@result
@dataclass(frozen=True, eq=False)
class StumpEnsemble(Ensemble):
    """Phi = {alpha_t, f_t, p_t, theta_t} of Algorithm A.2, Amores, Sebe & Radeva (2006), p. 208.

    Called with vectors, it returns the weighted sum H of eq. 2.

    Attributes
    ----------
    alpha : ndarray, shape (T,), float64
        Weights of the stumps.
    feature : ndarray, shape (T,), int64
        f_t, the dimension that stump t looks at.
    polarity : ndarray, shape (T,), int64
        p_t, 1 or -1.
    threshold : ndarray, shape (T,), float64
        theta_t, in the units of the feature; -inf makes a constant stump: 0 for polarity 1, 1 for
        polarity -1.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not fit together, or hold impossible stumps.

    See Also
    --------
    refimpl.boosted_distance.adaboost : Train an ensemble.
    TreeEnsemble : The same with trees of depth two.

    Examples
    --------
    >>> ensemble = StumpEnsemble([0.5, 2.0], [0, 1], [1, -1], [0.25, 3.0])
    >>> ensemble(np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 4.0]])).tolist()
    [0.5, 2.5, 2.0]
    """

    feature: IntArray
    polarity: IntArray
    threshold: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_stumps(self, ())

    def h(self, t: int, D: FloatArray) -> BoolArray:
        """Apply stump t (eq. A.1) to the vectors D, shape (n, d): bool array, shape (n,)."""
        return stump(D[:, self.feature[t]], self.polarity[t], self.threshold[t])

    def features(self) -> IntArray:
        """Return the features that the ensemble looks at: int64 array, ascending.

        A constant stump looks at no feature.
        """
        return np.unique(self.feature[np.isfinite(self.threshold)])

    def add_similarity(
        self,
        S: FloatArray,
        Q: FloatArray,
        X: FloatArray,
        *,
        kernels: Kernels,
        threads: int | None = None,
    ) -> None:
        """Add H(q - x) to S, shape (n_Q, n_X), for every q in Q and x in X (eq. 4)."""
        kernels.add_similarity(
            S, Q, X, self.alpha, self.feature, self.polarity, self.threshold, threads=threads
        )


@result
@dataclass(frozen=True, eq=False)
class TreeEnsemble(Ensemble):
    """A weighted sum of trees of depth two.

    Stump 0 of a tree sends a vector to stump 1 (if h = 1) or to stump 2. The answer of the second
    stump is the answer of the tree.

    Attributes
    ----------
    alpha : ndarray, shape (T,), float64
        Weights of the trees.
    feature, polarity : ndarray, shape (T, 3), int64
        Of each tree's three stumps; see :class:`StumpEnsemble`.
    threshold : ndarray, shape (T, 3), float64
        Likewise.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not fit together, or hold impossible stumps.

    See Also
    --------
    refimpl.boosted_distance.weak_learners.DepthTwoTrees : The weak learner behind these ensembles.

    Examples
    --------
    >>> tree = TreeEnsemble([1.0], [[0, 1, 1]], [[1, 1, -1]], [[0.5, 2.0, 3.0]])
    >>> tree(np.array([[0.0, 1.0], [0.0, 5.0], [1.0, 1.0], [1.0, 5.0]])).tolist()
    [1.0, 0.0, 0.0, 1.0]
    """

    feature: IntArray
    polarity: IntArray
    threshold: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_stumps(self, (3,))

    def h(self, t: int, D: FloatArray) -> BoolArray:
        """Apply tree t to the vectors D, shape (n, d): bool array, shape (n,)."""
        stumps = zip(self.feature[t], self.polarity[t], self.threshold[t], strict=True)
        root, yes, no = (stump(D[:, f], p, theta) for f, p, theta in stumps)
        return np.where(root, yes, no)

    def features(self) -> IntArray:
        """Return the features that the ensemble looks at: int64 array, ascending."""
        return np.unique(self.feature[np.isfinite(self.threshold)])
