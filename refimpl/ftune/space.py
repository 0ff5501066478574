"""The landmarked space of Kar & Jain (2011), § 2, and the classifiers that FTUNE and BBS learn.

Not handled here: choosing landmarks (:mod:`refimpl.ftune.landmarks`) and training
(:mod:`refimpl.ftune.training`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from refimpl.arrays import as_array, for_kernel
from refimpl.checks import as_kernels
from refimpl.ftune.similarities import Objects, Similarity, as_similarity
from refimpl.results import result
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

__all__ = [
    "ALONE",
    "LandmarkClassifier",
    "Landmarks",
    "Ramp",
    "TransferFunction",
    "classes_of",
    "landmarked",
]

ALONE = -1
"""The value of x^- for a landmark that is not in a pair, as in BBS."""

TransferFunction: TypeAlias = float | Callable[[FloatArray], FloatArray]
"""The slope of a :class:`Ramp`, or an antisymmetric function of an array of differences."""


@dataclass(frozen=True)
class Ramp:
    """The transfer function clip(slope x, -1, 1), a ramp function of § 3.

    An infinite slope is the sign function. Slope 1 is the identity on [-1, 1].

    Attributes
    ----------
    slope : float

    See Also
    --------
    landmarked : Apply transfer functions to differences of similarities.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import Ramp
    >>> Ramp(5.0)(np.array([-1.0, 0.1]))
    array([-1. ,  0.5])
    """

    slope: float

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Return f(x) for an array of differences."""
        if np.isinf(self.slope):
            signs: FloatArray = np.sign(x)
            return signs
        return np.clip(self.slope * np.asarray(x), -1.0, 1.0)


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


def landmarked(
    S: FloatArray,
    plus: IntArray,
    minus: IntArray,
    family: Sequence[TransferFunction],
    *,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Return Phi_L(x) = (f(K(x, x_i^+) - K(x, x_i^-)))_i for each transfer function f of a family.

    Source: Kar & Jain (2011), § 2.

    Parameters
    ----------
    S : ndarray, shape (n, r), float64
        K from the points to the landmarks.
    plus, minus : ndarray, shape (d,), int64
        Columns of `S`.
    family : sequence of m floats or callables
        Slopes of ramps (infinity: the sign), or functions of an array of differences.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        None for all processors.

    Returns
    -------
    ndarray, shape (m, n, d), float64

    Raises
    ------
    TypeError, ValueError
        If `S` is not such a matrix, or a column is out of range.

    See Also
    --------
    Ramp : The function of a slope.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import landmarked
    >>> S = np.array([[0.5, 0.25], [0.0, 1.0]])
    >>> landmarked(S, np.array([0]), np.array([1]), [1.0, np.inf])
    array([[[ 0.25],
            [-1.  ]],
    <BLANKLINE>
           [[ 1.  ],
            [-1.  ]]])
    """
    kernels = as_kernels(kernels)
    slopes = slopes_of(family)
    ramps = ~np.isnan(slopes)
    out: FloatArray = kernels.transferred_differences(
        S, plus, minus, slopes[ramps], threads=threads
    )  # FT:phi
    if ramps.all():
        return out
    whole = np.empty((len(family), len(S), len(plus)))
    difference = S[:, plus] - S[:, minus]
    whole[ramps] = out
    for i, f in enumerate(family):
        if callable(f):
            whole[i] = f(difference)  # FT:phi
    return whole


def slopes_of(family: Sequence[TransferFunction]) -> FloatArray:
    """Return the slopes of the ramps of a family, NaN for a function: shape (m,)."""
    return np.array([np.nan if callable(f) else f for f in family], dtype=np.float64)


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
        object.__setattr__(self, "scale", float(self.scale))  # a file gives an array back
        functions = tuple(None if np.isnan(slope) else slope for slope in self.slopes)
        object.__setattr__(self, "functions", functions)

    def decision(
        self, S: ArrayLike, *, kernels: Kernels | None = None, threads: int | None = None
    ) -> FloatArray:
        """Return g(x) of every problem.

        Parameters
        ----------
        S : array_like, shape (k, r)
            K from new objects to `landmarks`, -d for a distance, not scaled.
        kernels : module, optional
        threads : int, optional

        Returns
        -------
        ndarray, shape (k, problems), float64

        Raises
        ------
        ValueError
            If the classifier comes from a file and f* is a function that no file holds.
        """
        S = for_kernel(as_array(S, "S", "a matrix"))
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
        """Return the labels of new objects, from their similarities to the landmarks alone.

        Parameters
        ----------
        K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
            The similarity of the training.
        Q : sequence of k objects; for a matrix array_like, shape (k, n)
        kernels : module, optional
        threads : int, optional

        Returns
        -------
        ndarray, shape (k,)
            The class with the largest g; among equals the first.

        Raises
        ------
        TypeError, ValueError
            If `K` or `Q` does not fit.
        """
        S = as_similarity(K).between(Q, self.landmarks)
        g = self.decision(S, kernels=kernels, threads=threads)
        return self.classes[classes_of(g, len(self.classes))]

    def set_functions(self, family: Sequence[TransferFunction]) -> None:
        """Give a loaded classifier the transfer functions that no file holds.

        Parameters
        ----------
        family : sequence of m floats or callables
            The family of the training.

        Raises
        ------
        ValueError
            If the family has another length.
        """
        if len(family) != len(self.slopes):
            raise ValueError(
                f"family must have {len(self.slopes)} functions, as in the training; "
                f"got {len(family)}"
            )
        object.__setattr__(self, "functions", tuple(family))


def classes_of(g: FloatArray, n_classes: int = 2) -> IntArray:
    """Return the indices of the classes: h(x) = sgn g(x) of Theorem 2.

    With more than two classes it is the class with the largest g; among equals the first.
    """
    if g.shape[1] == 1 and n_classes == 2:
        return (g[:, 0] > 0).astype(np.int64)  # FT:thm2  h(x)
    largest: IntArray = g.argmax(axis=1)
    return largest
