"""When FTUNE pays: beside what a user takes today, on its own sets and on six others.

All methods are fitted to the training part alone. Those with a penalty choose it on the validation
part, as FTUNE does; the others have scikit-learn's defaults. Where similarities are all there is,
the rows of the matrix are the features of forests and gradient boosting. :func:`when` is a task, as
in :mod:`paper_figures.ftune.tasks`; a change here computes it anew.

Not handled here: what is measured (`paper_figures.comparisons.learners`), and the rows
(`when_results`).
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from paper_figures.comparisons.learners import measure
from paper_figures.ftune.tasks import MATRIX, Run, fresh_pairs, training_options
from paper_figures.registry import Job
from refimpl.ftune import CS, Landmarks, dselect, ftune
from refimpl.ftune.similarities import mean_distance

Predict: TypeAlias = Callable[[Any], Any]
Machine: TypeAlias = tuple[Predict, Any]
"""A function of new objects, and what must be kept for it."""


def when(job: Job, *, data_set: str, preparation: str, d: int, run: int) -> dict[str, Any]:
    """Return what `measure` of the comparisons says of each method on a split."""
    key = data_set, d, run
    measured = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in METHODS:
            split = Run(job, data_set, preparation, run)  # no method finds what another computed
            learner = Learner(_Problem(job, split, key, preparation, method))
            measured[method] = measure(learner, split.X, split.y, split.Q, split.q)
    return {"runs": [measured]}


class Learner:
    """A method on a split. Pickled, it is what an answer needs."""

    def __init__(self, problem: "_Problem") -> None:
        self.problem = problem

    def fit(self, X: Any, y: Any) -> None:
        """Train on the split, of which X and y are a part."""
        self.predict, self.kept = FITS[self.problem.method](self.problem)

    def __getstate__(self) -> Any:
        return self.kept


class _Problem:
    """A split as a method sees it."""

    def __init__(
        self, job: Job, split: Run, key: tuple[str, int, int], preparation: str, method: str
    ) -> None:
        self.job = job
        self.split = split
        self.matrix = preparation in MATRIX
        self.key = key
        self.method = method
        self.seed = int(job.rng_for("when", method, *self.key).integers(2**31))

    @property
    def gamma(self) -> float:
        """The Gaussian kernel of FTUNE, exp(-gamma |x - x'|^2)."""
        name, _, run = self.key
        rng = self.job.rng_for("width", name, run)
        return 1.0 / mean_distance(self.split.X, rng=rng) ** 2

    def best(self, machines: Sequence[Any], V: Any) -> Any:
        """Return the first of the best by validation."""
        return max(machines, key=lambda machine: (machine.predict(V) == self.split.v).mean())

    def clip(self) -> Any:
        """Return P of Chen et al. (2009): S P is the matrix without its negative spectrum."""
        values, vectors = np.linalg.eigh((self.split.X + self.split.X.T) / 2)
        return vectors[:, values > 0] @ vectors[:, values > 0].T


def _ftune(problem: _Problem) -> Machine:
    return _trained(problem, fresh_pairs(problem.job, problem.split, *problem.key))


def _ftune_diverse(problem: _Problem) -> Machine:
    split = problem.split
    rng = problem.job.rng_for("dselect", *problem.key)
    P = dselect(split.K, split.y, problem.key[1], rng=rng, kernels=split.kernels, threads=1)
    return _trained(problem, P)


def _trained(problem: _Problem, landmarks: Landmarks) -> Machine:
    split = problem.split
    model = ftune(split.K, split.y, landmarks, **training_options(split))
    objects = None if problem.matrix else split.X[model.landmarks]
    return (lambda Q: model.predict(split.K, Q)), (model, objects)


def _scikit_learn(problem: _Problem) -> Machine:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    forest = problem.method == "random forest"
    kind = RandomForestClassifier if forest else HistGradientBoostingClassifier
    model = kind(random_state=problem.seed).fit(problem.split.X, problem.split.y)
    return model.predict, model


def _svm(problem: _Problem) -> Machine:
    from sklearn.svm import SVC

    split = problem.split
    if problem.matrix:
        clip = problem.clip()
        machines = [SVC(C=C, kernel="precomputed").fit(split.X @ clip, split.y) for C in CS]
        chosen = problem.best(machines, split.V @ clip)
        return (lambda Q: chosen.predict(Q @ clip)), (chosen, clip)
    machines = [SVC(C=C, gamma=problem.gamma).fit(split.X, split.y) for C in CS]
    chosen = problem.best(machines, split.V)
    return chosen.predict, chosen


def _nearest(problem: _Problem) -> Machine:
    from sklearn.neighbors import KNeighborsClassifier

    split = problem.split
    if problem.matrix:
        return (lambda Q: split.y[np.argmax(Q, axis=1)]), split.y
    model = KNeighborsClassifier(1).fit(split.X, split.y)
    return model.predict, model


def _nystroem(problem: _Problem) -> Machine:
    """Return Nystroem's embedding with as many landmarks as FTUNE compares an object with."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.svm import LinearSVC

    split = problem.split
    pairs = fresh_pairs(problem.job, split, *problem.key)
    few = len(np.unique([pairs.plus, pairs.minus]))
    if problem.matrix:
        clip = problem.clip()
        L = np.random.default_rng(problem.seed).choice(len(split.y), few, replace=False)
        embedding = Nystroem(kernel="precomputed", n_components=few, random_state=problem.seed)
        embedding.fit((split.X @ clip)[np.ix_(L, L)])
        kept = embedding, clip[:, L]

        def embedded(Q: Any) -> Any:
            return embedding.transform(Q @ kept[1])
    else:
        embedding = Nystroem(gamma=problem.gamma, n_components=few, random_state=problem.seed)
        embedding.fit(split.X)
        embedded, kept = embedding.transform, embedding
    A = embedded(split.X)
    machines = [LinearSVC(C=C, dual=False, random_state=0).fit(A, split.y) for C in CS]
    best = problem.best(machines, embedded(split.V))
    return (lambda Q: best.predict(embedded(Q))), (kept, best)


# ------------------------------------------------------------------------------------------- rows

FITS: Mapping[str, Callable[[_Problem], Machine]] = {
    "FTUNE-S": _ftune,
    "FTUNE+D-S": _ftune_diverse,
    "gradient boosting": _scikit_learn,
    "random forest": _scikit_learn,
    "SVM": _svm,
    "1-NN": _nearest,
    "Nystroem, linear SVM": _nystroem,
}
METHODS = tuple(FITS)
