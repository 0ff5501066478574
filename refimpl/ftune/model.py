"""What FTUNE and BBS are asked for and what they learn: options, landmarks, classifiers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from refimpl.arrays import as_array, as_reals
from refimpl.checks import as_flag, as_float, as_number, as_options, is_real, one_of, positive
from refimpl.ftune.linear_models import LEAST_COST, LOSSES, MOST_BIAS, MOST_COST, LossName, as_cost
from refimpl.ftune.similarities import (
    Objects,
    Ramp,
    Similarity,
    TransferFunction,
    as_similarity,
    as_slope,
    landmarked,
)
from refimpl.results import result
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)
"""The slopes of § 3."""
CS = (1.0, 10.0, 100.0, 1000.0)
"""The values of C of § 3."""
BIAS = 1.0
"""The constant feature: scikit-learn's. LIBLINEAR's own default and the paper's g(x) have none."""
DIFFERENCES = np.concatenate([np.linspace(0.0, 2.0, 33), np.geomspace(1e-6, 1.0, 13)])
"""The differences at which transfer functions are tested."""


# ------------------------------------------------------------------------- checks of the options


def as_costs(C: Any) -> FloatArray:
    """Return the checked values of C, shape (n_C,), float64."""
    try:
        values = [C] if np.isscalar(C) or C is None else np.atleast_1d(C).tolist()
    except ValueError:
        raise ValueError(f"C must be a number or a sequence of numbers; got {C!r}") from None
    if not values:
        raise ValueError("C must hold at least one number; got an empty sequence")
    return np.array([as_cost(value, "C") for value in values])


def require_class_weight(class_weight: Any, C: FloatArray) -> None:
    """Raise an error for class weights that are not positive, or too large or small for C."""
    if class_weight is None:
        return
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            "class_weight must be a dict of label -> positive number, or None; "
            f"got {class_weight!r}"
        )
    for label, weight in class_weight.items():
        _require_weight(weight, f"class_weight[{label!r}]", C)


def _require_weight(weight: Any, name: str, C: FloatArray) -> None:
    """Raise an error for a weight that moves C out of the range where training works."""
    if not is_real(weight):
        raise TypeError(f"{name} must be a positive number; got {weight!r}")
    if not 0 < weight < np.inf:
        raise ValueError(f"{name} must be a positive number; got {weight}")
    factor = as_float(weight)
    for cost in (float(C.min()), float(C.max())):
        if not LEAST_COST / cost <= factor <= MOST_COST / cost:
            raise ValueError(
                f"C times {name} must be between {LEAST_COST:g} and {MOST_COST:g}; "
                f"got {cost:g} times {weight}"
            )


def as_family(family: Any, name: str = "family") -> tuple[TransferFunction, ...]:
    """Return the transfer functions, slopes of ramps as floats; a single one makes a tuple."""
    if callable(family) or is_real(family):
        return (as_transfer(family, name),)
    if isinstance(family, str) or not np.iterable(family):
        raise TypeError(
            f"{name} must be a slope, a function or a sequence of slopes and functions; "
            f"got {family!r}"
        )
    functions = tuple(as_transfer(f, f"{name}[{i}]") for i, f in enumerate(family))
    if not functions:
        raise ValueError(f"{name} must hold at least one slope or function; got an empty sequence")
    return functions


def as_transfer(f: Any, name: str) -> TransferFunction:
    """Return one transfer function: a float, the slope of a ramp, or a function."""
    f = f.slope if isinstance(f, Ramp) else f
    if callable(f):
        function: Callable[[FloatArray], FloatArray] = f
        require_antisymmetric(function, DIFFERENCES, name)
        return function
    return as_slope(f, name)


def require_antisymmetric(f: Callable[[FloatArray], FloatArray], x: FloatArray, name: str) -> None:
    """Raise ValueError if f(-x) differs from -f(x) at some x."""
    here = np.asarray(f(x))
    there = np.asarray(f(-x))
    if here.shape != x.shape or not np.isfinite(here).all():
        raise ValueError(f"{name} must return a finite number for each number of its argument")
    if not np.allclose(here, -there, rtol=1e-9, atol=1e-12):
        place = np.unravel_index(np.abs(here + there).argmax(), x.shape)
        raise ValueError(
            f"{name} must be antisymmetric, f(-x) = -f(x); got {here[place]:.6g} at {x[place]:.6g} "
            f"and {there[place]:.6g} at {-x[place]:.6g}"
        )


# ------------------------------------------------------------------ options, and trained problems


