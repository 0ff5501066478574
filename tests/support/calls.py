"""The public functions on small data, as one table: how each is called, and on what by default."""

import inspect
import itertools

import numpy as np

import refimpl.boosted_distance as bd
import refimpl.boostmap as bm
import refimpl.ftune as ft
import refimpl.kernels
import refimpl.lmnn as lm
import refimpl.search_forest as sf
from refimpl import ball_trees, estimators, spaces
from refimpl.boosted_distance import algorithm as bd_print
from refimpl.boostmap import algorithm as bm_print
from refimpl.ftune import algorithm as ft_print
from refimpl.ftune.similarities import Similarity
from refimpl.lmnn import algorithm as lm_print
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.dboost import dboost
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.hamming_scan import hamming_scan, pack_bits
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.metricmap import metricmap
from refimpl.rivals.nda import nonparametric_discriminant_analysis
from refimpl.rivals.nearest_neighbor import fit_distance, nearest_neighbor, pairwise
from refimpl.rivals.rotated_scan import rotated_scan
from refimpl.rivals.sparsemap import sparsemap
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import algorithm as sf_print

RNG = np.random.default_rng(0)
X = RNG.integers(0, 12, (16, 3)).astype(np.float64)
X[np.arange(16) % 2 == 1, 0] += 3
Q = RNG.integers(0, 12, (4, 3)).astype(np.float64)
y = np.arange(16) % 2
D = np.abs(X[:, np.newaxis] - X).sum(axis=2)
K = np.maximum(1 - D / 32, 0.0)
K_Q = np.maximum(1 - np.abs(Q[:, np.newaxis] - X).sum(axis=2) / 32, 0.0)
M = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 1.0]])
BITS = X > 5
CODES = pack_bits(BITS)
EDGES = np.eye(4, dtype=bool)[np.newaxis]
OBJECTS = np.array([[0, 1, 2], [3, 5, 8], [4, 7, 1], [9, 2, 6], [10, 3, 1], [5, 6, 15]])
ORDERS = np.ones(6)


def seed():
    return np.random.default_rng(3)


MODEL = bd.boosted_distance(X, y, 2)
FOREST = sf.search_forest(X, sf.label_similarity(y), 2, 0.2, rng=seed())
METRIC = lm.lmnn(X, y, 2, 1.0)
PAIRS = ft.random_landmarks(y, 4, rng=seed())
FTUNE = ft.ftune(K, y, PAIRS, options=ft.FTuneOptions(choose="training", C=1.0))
OPTIONS = ft.FTuneOptions(choose="training", C=1.0)
SKIP = np.array([1, -1, 3, 4])
FEW_CHECKS = lm.LMNNOptions(max_checks=3)
SOME = np.array([0, 3, 5])
TARGETS = lm_print.target_neighbors(X, y, 2)
EXAMPLES = lm_print.Examples(X, y, TARGETS, np.zeros(16, dtype=np.int64))
NEAR = ((X[:, np.newaxis] - X[TARGETS]) ** 2).sum(axis=2)


PLAIN = X, y
RCA, GAUSSIAN = (fit_distance(name, X, y) for name in ("RCA", "Mah-C"))
LEARNT = estimators.LMNN(2).fit(X, y)
HASHING = spectral_hashing(X, 4)


def rounds(problem):
    return [r.w for r in bm_print.training_rounds(problem, 2, 16, 4, 5, rng=seed())]


GIVEN = {
    "X": X, "Q": Q, "y": y, "D": D, "K": K, "P": X[::2], "N": X[1::2], "M": M, "matrix": D,
    "metric": M, "landmarks": SOME, "L": M, "objects": OBJECTS, "triples": OBJECTS, "bits": BITS,
    "l": 1.0 - 2 * y, "Omega": X, "targets": TARGETS, "near": NEAR, "partition": y,
    "limits": np.full(16, 9.0), "pairs": X.reshape(8, 2, 3),
    "first": np.ones(16), "m_i": np.zeros(6), "alpha": np.ones(3), "T": np.arange(16),
    "plus": np.array([0, 1]), "minus": np.array([2, 3]), "Ls": np.stack([M, M]),
    "seen": np.ones((8, 2), dtype=bool), "even": np.arange(0, 16, 2), "odd": np.arange(1, 16, 2),
    "space": spaces.PrecomputedSpace(D),
}  # fmt: skip
"""What an argument of a call below is, unless the call says so."""


