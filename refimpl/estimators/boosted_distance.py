"""scikit-learn estimator over Boosted Distance: Amores, Sebe & Radeva (2006)."""

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from refimpl.boosted_distance import (
    boosted_distance,
    class_similarities,
    selected_dimensions,
    staged_nearest_neighbor,
)
from refimpl.estimators.arguments import kernels_named


class BoostedDistanceClassifier(ClassifierMixin, BaseEstimator):
    """Nearest neighbour under the boosted distance, whose similarities are normalised by default.

    Source: Amores, Sebe & Radeva (2006), Algorithms A.1-A.3. Each class's boosting starts with half of the weight on
    the pairs within the class and half on the others (A.2, line 4), so classes are balanced as they are: there is no
    ``class_weight``.

    Parameters
    ----------
    T : int, default 100
        Rounds of boosting for each class.
    kernels : {"reference", "fast"}, default "reference"
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, optional
        Decision stumps by default.
    normalize : bool, default True
        Divide each class's similarity by its sum of weights, so that it lies in [0, 1] (ERRATUM BD-2). False is
        Algorithm A.3 as printed, which favours the class whose stumps weigh most.
    warm_start : bool, default False
        True makes ``fit`` go on from the rounds of the last ``fit``, which must have had the same data and no
        larger T. The result is that of one ``fit`` with all T rounds.
    callback : callable, optional
        ``callback(label, round)`` is called after each :class:`refimpl.boosted_distance.Round`; if it returns
        True, this class has done.
    threads : int, optional
        None for all.
    max_memory : int, optional
        Bytes that the training may take; ``fit`` raises MemoryError before it starts if it could need more.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    models_ : dict of int -> StumpEnsemble
        By the class's place in `classes_`.
    selected_dimensions_ : ndarray of int64
        The features that the distance looks at, ascending.
    """

    def __init__(
        self, T=100, *, kernels="reference", weak_learner=None, normalize=True, warm_start=False, callback=None,
        threads=None, max_memory=None,
    ):  # fmt: skip
        self.T = T
        self.kernels = kernels
        self.weak_learner = weak_learner
        self.normalize = normalize
        self.warm_start = warm_start
        self.callback = callback
        self.threads = threads
        self.max_memory = max_memory

    def fit(self, X, y):
        """Learn one similarity for each class from X, shape (n, d), and the labels y, shape (n,)."""
        warm = self.warm_start and hasattr(self, "models_")
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", reset=not warm)
        check_classification_targets(y)
        classes, places = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError("y has one class; the classifier needs at least two classes")
        order = np.argsort(places, kind="stable")  # of equal similarities the first class's is taken
        if warm:
            self._check_warm_start(X[order], classes[places[order]])
        callback = None if self.callback is None else lambda C, round: self.callback(classes[C], round)
        self.models_ = boosted_distance(
            X, places, self.T, kernels=kernels_named(self.kernels), weak_learner=self.weak_learner,
            models=self.models_ if warm else None, callback=callback, threads=self.threads,
            max_memory=self.max_memory,
        )  # fmt: skip
        self.classes_, self._places, self._X = classes, places[order], X[order]
        self.selected_dimensions_ = selected_dimensions(self.models_)
        return self

    def _check_warm_start(self, X, y):
        if not np.array_equal(X, self._X) or not np.array_equal(y, self.classes_[self._places]):
            raise ValueError("X, y: not those of the last fit; pass them again, or set warm_start=False")
        trained = max(map(len, self.models_.values()))
        if self.T < trained:
            raise ValueError(f"T is {self.T}; {trained} rounds are trained, pass no fewer or set warm_start=False")

    def _query(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        options = {"kernels": kernels_named(self.kernels), "normalize": self.normalize, "threads": self.threads}
        return X, options

    def _similarities(self, X):
        X, options = self._query(X)
        return class_similarities(X, self.models_, self._X, self._places, **options)

    def decision_function(self, X):
        """Return how similar X, shape (n, d), is to the most similar training vector of each class.

        Returns
        -------
        ndarray, shape (n, n_classes), float64
            Between 0 and 1, unless ``normalize=False``. Of two classes the second's less the first's, shape (n,).
        """
        S = self._similarities(X)
        return S[:, 1] - S[:, 0] if S.shape[1] == 2 else S

    def predict_proba(self, X):
        """Return the softmax of the classes' similarities: exp(S_c) over the sum of exp(S_c) of all classes.

        It puts the classes in order, as :meth:`predict` does, but is no calibrated probability: no class gets more than
        e times another's, unless ``normalize=False``. ``sklearn.calibration.CalibratedClassifierCV`` gives those.

        Returns
        -------
        ndarray, shape (n, n_classes), float64
        """
        return softmax(self._similarities(X), axis=1)

    def predict(self, X):
        """Return the class of the training vector most similar to each row of X, shape (n, d): ndarray, shape (n,).

        Of equal similarities the first class's is taken.
        """
        S = self._similarities(X)
        return self.classes_[S.argmax(axis=1)]

    def staged_predict(self, X, rounds=None):
        """Yield the labels of X after each number of rounds in `rounds` (default: each that was trained)."""
        X, options = self._query(X)
        rounds = range(1, max(map(len, self.models_.values())) + 1) if rounds is None else rounds
        for _, places in staged_nearest_neighbor(X, self.models_, self._X, self._places, rounds, **options):
            yield self.classes_[places]
