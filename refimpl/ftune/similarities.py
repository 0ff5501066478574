"""Similarities K(x, x') of objects, and the landmarked space of § 2 that they make.

Kar & Jain (2011), § 2: K may be any function or matrix. It need be neither positive semidefinite
nor symmetric. A distance d is taken as the similarity -d (footnote 2). The cost of a new object is
the number of its look-ups of K, so a :class:`Similarity` counts them.

Not handled here: storing look-ups between calls, and scaling to sup |K| <= 1, which
:mod:`refimpl.ftune.problems` does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from refimpl.arrays import LARGEST, SMALLEST, as_matrix, as_reals, blocks, in_range
from refimpl.checks import (
    as_count,
    as_flag,
    as_float,
    as_generator,
    as_indices,
    as_kernels,
    is_real,
    positive,
)
from refimpl.spaces.objects import as_float_array, as_objects, values_of
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

__all__ = [
    "Gaussian",
    "Objects",
    "Ramp",
    "Similarity",
    "TransferFunction",
    "landmarked",
    "mean_distance",
]

Objects: TypeAlias = Sequence[Any] | NDArray[Any]
"""Objects of any kind in a sequence, or the rows of an array."""

_BLOCK = 2**22  # distances that mean_distance holds at a time


class Similarity:
    """K over n training objects.

    Parameters
    ----------
    K : callable or array_like, shape (n, n)
        A function or the matrix of all K(x_i, x_j). A function ``K(x, x')`` returns a number. With
        ``pairwise=True`` it is ``K(A, B)`` and returns a matrix of shape (len(A), len(B)), where A
        and B are lists of objects, or arrays if the objects come as an array. A matrix holds row i
        to column j. It is used as it is, not copied. A new object is then a row of its n
        similarities.
    objects : sequence or ndarray, optional
        The training objects of a function. The rows of an array are its objects.
    distance : bool, default False
        Whether `K` is a distance: small for alike objects.
    pairwise : bool, default False
        Whether the function takes many objects at once.

    Attributes
    ----------
    objects : sequence or ndarray
        The training objects, in the form in which new objects are passed.
    computed : int
        Look-ups of K so far. Look-ups in a given matrix count as well.

    Raises
    ------
    TypeError, ValueError
        If the arguments do not fit together, or a matrix is not square, empty or not finite.

    See Also
    --------
    Gaussian : The kernel of § 3.2.

    Examples
    --------
    >>> from refimpl.ftune.similarities import Similarity
    >>> words = ["lap", "map", "maps"]
    >>> K = Similarity(lambda a, b: len(set(a) & set(b)) / len(set(a) | set(b)), words)
    >>> K.between(["maple"], [0, 1])
    array([[0.6, 0.6]])
    >>> K.computed
    2
    """

    objects: Any
    computed: int

    def __init__(
        self,
        K: Callable[..., Any] | ArrayLike,
        objects: Objects | None = None,
        *,
        distance: bool = False,
        pairwise: bool = False,
    ) -> None:
        self.computed = 0
        self.distance = as_flag(distance, "distance")
        self.pairwise = as_flag(pairwise, "pairwise")
        self._K = K if callable(K) else None
        if self._K is None:
            if objects is not None:
                raise TypeError(
                    f"objects must be None if K is a matrix; got a {type(objects).__name__}"
                )
            self.objects = _as_matrix_of_all(K)
            return
        if objects is None:
            raise TypeError("objects must hold the training objects if K is a function; got None")
        self.objects = as_objects(objects, "objects")
        if len(self.objects) == 0:
            raise ValueError("objects must hold at least one training object; got none")

    def __len__(self) -> int:
        return len(self.objects)

    def within(self, rows: ArrayLike | None, references: ArrayLike) -> FloatArray:
        """Return K from training objects to training objects: (m, r), float64, C-contiguous.

        K starts from the m indices `rows`, from all objects with None, and leads to the r indices
        `references`, of which one that occurs twice is looked up once. It is -d for a distance d.
        TypeError or ValueError says that an index does not fit, or a value of K is not finite.
        """
        if rows is None:
            return self.between(self.objects, references)
        places: IntArray = as_indices(rows, len(self), "rows", "objects")
        if np.array_equal(places, np.arange(len(self))):
            return self.between(self.objects, references)
        return self.between(select(self.objects, places), references)

    def restricted(self, members: ArrayLike) -> "Similarity":
        """Return the same K over the objects of some indices. It holds none of the others.

        TypeError or ValueError says that an index does not fit, or that K is a matrix.
        """
        if self._K is None:
            raise TypeError("K must be a function to be restricted; got a matrix, whose rows stay")
        objects = select(self.objects, as_indices(members, len(self), "members", "objects"))
        return Similarity(self._K, objects, distance=self.distance, pairwise=self.pairwise)

    def between(self, Q: Objects | ArrayLike, references: ArrayLike) -> FloatArray:
        """Return K from m objects Q to training objects: (m, r), float64, C-contiguous.

        For a matrix Q has shape (m, n). References and errors are those of :meth:`within`.
        """
        queries = self.as_queries(Q)
        columns: IntArray = as_indices(references, len(self), "references", "training objects")
        distinct, places = np.unique(columns, return_inverse=True)
        if self._K is None:
            block = queries[:, distinct].astype(np.float64, copy=False)
        else:
            block = self._of_function(self._K, queries, distinct)
        wrong = ~np.isfinite(block)
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise ValueError(
                "similarities must be finite; "
                f"got {block[i, j]} from object {i} to training object {distinct[j]}"
            )
        self.computed += block.size
        if self.distance:
            block = -block
        same = len(distinct) == len(columns) and (places == np.arange(len(columns))).all()
        return np.ascontiguousarray(block if same else block[:, places.reshape(-1)])

    def as_queries(self, Q: Any, name: str = "Q") -> Any:
        """Return the checked query objects, which have a length; messages call them `name`."""
        if self._K is not None:
            return as_objects(Q, name)
        rows = Q if Q is self.objects else as_float_array(Q, name)
        if rows.ndim != 2 or rows.shape[1] != len(self):
            raise ValueError(
                f"{name} must have shape (m, {len(self)}), in each row the similarities of an "
                f"object to all training objects; got {rows.shape}"
            )
        return rows

    def _of_function(self, K: Callable[..., Any], Q: Any, references: IntArray) -> FloatArray:
        others = select(self.objects, references)
        reused = not isinstance(K, Gaussian)  # it may return the same array again
        return values_of(K, Q, others, "K", pairwise=self.pairwise, copy=reused)


def as_similarity(K: Similarity | ArrayLike, n: int | None = None, name: str = "K") -> Similarity:
    """Return `K` as a :class:`Similarity`, of `n` objects: itself, or a matrix of similarities."""
    if not isinstance(K, Similarity):
        if callable(K):
            raise TypeError(
                f"{name} must be a Similarity or a matrix; got a function: "
                f"pass Similarity({name}, objects)"
            )
        K = Similarity(K)
    if n is not None and len(K) != n:
        raise ValueError(f"{name} must have as many training objects as y, {n}; got {len(K)}")
    return K


@dataclass(frozen=True, eq=False)
class Gaussian:
    """The kernel K(A, B) = exp(-|a - b|^2 / width^2) of the rows of two arrays of real numbers.

    It is for ``Similarity(..., pairwise=True)``. § 3.2 takes the mean distance of the training
    points for the width (:func:`mean_distance`). The paper does not say whether a 2 stands beside
    the squared width; here there is none.

    Attributes
    ----------
    width : float
        Above 0, in the units of the data.

    Raises
    ------
    TypeError, ValueError
        If `width` is not a number above 0.

    See Also
    --------
    mean_distance : The width of § 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune.similarities import Gaussian
    >>> K = Gaussian(2.0)
    >>> bool(np.isclose(K(np.array([[0.0]]), np.array([[2.0]])), np.exp(-1.0)).all())
    True
    """

    width: float

    def __post_init__(self) -> None:
        positive(self.width, "width")
        if not SMALLEST <= self.width <= LARGEST:
            raise ValueError(f"width must be from {SMALLEST} to {LARGEST}; got {self.width}")

    def __call__(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return K, shape (len(A), len(B))."""
        A, B = as_reals(A, "A"), as_reals(B, "B")
        # products would lose the digits of rows that are far from 0
        K: FloatArray = scipy.spatial.distance.cdist(A, B, "sqeuclidean")
        K /= -(self.width**2)
        return np.exp(K, out=K)


def mean_distance(
    X: ArrayLike, *, most: int = 2000, rng: np.random.Generator | None = None
) -> float:
    """Return the mean Euclidean distance of two different rows of X.

    § 3.2 takes it for the width of the Gaussian kernel.

    Parameters
    ----------
    X : array_like, shape (n, d)
    most : int, default 2000
        The number of rows to draw if there are more. The pairs of the drawn rows stand for all.
    rng : numpy.random.Generator, optional
        Needed only if X has more than `most` rows.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two rows, `X` is no matrix of finite numbers whose squares can be
        summed, `most` is below 2, `rng` is no generator, or rows have to be drawn and it is None.

    See Also
    --------
    Gaussian : The kernel that the width is for.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune.similarities import mean_distance
    >>> round(mean_distance(np.array([[0.0], [1.0], [2.0]])), 6)
    1.333333
    """
    points = in_range(as_matrix(X, "X"), "X")
    n = min(len(points), as_count(most, "most", 2))
    if n < 2:
        raise ValueError(f"X must have at least two rows for a distance; got {n}")
    if rng is not None:
        as_generator(rng)
    if n < len(points):
        if rng is None:
            raise ValueError(
                f"rng must be a numpy.random.Generator to draw {n} of {len(points)} rows; got None"
            )
        points = points[rng.choice(len(points), n, replace=False)]
    points = points - points.mean(axis=0)
    exponent = np.frexp(np.abs(points).max())[1]  # a power of 2, so that squares do not vanish
    points = np.ldexp(points, -exponent)
    cdist = scipy.spatial.distance.cdist
    total = sum(cdist(points[part], points).sum() for part in blocks(n, _BLOCK // n))
    return float(np.ldexp(total / (n * (n - 1)), exponent))


def _as_matrix_of_all(K: Any) -> FloatArray:
    matrix: FloatArray = as_float_array(K, "K")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise ValueError(
            "K must be square, one row and one column for each training object; "
            f"got shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"K must hold finite similarities; got {matrix[i, j]} in K[{i}, {j}]")
    return matrix


def select(objects: Any, indices: IntArray) -> Any:
    """Return some of the objects: an array of an array, else a list."""
    return objects[indices] if isinstance(objects, np.ndarray) else [objects[i] for i in indices]


# ----------------------------------------------------------------------------- the landmarked space

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
    threads : int, optional

    Returns
    -------
    ndarray, shape (m, n, d), float64

    Raises
    ------
    TypeError, ValueError
        If `S` is not such a matrix, a column is out of range, or `family` holds anything but
        positive slopes and functions that return an array of the shape that they get.

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
    S = as_reals(S, "S", "a matrix")
    if S.ndim != 2:
        raise ValueError(f"S must be a matrix with a point in each row; got shape {S.shape}")
    plus = as_indices(plus, S.shape[1], "plus", "columns of S")
    minus = as_indices(minus, S.shape[1], "minus", "columns of S")
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
            Phi = np.asarray(f(difference))
            if Phi.shape != difference.shape:
                raise ValueError(
                    f"family[{i}] must return an array of the shape that it is given, "
                    f"{difference.shape}; got {Phi.shape}"
                )
            whole[i] = Phi  # FT:phi
    return whole


def slopes_of(family: Sequence[TransferFunction]) -> FloatArray:
    """Return the slopes of the ramps of a family, NaN for a function: shape (m,)."""
    if not np.iterable(family):
        raise TypeError(f"family must be a sequence of slopes and functions; got {family!r}")
    slopes = [np.nan if callable(f) else as_slope(f, f"family[{i}]") for i, f in enumerate(family)]
    return np.array(slopes, dtype=np.float64)


def as_slope(slope: Any, name: str) -> float:
    """Return the slope of a ramp, a number above 0; infinity is the sign."""
    if not is_real(slope) or not as_float(slope) > 0:
        raise ValueError(
            f"{name} must be a positive slope (infinity: the sign) or a function; got {slope!r}"
        )
    return as_float(slope)
