"""Which libraries are asked what: a line for each call of theirs, and where it documents what it
does.

Not handled here: how it is asked (``adapters/``), how answers are judged
(:mod:`tests.others.judging`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from . import conventions, large_margin


@dataclass(frozen=True)
class Convention:
    """What a library documents to do instead."""

    words: str
    documented: str  # where the library says so
    holds: Callable[[Any], bool]  # whether an answer is right by it
    outcome: str = "other convention"  # what answers that are right by it are called


@dataclass(frozen=True)
class Item:
    """A call of a library, and the subject that it is held against."""

    variant: str  # the adapter's argument
    call: str  # as a user writes it
    subject: str  # a kernel or a training of the vectors; or "neighbors", "lda"
    convention: Convention | None = None
    converts: str = ""  # the variant whose convention this call changes into the papers'
    shows: str = ""  # the id of the case to show, if it differs; else the shortest is
    skips: str = ""  # why the adapter skips cases


@dataclass(frozen=True)
class Library:
    """A library: its name, which is that of its requirements and adapter, and its items."""

    name: str
    items: tuple[Item, ...]


SINGLE = Convention(
    "Points are float32: neighbours and distances are those of the rounded points.",
    "",
    conventions.single_precision,
)
APPROXIMATE = Convention(
    "The search is approximate, on points rounded to float32.",
    "",
    conventions.approximate,
    "approximate",
)
STEPS = (
    "The objective is eq. 3 divided by 1 + mu. The gradient steps for L begin with the rate {}. "
    "The rate is halved until a step makes the objective no worse, and each step raises it by a "
    "hundredth. After 50 steps they end when a step gains less than {}, at the latest after {}: "
    "this need not be near the least value. The same steps, computed here with the library's own "
    "target neighbours, give the same metric, to a millionth of its largest entry."
)
OWN_LIMIT = (
    "Optimal means: no more than a thousandth above the least value that a search from six starts "
    "finds, the limit that eq. 3 has, too."
)


CHANCE = "it refuses data on which the first stump is no better than chance"
STRICT = "they ask for the points below a limit; it offers those up to it alone"


def documented(convention, where):
    """Return a convention that several libraries share, with where one of them states it."""
    return replace(convention, documented=where)


FAISS = documented(SINGLE, "faiss.IndexFlat.add, its docstring: dtype must be float32")
FAISS_GRAPH = documented(
    APPROXIMATE,
    "faiss.IndexFlat.add, its docstring; faiss/impl/HNSW.h names the paper that it implements: "
    "approximate nearest neighbour search by graphs",
)
HNSWLIB = documented(SINGLE, "python_bindings/bindings.cpp: the class is BFIndex<float>")
HNSWLIB_GRAPH = documented(
    APPROXIMATE, "hnswlib's README; python_bindings/bindings.cpp: the class is Index<float>"
)
LIBRARIES = (
    Library(
        "scikit-learn",
        (
            Item(
                "brute",
                'NearestNeighbors(algorithm="brute")',
                "scan_nearest",
                Convention(
                    "A squared distance is x x - 2 x q + q q: far from the origin it loses digits.",
                    "sklearn.metrics.pairwise.euclidean_distances: its docstring gives the formula "
                    "and warns of the cancellation",
                    conventions.expanded_squares,
                ),
            ),
            Item("ball-tree", "BallTree.query", "tree_nearest"),
            Item("kd-tree", "KDTree.query", "tree_nearest"),
            Item(
                "ball-tree-within",
                "BallTree.query_radius(q, sqrt(limit))",
                "tree_within",
                Convention(
                    "The limit is a radius, not its square: the root's rounding leaves out points "
                    "at the limit.",
                    "BallTree.query_radius: r is the distance within which neighbors are returned",
                    conventions.at_radius,
                ),
                skips=STRICT,
            ),
            Item(
                "ball-tree-next",
                "BallTree.query_radius with the next float64 after sqrt(limit)",
                "tree_within",
                converts="ball-tree-within",
                skips=STRICT,
            ),
            Item(
                "stump",
                "DecisionTreeClassifier(max_depth=1)",
                "best_stump",
                Convention(
                    "A stump is the split of least Gini impurity, of points rounded to float32; "
                    "the papers' has the least weighted error.",
                    'DecisionTreeClassifier: criterion="gini" is the default; fit: X is converted '
                    "to float32",
                    conventions.split_by("gini"),
                ),
                shows="best_stump/33",
            ),
            Item(
                "stump-absolute",
                'DecisionTreeRegressor(criterion="absolute_error", max_depth=1) of the labels 0, 1',
                "best_stump",
                Convention(
                    "Points are rounded to float32.",
                    "DecisionTreeRegressor.fit: X is converted to float32",
                    conventions.split_by("error"),
                ),
                converts="stump",
            ),
            Item(
                "adaboost",
                "AdaBoostClassifier(DecisionTreeClassifier(max_depth=1))",
                "adaboost",
                Convention(
                    "All weights begin equal, where A.2 gives either class half; stumps are by "
                    "Gini impurity; boosting ends at a stump without error.",
                    "AdaBoostClassifier.fit: sample_weight is 1 / n_samples by default; "
                    "n_estimators: a perfect fit ends the learning; References: Zhu et al. (2009)",
                    conventions.boosting("gini", False),
                ),
                skips=CHANCE,
                shows="adaboost/2",
            ),
            Item(
                "adaboost-halves",
                "the same with sample_weight = 1/(2|P|), 1/(2|N|)",
                "adaboost",
                Convention(
                    "Stumps are by Gini impurity; boosting ends at a stump without error.",
                    'DecisionTreeClassifier: criterion="gini"; AdaBoostClassifier: n_estimators',
                    conventions.boosting("gini", True),
                ),
                skips=CHANCE,
            ),
            Item(
                "adaboost-absolute",
                "the same with sample_weight and stumps of least error "
                '(criterion="absolute_error")',
                "adaboost",
                Convention(
                    "Boosting ends at a stump without error, whose weight is 1.",
                    "AdaBoostClassifier: n_estimators: a perfect fit ends the learning",
                    conventions.boosting("error", True),
                ),
                skips=CHANCE,
                converts="adaboost",
            ),
            Item(
                "lloyd",
                'KMeans(init=centres, n_init=1, algorithm="lloyd", tol=0)',
                "lloyd",
                Convention(
                    "A centre without points takes the point farthest from its own centre; the "
                    "kernel leaves it where it is.",
                    "sklearn/cluster/_k_means_common.pyx, _relocate_empty_clusters_dense",
                    conventions.relocated,
                ),
                skips="it refuses fewer points than clusters, and no iterations",
            ),
            Item("lda", 'LinearDiscriminantAnalysis(solver="eigen")', "lda"),
        ),
    ),
    Library(
        "metric-learn",
        (
            Item(
                "lmnn",
                "LMNN(regularization=1 / (1 + mu))",
                "lmnn",
                Convention(
                    STEPS.format("1e-7", "0.001", "1,000"),
                    "metric_learn/lmnn.py, LMNN.fit; LMNN: learn_rate, min_iter, max_iter",
                    large_margin.gradient_steps(rate=1e-7, tol=1e-3, most=1000),
                    "stops early",
                ),
            ),
            Item(
                "lmnn-long",
                "the same with convergence_tol=1e-9, learn_rate=1e-3, max_iter=100000",
                "lmnn",
                Convention(
                    STEPS.format("0.001", "1e-9", "100,000"),
                    "metric_learn/lmnn.py, LMNN.fit; LMNN: learn_rate, min_iter, max_iter",
                    large_margin.gradient_steps(rate=1e-3, tol=1e-9, most=100_000),
                    "stops early",
                ),
                converts="lmnn",
            ),
            Item(
                "rca",
                "RCA()",
                "relevant_component_analysis",
                Convention(
                    "The sum is divided by the number of all points, those of a class of one too.",
                    "metric_learn/rca.py, RCA.fit: np.cov of the centred chunks, bias=1",
                    conventions.divided_by_all,
                ),
            ),
        ),
    ),
    Library(
        "mlpack",
        (
            Item("knn", 'knn(algorithm="dual_tree")', "scan_nearest"),
            Item("knn-naive", 'knn(algorithm="naive")', "scan_nearest"),
            Item(
                "lmnn",
                'lmnn(optimizer="lbfgs", regularization=mu / (1 + mu))',
                "lmnn",
                Convention(
                    "The push sums the slacks of a point's k nearest points of other classes "
                    "alone; no parameter gives eq. 3. For this sum, with target neighbours by the "
                    f"library's own search, every answer is optimal. {OWN_LIMIT}",
                    "src/mlpack/methods/lmnn/lmnn_function_impl.hpp, Evaluate; "
                    "constraints_impl.hpp, TargetNeighbors and Impostors",
                    large_margin.own_large_margin(large_margin.nearest_slacks),
                ),
            ),
        ),
    ),
    Library(
        "faiss",
        (
            Item("flat", "IndexFlatL2", "scan_nearest", FAISS),
            Item("hnsw", "IndexHNSWFlat(d, 32), efSearch = 16", "neighbors", FAISS_GRAPH),
            Item(
                "hnsw-all",
                "IndexHNSWFlat(d, 32), efSearch = 100000",
                "neighbors",
                FAISS_GRAPH,
                converts="hnsw",
            ),
            Item(
                "binary",
                "IndexBinaryFlat",
                "hamming_nearest",
                skips="it takes neither an empty set nor k = 0",
            ),
        ),
    ),
    Library(
        "hnswlib",
        (
            Item("brute", "BFIndex", "scan_nearest", HNSWLIB),
            Item("default", "Index, ef = 10", "neighbors", HNSWLIB_GRAPH),
            Item("everything", "Index, ef = n", "neighbors", HNSWLIB_GRAPH, converts="default"),
        ),
    ),
)