@dataclass(frozen=True)
class FTuneOptions:
    """Which transfer functions and penalties are tried, and how the best are chosen.

    The defaults are those of the paper's experiments (§ 3). ``choose="training"`` with one C is
    Algorithm 2 as printed. Options with a `class_weight` cannot be hashed, since a dict cannot.

    Attributes
    ----------
    family : float, callable or sequence of them
        The transfer functions to choose from: slopes of ramps (infinity is the sign function), or
        antisymmetric functions of an array. By default the six slopes of § 3, 1 to 1000.
    loss : {"squared_hinge", "hinge", "logistic"}, default "squared_hinge"
        The loss that TRAIN minimises; the default is LIBLINEAR's.
    C : float or sequence of floats
        The weights of the losses to choose from, for each transfer function; by default the four
        values of § 3, 1 to 1000. C times a class weight must be between 1e-100 and 1e12, because
        rounding errors make the classifiers useless outside this range.
    bias : float, default 1.0
        The value of a constant feature with a penalised weight, as in LIBLINEAR; 0 leaves the
        feature out.
    choose : {"validation", "training"}, default "validation"
        Whether to choose the transfer function with the best validation accuracy (§ 3.3) or with
        the least mean training loss (Algorithm 2, line 5).
    per_class : bool, default False
        Whether each class chooses its own f* and C by the accuracy of its one-vs-all problem
        (FTUNE-M), or all classes share the f* and C of the most accurate classifier (FTUNE-S).
    class_weight : dict of label -> float, optional
        The weight of each class in the training loss and in the validation accuracy; 1 for a class
        without an entry. By default all weights are 1.
    bound : float, optional
        sup |K|, by which similarities are divided. By default, if a |K| of a training object and a
        landmark is above 1, all similarities are divided by the largest, with a warning.

    Raises
    ------
    TypeError, ValueError
        If a value does not fit.

    See Also
    --------
    ftune, bbs : Train with these options.

    Examples
    --------
    >>> from refimpl.ftune import FTuneOptions
    >>> FTuneOptions(family=5, C=[1, 10]).family
    (5.0,)
    >>> FTuneOptions(family=[1.0, -5.0])
    Traceback (most recent call last):
        ...
    ValueError: family[1] must be a positive slope (infinity: the sign) or a function; got -5.0
    """

    family: TransferFunction | Sequence[TransferFunction] | FloatArray = SLOPES
    loss: LossName = "squared_hinge"
    C: float | Sequence[float] | FloatArray = CS
    bias: float = BIAS
    choose: Literal["validation", "training"] = "validation"
    per_class: bool = False
    class_weight: Mapping[Any, float] | None = None
    bound: float | None = None

    def __post_init__(self) -> None:
        one_of(self.loss, LOSSES, "loss")
        one_of(self.choose, ("validation", "training"), "choose")
        C = as_costs(self.C)
        require_class_weight(self.class_weight, C)
        self._set("family", as_family(self.family))
        self._set("C", tuple(C.tolist()))
        self._set("per_class", as_flag(self.per_class, "per_class"))
        self._set("bias", as_number(self.bias, "bias", below=MOST_BIAS))
        self._set("class_weight", None if self.class_weight is None else dict(self.class_weight))
        self._set("bound", None if self.bound is None else positive(self.bound, "bound"))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


DEFAULTS = FTuneOptions()
"""The options of § 3."""


def for_bbs(options: FTuneOptions, validation: object) -> FTuneOptions:
    """Return the options of BBS, which has no transfer function to choose."""
    options = as_options(options, FTuneOptions)
    choose: Literal["validation", "training"] = "training" if validation is None else "validation"
    return replace(options, family=1.0, choose=choose, per_class=False)


@dataclass(frozen=True, eq=False)
class TrainedProblem:
    """One one-vs-all problem, trained under every transfer function f and for every C.

    It is the `state` of a :class:`refimpl.Step` of :func:`refimpl.ftune.ftune`.

    Attributes
    ----------
    w : ndarray, shape (m, n_C, d + 1), float64
        w_f, with the bias last.
    losses : ndarray, shape (m, n_C), float64
        L_f, the mean training loss.
    gaps : ndarray, shape (m, n_C), float64
        The largest possible distance of TRAIN's objective from the optimum, relative to it.
    scores : ndarray, shape (m, n_C, k), float64
        g(x) of the validation objects.

    See Also
    --------
    FTuneTraining : Several trained problems, in a form that can be saved.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, bbs
    >>> shapes = []
    >>> model = bbs(np.eye(4), [0, 0, 1, 1], [0, 3], options=FTuneOptions(C=1.0),
    ...             callback=lambda step: shapes.append(step.state.w.shape))
    >>> shapes
    [(1, 1, 3)]
    """

    w: FloatArray
    losses: FloatArray
    gaps: FloatArray
    scores: FloatArray


