"""DBOOST: L. Wang, C. Yang & J. Feng, "On learning with dissimilarity functions", ICML 2007.

An ensemble of decision stumps, each on one pair of examples of different classes, h(x) = sgn(d(x, x'') - d(x, x') -
theta), combined by AdaBoost into a convex combination of large margin. That much the paper's abstract and eq. 2 of Kar
& Jain (2011) say; only the order of differences of distances counts, so any similarity does as well.

Open, since only the abstract was at hand: how the pair of a round is found. Here `m` pairs are drawn by the round's
weights (or uniformly), and the best stump on any of them is taken; one pair is the default. Several classes are told
apart one against the rest, as § 3 of Kar & Jain does, by the largest normalised sum.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from refimpl.boosted_distance.weak_learners import stump
from refimpl.checks import as_count, as_generator, as_kernels, as_labels, as_threads
from refimpl.ftune.similarities import as_similarity
from refimpl.ftune.space import classes_of
from refimpl.kernels.stumps import GRID
from refimpl.results import result

__all__ = ["DBoostClassifier", "dboost"]


@result
@dataclass(frozen=True, eq=False)
class DBoostClassifier:
    """Stumps on differences of similarities, one ensemble for each problem.

    Attributes
    ----------
    classes : ndarray, shape (c,)
        The labels, sorted. There is one problem for two classes, whose sum is positive for the second, and one for each
        of more classes.
    landmarks : ndarray, shape (r,), int64
        The training objects that a new object is compared with, ascending.
    plus, minus : ndarray, shape (problems, T), int64
        x' and x'' of each round as places in `landmarks`.
    polarity : ndarray, shape (problems, T), int64
    threshold : ndarray, shape (problems, T), float64
        h = 1 where polarity * (K(x, x') - K(x, x'')) < polarity * threshold, else -1.
    alpha : ndarray, shape (problems, T), float64
    epsilon : ndarray, shape (problems, T), float64
        Weighted error of each stump.
    """

    classes: np.ndarray
    landmarks: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    polarity: np.ndarray
    threshold: np.ndarray
    alpha: np.ndarray
    epsilon: np.ndarray

    def decision(self, S, rounds=None):
        """Return sum_t alpha_t h_t(x) / sum_t alpha_t of every problem.

        Parameters
        ----------
        S : ndarray, shape (k, r), float64
            K from new objects to `landmarks`, -d for a distance.
        rounds : int, optional
            How many rounds count, from the first on; all by default.

        Returns
        -------
        ndarray, shape (k, problems), float64
            0 where all stumps err half the time.
        """
        g = np.zeros((len(S), len(self.alpha)))
        for p in range(len(self.alpha)):
            for t in range(self.alpha.shape[1] if rounds is None else rounds):
                difference = S[:, self.plus[p, t]] - S[:, self.minus[p, t]]
                g[:, p] += self.alpha[p, t] * _h(difference, self.polarity[p, t], self.threshold[p, t])
        total = self.alpha[:, :rounds].sum(axis=1)
        return g / np.where(total > 0, total, 1.0)

    def predict(self, K, queries, rounds=None):
        """Return the labels of new objects, shape (k,), from their similarities to the landmarks alone.

        Parameters
        ----------
        K : refimpl.ftune.similarities.Similarity
            That of the training.
        queries : sequence of k objects; for a matrix array_like, shape (k, n)
        rounds : int, optional
        """
        return self.classes[classes_of(self.decision(as_similarity(K).between(queries, self.landmarks), rounds))]


def _h(difference, p, theta):
    return np.where(stump(difference, p, theta), 1.0, -1.0)


def dboost(K, labels, T, rng, *, m=1, by_weight=True, kernels=None, threads=None):
    """Train DBOOST.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        At most 2 m n T look-ups for each problem.
    labels : array_like, shape (n,)
        Two classes at least.
    T : int
        Rounds, and so pairs of landmarks for each problem.
    rng : numpy.random.Generator
    m : int, default 1
        Pairs to choose from in each round.
    by_weight : bool, default True
        Whether pairs are drawn by the weights of the round; else uniformly.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        Problems trained at a time; None for all processors. The result does not depend on it.

    Returns
    -------
    DBoostClassifier

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a similarity is not finite.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    K, T, m, rng = as_similarity(K, len(labels)), as_count(T, "T"), as_count(m, "m"), as_generator(rng)
    kernels = as_kernels(kernels)
    threads = as_threads(threads)
    classes, codes = np.unique(labels, return_inverse=True)
    positives = [1] if len(classes) == 2 else range(len(classes))
    problems = [_Problem(codes == c, stream) for c, stream in zip(positives, rng.spawn(len(positives)), strict=True)]
    inner = threads if len(problems) == 1 else 1
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(T):
            pairs = [problem.draw(m, by_weight) for problem in problems]
            S = np.hsplit(K.within(None, np.concatenate(pairs)), len(problems))  # one look at the objects for all
            list(pool.map(lambda *given: _Problem.round(*given, kernels, inner), problems, pairs, S))
    found = [zip(*problem.found, strict=True) for problem in problems]
    plus, minus, polarity, threshold, alpha, epsilon = (np.array(one) for one in zip(*found, strict=True))
    landmarks = np.unique([plus, minus])
    plus, minus = np.searchsorted(landmarks, plus), np.searchsorted(landmarks, minus)
    return DBoostClassifier(classes, landmarks, plus, minus, polarity, threshold, alpha, epsilon)


class _Problem:
    """AdaBoost over stumps on pairs, one class against the rest."""

    def __init__(self, positive, rng):
        n = len(positive)
        self.positive = positive
        self.y = np.where(positive, 1.0, -1.0)
        self.w = np.full(n, 1 / n)
        self.sides = np.flatnonzero(positive), np.flatnonzero(~positive)
        self.rng = rng
        self.found = []

    def draw(self, m, by_weight):
        """Draw m training objects of the class, then m others."""
        return np.concatenate([side[_draw(self.w[side], m, by_weight, self.rng)] for side in self.sides])

    def round(self, pairs, S, kernels, threads):
        """Keep the best stump on any of the pairs, whose similarities are S, and update the weights."""
        m = len(pairs) // 2
        features = np.ascontiguousarray(S[:, :m] - S[:, m:])  # FT:eq2  d(x, x'') - d(x, x'), of which a stump
        epsilon, f, p, theta = kernels.best_stump(
            kernels.presort(features, threads=threads), self.w, self.positive, threads=threads
        )
        alpha = 0.5 * np.log((1 - epsilon) / max(epsilon, GRID))  # no error at all would count infinitely
        w = self.w * np.exp(-alpha * self.y * _h(features[:, f], p, theta))
        self.w = w / w.sum()
        self.found.append((pairs[f], pairs[m + f], p, theta, alpha, epsilon))


def _draw(w, m, by_weight, rng):
    """m places, with replacement, in proportion to w or uniformly."""
    if not by_weight:
        return rng.integers(len(w), size=m)
    below = np.cumsum(w)
    return np.searchsorted(below, rng.random(m) * below[-1], side="right").clip(max=len(w) - 1)
