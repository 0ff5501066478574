"""AdaBoost with decision stumps as a classifier: the third column of Table 2 of Amores, Sebe & Radeva (2006).

The training is Algorithm A.2 of that paper, :func:`refimpl.boosted_distance.adaboost`, with the vectors of
the two classes in the place of difference vectors; § 3 says that it is "the same version of AdaBoost" as in
P. Viola & M. J. Jones, "Robust real-time face detection", IJCV 57 (2004). The decision is their strong
classifier (Table 1), which the paper's appendix, interested in the sum alone, does not print.

Two classes only: so are all of the paper's data sets.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.boosted_distance import adaboost
from refimpl.checks import as_count, as_kernels, as_labels, as_matrix

__all__ = ["AdaBoostClassifier", "adaboost_classifier"]


@dataclass(frozen=True, eq=False)
class AdaBoostClassifier:
    """Viola & Jones's strong classifier over an ensemble of weak classifiers h_t.

    Attributes
    ----------
    classes : numpy.ndarray, shape (2,)
        The labels, sorted: the negative class, then the positive one.
    ensemble : refimpl.boosted_distance.weak_learners.Ensemble
        Weights alpha_t and weak classifiers h_t, one for each round.
    n_features : int
        The dimension d of the training vectors.
    """

    classes: np.ndarray
    ensemble: object
    n_features: int

    def margins(self, X, rounds=None):
        """Return the sum of alpha_t h_t(x) minus half the sum of alpha_t, after each of the given rounds.

        Parameters
        ----------
        X : array_like, shape (n, d)
        rounds : array_like of int, optional
            Numbers of rounds between 1 and T, in any order; the default is the last alone.

        Returns
        -------
        numpy.ndarray of float64, shape (len(rounds), n)

        Raises
        ------
        ValueError
            If `X` does not fit, or a number of rounds is out of range.
        """
        X = as_matrix(X, "X")
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} columns; the classifier was trained with {self.n_features}")
        T, alpha = len(self.ensemble.alpha), self.ensemble.alpha
        rounds = [T] if rounds is None else [as_count(t, "rounds") for t in np.atleast_1d(rounds)]
        if max(rounds, default=0) > T:
            raise ValueError(f"rounds holds {max(rounds)}; the ensemble has {T}")
        margins = np.empty((len(rounds), len(X)))
        votes, half = np.zeros(len(X)), 0.0
        for t in range(max(rounds, default=0)):
            votes += alpha[t] * self.ensemble.h(t, X)
            half += 0.5 * alpha[t]
            margins[np.equal(rounds, t + 1)] = votes - half
        return margins

    def predict(self, X):
        """Return the label of each row of `X`, shape (n, d): the second class where the margin is not negative."""
        return self.staged_predict(X)[0]

    def staged_predict(self, X, rounds=None):
        """Return the labels after each of the given rounds, shape (len(rounds), n); see :meth:`margins`."""
        return self.classes[(self.margins(X, rounds) >= 0).astype(np.int64)]


def adaboost_classifier(X, labels, T, *, kernels=None, **options):
    """Train AdaBoost with decision stumps on two classes.

    Algorithm A.2 of Amores, Sebe & Radeva (2006); strong classifier of Viola & Jones (2004), Table 1.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training vectors.
    labels : array_like, shape (n,)
        Two different labels; the second in sorted order is the positive class. A margin of zero
        is decided for it, so exchanging the labels can change the answer there.
    T : int
        Number of rounds.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    **options
        Handed to :func:`refimpl.boosted_distance.adaboost`: `weak_learner`, `callback`, `threads`, ...

    Returns
    -------
    AdaBoostClassifier

    Raises
    ------
    ValueError
        If the input is empty or not finite, shapes do not fit, or there are not two classes.
    """
    X = as_matrix(X, "X")
    labels = as_labels(labels, len(X), "labels", min_classes=2)
    T = as_count(T, "T")
    classes = np.unique(labels)
    if len(classes) > 2:
        raise ValueError(
            f"labels has {len(classes)} classes; AdaBoost separates two (take one against the rest)"
        )
    P, N = X[labels == classes[1]], X[labels == classes[0]]
    ensemble = adaboost(P, N, T, kernels=as_kernels(kernels), **options)
    return AdaBoostClassifier(classes, ensemble, X.shape[1])
