"""scikit-learn estimators over the papers; needs scikit-learn (``pip install 'refimpl[figures]'``)."""

import importlib

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("refimpl.estimators needs scikit-learn: pip install 'refimpl[figures]'") from error

from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance, staged_nearest_neighbor

_KERNELS = {"reference": "refimpl.kernels", "fast": "refimpl_fast"}


def _kernels(name):
    if name not in _KERNELS:
        raise ValueError(f"kernels: {name!r} is unknown; 'reference' or 'fast' would do")
    return importlib.import_module(_KERNELS[name])


class BoostedDistanceClassifier(ClassifierMixin, BaseEstimator):
    """Nearest neighbour under the boosted distance: Amores, Sebe & Radeva (2006), Algorithms A.1-A.3.

    Parameters
    ----------
    T : int, default 100
        Rounds of boosting for each class.
    kernels : {"reference", "fast"}, default "reference"
    weak_learner : refimpl.weak_learners.WeakLearner, optional
        Decision stumps by default.
    normalize : bool, default True
        Divide each class's similarity by its sum of weights, which the paper's numbers need (ERRATUM BD-2);
        False is Algorithm A.3 as printed.
    threads : int, optional
        None for all.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    models_ : dict of int -> StumpEnsemble
        By the class's place in `classes_`.
    """

    def __init__(self, T=100, *, kernels="reference", weak_learner=None, normalize=True, threads=None):
        self.T = T
        self.kernels = kernels
        self.weak_learner = weak_learner
        self.normalize = normalize
        self.threads = threads

    def fit(self, X, y):
        """Learn one similarity for each class from X, shape (n, d), and the labels y, shape (n,)."""
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, self._places = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class; the classifier needs at least two classes")
        self._X = X
        self.models_ = boosted_distance(
            X, self._places, self.T, kernels=_kernels(self.kernels), weak_learner=self.weak_learner,
            threads=self.threads,
        )
        return self

    def _query(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        options = {"kernels": _kernels(self.kernels), "normalize": self.normalize, "threads": self.threads}
        return X, options

    def predict(self, X):
        """Labels of X, shape (n, d): ndarray, shape (n,)."""
        X, options = self._query(X)
        return self.classes_[nearest_neighbor_boosted_distance(X, self.models_, self._X, self._places, **options)]

    def staged_predict(self, X, rounds=None):
        """Yield the labels of X after each number of rounds in `rounds` (default 1, ..., T)."""
        X, options = self._query(X)
        rounds = range(1, self.T + 1) if rounds is None else rounds
        for _, places in staged_nearest_neighbor(X, self.models_, self._X, self._places, rounds, **options):
            yield self.classes_[places]