@result
@dataclass(frozen=True, eq=False)
class FTuneTraining:
    """The first k trained problems, from which :func:`refimpl.ftune.ftune` can continue.

    It is the `result` of a :class:`refimpl.Step`. It can be saved to a file, so
    ``refimpl.Checkpoint`` can be the callback.

    Attributes
    ----------
    digest : str
        The sha256 of the arguments. Only a training with the same arguments can continue.
    w : ndarray, shape (k, m, n_C, d + 1), float64
    losses, gaps : ndarray, shape (k, m, n_C), float64
    scores : ndarray, shape (k, m, n_C, n_held), float64
        The arrays of :class:`TrainedProblem`, for each problem.

    Raises
    ------
    ValueError
        If the arrays do not hold the same problems, at least one.

    See Also
    --------
    TrainedProblem : One problem.
    refimpl.ftune.ftune : Takes it as ``start=``.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, bbs
    >>> K, y, options = np.eye(6), [0, 0, 1, 1, 2, 2], FTuneOptions(C=1.0)
    >>> results = []
    >>> model = bbs(K, y, [0, 2, 4], options=options,
    ...             callback=lambda step: results.append(step.result))
    >>> [len(result.w) for result in results]
    [1, 2, 3]
    >>> bbs(K, y, [0, 2, 4], options=options, start=results[0]) == model
    True
    """

    digest: str
    w: FloatArray
    losses: FloatArray
    gaps: FloatArray
    scores: FloatArray

    def __post_init__(self) -> None:
        if not len(self.w) == len(self.losses) == len(self.gaps) == len(self.scores) > 0:
            raise ValueError("w, losses, gaps and scores must hold the same problems, at least one")

    @property
    def problems(self) -> list[TrainedProblem]:
        """The trained problems, one after the other."""
        rows = zip(self.w, self.losses, self.gaps, self.scores, strict=True)
        return [TrainedProblem(*row) for row in rows]


def stacked(problems: Sequence[TrainedProblem], digest: str) -> FTuneTraining:
    """Return the first problems of a training, with the digest of its arguments."""

    def all_of(name: str) -> Any:
        return np.array([getattr(problem, name) for problem in problems])

    return FTuneTraining(digest, all_of("w"), all_of("losses"), all_of("gaps"), all_of("scores"))


# ------------------------------------------------------------------ landmarks, and the classifiers

ALONE = -1
"""The value of x^- for a landmark that is not in a pair, as in BBS."""


@result
@dataclass(frozen=True, eq=False)
class Landmarks:
    """Landmarks, and pairs of them for each one-vs-all problem.

    There is one problem for two classes, and one for each of more classes.

    Attributes
    ----------
    L : ndarray, shape (r,), int64
        Landmarks as indices of training objects, in the order of their choice. Pairs are
        drawn from them. Only the fresh pairs of :func:`refimpl.ftune.random_landmarks` come from
        all objects instead.
    plus, minus : ndarray, shape (problems, d), int64
        x_i^+ and x_i^- as indices of training objects. x_i^+ is of the problem's class (of
        two classes the second in sorted order), x_i^- of another.

    Raises
    ------
    TypeError, ValueError
        If a field is sparse, or has rows of several lengths. :func:`refimpl.ftune.ftune` checks
        the indices of the pairs.

    See Also
    --------
    random_landmarks, dselect, landmark_pairs : Choose landmarks and pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import Landmarks
    >>> P = Landmarks(np.array([0, 2]), np.array([[2, 2]]), np.array([[0, 0]]))
    >>> P.plus.shape
    (1, 2)
    """

    L: IntArray
    plus: IntArray
    minus: IntArray

    def __post_init__(self) -> None:
        for name in ("L", "plus", "minus"):
            indices = as_array(getattr(self, name), name, "indices")
            object.__setattr__(self, name, indices)


