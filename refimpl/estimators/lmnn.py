"""scikit-learn estimators over LMNN: Weinberger & Saul (2008)."""

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from numbers import Real
from typing import Any, Self, TypeAlias, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from refimpl.arrays import as_reals
from refimpl.checks import as_count, as_flag, as_float, one_of
from refimpl.estimators.arguments import (
    all_or_nothing,
    as_random_generator,
    classes_of,
    described,
    level_of_caller,
    options_from,
    queries_of,
    validated,
    work_of,
)
from refimpl.estimators.bases import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from refimpl.lmnn import ConvergenceWarning as NotConverged
from refimpl.lmnn import LMNNOptions, LMNNResult, lmnn, lmnn_rect, lmnn_svd
from refimpl.lmnn.arguments import require_neighbors, require_scale
from refimpl.lmnn.model import LMNNCallback, Search, Solver
from refimpl.lmnn.training import warn_unless_finished
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, KernelsName, Labels

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None


def training_data(
    estimator: Any, X: ArrayLike, y: ArrayLike
) -> tuple[FloatArray, Labels, IntArray, int]:
    """Return the points X, the sorted classes, the index of each point's class, and k."""
    points: FloatArray = validated(estimator, X, dtype=np.float64, order="C", copy=True)
    classes, places = classes_of(y, points, 2)
    k = as_count(estimator.n_neighbors, "n_neighbors")
    data = f" (n_samples = {points.shape[0]}, n_features = {points.shape[1]})"
    require_neighbors(k, classes, places, "n_neighbors", data)
    require_scale(points)
    return points, classes, places, k


def held_in(given: Any, places: IntArray, k: int, rng: np.random.Generator) -> BoolArray:
    """Mark the points to learn the metrics from, at least k + 1 of each class."""
    kept = np.ones(len(places), dtype=np.bool_)
    if given is None:
        return kept
    if not isinstance(given, Real) or not 0 < (share := as_float(given)) < 1:
        raise ValueError(f"validation must be between 0 and 1, or None; got {given!r}")
    for c in range(places.max() + 1):
        members = rng.permutation(np.flatnonzero(places == c))
        kept[members[: min(int(share * len(members)), len(members) - k - 1)]] = False
    return kept


def options_of(estimator: Any, X: FloatArray, places: IntArray, kept: BoolArray) -> dict[str, Any]:
    """Return the keyword arguments of the training that both estimators pass."""
    held_out = None if kept.all() else (X[~kept], places[~kept])
    return {
        "options": options_from(estimator, LMNNOptions, validation=held_out),
        "callback": estimator.callback,
        "max_memory": estimator.max_memory,
        **work_of(estimator),
    }