class Call:
    """A function, and those of its arguments that are not :data:`GIVEN` by their names."""

    def __init__(self, function, **given):
        self.function = function
        self.given = given

    def parameters(self):
        return inspect.signature(self.function).parameters

    def arguments(self):
        """Return the arguments by name; a generator is a new one each time."""
        found = {}
        for name, parameter in self.parameters().items():
            if name == "rng":
                found[name] = seed()
            elif name in self.given:
                found[name] = self.given[name]
            elif parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD:
                found[name] = GIVEN[name]
            elif isinstance(parameter.default, np.ndarray):
                found[name] = parameter.default
        return found

    def arrays(self):
        """Return the arguments that are arrays."""
        return {k: one for k, one in self.arguments().items() if isinstance(one, np.ndarray)}

    def __call__(self, **changes):
        result = self.function(**{**self.arguments(), **changes})
        return list(result) if inspect.isgenerator(result) else result


class Fit(Call):
    """An estimator that is fitted and asked."""

    def parameters(self):
        return inspect.signature(self.function).parameters | dict.fromkeys("XyQ")

    def arguments(self):
        return {**self.given, "X": X, "y": y, "Q": Q}

    def __call__(self, **changes):
        options = {**self.arguments(), **changes}
        data = [options.pop(name) for name in "XyQ"]
        model = self.function(**options).fit(*data[:2])
        asked = [how for how in ("predict", "transform") if hasattr(model, how)]
        return [getattr(model, how)(data[2]) for how in asked or ["kneighbors"]]


def space(matrix):
    return spaces.PrecomputedSpace(matrix)


