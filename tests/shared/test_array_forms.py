"""Public functions take arrays of any layout and dtype, or say which one they refuse."""

import dataclasses
import inspect
import itertools
import pickle
import warnings

import numpy as np
import pytest

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
from refimpl.kernels import pair_distances
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
FEW_CHECKS = lm.LMNNOptions(max_checks=3)
SOME = np.array([0, 3, 5])
TARGETS = lm_print.target_neighbors(X, y, 2)
EXAMPLES = lm_print.Examples(X, y, TARGETS, np.zeros(16, dtype=np.int64))
NEAR = ((X[:, np.newaxis] - X[TARGETS]) ** 2).sum(axis=2)


def fitted(name, **options):
    def run(X, y, Q):
        model = getattr(estimators, name)(**options)
        model.fit(X, y)
        results = [
            getattr(model, how)(Q) for how in ("predict", "transform") if hasattr(model, how)
        ]
        return results if results else model.kneighbors(Q)

    return run


def rounds(problem):
    return [r.w for r in bm_print.training_rounds(problem, 2, 16, 4, 5, rng=seed())]


def space(matrix):
    return spaces.PrecomputedSpace(matrix)


GIVEN = {
    "X": X, "Q": Q, "y": y, "D": D, "K": K, "P": X[::2], "N": X[1::2], "M": M, "matrix": D,
    "metric": M, "landmarks": SOME, "L": M, "objects": OBJECTS, "triples": OBJECTS, "bits": BITS,
    "l": 1.0 - 2 * y, "Omega": X, "targets": TARGETS, "near": NEAR, "partition": y,
    "skip": np.array([1, -1, 3, 4]), "limits": np.full(16, 9.0), "pairs": X.reshape(8, 2, 3),
    "first": np.ones(16), "m_i": np.zeros(6), "alpha": np.ones(3), "T": np.arange(16),
    "plus": np.array([0, 1]), "minus": np.array([2, 3]), "Ls": np.stack([M, M]),
    "seen": np.ones((8, 2), dtype=bool), "even": np.arange(0, 16, 2), "odd": np.arange(1, 16, 2),
}  # fmt: skip
"""What an argument of a call below is, unless the call says so."""

