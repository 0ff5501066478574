"""What `tree_distances` computes: Boosted Distance with trees, as § 5 of the paper proposes.

Two kinds of trees. :class:`GreedyTrees` are grown out of the best stumps, like
:class:`refimpl.boosted_distance.weak_learners.DepthTwoTrees` but to any depth; they plug into the
training as it is. :func:`entropy_trees` boosts scikit-learn's trees, with entropy and pruned by
cost and complexity, on the difference vectors themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paper_figures.boosted_distance.splits import balanced_error, split_rows
from paper_figures.registry import Job
from refimpl.boosted_distance import boosted_distance, staged_nearest_neighbor
from refimpl.boosted_distance.ensembles import Ensemble, Parameters
from refimpl.boosted_distance.weak_learners import Stumps, stump
from refimpl.kernels.sorting import SortedFeatures
from refimpl.results import result
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels, Labels


@result
@dataclass(frozen=True, eq=False)
class GreedyTreeEnsemble(Ensemble):
    """A weighted sum of trees of stumps.

    Stump i of a tree sends a vector to stump 2 i + 1 if h = 1, and to stump 2 i + 2 otherwise. The
    answer of a stump of the last level is the answer of the tree.

    Attributes
    ----------
    alpha : ndarray, shape (T,)
    feature, polarity, threshold : ndarray, shape (T, 2**depth - 1)
    """

    feature: IntArray
    polarity: IntArray
    threshold: FloatArray

    def h(self, t: int, D: FloatArray) -> BoolArray:
        """Apply tree t to the vectors D."""
        columns = [D[:, f] for f in self.feature[t]]
        return _answers(columns, self.polarity[t], self.threshold[t])

    def features(self) -> IntArray:
        """Return the features that the ensemble looks at, ascending."""
        return np.unique(self.feature[np.isfinite(self.threshold)])


def _answers(columns: Sequence[FloatArray], polarity: Any, threshold: Any) -> BoolArray:
    """Return the answers of a tree, whose stumps look at these columns."""
    sides = [stump(x, p, t) for x, p, t in zip(columns, polarity, threshold, strict=True)]

    def below(i: int) -> BoolArray:
        if 2 * i + 1 >= len(sides):
            return sides[i]
        answers: BoolArray = np.where(sides[i], below(2 * i + 1), below(2 * i + 2))
        return answers

    return below(0)


class GreedyTrees(Stumps):
    """The best stump, then the best stump on each side, down to a depth."""

    Ensemble = GreedyTreeEnsemble

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def select(
        self,
        data: SortedFeatures,
        w: FloatArray,
        l: BoolArray,
        *,
        kernels: Kernels,
        threads: int | None,
    ) -> tuple[float, Parameters]:
        """Grow a tree of small weighted error, level by level."""
        level = [np.ones(len(w), dtype=bool)]
        stumps: list[Parameters] = []
        for _ in range(self.depth):
            below, error = [], 0.0
            for side in level:
                epsilon, chosen = super().select(
                    data, w * side, l, kernels=kernels, threads=threads
                )
                yes = super().classify(data, chosen)
                stumps.append(chosen)
                below += [side & yes, side & ~yes]
                error += epsilon
            level = below
        return error, tuple(zip(*stumps, strict=True))

    def classify(self, data: SortedFeatures, h: Parameters) -> BoolArray:
        """Apply the tree to all vectors."""
        feature, polarity, threshold = h
        return _answers([data.column(f) for f in feature], polarity, threshold)


def greedy_trees(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    rounds: Sequence[int],
    depths: Sequence[int],
) -> dict[str, Any]:
    """Return the errors of Boosted Distance with trees of each depth; depth 1 is the paper's stump.

    An error is the mean of the two classes' rates, in per cent: for each depth a line for each
    repetition and a column for each number of rounds.
    """
    loaded = job.load(data_set, **options)
    errors: list[list[list[float]]] = [[] for _ in depths]
    for repetition in repetitions:
        train, test = split_rows(job, loaded, repetition)
        X, y, Q, truth = loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test]
        for place, depth in enumerate(depths):
            learner = None if depth == 1 else GreedyTrees(depth)
            model = boosted_distance(
                X, y, max(rounds), weak_learner=learner, kernels=job.kernels, threads=1
            )
            staged = staged_nearest_neighbor(model, Q, X, y, rounds, kernels=job.kernels, threads=1)
            errors[place].append([balanced_error(guess, truth) for _, guess in staged])
    return {"errors": errors}


# ------------------------------------------------------------------------------- trees by entropy


def entropy_trees(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    rounds: Sequence[int],
    alphas: Sequence[float],
) -> dict[str, Any]:
    """Return the errors of Boosted Distance with scikit-learn's trees, as in :func:`greedy_trees`.

    `alphas` are settings of the pruning by cost and complexity.
    """
    loaded = job.load(data_set, **options)
    errors: list[list[list[float]]] = [[] for _ in alphas]
    for repetition in repetitions:
        train, test = split_rows(job, loaded, repetition)
        X, y, Q, truth = loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test]
        for place, alpha in enumerate(alphas):
            staged = _entropy_stages(X, y, Q, rounds, alpha)
            errors[place].append([balanced_error(guess, truth) for guess in staged])
    return {"errors": errors}


def _entropy_stages(
    X: FloatArray, y: Labels, Q: FloatArray, rounds: Sequence[int], alpha: float
) -> Iterator[Labels]:
    """Yield the labels of `Q` after some rounds: Algorithms A.1 to A.3 with trees by entropy."""
    of_class = []
    for C in np.unique(y):
        members = np.flatnonzero(y == C)
        pairs = _differences(X, X[members])
        same = np.repeat(y == C, len(members))
        queries = _differences(Q, X[members])
        of_class.append((members, _similarities(pairs, same, queries, rounds, alpha)))
    similarity = np.empty((len(Q), len(y)))
    for place in range(len(rounds)):
        for members, stages in of_class:
            similarity[:, members] = stages[place].reshape(len(Q), len(members))
        yield y[similarity.argmax(axis=1)]


def _differences(A: FloatArray, B: FloatArray) -> Any:
    """Return a - b of all a in A and b in B, in the precision that scikit-learn's trees take."""
    pairs = A[:, np.newaxis] - B
    return pairs.reshape(-1, A.shape[1]).astype(np.float32)


def _similarities(
    pairs: Any, same: BoolArray, queries: Any, rounds: Sequence[int], alpha: float
) -> list[FloatArray]:
    """Return the normalised similarity of the queries after some rounds (Algorithm A.2).

    A tree without error, or no better than chance, ends the training.
    """
    from sklearn.tree import DecisionTreeClassifier

    w = 0.5 / np.bincount(same)[same.astype(np.int64)]
    total, weight = np.zeros(len(queries)), 0.0
    stages = []
    for t in range(1, max(rounds) + 1):
        tree = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=2, ccp_alpha=alpha, random_state=t
        ).fit(pairs, same, sample_weight=len(same) * w)
        wrong = tree.predict(pairs) != same
        error = max(float(w[wrong].sum()), 2.0**-52)
        if error >= 0.5:
            break
        a = np.log((1.0 - error) / error)
        total = total + a * tree.predict(queries)
        weight += a
        w = w * np.exp(a * wrong)
        w /= w.sum()
        if t in rounds:
            stages.append(total / weight)
        if not wrong.any():
            break
    last = total / weight if weight else total
    return stages + [last] * (len(rounds) - len(stages))