@result
@dataclass(frozen=True, eq=False)
class LandmarkClassifier:
    """The linear classifiers that FTUNE and BBS learn, one for each one-vs-all problem.

    Attributes
    ----------
    classes : ndarray, shape (c,)
        The labels, sorted.
    landmarks : ndarray, shape (r,), int64
        The training objects that a new object is compared with, ascending. A new object costs r
        look-ups of K.
    plus, minus : ndarray, shape (problems, d), int64
        Indices of `landmarks`; `minus` is -1 for BBS. There is one problem for two classes, whose g
        is positive for the second, and one for each of more classes.
    slopes : ndarray, shape (m,), float64
        The family of transfer functions; NaN for a function that is not a ramp.
    f : ndarray, shape (problems,), int64
        The index of f* in the family. It is the same for all problems unless each chose its own.
    C : ndarray, shape (problems,), float64
    w : ndarray, shape (problems, d), float64
    b : ndarray, shape (problems,), float64
    scale : float
        Similarities are divided by it, so that sup |K| <= 1.
    losses : ndarray, shape (problems, m, n_C), float64
        L(w_f), the mean training loss, for each transfer function and C.
    accuracies : ndarray, shape (1 or problems, m, n_C), float64, or (0,)
        Accuracies on the validation set: of all classes together, or of each problem with
        ``per_class``.
    gaps : ndarray, shape (problems, m, n_C), float64
        The largest possible distance of TRAIN's objective from the optimum, relative to it.

    Raises
    ------
    TypeError, ValueError
        From its methods, if similarities, objects or transfer functions do not fit, or a function
        of the family must be set after loading.

    See Also
    --------
    refimpl.ftune.ftune, refimpl.ftune.bbs : Train such a classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import bbs, FTuneOptions
    >>> K = np.kron(np.eye(2), np.ones((2, 2)))
    >>> model = bbs(K, ["a", "a", "b", "b"], [0, 2], options=FTuneOptions(C=1.0))
    >>> model.decision(np.array([[1.0, 0.0]])).shape
    (1, 1)
    >>> model.predict(K, [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]).tolist()
    ['a', 'b']
    """

    classes: Labels
    landmarks: IntArray
    plus: IntArray
    minus: IntArray
    slopes: FloatArray
    f: IntArray
    C: FloatArray
    w: FloatArray
    b: FloatArray
    scale: float
    losses: FloatArray
    accuracies: FloatArray
    gaps: FloatArray
    functions: ClassVar[tuple[TransferFunction | None, ...]]
    _unsaved: ClassVar[tuple[str, ...]] = ("functions",)

    def __post_init__(self) -> None:
        functions = tuple(None if np.isnan(slope) else slope for slope in self.slopes)
        object.__setattr__(self, "functions", functions)

    def decision(
        self, S: ArrayLike, *, kernels: Kernels | None = None, threads: int | None = None
    ) -> FloatArray:
        """Return g(x) of every problem: float64, shape (k, problems).

        S, shape (k, r), holds K from new objects to `landmarks`, -d for a distance, not scaled.
        ValueError is raised, too, if the classifier comes from a file and f* is a function that no
        file holds.
        """
        S = as_similarities(S, len(self.landmarks))
        if self.scale != 1:
            S = S / self.scale
        g = np.empty((len(S), len(self.w)))
        for p, (place, w, b) in enumerate(zip(self.f, self.w, self.b, strict=True)):
            if self.minus[p, 0] == ALONE:
                Phi = S[:, self.plus[p]]
            else:
                f = self.functions[place]
                if f is None:
                    raise ValueError(
                        f"function {place} of the family must be set after loading, as no file "
                        "holds it; call set_functions(family)"
                    )
                Phi = landmarked(
                    S, self.plus[p], self.minus[p], [f], kernels=kernels, threads=threads
                )[0]
            g[:, p] = Phi @ w + b  # FT:thm2  the 1 / d is in w
        return g

    def predict(
        self,
        K: Similarity | ArrayLike,
        Q: Objects | ArrayLike,
        *,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> Labels:
        """Return the labels of k new objects, from their similarities to the landmarks alone: (k,).

        K is the :class:`refimpl.ftune.similarities.Similarity` of the training, or its matrix; for
        a matrix Q has shape (k, n). The class with the largest g wins; among equals the first.
        """
        S = as_similarity(K).between(Q, self.landmarks)
        g = self.decision(S, kernels=kernels, threads=threads)
        return self.classes[classes_of(g, len(self.classes))]

    def set_functions(self, family: Sequence[TransferFunction]) -> None:
        """Give a loaded classifier the transfer functions of its training, m floats or callables.

        No file holds functions. ValueError says that the family has another length.
        """
        if len(family) != len(self.slopes):
            raise ValueError(
                f"family must have {len(self.slopes)} functions, as in the training; "
                f"got {len(family)}"
            )
        object.__setattr__(self, "functions", tuple(family))


def as_similarities(S: ArrayLike, r: int) -> FloatArray:
    """Return the checked similarities of new objects to r landmarks, (k, r)."""
    S = as_reals(S, "S", "a matrix")
    if S.ndim != 2 or S.shape[1] != r:
        raise ValueError(
            f"S must have shape (k, {r}), a column for each of `landmarks`; got {S.shape}"
        )
    if not np.isfinite(S).all():
        raise ValueError("S must hold finite numbers; got NaN or infinity")
    return S


def classes_of(g: FloatArray, n_classes: int = 2) -> IntArray:
    """Return the classes: h(x) = sgn g(x) of Theorem 2, of more than two that of the largest g."""
    if g.shape[1] == 1 and n_classes == 2:
        return (g[:, 0] > 0).astype(np.int64)  # FT:thm2  h(x)
    largest: IntArray = g.argmax(axis=1)
    return largest
