"""Public functions take arrays of any layout and dtype, or say which one they refuse."""

import dataclasses
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


def boostmap_by(distances, between, objects, orders):
    return bm.boostmap(
        bm.CandidateDistances(distances, between), bm.Triples(objects, orders), 2, rng=seed()
    )


def rounds(problem):
    return [r.w for r in bm_print.training_rounds(problem, 2, 16, 4, 5, rng=seed())]


def scan(Q, X):
    return hamming_scan(Q, X, 3)


CALLS = {
    "boosted_distance": (lambda X, y: bd.boosted_distance(X, y, 2), {"X": X, "y": y}),
    "adaboost": (lambda P, N: bd.adaboost(P, N, 3), {"P": X[::2], "N": X[1::2]}),
    "similarity": (lambda Q, X, y: bd.similarity(MODEL, Q, X, y), {"Q": Q, "X": X, "y": y}),
    "class_similarities":
        (lambda Q, X, y: bd.class_similarities(MODEL, Q, X, y), {"Q": Q, "X": X, "y": y}),
    "nearest_neighbor_boosted_distance":
        (lambda Q, X, y: bd.nearest_neighbor_boosted_distance(MODEL, Q, X, y),
         {"Q": Q, "X": X, "y": y}),
    "staged_nearest_neighbor":
        (lambda Q, X, y: list(bd.staged_nearest_neighbor(MODEL, Q, X, y, [1, 2])),
         {"Q": Q, "X": X, "y": y}),
    "boostmap": (boostmap_by, {"D": D, "between": D, "objects": OBJECTS, "y": ORDERS}),
    "random_triples": (lambda D: bm.random_triples(D, 9, rng=seed()), {"D": D}),
    "nearby_triples": (lambda D: bm.nearby_triples(D, 3, 9, rng=seed()), {"D": D}),
    "selective_triples":
        (lambda D, y: bm.selective_triples(D, y, 3, 9, rng=seed()), {"D": D, "y": y}),
    "search_forest":
        (lambda X: sf.search_forest(X, sf.label_similarity(y), 2, 0.2, rng=seed()), {"X": X}),
    "label_similarity": (lambda y: sf.label_similarity(y).toarray(), {"y": y}),
    "neighbor_similarity": (lambda X: sf.neighbor_similarity(X, 2).toarray(), {"X": X}),
    "selection": (lambda Q, X: sf.selection(FOREST, Q, X), {"Q": Q, "X": X}),
    "to_terms": (lambda Q: sf.to_terms(FOREST, Q), {"Q": Q}),
    "lmnn": (lambda X, y: lm.lmnn(X, y, 2, 1.0), {"X": X, "y": y}),
    "lmnn_rect":
        (lambda X, y: lm.lmnn_rect(X, y, 2, 2, options=FEW_CHECKS), {"X": X, "y": y}),
    "project": (lambda M: lm.project(M), {"M": M}),
    "lmnn_svd": (lambda metric: lm.lmnn_svd(metric, 2), {"metric": M}),
    "classify":
        (lambda metric, Q, X, y: lm.classify(metric, Q, X, y, 2),
         {"metric": M, "Q": Q, "X": X, "y": y}),
    "leave_one_out_error":
        (lambda X, y: lm.leave_one_out_error(METRIC, X, y, 2), {"X": X, "y": y}),
    "metric_neighbors":
        (lambda metric, Q, X: lm.metric_neighbors(metric, Q, X, 2), {"metric": M, "Q": Q, "X": X}),
    "kmeans_partition": (lambda X: lm.kmeans_partition(X, 2, rng=seed()), {"X": X}),
    "target_neighbors": (lambda X, y: lm.target_neighbors(X, y, 2), {"X": X, "y": y}),
    "ftune":
        (lambda K, y: ft.ftune(K, y, PAIRS, options=OPTIONS), {"K": K, "y": y}),
    "bbs": (lambda K, y, L: ft.bbs(K, y, L, options=OPTIONS), {"K": K, "y": y, "landmarks": SOME}),
    "decision": (lambda S: FTUNE.decision(S), {"S": K_Q[:, FTUNE.landmarks]}),
    "dselect": (lambda K, y: ft.dselect(K, y, 4, rng=seed()), {"K": K, "y": y}),
    "diverse_landmarks": (lambda K: ft.diverse_landmarks(K, 4, rng=seed()), {"K": K}),
    "random_landmarks": (lambda y: ft.random_landmarks(y, 4, rng=seed()), {"y": y}),
    "landmark_pairs": (lambda y, L: ft.landmark_pairs(y, L, 4, rng=seed()), {"y": y, "L": SOME}),
    "as_tree": (lambda X: ball_trees.as_tree(X), {"X": X}),
    "nearest_neighbors":
        (lambda Q, X, L, skip: ball_trees.nearest_neighbors(Q, X, 2, L, skip=skip),
         {"Q": Q, "X": X, "L": M, "skip": np.array([1, -1, 3, 4])}),
    "class_trees": (lambda X, y: ball_trees.class_trees(X, y), {"X": X, "y": y}),
    "impostors":
        (lambda X, y, limits: ball_trees.impostors(X, y, limits),
         {"X": X, "y": y, "limits": np.full(16, 9.0)}),
    "vote": (lambda y, D: spaces.vote(y, D, rng=seed()), {"y": y[OBJECTS], "distances": K[:6, :3]}),
    "PrecomputedSpace": (lambda D: spaces.PrecomputedSpace(D).within(None, [1, 2]), {"matrix": D}),
    "fit_distance":
        (lambda X, y: [fit_distance(name, X, y) for name in ("RCA", "Mah-C", "L1")],
         {"X": X, "y": y}),
    "nearest_neighbor":
        (lambda Q, X, y: nearest_neighbor(fit_distance("RCA", *PLAIN), Q, X, y),
         {"Q": Q, "X": X, "y": y}),
    "pairwise":
        (lambda Q, X, y: pairwise(fit_distance("Mah-C", *PLAIN), Q, X, y),
         {"Q": Q, "X": X, "y": y}),
    "adaboost_classifier": (lambda X, y: adaboost_classifier(X, y, 2), {"X": X, "y": y}),
    "dboost": (lambda K, y: dboost(K, y, 2, rng=seed()), {"K": K, "y": y}),
    "nda":
        (lambda X, y: nonparametric_discriminant_analysis(X, y, k=1), {"X": X, "y": y}),
    "kmeans_trees": (lambda X: kmeans_trees(X, 2, branching=2, leaf_size=4, rng=seed()), {"X": X}),
    "lsh": (lambda X: lsh(X, 2, 2, 4.0, rng=seed()), {"X": X}),
    "rotated_scan": (lambda Q, X: rotated_scan(Q, X, 2), {"Q": Q, "X": X}),
    "spectral_hashing": (lambda X: spectral_hashing(X, 4), {"X": X}),
    "encode": (lambda Q: HASHING.encode(Q), {"X": Q}),
    "hamming_scan": (scan, {"Q": CODES[:2], "X": CODES}),
    "pack_bits": (pack_bits, {"bits": BITS}),
    "fastmap":
        (lambda D: fastmap(spaces.PrecomputedSpace(D), 2, rng=seed()), {"matrix": D}),
    "metricmap":
        (lambda D: metricmap(spaces.PrecomputedSpace(D), 2, rng=seed()), {"matrix": D}),
    "sparsemap":
        (lambda D: sparsemap(spaces.PrecomputedSpace(D), 2, rng=seed()), {"matrix": D}),
    "BoostedDistanceClassifier":
        (fitted("BoostedDistanceClassifier", n_estimators=2), {"X": X, "y": y, "Q": Q}),
    "BoostMap": (fitted("BoostMap", n_components=2, random_state=0), {"X": X, "y": y, "Q": Q}),
    "BoostMapClassifier":
        (fitted("BoostMapClassifier", n_components=2, random_state=0), {"X": X, "y": y, "Q": Q}),
    "FTuneClassifier":
        (fitted("FTuneClassifier", random_state=0), {"X": X, "y": y, "Q": Q}),
    "LandmarkTransformer":
        (fitted("LandmarkTransformer", n_components=3, random_state=0), {"X": X, "y": y, "Q": Q}),
    "LMNN": (fitted("LMNN"), {"X": X, "y": y, "Q": Q}),
    "pair_distance": (lambda pairs: LEARNT.pair_distance(pairs), {"pairs": X.reshape(8, 2, 3)}),
    "get_metric": (lambda u, v: LEARNT.get_metric()(u, v), {"u": X[0], "v": X[1]}),
    "MultiMetricLMNN":
        (fitted("MultiMetricLMNN", n_neighbors=2, max_checks=3, random_state=0),
         {"X": X, "y": y, "Q": Q}),
    "SearchForestNeighbors":
        (fitted("SearchForestNeighbors", n_neighbors=2, random_state=0),
         {"X": X, "y": y, "Q": Q}),
    "printed boosted_distance": (lambda X, y: bd_print.boosted_distance(X, y, 2), {"X": X, "y": y}),
    "printed adaboost": (lambda P, N: bd_print.adaboost(P, N, 2), {"P": X[::2], "N": X[1::2]}),
    "printed adaboost_rounds":
        (lambda P, N, first: list(itertools.islice(bd_print.adaboost_rounds(P, N, first=first), 2)),
         {"P": X[::2], "N": X[1::2], "first": np.ones(16)}),
    "printed similarity":
        (lambda x, y: bd_print.similarity(x, y, MODEL[0]), {"x": Q, "y": X[y == 0]}),
    "printed nearest_neighbor":
        (lambda y, X, l: bd_print.nearest_neighbor_boosted_distance(
            y, {0: MODEL[0], 1: MODEL[1]}, X, l), {"y": Q, "Omega": X, "l": y}),
    "printed training_rounds":
        (lambda D, t, y: rounds(bm_print.Problem(D, D, t, y)),
         {"D": D, "triples": OBJECTS, "y": ORDERS}),
    "printed search_forest":
        (lambda X: sf_print.search_forest(X, y[:, np.newaxis] == y, 0.2, 2), {"X": X}),
    "printed dselect":
        (lambda T, l: ft_print.dselect(Similarity(K), T, l, 4, seed()),
         {"T": np.arange(16), "l": 1.0 - 2 * y}),
    "printed ftune":
        (lambda l: ft_print.ftune((1.0, 5.0), Similarity(K), "hinge", l, 3, seed())[2],
         {"l": 1.0 - 2 * y}),
    "printed Phi": (lambda S: ft_print.Phi(S, 0.25, refimpl.kernels), {"S": X[:, :2]}),
    "printed TRAIN": (lambda Phi, l: ft_print.TRAIN(Phi, l, "hinge"), {"Phi": X, "l": 1.0 - 2 * y}),
    "printed query_sensitive_rounds":
        (lambda F, t, y, m: list(itertools.islice(bm_print.query_sensitive_rounds(
            F, t, y, m, bm_print.Choices(3), rng=seed()), 2)),
         {"F": D[:3], "triples": OBJECTS, "y": ORDERS, "m_i": np.zeros(6)}),
    "printed pivot_embedding":
        (lambda a, b: bm_print.pivot_embedding(a, b, 2.5), {"D_x1": D[0], "D_x2": D[1]}),
    "printed query_weights":
        (lambda E, a: bm_print.query_weights(E, a, [(0, 1, 0.0, 5.0, 1, 0.5)]),
         {"E": X, "alpha": np.ones(3)}),
    "printed steps":
        (lambda *of: [now.G for now in itertools.islice(
            lm_print.steps(lm_print.Examples(*of[:4]), 1.0, of[4]), 3)],
         {"X": X, "y": y, "targets": TARGETS, "partition": y, "L": np.stack([M, M])}),
    "printed impostors":
        (lambda Z, near: lm_print.impostors(EXAMPLES, Z, near), {"Z": X, "near": NEAR}),
    "printed gradient":
        (lambda i, l, N: lm_print.gradient(EXAMPLES, i, l, N, 1.0),
         {"i": np.arange(0, 16, 2), "l": np.arange(1, 16, 2), "N": np.ones((8, 2), dtype=bool)}),
    "printed nearest":
        (lambda X, Q, L, p: lm_print.nearest(X, Q, 2, L, p),
         {"X": X, "Q": Q, "L": np.stack([M, M]), "partition": y}),
    "printed metric_step":
        (lambda L, G: lm_print.metric_step(L, G, 1), {"L": M, "G": M}),
    "printed factor_step":
        (lambda L, G: lm_print.factor_step(L, G, 1), {"L": M, "G": M}),
    "landmarked":
        (lambda S, a, b: ft.landmarked(S, a, b, [1.0, 5.0]),
         {"S": K[:, :6], "plus": np.array([0, 1]), "minus": np.array([2, 3])}),
}  # fmt: skip
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


def outcome(run, arguments):
    """The result's bits, or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bits(run(*arguments)), None
        except (TypeError, ValueError, KeyError) as error:
            return None, error


WANTED = {}
"""What a function gives for a plain array; many forms have the same one."""


def wanted(name, argument, array):
    """The outcome for a plain array in an argument's place."""
    key = name, argument, array.dtype.str, array.shape, array.tobytes()
    if key not in WANTED:
        run, arguments = CALLS[name]
        WANTED[key] = outcome(run, [*{**arguments, argument: array}.values()])
    return WANTED[key]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CALLS)
def test_any_form_gives_the_same_bits_or_an_error_that_names_the_argument(name, form, tmp_path):
    run, arguments = CALLS[name]
    for argument, A in arguments.items():
        given = formed(form, A, tmp_path)
        before = pickle.dumps(np.asarray(given))
        got, error = outcome(run, [*{**arguments, argument: given}.values()])
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
    run, arguments = CALLS[name]
    for argument, A in arguments.items():
        masked = np.ma.masked_array(A, mask=np.arange(A.size).reshape(A.shape) == 1)
        _, error = outcome(run, [*{**arguments, argument: masked}.values()])
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
