"""The base class of FTUNE's estimators: the similarity of X under a kernel, and the landmarks.

X is a table of vectors or a square matrix of similarities (``kernel="precomputed"``; a matrix of
distances with ``distance=True``). If the kernel is a function, X may be any sequence of objects:
strings, sets, images.
"""

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from refimpl.checks import as_flag, one_of
from refimpl.estimators.arguments import as_random_generator, level_of_caller, params_of, work_of
from refimpl.estimators.bases import BaseEstimator
from refimpl.estimators.spaces import as_query_objects, as_training_objects, is_matrix
from refimpl.ftune import Landmarks, dselect, random_landmarks
from refimpl.ftune.similarities import Gaussian, Objects, Similarity, mean_distance
from refimpl.typing import ArrayLike, FloatArray, IntArray, KernelsName

SELECTIONS = ("fresh", "random", "diverse")
ALWAYS = 30  # this number of landmark pairs is always accepted, so the default suits few objects


class KernelEstimator(BaseEstimator):
    """Base class: checks X for the kernel, and computes similarities to landmarks."""

    kernel: Any
    kernel_params: dict[str, Any] | None
    distance: bool
    selection: str
    per_problem: bool
    kernels: KernelsName | None
    random_state: Any
    n_jobs: int | None
    landmarks_: IntArray
    n_similarities_: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_matrix(self.kernel)
        return tags

    def _training_objects(self, X: ArrayLike | Objects) -> Any:
        return as_training_objects(self, X, self.kernel, 2, "at least 2 are needed")

    def _queries(self, X: ArrayLike | Objects) -> Any:
        check_is_fitted(self, "model_")
        return as_query_objects(self, X, self.kernel)

    def _similarity(self, X: Any, rng: np.random.Generator) -> Similarity:
        """Return K over the training objects X."""
        params = params_of(self.kernel_params, "kernel_params")
        as_flag(self.distance, "distance")
        if callable(self.kernel):
            return Similarity(partial(self.kernel, **params), X, distance=self.distance)
        if not isinstance(self.kernel, str):
            raise TypeError(
                "kernel must be 'precomputed', the name of a kernel or a function; "
                f"got {self.kernel!r}"
            )
        if is_matrix(self.kernel):
            return self._matrix(X, params)
        if self.distance:
            raise ValueError(
                f"distance must be False, as kernel {self.kernel!r} is a similarity; got True"
            )
        if self.kernel == "gaussian":
            return _gaussian(X, params, rng)
        from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS  # it takes a while to import

        if self.kernel not in PAIRWISE_KERNEL_FUNCTIONS:
            names = ["gaussian", "precomputed", *sorted(PAIRWISE_KERNEL_FUNCTIONS)]
            listed = ", ".join(map(repr, names))
            raise ValueError(f"kernel must be a function or one of {listed}; got {self.kernel!r}")
        return Similarity(partial(_named_kernel, metric=self.kernel, **params), X, pairwise=True)

    def _matrix(self, X: Any, params: dict[str, Any]) -> Similarity:
        """Return K of kernel="precomputed"."""
        if params:
            raise ValueError(
                f"kernel_params must be None with kernel='precomputed'; got {sorted(params)}"
            )
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"X must be square with kernel='precomputed'; got shape {X.shape}")
        return Similarity(X, distance=self.distance)

    def _chosen(
        self, K: Similarity, places: IntArray, d: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return landmark pairs; `places` holds the class index of each object."""
        if self.selection == "diverse":
            how = {"per_problem": self.per_problem, **work_of(self)}
            return dselect(K, places, d, rng=rng, **how)
        return random_landmarks(places, d, rng=rng, pool=self.selection == "random")

    def _check_selection(self) -> tuple[np.random.Generator, dict[str, Any]]:
        """Check the shared parameters; return the generator, and the kernels and threads."""
        one_of(self.selection, SELECTIONS, "selection")
        if as_flag(self.per_problem, "per_problem") and self.selection != "diverse":
            raise ValueError(
                "per_problem must be False unless selection is 'diverse'; "
                f"got {self.per_problem!r} with selection={self.selection!r}"
            )
        return as_random_generator(self.random_state), work_of(self)

    def _keep_landmarks(self, K: Similarity) -> None:
        """Keep only the landmarks of the training objects."""
        # A matrix is not kept: each query comes with its own row of similarities
        if is_matrix(self.kernel):
            self._K: Similarity = _Rows(len(K), self.distance)
            self._columns = self.landmarks_
        else:
            self._K = K.restricted(self.landmarks_)
            self._columns = np.arange(len(self.landmarks_))

    def _to_landmarks(self, X: ArrayLike | Objects) -> FloatArray:
        """Return K from new objects to the landmarks, shape (m, r)."""
        Q = self._queries(X)
        return self._K.between(Q, self._columns)


class _Rows(Similarity):
    """The similarity of a matrix after the training: queries are rows of n similarities."""

    def __init__(self, n: int, distance: bool) -> None:
        self.computed = 0
        self.distance = distance
        self.pairwise = False
        self._K = None
        self.objects = range(n)


class Part(Similarity):
    """K over some of the training objects; the look-ups are counted in `whole`."""

    def __init__(self, whole: Similarity, members: IntArray) -> None:
        self._whole = whole
        self._members = members
        self.objects = members

    def as_queries(self, Q: Any, name: str = "Q") -> Any:
        return self._whole.as_queries(Q, name)

    def within(self, rows: ArrayLike | None, references: ArrayLike) -> FloatArray:
        rows = self._members if rows is None else self._members[np.asarray(rows)]
        return self._whole.within(rows, self._members[np.asarray(references)])

    def between(self, Q: Objects | ArrayLike, references: ArrayLike) -> FloatArray:
        return self._whole.between(Q, self._members[np.asarray(references)])


def _gaussian(X: FloatArray, params: dict[str, Any], rng: np.random.Generator) -> Similarity:
    """Return K of kernel="gaussian"; its width is the mean distance by default."""
    width = params.pop("width", None)
    if params:
        raise ValueError(
            "kernel_params must hold nothing but 'width' with kernel='gaussian'; got "
            f"{sorted(params)}"
        )
    if width is None:
        width = mean_distance(X, rng=rng)
        if not width > 0:
            width = 1.0  # all points are equal
    return Similarity(Gaussian(width), X, pairwise=True)


def _named_kernel(A: FloatArray, B: FloatArray, *, metric: str, **params: Any) -> FloatArray:
    from sklearn.metrics.pairwise import pairwise_kernels

    K: FloatArray = pairwise_kernels(A, B, metric=metric, **params)
    return K


def at_most_all(d: int, n: int, name: str) -> int:
    """Return d, or n with a warning where more landmarks are asked for than there are objects."""
    if d > n:
        warnings.warn(
            f"{name} is {d}, but there are {n} objects to choose from: all of them are landmarks",
            UserWarning,
            stacklevel=level_of_caller(),
        )
    return min(d, n)


def require_pairs(d: int, places: IntArray, name: str) -> None:
    """Raise ValueError for more landmark pairs than the largest one-vs-all problem has."""
    # A pair is an object of a class and an object of another class
    sizes = np.bincount(places)
    most = int((sizes * (len(places) - sizes)).max())
    if d > max(most, ALWAYS):
        raise ValueError(
            f"{name} must be at most {max(most, ALWAYS)}, as {len(places)} training objects have "
            f"at most {most} pairs of an object of a class and one of another; got {d}"
        )
