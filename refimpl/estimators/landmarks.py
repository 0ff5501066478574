"""A scikit-learn transformer: the landmarked space of Kar & Jain (2011)."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np

from refimpl.checks import as_count
from refimpl.estimators.arguments import all_or_nothing, classes_of, described, work_of
from refimpl.estimators.bases import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from refimpl.estimators.similarities import KernelEstimator, at_most_all, require_pairs
from refimpl.ftune import diverse_landmarks, landmarked
from refimpl.ftune.model import as_transfer
from refimpl.ftune.problems import as_singletons
from refimpl.ftune.similarities import Objects, Similarity, TransferFunction
from refimpl.typing import ArrayLike, FloatArray, IntArray, KernelsName


@described("refimpl.ftune")
@dataclass(eq=False, repr=False)
class LandmarkTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Transform objects into their similarities to landmarks, or to pairs of landmarks.

    A *landmark* is a training object that all objects are compared with. A *landmark pair* is a
    landmark of a class and a landmark of another class. With pairs a feature is f(K(x, x+) - K(x,
    x-)), where the *transfer function* f is applied to the difference of the similarities to the
    two landmarks.

    Source: Kar & Jain (2011), § 2. Similarities are not scaled.

    Parameters
    ----------
    n_components : int, default 30
        Without `slope` the number of landmarks; with fewer objects all of them are landmarks. With
        `slope` the number of landmark pairs for each one-vs-all problem; there is one problem for
        two classes, and one for each class otherwise. A number of pairs above 30 must not exceed
        the number of different pairs that the objects have.
    slope : float, callable, optional
        The transfer function f: the slope of a ramp (infinity is the sign function), or an
        antisymmetric function of an array. It needs classes y. With None the features are the
        similarities to single landmarks (Balcan & Blum).
    selection : {"fresh", "random", "diverse"}, default "fresh"
        How landmarks are chosen. With `slope` as for :class:`FTuneClassifier`: an object is
        compared with up to 2 `n_components` objects for each problem if the pairs are fresh, and
        with `n_components` objects in all otherwise. Without `slope` "fresh" and "random" draw
        random landmarks, and "diverse" takes those of DSELECT without regard to classes.
    per_problem : bool, default False
        As for :class:`FTuneClassifier`; it needs `slope`.
    kernel, kernel_params, distance
        As for :class:`FTuneClassifier`.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The source of random numbers; pass an integer to get the same result from each ``fit``. It
        draws the landmarks.
    kernels, n_jobs
        As for all estimators.

    Attributes
    ----------
    model_ : refimpl.ftune.Landmarks
        The chosen landmarks and pairs, as rows of X.
    landmarks_ : ndarray, shape (r,), int64
        The rows of X that are landmarks, in ascending order.
    plus_, minus_ : ndarray, shape (n_features_out,), int64
        The landmarks of each feature, as indices into `landmarks_`. Without `slope` `minus_` is
        None.
    n_similarities_ : int
        The number of values of K that ``fit`` looked up.
    n_features_in_ : int
        The number of columns of X in ``fit``; not set if X is a sequence of objects.

    See Also
    --------
    FTuneClassifier : A classifier on such features, which chooses the slope.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import LandmarkTransformer
    >>> X, _ = load_iris(return_X_y=True)
    >>> LandmarkTransformer(n_components=5, random_state=0).fit(X).transform(X).shape
    (150, 5)
    """

    n_components: int = 30
    _: KW_ONLY
    slope: TransferFunction | None = None
    selection: Literal["fresh", "random", "diverse"] = "fresh"
    per_problem: bool = False
    kernel: str | Callable[..., Any] = "gaussian"
    kernel_params: dict[str, Any] | None = None
    distance: bool = False
    random_state: Any = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1

    @all_or_nothing
    def fit(self, X: ArrayLike | Objects, y: ArrayLike | None = None) -> Self:
        """Choose the landmarks; return the estimator itself.

        X has shape (n, n_features), or (n, n) with ``kernel="precomputed"``; with a callable it is
        a sequence of n objects. The classes y, shape (n,), are needed with `slope`, and ignored
        without.
        """
        rng, _ = self._check_selection()
        d = as_count(self.n_components, "n_components")
        objects = self._training_objects(X)
        if self.slope is None:
            if self.per_problem:
                raise ValueError("per_problem must be False if slope is None; got True")
            K = self._similarity(objects, rng)
            self.model_ = as_singletons(self._alone(K, d, rng), len(K))
            self.landmarks_, self.plus_ = np.unique(self.model_.L, return_inverse=True)
            self.minus_ = None
        else:
            self._transfer = as_transfer(self.slope, "slope")
            if y is None:
                raise ValueError("y must hold classes if slope is set; got None")
            places = classes_of(y, objects, 2)[1]
            require_pairs(d, places, "n_components")
            K = self._similarity(objects, rng)
            self.model_ = self._chosen(K, places, d, rng)
            both = np.concatenate([self.model_.plus.ravel(), self.model_.minus.ravel()])
            self.landmarks_, both = np.unique(both, return_inverse=True)
            self.plus_, self.minus_ = np.split(both.astype(np.int64), 2)
        self.n_similarities_ = K.computed
        self._keep_landmarks(K)
        return self

    def _alone(self, K: Similarity, d: int, rng: np.random.Generator) -> IntArray:
        """Return single landmarks, which are not in pairs."""
        d = at_most_all(d, len(K), "n_components")
        if self.selection == "diverse":
            return diverse_landmarks(K, d, rng=rng, **work_of(self))
        return rng.choice(len(K), d, replace=False)

    def transform(self, X: ArrayLike | Objects) -> FloatArray:
        """Return Phi_L(x) of § 2 for m objects: float64, shape (m, n_features_out).

        X has the form that ``fit`` takes (rows of n similarities if precomputed).
        """
        S = self._to_landmarks(X)
        if self.minus_ is None:
            return S[:, self.plus_]
        features: FloatArray
        (features,) = landmarked(S, self.plus_, self.minus_, [self._transfer], **work_of(self))
        return features

    @property
    def _n_features_out(self) -> int:
        return len(self.plus_)
