"""AdaBoost with decision stumps as a classifier: the third column of Table 2 of Amores, Sebe &
Radeva (2006).

The training is Algorithm A.2 of that paper, :func:`refimpl.boosted_distance.adaboost`, with the
vectors of the two classes instead of difference vectors; § 3 says that it is "the same version
of AdaBoost" as in P. Viola & M. J. Jones, "Robust real-time face detection", IJCV 57 (2004). The
decision is their strong classifier (Table 1), which the paper's appendix, interested in the sum
alone, does not print.

Not handled here: more than two classes. All data sets of the paper have two.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from refimpl.arrays import as_matrix, in_dimensions
from refimpl.boosted_distance import adaboost
from refimpl.checks import as_count, as_kernels, as_labels
from refimpl.results import immutable
from refimpl.typing import ArrayLike, FloatArray, Kernels, Labels

__all__ = ["AdaBoostClassifier", "adaboost_classifier"]


@immutable
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

    Raises
    ------
    TypeError, ValueError
        From its methods, if the queries do not fit, or a number of rounds is out of range.

    See Also
    --------
    adaboost_classifier : Train one, with an example.

    Examples
    --------
    >>> from refimpl.rivals.adaboost import adaboost_classifier
    >>> model = adaboost_classifier([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"], 1)
    >>> model.classes.tolist(), len(model.ensemble)
    (['a', 'b'], 1)
    """

    classes: Labels
    ensemble: Any
    n_features: int

    def margins(self, Q: ArrayLike, rounds: ArrayLike | None = None) -> FloatArray:
        """Return sum_t alpha_t h_t(q) minus half of sum_t alpha_t: float64, (len(rounds), m).

        Q has shape (m, d). The numbers of rounds lie between 1 and T, in any order; the default is
        the last alone.
        """
        queries = in_dimensions(as_matrix(Q, "Q"), self.n_features, "Q")
        alpha = self.ensemble.alpha
        T = len(alpha)
        counts = [T] if rounds is None else [as_count(t, "rounds") for t in np.atleast_1d(rounds)]
        if max(counts, default=0) > T:
            raise ValueError(f"rounds must be at most {T}, as many as there are; got {max(counts)}")
        margins = np.empty((len(counts), len(queries)))
        votes = np.zeros(len(queries))
        half = 0.0
        for t in range(max(counts, default=0)):
            votes += alpha[t] * self.ensemble.h(t, queries)
            half += 0.5 * alpha[t]
            margins[np.equal(counts, t + 1)] = votes - half
        return margins

    def predict(self, Q: ArrayLike) -> Labels:
        """Return the labels of Q, (m, d): the second class where the margin is not negative."""
        last: Labels = self.staged_predict(Q)[0]
        return last

    def staged_predict(self, Q: ArrayLike, rounds: ArrayLike | None = None) -> Labels:
        """Return the labels after some rounds, shape (len(rounds), m); see :meth:`margins`."""
        second = (self.margins(Q, rounds) >= 0).astype(np.int64)
        labels: Labels = self.classes[second]
        return labels


def adaboost_classifier(
    X: ArrayLike, y: ArrayLike, T: int, *, kernels: Kernels | None = None, **options: Any
) -> AdaBoostClassifier:
    """Train AdaBoost with decision stumps on two classes.

    Algorithm A.2 of Amores, Sebe & Radeva (2006); strong classifier of Viola & Jones (2004), Table
    1.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training vectors.
    y : array_like, shape (n,)
        Two different labels; the second in sorted order is the positive class. A margin of zero
        gives the positive class, so exchanging the labels can change such an answer.
    T : int
        Number of rounds.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    **options
        Handed to :func:`refimpl.boosted_distance.adaboost`: `weak_learner`, `callback`, `threads`,
        ...

    Returns
    -------
    AdaBoostClassifier

    Raises
    ------
    ValueError
        If the input is empty or not finite, shapes do not fit, or there are not two classes.

    See Also
    --------
    refimpl.boosted_distance.boosted_distance : The distance that the paper trains instead.

    Examples
    --------
    >>> from refimpl.rivals.adaboost import adaboost_classifier
    >>> model = adaboost_classifier([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"], 1)
    >>> model.predict([[0.5], [4.5]])
    array(['a', 'b'], dtype='<U1')
    """
    points = as_matrix(X, "X")
    labels = as_labels(y, len(points), "y", min_classes=2)
    T = as_count(T, "T")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            f"y must hold two classes (take a class against the rest); got {len(classes)}"
        )
    positive = points[codes == 1]
    negative = points[codes == 0]
    ensemble = adaboost(positive, negative, T, kernels=as_kernels(kernels), **options)
    return AdaBoostClassifier(classes, ensemble, points.shape[1])
