"""Ensembles of weak classifiers, and a boosted distance made of them: what the trainings of Amores,
Sebe & Radeva (2006) return, and a record of each round.

Weak learners (:mod:`.weak_learners`) make the weak classifiers.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from refimpl.results import immutable, result, sealed
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, Kernels, Labels

Parameters: TypeAlias = tuple[Any, ...]
"""The parameters of a weak classifier, in the order of the ensemble's fields after ``alpha``."""


@immutable
@dataclass(frozen=True, eq=False)
class Ensemble:
    """A weighted sum of weak classifiers, H(x) = sum_t alpha_t h_t(x) (eq. 2)."""

    # A subclass is a frozen dataclass whose further fields are the parameters of the weak
    # classifiers, with the rounds along the first axis; it defines h and features.
    alpha: FloatArray  # the weights of the weak classifiers, (T,)

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
        """Make an ensemble of rounds: tuples of the values of the fields, in their order."""
        return cls(*[np.array(values) for values in zip(*rounds, strict=True)])

    def __len__(self) -> int:
        return len(self.alpha)

    def weak_classifier(self, t: int) -> Parameters:
        """Return the parameters of round t, counted from 0: the fields after ``alpha``."""
        return tuple(getattr(self, field.name)[t] for field in dataclasses.fields(self)[1:])

    def rounds(self, first: int, last: int) -> Self:
        """Return the ensemble of the rounds first, ..., last - 1 alone, counted from 0."""
        fields = dataclasses.fields(self)
        return type(self)(*(getattr(self, field.name)[first:last] for field in fields))

    def h(self, t: int, D: FloatArray) -> BoolArray:
        """Return what round t's weak classifier says of vectors D, (n, d): bool, shape (n,)."""
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
    """Return the stump h(x, f, p, theta), 1 if p x_f < p theta and else 0: eqs. 3 and A.1."""
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
    """A weighted sum of trees: stump 0 sends a vector to stump 1 or, if h = 0, to stump 2."""

    feature: IntArray  # of each tree's three stumps, (T, 3)
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


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of Algorithm A.2 computes; the `state` of a :class:`refimpl.Step`.

    Attributes
    ----------
    t : int
        Number of the round, from 1.
    epsilon : float
        Weighted error of the weak classifier.
    alpha : float
        Its weight in the ensemble.
    h : tuple
        Its parameters; (f, p, theta) for a stump.
    w : ndarray, shape (n,), float64
        The normalised weights under which it was chosen, positives first.

    See Also
    --------
    refimpl.boosted_distance.adaboost_rounds : Return the rounds one after another.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boosted_distance.algorithm import adaboost_rounds
    >>> round = next(adaboost_rounds(np.array([[0.0], [1.0]]), np.array([[2.0], [3.0]])))
    >>> round.t, round.h, round.w.tolist()
    (1, (0, 1, 1.5), [0.25, 0.25, 0.25, 0.25])
    """

    t: int
    epsilon: float
    alpha: float
    h: tuple[Any, ...]
    w: FloatArray = dataclasses.field(repr=False)


@result
@dataclass(frozen=True, eq=False, repr=False)
class BoostedDistance(Mapping[Any, Ensemble]):
    """A trained boosted distance: the ensembles {Phi_C} of Algorithm A.1.

    Source: Amores, Sebe & Radeva (2006), p. 208.

    ``model[label]`` is the ensemble of a class. The other methods of a mapping from labels to
    ensembles work as well: ``len(model)``, ``label in model``, ``for label in model``,
    ``model.items()``.

    Attributes
    ----------
    classes : ndarray, shape (n_classes,)
        The labels, ascending.
    ensembles : tuple of Ensemble
        The ensemble of each class, in the order of `classes`. All are of one type, such as
        :class:`StumpEnsemble`; they may differ in their numbers of rounds.

    Raises
    ------
    TypeError, ValueError
        If the fields do not fit together.

    See Also
    --------
    boosted_distance : Train a boosted distance.
    nearest_neighbor_boosted_distance : Label queries.
    refimpl.save : Write a result to a file.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance
    >>> model = boosted_distance([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"], 3)
    >>> model
    BoostedDistance(2 classes, 3 rounds of StumpEnsemble)
    >>> model.classes.tolist(), len(model), len(model["a"])
    (['a', 'b'], 2, 3)
    """

    classes: Labels
    ensembles: tuple[Ensemble, ...]

    def __post_init__(self) -> None:
        classes = np.asarray(self.classes)
        ensembles = tuple(self.ensembles)
        if classes.ndim != 1 or not np.array_equal(np.unique(classes), classes):
            raise ValueError(
                f"classes must be different labels in ascending order; got {self.classes!r}"
            )
        if len(ensembles) != len(classes) or not len(classes):
            raise ValueError(
                f"ensembles must have an entry for each of the {len(classes)} classes, at least 1; "
                f"got {len(ensembles)}"
            )
        types = {type(ensemble) for ensemble in ensembles}
        if len(types) > 1 or not all(isinstance(ensemble, Ensemble) for ensemble in ensembles):
            names = ", ".join(sorted(kind.__name__ for kind in types))
            raise TypeError(f"ensembles must be Ensembles of one type; got {names}")
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "ensembles", ensembles)

    def __getitem__(self, label: Any) -> Ensemble:
        """Return the ensemble of a class."""
        try:
            place: int = self.classes.tolist().index(label)
        except ValueError:
            raise KeyError(label) from None
        return self.ensembles[place]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the labels, ascending."""
        return iter(self.classes.tolist())

    def __len__(self) -> int:
        return len(self.ensembles)

    def __repr__(self) -> str:
        rounds = [len(ensemble) for ensemble in self.ensembles]
        least, most = min(rounds), max(rounds)
        numbers = f"{most}" if least == most else f"{least} to {most}"
        kind = type(self.ensembles[0]).__name__
        return f"BoostedDistance({len(self)} classes, {numbers} rounds of {kind})"

    def rounds(self, first: int, last: int) -> Self:
        """Return the model with only the rounds first, ..., last - 1 of each class.

        Rounds are counted from 0. ``model.rounds(0, t)`` is the model that a training of t rounds
        returns.
        """
        parts = tuple(ensemble.rounds(first, last) for ensemble in self.ensembles)
        return type(self)(self.classes, parts)
