"""scikit-learn estimator over Boosted Distance: Amores, Sebe & Radeva (2006)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
import scipy

from refimpl.boosted_distance import (
    BoostedDistance,
    boosted_distance,
    class_similarities,
    selected_dimensions,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.training import weighted
from refimpl.boosted_distance.weak_learners import WeakLearner
from refimpl.checks import as_count, as_flag
from refimpl.estimators.arguments import (
    agreeing,
    all_or_nothing,
    classes_of,
    described,
    labels_of,
    queries_of,
    validated,
    work_of,
)
from refimpl.estimators.bases import BaseEstimator, ClassifierMixin
from refimpl.progress import Callback
from refimpl.typing import ArrayLike, FloatArray, KernelsName, Labels


@described("refimpl.boosted_distance", boosted_distance, similarity)
@dataclass(eq=False, repr=False)
class BoostedDistanceClassifier(ClassifierMixin, BaseEstimator):
    """Nearest neighbour under the boosted distance, whose similarities are normalised by default.

    Source: Amores, Sebe & Radeva (2006), Algorithms A.1-A.3. The boosting of each class starts with
    half of the weight on the pairs within the class and half on the others (A.2, line 4), so
    classes of different sizes are balanced already.

    Parameters
    ----------
    n_estimators : int, default 100
        The number of rounds of boosting for each class, T. All are made, also where they gain
        nothing any more, unless `callback` ends them.
    weak_learner
        As for :func:`refimpl.boosted_distance.boosted_distance`.
    normalize, class_weight
        As for :func:`refimpl.boosted_distance.similarity`.
    kernels, n_jobs
        As for all estimators.
    callback : callable, optional
        ``callback(step)`` is called with a :class:`refimpl.Step` after each round of each class. If
        it returns True, the training of this class ends. See
        :func:`refimpl.boosted_distance.boosted_distance`.
    warm_start : bool, default False
        If True, ``fit`` continues from the model of the last ``fit``, which must have had the same
        data and no larger `n_estimators`. The result is that of one ``fit`` with all rounds.
    max_memory
        As for all estimators.

    Attributes
    ----------
    model_ : refimpl.boosted_distance.BoostedDistance
        The trained model, with an ensemble of weak classifiers for each class.
    classes_ : ndarray, shape (n_classes,)
        The class labels, in ascending order.
    n_features_in_ : int
        The number of columns of X in ``fit``.
    selected_dimensions_ : ndarray of int64
        The features that the distance depends on, in ascending order.

    See Also
    --------
    refimpl.boosted_distance.boosted_distance : The training as a function.

    Examples
    --------
    >>> from refimpl.estimators import BoostedDistanceClassifier
    >>> X, y = [[0.0, 3.0], [1.0, 9.0], [5.0, 4.0], [6.0, 8.0]], ["low", "low", "high", "high"]
    >>> classifier = BoostedDistanceClassifier(n_estimators=5).fit(X, y)
    >>> classifier.predict([[2.0, 8.0], [7.0, 3.0]]).tolist()
    ['low', 'high']
    >>> classifier.selected_dimensions_.tolist()
    [0]
    """

    n_estimators: int = 100
    _: KW_ONLY
    weak_learner: WeakLearner[Any] | None = None
    normalize: bool = True
    class_weight: Mapping[Any, float] | None = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1
    callback: Callback | None = None
    warm_start: bool = False
    max_memory: int | None = None
    model_: BoostedDistance = field(init=False)
    _weights: FloatArray | None = field(init=False)

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn one similarity for each class from X, shape (n, d), and the labels y, shape (n,).

        A vector of `sample_weight` 2 counts as one given twice, one of 0 as left out. Returns the
        estimator itself.
        """
        rounds = as_count(self.n_estimators, "n_estimators")
        as_flag(self.normalize, "normalize")
        warm = as_flag(self.warm_start, "warm_start") and hasattr(self, "model_")
        points = validated(self, X, dtype=np.float64, order="C", reset=not warm)
        points, labels, weights = weighted(points, labels_of(y, points), sample_weight)
        classes, places = classes_of(labels, points, 2)
        # sorted by class: among equal similarities argmax takes the first class
        order = np.argsort(places, kind="stable")
        if warm:
            self._check_warm_start(points[order], labels[order])
            if not np.array_equal(np.array(self._weights), np.array(weights)):
                raise ValueError("sample_weight must be that of the last fit, with warm_start")
        self.model_ = boosted_distance(
            points,
            labels,
            rounds,
            sample_weight=weights,
            weak_learner=self.weak_learner,
            callback=self.callback,
            start=self.model_ if warm else None,
            max_memory=self.max_memory,
            **work_of(self),
        )
        self.classes_ = classes
        self._X = points[order]
        self._y = labels[order]
        self._weights = weights
        self.selected_dimensions_ = selected_dimensions(self.model_)
        return self

    def _check_warm_start(self, X: FloatArray, y: Labels) -> None:
        if not np.array_equal(X, self._X) or not np.array_equal(y, self._y):
            raise ValueError(
                "X and y must be those of the last fit, or warm_start must be False; got others"
            )
        trained = max(map(len, self.model_.ensembles))
        if self.n_estimators < trained:
            raise ValueError(
                f"n_estimators must be at least {trained}, the rounds that are trained, or "
                f"warm_start must be False; got {self.n_estimators}"
            )

    def _query(self, X: ArrayLike) -> tuple[FloatArray, dict[str, Any]]:
        """Return the checked queries and the options of the functions."""
        options = {"normalize": self.normalize, "class_weight": self.class_weight}
        return queries_of(self, X), options | work_of(self)

    def _similarities(self, X: ArrayLike) -> FloatArray:
        Q, options = self._query(X)
        return class_similarities(self.model_, Q, self._X, self._y, **options)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return how similar each row of X is to the most similar training vector of each class.

        The result has shape (n, n_classes), float64, and values between 0 and 1, unless
        ``normalize=False`` or `class_weight` has factors above 1. With two classes the shape is
        (n,), and a value is the similarity of the second class minus that of the first.
        """
        S = self._similarities(X)
        return S[:, 1] - S[:, 0] if S.shape[1] == 2 else S

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the softmax of the classes' similarities: float64, shape (n, n_classes).

        The value of class c is exp(S_c) divided by the sum of exp(S_c) over all classes. The class
        with the largest value is the one that :meth:`predict` returns. The values are not
        calibrated probabilities: no class gets more than e times the value of another, unless
        ``normalize=False`` or `class_weight` has factors above 1.
        ``sklearn.calibration.CalibratedClassifierCV`` gives calibrated probabilities.
        """
        S = self._similarities(X)
        return agreeing(scipy.special.softmax(S, axis=1), S.argmax(axis=1))

    def predict(self, X: ArrayLike) -> Labels:
        """Return the class of the training vector most similar to each row of X: shape (n,).

        Among classes with equal similarities the first one wins.
        """
        places = self._similarities(X).argmax(axis=1)
        labels: Labels = self.classes_[places]
        return labels

    def staged_predict(self, X: ArrayLike, rounds: Iterable[int] | None = None) -> Iterator[Labels]:
        """Yield the labels of X, shape (n, d), after each number of rounds in `rounds`.

        The default is each number of rounds up to the last that was trained.
        """
        Q, options = self._query(X)
        if rounds is None:
            rounds = range(1, max(map(len, self.model_.ensembles)) + 1)
        stages = staged_nearest_neighbor(self.model_, Q, self._X, self._y, rounds, **options)
        for _, labels in stages:
            yield labels