CALLS = {
    "boosted_distance": Call(bd.boosted_distance, T=2),
    "adaboost": Call(bd.adaboost, T=3),
    "similarity": Call(bd.similarity, model=MODEL),
    "class_similarities": Call(bd.class_similarities, model=MODEL),
    "nearest_neighbor_boosted_distance": Call(bd.nearest_neighbor_boosted_distance, model=MODEL),
    "staged_nearest_neighbor": Call(bd.staged_nearest_neighbor, model=MODEL, rounds=[1, 2]),
    "boostmap": Call(
        lambda D, objects, between=D, y=ORDERS: bm.boostmap(
            bm.CandidateDistances(D, between), bm.Triples(objects, y), 2, rng=seed()
        )
    ),
    "random_triples": Call(bm.random_triples, t=9),
    "nearby_triples": Call(bm.nearby_triples, k_most=3, t=9),
    "selective_triples": Call(bm.selective_triples, k_most=3, t=9),
    "search_forest": Call(sf.search_forest, S=sf.label_similarity(y), M=2, lam=0.2),
    "label_similarity": Call(sf.label_similarity),
    "neighbor_similarity": Call(sf.neighbor_similarity, k=2),
    "selection": Call(sf.selection, forest=FOREST),
    "to_terms": Call(sf.to_terms, forest=FOREST),
    "lmnn": Call(lm.lmnn, k=2),
    "lmnn_rect": Call(lm.lmnn_rect, r=2, k=2, options=FEW_CHECKS),
    "project": Call(lm.project),
    "lmnn_svd": Call(lm.lmnn_svd, r=2),
    "classify": Call(lm.classify, k=2),
    "leave_one_out_error": Call(lm.leave_one_out_error, metric=METRIC, k=2),
    "metric_neighbors": Call(lm.metric_neighbors, k=2),
    "kmeans_partition": Call(lm.kmeans_partition, p=2),
    "target_neighbors": Call(lm.target_neighbors, k=2),
    "ftune": Call(ft.ftune, landmarks=PAIRS, options=OPTIONS),
    "bbs": Call(ft.bbs, options=OPTIONS),
    "decision": Call(FTUNE.decision, S=K_Q[:, FTUNE.landmarks]),
    "dselect": Call(ft.dselect, d=4),
    "diverse_landmarks": Call(ft.diverse_landmarks, d=4),
    "random_landmarks": Call(ft.random_landmarks, d=4),
    "landmark_pairs": Call(ft.landmark_pairs, L=SOME, d=4),
    "as_tree": Call(ball_trees.as_tree),
    "nearest_neighbors": Call(ball_trees.nearest_neighbors, k=2, L=M, skip=SKIP),
    "class_trees": Call(ball_trees.class_trees),
    "impostors": Call(ball_trees.impostors),
    "vote": Call(spaces.vote, y=y[OBJECTS], distances=K[:6, :3]),
    "PrecomputedSpace": Call(lambda matrix: space(matrix).within(None, [1, 2])),
    **{f"fit_distance, {name}": Call(fit_distance, name=name) for name in ("RCA", "Mah-C", "L1")},
    "nearest_neighbor": Call(nearest_neighbor, distance=RCA),
    "pairwise": Call(pairwise, distance=GAUSSIAN),
    "adaboost_classifier": Call(adaboost_classifier, T=2),
    "dboost": Call(dboost, T=2),
    "nda": Call(nonparametric_discriminant_analysis, k=1),
    "kmeans_trees": Call(kmeans_trees, n_trees=2, branching=2, leaf_size=4),
    "lsh": Call(lsh, n_tables=2, k=2, w=4.0),
    "rotated_scan": Call(rotated_scan, k=2),
    "spectral_hashing": Call(spectral_hashing, bits=4),
    "encode": Call(HASHING.encode, X=Q),
    "hamming_scan": Call(hamming_scan, Q=CODES[:2], X=CODES, n_candidates=3),
    "pack_bits": Call(pack_bits),
    "fastmap": Call(lambda matrix: fastmap(space(matrix), 2, rng=seed())),
    "metricmap": Call(lambda matrix: metricmap(space(matrix), 2, rng=seed())),
    "sparsemap": Call(lambda matrix: sparsemap(space(matrix), 2, rng=seed())),
    "landmarked": Call(ft.landmarked, S=K[:, :6], family=[1.0, 5.0]),
    "pair_distance": Call(LEARNT.pair_distance),
    "get_metric": Call(lambda u=X[0], v=X[1]: LEARNT.get_metric()(u, v)),
    "BoostedDistanceClassifier": Fit(estimators.BoostedDistanceClassifier, n_estimators=2),
    "BoostMap": Fit(estimators.BoostMap, n_components=2, random_state=0),
    "BoostMapClassifier": Fit(estimators.BoostMapClassifier, n_components=2, random_state=0),
    "FTuneClassifier": Fit(estimators.FTuneClassifier, random_state=0),
    "LandmarkTransformer": Fit(estimators.LandmarkTransformer, n_components=3, random_state=0),
    "LMNN": Fit(estimators.LMNN),
    "MultiMetricLMNN": Fit(estimators.MultiMetricLMNN, n_neighbors=2, max_checks=3, random_state=0),
    "SearchForestNeighbors": Fit(estimators.SearchForestNeighbors, n_neighbors=2, random_state=0),
}
PRINTED = {
    "boosted_distance": lambda X, y: bd_print.boosted_distance(X, y, 2),
    "adaboost": lambda P, N: bd_print.adaboost(P, N, 2),
    "adaboost_rounds": lambda P, N, first: list(
        itertools.islice(bd_print.adaboost_rounds(P, N, first=first), 2)),
    "similarity": lambda x=Q, y=X[y == 0]: bd_print.similarity(x, y, MODEL[0]),
    "nearest_neighbor":
        lambda Omega, y=Q, l=y: bd_print.nearest_neighbor_boosted_distance(
            y, {0: MODEL[0], 1: MODEL[1]}, Omega, l),
    "training_rounds":
        lambda D, triples, y=ORDERS: rounds(bm_print.Problem(D, D, triples, y)),
    "search_forest":
        lambda X: sf_print.search_forest(X, y[:, np.newaxis] == y, 0.2, 2),
    "dselect": lambda T, l: ft_print.dselect(Similarity(K), T, l, 4, seed()),
    "ftune":
        lambda l: ft_print.ftune((1.0, 5.0), Similarity(K), "hinge", l, 3, seed())[2],
    "Phi": lambda S=X[:, :2]: ft_print.Phi(S, 0.25, refimpl.kernels),
    "TRAIN": lambda l, Phi=X: ft_print.TRAIN(Phi, l, "hinge"),
    "query_sensitive_rounds":
        lambda triples, m_i, F=D[:3], y=ORDERS: list(
            itertools.islice(bm_print.query_sensitive_rounds(
                F, triples, y, m_i, bm_print.Choices(3), rng=seed()), 2)),
    "pivot_embedding":
        lambda D_x1=D[0], D_x2=D[1]: bm_print.pivot_embedding(D_x1, D_x2, 2.5),
    "query_weights":
        lambda alpha, E=X: bm_print.query_weights(E, alpha, [(0, 1, 0.0, 5.0, 1, 0.5)]),
    "steps":
        lambda X, y, targets, partition, Ls: [now.G for now in itertools.islice(
            lm_print.steps(lm_print.Examples(X, y, targets, partition), 1.0, Ls), 3)],
    "impostors": lambda near, Z=X: lm_print.impostors(EXAMPLES, Z, near),
    "gradient":
        lambda even, odd, seen: lm_print.gradient(EXAMPLES, even, odd, seen, 1.0),
    "nearest":
        lambda X, Q, Ls, partition: lm_print.nearest(X, Q, 2, Ls, partition),
    "metric_step": lambda L, G=M: lm_print.metric_step(L, G, 1),
    "factor_step": lambda L, G=M: lm_print.factor_step(L, G, 1),
}  # fmt: skip
CALLS |= {f"printed {name}": Call(function) for name, function in PRINTED.items()}