def trained(
    train: Callable[..., LMNNResult], *arguments: Any, options: LMNNOptions, **keywords: Any
) -> LMNNResult:
    """Return what the training returns; if it does not converge, warn as scikit-learn does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = train(*arguments, options=options, **keywords)
    warn_unless_finished(model, options, ConvergenceWarning, stacklevel=1 + level_of_caller())
    return model


@described("refimpl.lmnn", LMNNOptions)
@dataclass(eq=False, repr=False)
class LMNN(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learn a linear map whose images have the learnt metric as Euclidean distance: LMNN.

    The metric brings each point near to its *target neighbours*, the k nearest points of its own
    class, and keeps *impostors* away. An impostor is a point of another class that is less than one
    unit of squared distance farther away than a target neighbour. In a pipeline a
    k-nearest-neighbour classifier follows this transformer.

    Source: Weinberger & Saul (2008), §§ 2-4.

    Parameters
    ----------
    n_neighbors : int, default 3
        k, the number of target neighbours of each point; every class needs at least k + 1 points.
    mu : float, default 1.0
        The weight of the violated margins (eq. 3).
    n_components : int, optional
        The largest rank of the metric, and the number of dimensions of the images; by default the
        number of features. If the metric has a lower rank, as with a constant feature, the last
        dimensions are 0.
    low_rank : {"rect", "svd"}, default "rect"
        How to reduce the rank to `n_components` (§ 4.3). LMNN-RECT ("rect") learns the factor
        itself and needs the default `solver` and `n_target_rounds`. LMNN-SVD ("svd") learns a
        metric of full rank and keeps its leading eigenvectors.
    solver, search, max_checks, patience
        As for :class:`refimpl.lmnn.LMNNOptions`.
    tol : float, default 1e-3
        The training ends when the gap between the objective and its lower bound is at most `tol`
        times the objective; LMNN-RECT ends when the steps between two full checks lower it by less
        than that. See :class:`refimpl.lmnn.LMNNOptions`.
    n_target_rounds : int, default 1
        How many times target neighbours are chosen: under the Euclidean metric first, then under
        the metric just learnt.
    validation : float, optional
        The share of the points of each class that is held out. The training ends when their k-NN
        error has not fallen for `patience` full checks of all triples, and the metric of the lowest
        error is kept.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The source of random numbers; pass an integer to get the same result from each ``fit``. It
        draws the points that are held out.
    kernels, n_jobs
        As for all estimators.
    callback : callable, optional
        ``callback(step)`` is called with a :class:`refimpl.Step` after each full check. If it
        returns True, the training ends. See :func:`refimpl.lmnn.lmnn`.
    warm_start : bool, default False
        If True, ``fit`` starts from the metric of the last ``fit``.
    max_memory
        As for all estimators.

    Attributes
    ----------
    model_ : refimpl.lmnn.LMNNResult
        The trained model, with its objective, bound, `converged` and history. With `n_components`
        and "rect" there is no bound: `converged` then says that the last steps lowered the
        objective by less than `tol` times its value, possibly at a local minimum. With "svd" the
        model is the metric of full rank.
    components_ : ndarray, shape (r, n_features), float64
        The factor L of the metric M = L^T L; ``transform`` multiplies by it.
    n_features_in_ : int
        The number of columns of X in ``fit``.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If ``model_.converged`` is False, unless the validation error ended the training. The
        warning and ``model_.message`` say why.

    See Also
    --------
    refimpl.estimators.MultiMetricLMNN : A classifier with several metrics.
    refimpl.lmnn.lmnn, refimpl.lmnn.lmnn_rect : The trainings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LMNN(n_components=2).fit(X, y)
    >>> model.transform(X).shape
    (150, 2)
    >>> model.get_mahalanobis_matrix().shape
    (4, 4)
    """

    n_neighbors: int = 3
    _: KW_ONLY
    mu: float = 1.0
    n_components: int | None = None
    low_rank: str = "rect"
    solver: Solver | None = None
    search: Search = "product"
    tol: float = 1e-3
    max_checks: int = 200
    n_target_rounds: int = 1
    validation: float | None = None
    patience: int = 5
    random_state: RandomState = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1
    callback: LMNNCallback | None = None
    warm_start: bool = False
    max_memory: int | None = None
    components_: FloatArray = field(init=False)
    n_features_in_: int = field(init=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the metric from X, (n, n_features), and the classes y, (n,); return self."""
        warm = as_flag(self.warm_start, "warm_start")
        before = getattr(self, "components_", None) if warm else None
        points, _, places, k = training_data(self, X, y)
        d = points.shape[1]
        r = d if self.n_components is None else as_count(self.n_components, "n_components")
        one_of(self.low_rank, ("rect", "svd"), "low_rank")
        if r > d:
            raise ValueError(f"n_components must be at most {d}, the features of X; got {r}")
        rect = r < d and self.low_rank == "rect"
        if before is not None and (before.shape[1] != d or (rect and len(before) != r)):
            before = None
        kept = held_in(self.validation, places, k, as_random_generator(self.random_state))
        keywords = options_of(self, points, places, kept)
        train = partial(lmnn_rect, r=r) if rect else lmnn
        model = trained(
            train, points[kept], places[kept], k=k, mu=self.mu, start=before, **keywords
        )
        L = lmnn_svd(model, r) if r < d and not rect else model.L[0]
        self.model_ = model
        self.components_ = np.pad(L, ((0, r - len(L)), (0, 0)))  # the metric can have a lower rank
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return X L^T, the images of points X, shape (m, n_features): float64, shape (m, r)."""
        return cast(FloatArray, queries_of(self, X) @ self.components_.T)

    def get_mahalanobis_matrix(self) -> FloatArray:
        """Return M = L^T L, shape (n_features, n_features), float64."""
        check_is_fitted(self, "model_")
        return self.components_.T @ self.components_

    def pair_distance(self, pairs: ArrayLike) -> FloatArray:
        """Return the learnt distance (not squared) between the points of each pair: float64, (m,).

        `pairs` has shape (m, 2, n_features) and finite numbers; TypeError or ValueError if not.
        """
        check_is_fitted(self, "model_")
        both = as_reals(pairs, "pairs", "pairs of points")
        d = self.n_features_in_
        if both.ndim != 3 or both.shape[1:] != (2, d) or not np.isfinite(both).all():
            raise ValueError(
                f"pairs must hold finite numbers, shape (m, 2, {d}); got shape {both.shape}"
            )
        images = (both[:, 0] - both[:, 1]) @ self.components_.T
        return cast(FloatArray, np.hypot.reduce(images, axis=1))  # it squares no large number

    def pair_score(self, pairs: ArrayLike) -> FloatArray:
        """Return the negative :meth:`pair_distance`: the larger, the more similar the points."""
        return -self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        """Return the metric as a function of two points, which a later ``fit`` does not change.

        ``metric(u, v, squared=False)`` takes arrays of shape (n_features,). scikit-learn and SciPy
        accept the function as `metric`.
        """
        check_is_fitted(self, "model_")
        L = self.components_.copy()

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            image = L @ (_point(u, "u", L.shape[1]) - _point(v, "v", L.shape[1]))
            return float(image @ image if squared else np.hypot.reduce(image))

        return metric

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _point(x: ArrayLike, name: str, d: int) -> FloatArray:
    """Return one point of d numbers."""
    is_plain = type(x) is np.ndarray and x.dtype == np.float64  # the usual case costs nothing
    point = cast(FloatArray, x) if is_plain else as_reals(x, name)
    if point.shape != (d,):
        raise ValueError(f"{name} must be a point, shape ({d},); got shape {point.shape}")
    return point