CALLS = {
    "boosted_distance": lambda X, y: bd.boosted_distance(X, y, 2),
    "adaboost": lambda P, N: bd.adaboost(P, N, 3),
    "similarity": lambda Q, X, y: bd.similarity(MODEL, Q, X, y),
    "class_similarities": lambda Q, X, y: bd.class_similarities(MODEL, Q, X, y),
    "nearest_neighbor_boosted_distance":
        lambda Q, X, y: bd.nearest_neighbor_boosted_distance(MODEL, Q, X, y),
    "staged_nearest_neighbor":
        lambda Q, X, y: list(bd.staged_nearest_neighbor(MODEL, Q, X, y, [1, 2])),
    "boostmap": lambda D, objects, between=D, y=ORDERS: bm.boostmap(
        bm.CandidateDistances(D, between), bm.Triples(objects, y), 2, rng=seed()),
    "random_triples": lambda D: bm.random_triples(D, 9, rng=seed()),
    "nearby_triples": lambda D: bm.nearby_triples(D, 3, 9, rng=seed()),
    "selective_triples": lambda D, y: bm.selective_triples(D, y, 3, 9, rng=seed()),
    "search_forest": lambda X: sf.search_forest(X, sf.label_similarity(y), 2, 0.2, rng=seed()),
    "label_similarity": lambda y: sf.label_similarity(y).toarray(),
    "neighbor_similarity": lambda X: sf.neighbor_similarity(X, 2).toarray(),
    "selection": lambda Q, X: sf.selection(FOREST, Q, X),
    "to_terms": lambda Q: sf.to_terms(FOREST, Q),
    "lmnn": lambda X, y: lm.lmnn(X, y, 2, 1.0),
    "lmnn_rect": lambda X, y: lm.lmnn_rect(X, y, 2, 2, options=FEW_CHECKS),
    "project": lambda M: lm.project(M),
    "lmnn_svd": lambda metric: lm.lmnn_svd(metric, 2),
    "classify": lambda metric, Q, X, y: lm.classify(metric, Q, X, y, 2),
    "leave_one_out_error": lambda X, y: lm.leave_one_out_error(METRIC, X, y, 2),
    "metric_neighbors": lambda metric, Q, X: lm.metric_neighbors(metric, Q, X, 2),
    "kmeans_partition": lambda X: lm.kmeans_partition(X, 2, rng=seed()),
    "target_neighbors": lambda X, y: lm.target_neighbors(X, y, 2),
    "ftune": lambda K, y: ft.ftune(K, y, PAIRS, options=OPTIONS),
    "bbs": lambda K, y, landmarks: ft.bbs(K, y, landmarks, options=OPTIONS),
    "decision": lambda S=K_Q[:, FTUNE.landmarks]: FTUNE.decision(S),
    "dselect": lambda K, y: ft.dselect(K, y, 4, rng=seed()),
    "diverse_landmarks": lambda K: ft.diverse_landmarks(K, 4, rng=seed()),
    "random_landmarks": lambda y: ft.random_landmarks(y, 4, rng=seed()),
    "landmark_pairs": lambda y, L=SOME: ft.landmark_pairs(y, L, 4, rng=seed()),
    "as_tree": lambda X: ball_trees.as_tree(X),
    "nearest_neighbors":
        lambda Q, X, L, skip: ball_trees.nearest_neighbors(Q, X, 2, L, skip=skip),
    "class_trees": lambda X, y: ball_trees.class_trees(X, y),
    "impostors": lambda X, y, limits: ball_trees.impostors(X, y, limits),
    "vote": lambda y=y[OBJECTS], distances=K[:6, :3]: spaces.vote(y, distances, rng=seed()),
    "PrecomputedSpace": lambda matrix: space(matrix).within(None, [1, 2]),
    "fit_distance": lambda X, y: [fit_distance(name, X, y) for name in ("RCA", "Mah-C", "L1")],
    "nearest_neighbor":
        lambda Q, X, y: nearest_neighbor(fit_distance("RCA", *PLAIN), Q, X, y),
    "pairwise": lambda Q, X, y: pairwise(fit_distance("Mah-C", *PLAIN), Q, X, y),
    "adaboost_classifier": lambda X, y: adaboost_classifier(X, y, 2),
    "dboost": lambda K, y: dboost(K, y, 2, rng=seed()),
    "nda": lambda X, y: nonparametric_discriminant_analysis(X, y, k=1),
    "kmeans_trees": lambda X: kmeans_trees(X, 2, branching=2, leaf_size=4, rng=seed()),
    "lsh": lambda X: lsh(X, 2, 2, 4.0, rng=seed()),
    "rotated_scan": lambda Q, X: rotated_scan(Q, X, 2),
    "spectral_hashing": lambda X: spectral_hashing(X, 4),
    "encode": lambda X=Q: HASHING.encode(X),
    "hamming_scan": lambda Q=CODES[:2], X=CODES: hamming_scan(Q, X, 3),
    "pack_bits": lambda bits: pack_bits(bits),
    "fastmap": lambda matrix: fastmap(space(matrix), 2, rng=seed()),
    "metricmap": lambda matrix: metricmap(space(matrix), 2, rng=seed()),
    "sparsemap": lambda matrix: sparsemap(space(matrix), 2, rng=seed()),
    "BoostedDistanceClassifier": fitted("BoostedDistanceClassifier", n_estimators=2),
    "BoostMap": fitted("BoostMap", n_components=2, random_state=0),
    "BoostMapClassifier": fitted("BoostMapClassifier", n_components=2, random_state=0),
    "FTuneClassifier": fitted("FTuneClassifier", random_state=0),
    "LandmarkTransformer": fitted("LandmarkTransformer", n_components=3, random_state=0),
    "LMNN": fitted("LMNN"),
    "pair_distance": lambda pairs: LEARNT.pair_distance(pairs),
    "get_metric": lambda u=X[0], v=X[1]: LEARNT.get_metric()(u, v),
    "MultiMetricLMNN":
        fitted("MultiMetricLMNN", n_neighbors=2, max_checks=3, random_state=0),
    "SearchForestNeighbors": fitted("SearchForestNeighbors", n_neighbors=2, random_state=0),
    "printed boosted_distance": lambda X, y: bd_print.boosted_distance(X, y, 2),
    "printed adaboost": lambda P, N: bd_print.adaboost(P, N, 2),
    "printed adaboost_rounds": lambda P, N, first: list(
        itertools.islice(bd_print.adaboost_rounds(P, N, first=first), 2)),
    "printed similarity": lambda x=Q, y=X[y == 0]: bd_print.similarity(x, y, MODEL[0]),
    "printed nearest_neighbor":
        lambda Omega, y=Q, l=y: bd_print.nearest_neighbor_boosted_distance(
            y, {0: MODEL[0], 1: MODEL[1]}, Omega, l),
    "printed training_rounds":
        lambda D, triples, y=ORDERS: rounds(bm_print.Problem(D, D, triples, y)),
    "printed search_forest":
        lambda X: sf_print.search_forest(X, y[:, np.newaxis] == y, 0.2, 2),
    "printed dselect": lambda T, l: ft_print.dselect(Similarity(K), T, l, 4, seed()),
    "printed ftune":
        lambda l: ft_print.ftune((1.0, 5.0), Similarity(K), "hinge", l, 3, seed())[2],
    "printed Phi": lambda S=X[:, :2]: ft_print.Phi(S, 0.25, refimpl.kernels),
    "printed TRAIN": lambda l, Phi=X: ft_print.TRAIN(Phi, l, "hinge"),
    "printed query_sensitive_rounds":
        lambda triples, m_i, F=D[:3], y=ORDERS: list(
            itertools.islice(bm_print.query_sensitive_rounds(
                F, triples, y, m_i, bm_print.Choices(3), rng=seed()), 2)),
    "printed pivot_embedding":
        lambda D_x1=D[0], D_x2=D[1]: bm_print.pivot_embedding(D_x1, D_x2, 2.5),
    "printed query_weights":
        lambda alpha, E=X: bm_print.query_weights(E, alpha, [(0, 1, 0.0, 5.0, 1, 0.5)]),
    "printed steps":
        lambda X, y, targets, partition, Ls: [now.G for now in itertools.islice(
            lm_print.steps(lm_print.Examples(X, y, targets, partition), 1.0, Ls), 3)],
    "printed impostors": lambda near, Z=X: lm_print.impostors(EXAMPLES, Z, near),
    "printed gradient":
        lambda even, odd, seen: lm_print.gradient(EXAMPLES, even, odd, seen, 1.0),
    "printed nearest":
        lambda X, Q, Ls, partition: lm_print.nearest(X, Q, 2, Ls, partition),
    "printed metric_step": lambda L, G=M: lm_print.metric_step(L, G, 1),
    "printed factor_step": lambda L, G=M: lm_print.factor_step(L, G, 1),
    "landmarked": lambda plus, minus, S=K[:, :6]: ft.landmarked(S, plus, minus, [1.0, 5.0]),
}  # fmt: skip


