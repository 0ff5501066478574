"""DBOOST: L. Wang, C. Yang & J. Feng, "On learning with dissimilarity functions", ICML 2007.

DBOOST is an ensemble of decision stumps, each on a pair of examples of different classes, h(x) =
sgn(d(x, x'') - d(x, x') - theta). AdaBoost combines them into a convex combination of large margin.
The paper's abstract and eq. 2 of Kar & Jain (2011) say so. Only the order of differences of
distances counts, so any similarity does as well.

Open, since only the abstract was at hand: how the pair of a round is found. Here `m` pairs are
drawn by the round's weights (or uniformly), and the best stump on any of them is taken; a single
pair is the default. Several classes are told apart one against the rest, as § 3 of Kar & Jain does,
by the largest normalised sum.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from refimpl.arrays import plain_labels
from refimpl.boosted_distance.algorithm import error_beyond_rounding
from refimpl.boosted_distance.model import stump
from refimpl.checks import as_count, as_flag, as_generator, as_kernels, as_threads
from refimpl.ftune.model import as_similarities, classes_of
from refimpl.ftune.problems import as_classes
from refimpl.ftune.similarities import as_similarity
from refimpl.results import result
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, Kernels, Labels

__all__ = ["DBoostClassifier", "dboost"]


@result
@dataclass(frozen=True, eq=False)
class DBoostClassifier:
    """Stumps on differences of similarities, one ensemble for each problem.

    Attributes
    ----------
    classes : ndarray, shape (c,)
        The labels, sorted. There is one problem for two classes, whose sum is positive for the
        second, and one for each of more classes.
    landmarks : ndarray, shape (r,), int64
        The training objects that a new object is compared with, ascending.
    plus, minus : ndarray, shape (problems, T), int64
        x' and x'' of each round as indices of `landmarks`.
    polarity : ndarray, shape (problems, T), int64
    threshold : ndarray, shape (problems, T), float64
        h = 1 where polarity * (K(x, x') - K(x, x'')) < polarity * threshold, else -1.
    alpha : ndarray, shape (problems, T), float64
    epsilon : ndarray, shape (problems, T), float64
        Weighted error of each stump.

    Raises
    ------
    TypeError, ValueError
        From its methods, if similarities, objects or a number of rounds do not fit.

    See Also
    --------
    dboost : Train one, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.dboost import dboost
    >>> x = np.array([0.0, 1.0, 4.0, 5.0])
    >>> K = -abs(x[:, None] - x)
    >>> model = dboost(K, ["a", "a", "b", "b"], 2, rng=np.random.default_rng(0))
    >>> model.classes.tolist()
    ['a', 'b']
    """

    classes: Labels
    landmarks: IntArray
    plus: IntArray
    minus: IntArray
    polarity: IntArray
    threshold: FloatArray
    alpha: FloatArray
    epsilon: FloatArray

    def decision(self, S: ArrayLike, rounds: int | None = None) -> FloatArray:
        """Return sum_t alpha_t h_t(x) / sum_t alpha_t of every problem: (k, problems), float64.

        S, shape (k, r), holds K from new objects to `landmarks`, -d for a distance. The first
        `rounds` count, by default all. The value is 0 where all stumps err half the time.
        """
        S = as_similarities(S, len(self.landmarks))
        problems, T = self.alpha.shape
        rounds = T if rounds is None else as_count(rounds, "rounds")
        if rounds > T:
            raise ValueError(f"rounds must be at most {T}, as many as there are; got {rounds}")
        g = np.zeros((len(S), problems))
        for p in range(problems):
            for t in range(rounds):
                difference = S[:, self.plus[p, t]] - S[:, self.minus[p, t]]
                g[:, p] += self.alpha[p, t] * _h(
                    difference, self.polarity[p, t], self.threshold[p, t]
                )
        total = self.alpha[:, :rounds].sum(axis=1)
        decision: FloatArray = g / np.where(total > 0, total, 1.0)
        return decision

    def predict(self, K: Any, Q: Any, rounds: int | None = None) -> Labels:
        """Return the labels of k new objects by their similarities to the landmarks alone: (k,).

        K is the similarity of the training; for a matrix Q has shape (k, n). The first `rounds`
        count, by default all.
        """
        S = as_similarity(K).between(Q, self.landmarks)
        labels: Labels = self.classes[classes_of(self.decision(S, rounds))]
        return labels


def _h(difference: FloatArray, p: int, theta: float) -> FloatArray:
    """Return 1 where the stump holds, else -1."""
    return np.where(stump(difference, p, theta), 1.0, -1.0)


def dboost(
    K: Any,
    y: ArrayLike,
    T: int,
    *,
    rng: np.random.Generator,
    m: int = 1,
    by_weight: bool = True,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> DBoostClassifier:
    """Train DBOOST: Wang, Yang & Feng (2007).

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        At most 2 m n T look-ups for each problem.
    y : array_like, shape (n,)
        Labels of two classes at least.
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

    See Also
    --------
    refimpl.ftune.ftune : The method that is compared with it.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.dboost import dboost
    >>> x = np.array([0.0, 1.0, 4.0, 5.0])
    >>> K = -abs(x[:, None] - x)
    >>> model = dboost(K, ["a", "a", "b", "b"], 2, rng=np.random.default_rng(0))
    >>> model.predict(K, -abs(np.array([[0.5], [4.5]]) - x))
    array(['a', 'b'], dtype='<U1')
    """
    labels = as_classes(y)
    K = as_similarity(K, len(labels))
    T = as_count(T, "T")
    m = as_count(m, "m")
    by_weight = as_flag(by_weight, "by_weight")
    rng = as_generator(rng)
    kernels = as_kernels(kernels)
    threads = as_threads(threads)
    classes, codes = np.unique(labels, return_inverse=True)
    positives = [1] if len(classes) == 2 else range(len(classes))
    streams = rng.spawn(len(positives))
    problems = [_Problem(codes == c, stream) for c, stream in zip(positives, streams, strict=True)]
    inner = threads if len(problems) == 1 else 1
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(T):
            pairs = [problem.draw(m, by_weight) for problem in problems]
            # the similarities of all problems at once
            S = np.hsplit(K.within(None, np.concatenate(pairs)), len(problems))

            def boost(i: int, pairs: list[IntArray] = pairs, S: list[FloatArray] = S) -> None:
                problems[i].round(pairs[i], S[i], kernels, inner)

            list(pool.map(boost, range(len(problems))))
    columns = [zip(*problem.rounds, strict=True) for problem in problems]
    fields = [np.array(field) for field in zip(*columns, strict=True)]
    plus, minus, polarity, threshold, alpha, epsilon = fields
    landmarks = np.unique([plus, minus])
    plus = np.searchsorted(landmarks, plus)
    minus = np.searchsorted(landmarks, minus)
    classes = plain_labels(classes)
    return DBoostClassifier(classes, landmarks, plus, minus, polarity, threshold, alpha, epsilon)


class _Problem:
    """AdaBoost over stumps on pairs, for a class against the rest."""

    def __init__(self, positive: BoolArray, rng: np.random.Generator) -> None:
        n = len(positive)
        self.positive = positive
        self.y = np.where(positive, 1.0, -1.0)
        self.w: FloatArray = np.full(n, 1 / n)
        self.sides = np.flatnonzero(positive), np.flatnonzero(~positive)
        self.rng = rng
        self.rounds: list[tuple[Any, ...]] = []

    def draw(self, m: int, by_weight: bool) -> IntArray:
        """Draw m training objects of the class, then m others."""
        drawn = [side[_draw(self.w[side], m, by_weight, self.rng)] for side in self.sides]
        return np.concatenate(drawn)

    def round(self, pairs: IntArray, S: FloatArray, kernels: Kernels, threads: int) -> None:
        """Keep the best stump on any of the pairs, with similarities S, and update the weights."""
        m = len(pairs) // 2
        features = np.ascontiguousarray(S[:, :m] - S[:, m:])  # FT:eq2  d(x, x'') - d(x, x')
        epsilon, f, p, theta = kernels.best_stump(
            kernels.presort(features, threads=threads), self.w, self.positive, threads=threads
        )
        likely = error_beyond_rounding(epsilon, len(self.w))
        alpha = 0.5 * np.log((1 - epsilon) / likely) if likely != 0.5 else 0.0
        w = self.w * np.exp(-alpha * self.y * _h(features[:, f], p, theta))
        self.w = w / w.sum()
        self.rounds.append((pairs[f], pairs[m + f], p, theta, alpha, epsilon))


def _draw(w: FloatArray, m: int, by_weight: bool, rng: np.random.Generator) -> IntArray:
    """Return m indices, drawn with replacement, in proportion to w or uniformly."""
    if not by_weight:
        return rng.integers(len(w), size=m)
    below = np.cumsum(w)
    places: IntArray = np.searchsorted(below, rng.random(m) * below[-1], side="right")
    return places.clip(max=len(w) - 1)
