"""The part that BoostMap's estimators share: they draw training objects, candidates and triples.

The paper leaves some choices open. Here they are:

* Training objects and candidates (§ 11: 5,000 each) are drawn at random, and the smaller set is
  drawn from the larger. So the training needs max(n_training_objects, n_candidates)^2 distances.
* By default there are 40 triples for each training object, as in the paper (200,000 for 5,000
  objects). There is one coordinate for every 20 candidates, also as in the paper, but at least 8.
  § 7.3 gets at most 100 rounds and 5 for each coordinate, and the query-sensitive phase one round.
  With the paper's M_1 = 1,000 and 20 rounds for each coordinate the training takes twice as long on
  digits, and neither ranks nor errors are lower beyond chance.
* Without classes k' is 50. § 10's k' = 4 is meant for each of the 10 classes of MNIST, so its
  triples reach about as far.
* An object that is alone in its class is in no selective triple. It can be a candidate, and it can
  vote.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_non_negative

from refimpl.boostmap import (
    BoostMap,
    BoostMapOptions,
    CandidateDistances,
    Triples,
    boostmap,
    nearby_triples,
    random_triples,
    selective_triples,
)
from refimpl.boostmap.algorithm import embedding
from refimpl.boostmap.triples import require_distances
from refimpl.checks import as_count, one_of
from refimpl.estimators.arguments import options_from, work_of
from refimpl.estimators.bases import BaseEstimator
from refimpl.estimators.spaces import (
    Objects,
    QueryRows,
    TrainingObjects,
    as_training_objects,
    is_matrix,
    space_of,
)
from refimpl.progress import Callback
from refimpl.spaces import PrecomputedSpace, Space
from refimpl.typing import FloatArray, IntArray, KernelsName

LEAST = 3  # objects of a triple
MOST_OBJECTS = 5000  # § 11
MOST_COMPONENTS = 256  # § 11
ROUNDS, ROUNDS_PER_COMPONENT = 100, 5
TRIPLES_PER_OBJECT = 40  # § 11: 200,000 of 5,000 objects
K_MOST = {"selective": 4, "nearby": 50}  # § 11.3
TRIPLES, TARGETS = ("selective", "random", "nearby"), ("classes", "distances")


@dataclass(eq=False, repr=False)
class BoostMapTraining(BaseEstimator):
    """Base class of both estimators: the training, and the vectors of the objects of `fit`."""

    _: KW_ONLY
    n_components: int | None = None
    n_triples: int | None = None
    n_candidates: int | None = None
    n_training_objects: int | None = None
    triples: str = "nearby"
    k_most: int | None = None
    target: str = "distances"
    n_references: int = 500
    n_pairs: int | None = None
    n_best: int = 200
    query_sensitive: int | None = 0
    metric: str | Callable[..., Any] = "euclidean"
    metric_params: Mapping[str, Any] | None = None
    max_rounds: int | None = None
    random_state: Any = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1
    callback: Callback | None = None
    start: BoostMap | None = None
    max_memory: int | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        precomputed = is_matrix(self.metric)
        tags.input_tags.pairwise = precomputed
        tags.input_tags.positive_only = precomputed
        return tags

    def _training_objects(self, X: Objects) -> TrainingObjects:
        needs = f"a triple needs {LEAST}"
        objects: TrainingObjects = as_training_objects(self, X, self.metric, LEAST, needs)
        if is_matrix(self.metric):
            if objects.shape[0] != objects.shape[1]:
                raise ValueError(
                    "X with metric='precomputed' must be square, the distances between all objects "
                    f"of fit; got shape {objects.shape}"
                )
            whom = f"{type(self).__name__}.fit: with metric='precomputed' X must hold distances"
            check_non_negative(objects, whom)
        return objects

    def _uses_classes(self) -> bool:
        one_of(self.triples, TRIPLES, "triples")
        one_of(self.target, TARGETS, "target")
        return bool(self.triples == "selective" or self.target == "classes")

    def _sizes(self, n: int) -> tuple[int, int, int, int, BoostMapOptions]:
        """Return how many objects, candidates, components and triples; and the options."""

        def size(name: str, default: int, least: int = 1) -> int:
            value = getattr(self, name)
            return default if value is None else as_count(value, name, least)

        n_t = min(n, size("n_training_objects", MOST_OBJECTS, LEAST))
        n_C = min(n, size("n_candidates", MOST_OBJECTS))
        d = size("n_components", min(n_C, max(8, n_C // 20), MOST_COMPONENTS))
        t = size("n_triples", TRIPLES_PER_OBJECT * n_t)
        options = options_from(
            self,
            BoostMapOptions,
            query_sensitive=size("query_sensitive", d, 0),
            max_rounds=size("max_rounds", ROUNDS + ROUNDS_PER_COMPONENT * d),
        )
        return n_t, n_C, d, t, options

    def _train(
        self, X: TrainingObjects, members: IntArray | None, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray]:
        """Learn the embedding of the objects X; `members` holds their classes, if they have any."""
        # return the indices of the objects between which distances were computed, and their vectors
        space = space_of(X, self.metric, self.metric_params)
        n_t, n_C, d, t, options = self._sizes(len(space))
        work = work_of(self)
        order = rng.permutation(len(space))
        sample, objects, candidates = (np.sort(order[:size]) for size in (max(n_t, n_C), n_t, n_C))
        W = space.within(sample, sample)
        require_distances(W, "X")
        T = np.searchsorted(sample, objects)
        C = np.searchsorted(sample, candidates)
        classes = None if members is None else members[objects]
        triples = self._triples(_part(W, T, T), classes, t, rng)
        D = np.ascontiguousarray(_part(W, T, C).T)
        between = D if n_t == n_C else np.ascontiguousarray(_part(W, C, C).T)
        del W
        model = boostmap(
            CandidateDistances(D, between, candidates),
            triples,
            d,
            rng=rng,
            options=options,
            callback=self.callback,
            start=self.start,
            max_memory=self.max_memory,
            **work,
        )
        if model.d == 0:
            raise ValueError(
                "X, y must give triples that a 1D embedding can order better than chance; got "
                f"{t} triples for which no 1D embedding does (try a larger n_triples "
                "or another value of triples)"
            )
        self.model_ = model
        self.references_ = model.references
        self.n_distances_ = space.computed
        self._space: Space = space
        return sample, _vectors(model, D if n_t >= n_C else between, candidates)

    def _triples(
        self, D: FloatArray, members: IntArray | None, t: int, rng: np.random.Generator
    ) -> Triples:
        """Draw triples among the training objects."""
        k_most = K_MOST.get(self.triples, 4) if self.k_most is None else self.k_most
        k_most = min(as_count(k_most, "k_most", 1 + (self.triples == "nearby")), len(D) - 1)
        kept = np.arange(len(D))
        order_by = D
        if members is not None:
            selective = self.triples == "selective"
            if selective:  # objects that are not alone in their class
                kept = np.flatnonzero(np.bincount(members)[members] > 1)
            _require_pairs(members, kept, 2 if selective else 1, self.triples)
            order_by = _other_class(members) if self.target == "classes" else D
        try:
            if self.triples == "random":
                return random_triples(order_by, t, rng=rng)
            if self.triples == "nearby":
                return nearby_triples(D, k_most, t, rng=rng, order_by=order_by)
            assert members is not None  # selective triples use the classes
            near, order = _part(D, kept, kept), _part(order_by, kept, kept)
            triples = selective_triples(near, members[kept], k_most, t, rng=rng, order_by=order)
            return Triples(kept[triples.objects], triples.y)
        except ValueError as error:
            raise ValueError(
                f"X, y must allow triples for triples={self.triples!r}; {error}"
            ) from None

    def _embed_all(self, sample: IntArray, vectors: FloatArray) -> FloatArray:
        """Return the vectors of all objects of `fit`; `vectors` holds those of the sample."""
        n = len(self._space)
        others = np.setdiff1d(np.arange(n), sample, assume_unique=True)
        if len(others) == 0:
            return vectors
        F = np.empty((n, vectors.shape[1]))
        F[sample] = vectors
        F[others] = self.model_.embed(self._space, self._space.take(others))
        self.n_distances_ = self._space.computed
        return F

    def _forget_matrix(self) -> None:
        """Drop the matrix of distances: each query comes with its own row of distances."""
        if isinstance(self._space, PrecomputedSpace):
            self._space = QueryRows(len(self._space))


def _part(W: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    whole = len(rows) == len(W) and len(columns) == len(W)
    return W if whole else W[np.ix_(rows, columns)]


def _vectors(model: BoostMap, D: FloatArray, candidates: IntArray) -> FloatArray:
    """Return F_out of the columns of D, shape (n_C, n): ``model.embed`` without new distances."""
    first = np.searchsorted(candidates, model.first)
    second = np.searchsorted(candidates, model.second)
    second[model.second < 0] = -1
    columns = [embedding(D, *h) for h in zip(first, second, model.length, strict=True)]
    return np.ascontiguousarray(np.array(columns).T)


def _other_class(members: IntArray) -> FloatArray:
    """Return Phi_X of § 9.1: 0 within a class, 1 between two."""
    apart: FloatArray = (members[:, np.newaxis] != members).astype(np.float64)
    return apart


def _require_pairs(members: IntArray, kept: IntArray, least: int, triples: str) -> None:
    """Raise ValueError unless there are two classes, and `least` classes with two objects."""
    if len(np.unique(members)) < 2:
        raise ValueError(
            "y must have at least two classes among the training objects, as BoostMap's triples "
            "need them; got one class"
        )
    large = len(np.unique(members[kept])) if np.bincount(members).max() > 1 else 0
    if large < least:
        raise ValueError(
            f"y must have {least} class(es) with two training objects for triples={triples!r}; got "
            f"{large} (triples='random' or 'nearby' with target='distances' needs no classes)"
        )