def arguments_of(name):
    """Return the plain arguments of a call by name."""
    listed = inspect.signature(CALLS[name]).parameters.values()
    return {
        one.name: GIVEN[one.name] if one.default is one.empty else one.default for one in listed
    }


PLAIN = X, y
LEARNT = estimators.LMNN(2).fit(X, y)
HASHING = spectral_hashing(X, 4)

# -------------------------------------------------------------------------------------------- forms


def misaligned(A):
    return np.frombuffer(b"\0" + A.tobytes(), dtype=A.dtype, offset=1).reshape(A.shape)


def read_only(A):
    A = A.copy()
    A.flags.writeable = False
    return A


def memory_mapped(A, folder):
    np.save(folder / "mapped.npy", A)
    return np.load(folder / "mapped.npy", mmap_mode="r")


def strided(A):
    twice = np.zeros((2 * len(A), *A.shape[1:]), dtype=A.dtype)
    twice[::2] = A
    return twice[::2]


def pandas_table(A):
    pandas = pytest.importorskip("pandas")
    return {1: pandas.Series, 2: pandas.DataFrame}.get(A.ndim, np.asarray)(A)


def polars_table(A):
    polars = pytest.importorskip("polars")
    return {1: polars.Series, 2: polars.DataFrame}.get(A.ndim, np.asarray)(A)


FORMS = {
    "strided": strided,
    "Fortran": np.asfortranarray,
    "reversed": lambda A: A[::-1].copy()[::-1],
    "transposed": lambda A: A.T.copy().T,
    "misaligned": misaligned,
    "read-only": read_only,
    "memory-mapped": memory_mapped,
    "big-endian": lambda A: A.astype(A.dtype.newbyteorder(">")),
    "float16": lambda A: A.astype(np.float16),
    "float32": lambda A: A.astype(np.float32),
    "float32 big-endian": lambda A: A.astype(">f4"),
    "longdouble": lambda A: A.astype(np.longdouble),
    "int32": lambda A: A.astype(np.int32),
    "int8": lambda A: A.astype(np.int8),
    "uint8": lambda A: np.abs(A).astype(np.uint8),
    "bool": lambda A: A.astype(bool),
    "object": lambda A: A.astype(object),
    "complex": lambda A: A.astype(complex),
    "string": lambda A: A.astype(str),
    "text objects": lambda A: (A.astype(str) + "x").astype(object),
    "numbers as text": lambda A: A.astype(int).astype(str).astype(object),
    "list": lambda A: A.tolist(),
    "no mask": lambda A: np.ma.masked_array(A),
    "pandas": pandas_table,
    "polars": polars_table,
}

LABELS = {"y", "l"}
SINGLE = {"search_forest", "selection", "to_terms", "SearchForestNeighbors"}
"""They compute in float32 where the points are float32."""


WITHOUT_LABELS = {"BoostMap", "LandmarkTransformer", "SearchForestNeighbors"}
"""By default they learn without y, as scikit-learn's transformers do."""


def formed(form, A, folder):
    return FORMS[form](A, folder) if form == "memory-mapped" else FORMS[form](A)


def plain(name, argument, given, A):
    """The plain array of the same values: labels keep their type, numbers become floats."""
    values = np.asarray(given)
    if argument in LABELS and A.dtype.kind == "i":
        return np.array(values.tolist())
    if values.dtype.kind in "OSUc":
        return A
    if A.dtype == np.float64 and not (values.dtype.itemsize == 4 and name in SINGLE):
        return np.ascontiguousarray(values, dtype=np.float64)
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))


def bits(result):
    """What two equal results share: bytes of arrays, whatever holds them."""
    if dataclasses.is_dataclass(result):
        fields = [field.name for field in dataclasses.fields(result)]
        return {name: bits(getattr(result, name)) for name in fields}
    if isinstance(result, dict):
        return {name: bits(part) for name, part in result.items()}
    if isinstance(result, list | tuple):
        return [bits(part) for part in result]
    if isinstance(result, np.ndarray):
        return result.shape, result.tolist()
    if hasattr(result, "__dict__"):
        return bits(vars(result))
    return result


def called(name, argument):
    """What the function calls the argument: estimators call queries X."""
    return "X" if argument == "Q" and hasattr(estimators, name) else argument


def reads_text(name, argument):
    """Whether text may be given: labels may be text, and scikit-learn's checks read numbers."""
    return argument in LABELS or name.startswith("printed ") or hasattr(estimators, name)


def outcome(name, changes):
    """The bits of a call's result, or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bits(CALLS[name](**arguments_of(name) | changes)), None
        except (TypeError, ValueError, KeyError) as error:
            return None, error


WANTED = {}
"""What a function gives for a plain array; many forms have the same one."""


def wanted(name, argument, array):
    """The outcome for a plain array in an argument's place."""
    key = name, argument, array.dtype.str, array.shape, array.tobytes()
    if key not in WANTED:
        WANTED[key] = outcome(name, {argument: array})
    return WANTED[key]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CALLS)
def test_any_form_gives_the_same_bits_or_an_error_that_names_the_argument(name, form, tmp_path):
    for argument, A in arguments_of(name).items():
        given = formed(form, A, tmp_path)
        before = pickle.dumps(np.asarray(given))
        got, error = outcome(name, {argument: given})
        assert pickle.dumps(np.asarray(given)) == before, "the argument was written to"
        want, refused = wanted(name, argument, plain(name, argument, given, A))
        if error is None:
            assert form != "numbers as text" or reads_text(name, argument), argument
            assert refused is None, (argument, refused)
            assert got == want, argument
            continue
        words = str(error)
        if name.startswith("printed ") and (refused is not None or form == "text objects"):
            continue  # no form of these values is a problem; the printed layer has no checks
        if hasattr(estimators, name) and form in ("complex", "text objects"):
            continue  # in scikit-learn's words
        assert words.startswith(called(name, argument)), f"{argument}: {words}"
        assert " must " in words, f"{argument}: {words}"


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("printed ")])
def test_masked_elements_are_refused_and_named(name):
    for argument, A in arguments_of(name).items():
        masked = np.ma.masked_array(A, mask=np.arange(A.size).reshape(A.shape) == 1)
        _, error = outcome(name, {argument: masked})
        if argument == "y" and name in WITHOUT_LABELS:
            continue
        assert error is not None, argument
        assert str(error).startswith(called(name, argument)), f"{argument}: {error}"
        assert "masked" in str(error)


def test_kernels_say_what_is_wrong_with_the_layout():
    rows = np.zeros(1, dtype=np.int64)
    for array, words in (
        (misaligned(X), r"Z must be aligned; pass numpy.require\(Z, None, 'CA'\)"),
        (X[:, ::2], r"Z must be C-contiguous; pass numpy.require\(Z, None, 'CA'\)"),
    ):
        with pytest.raises(ValueError, match=words):
            pair_distances(array, rows, rows)
        pair_distances(np.require(array, None, "CA"), rows, rows)
