"""Which libraries are asked what: a line for each call of theirs, and where it documents what it
does.

Not handled here: how it is asked (``adapters/``), how answers are judged
(:mod:`tests.others.judging`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import conventions, large_margin

__all__ = ["LIBRARIES", "Convention", "Item", "Library"]


@dataclass(frozen=True)
class Convention:
    """What a library documents to do instead.

    Attributes
    ----------
    words : str
    documented : str
        Where the library says so.
    holds : callable
        ``holds(answer)`` tells whether an answer is right by it.
    """

    words: str
    documented: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Item:
    """A call of a library, and the subject that it is held against.

    Attributes
    ----------
    variant : str
        The adapter's argument.
    call : str
        What is called, as a user writes it.
    subject : str
        A kernel or a training of the vectors; or "neighbors", "lda".
    convention : Convention, optional
    converts : str
        The variant whose convention this call changes into the papers'.
    note : str
        What a reader needs to judge a difference.
    shows : str
        The id of the case to show, if it is among those that differ; else the shortest is.
    """

    variant: str
    call: str
    subject: str
    convention: Convention | None = None
    converts: str = ""
    note: str = ""
    shows: str = ""


@dataclass(frozen=True)
class Library:
    """A library: its name, which is that of its requirements and adapter, and its items."""

    name: str
    items: tuple[Item, ...]


SINGLE = Convention(
    "Points are float32: neighbours and distances are those of the rounded points.",
    "the interface takes float32 arrays alone",
    conventions.single_precision,
)
APPROXIMATE = Convention(
    "The search is approximate, on points rounded to float32.",
    "the library's description: approximate nearest neighbours",
    conventions.approximate,
)
LIBRARIES = (
    Library(
        "scikit-learn",
        (
            Item("brute", 'NearestNeighbors(algorithm="brute")', "scan_nearest"),
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
            ),
            Item(
                "ball-tree-next",
                "BallTree.query_radius with the next float64 after sqrt(limit)",
                "tree_within",
                converts="ball-tree-within",
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
                    "n_estimators: a perfect fit ends the learning; SAMME of Zhu et al. (2009)",
                    conventions.boosting("gini", False),
                ),
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
                    "The objective is eq. 3 divided by 1 + mu. The steps end earlier: when one "
                    "gains less than 0.001, or after 1,000.",
                    "LMNN: convergence_tol, max_iter, learn_rate",
                    large_margin.gradient_steps(rate=1e-7, tol=1e-3, most=1000),
                ),
                shows="lmnn/1",
            ),
            Item(
                "lmnn-long",
                "the same with convergence_tol=1e-9, learn_rate=1e-3, max_iter=100000",
                "lmnn",
                converts="lmnn",
            ),
            Item("rca", "RCA()", "relevant_component_analysis"),
        ),
    ),
    Library(
        "pylmnn",
        tuple(
            Item(
                variant,
                call,
                "lmnn",
                Convention(
                    "The push sums squares of the slacks; no parameter gives eq. 3.",
                    "pylmnn/lmnn.py, _compute_push_loss",
                    large_margin.own_large_margin(large_margin.squared_slacks),
                ),
            )
            for variant, call in (
                ("lmnn", "LargeMarginNearestNeighbor(weight_push_loss=mu / (1 + mu))"),
                ("lmnn-long", "the same with tol=1e-12, max_iter=10000"),
            )
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
                    "alone; no parameter gives eq. 3.",
                    "lmnn_function_impl.hpp",
                    large_margin.own_large_margin(large_margin.nearest_slacks),
                ),
            ),
        ),
    ),
    Library(
        "faiss",
        (
            Item("flat", "IndexFlatL2", "scan_nearest", SINGLE),
            Item("hnsw", "IndexHNSWFlat(d, 32), efSearch = 16", "neighbors", APPROXIMATE),
            Item(
                "hnsw-all",
                "IndexHNSWFlat(d, 32), efSearch = 100000",
                "neighbors",
                APPROXIMATE,
                converts="hnsw",
            ),
            Item("binary", "IndexBinaryFlat", "hamming_nearest"),
        ),
    ),
    Library(
        "annoy",
        (
            Item("default", "AnnoyIndex, 10 trees", "neighbors", APPROXIMATE),
            Item(
                "everything", "the same, search_k = 100 n", "neighbors", SINGLE, converts="default"
            ),
        ),
    ),
    Library(
        "hnswlib",
        (
            Item("brute", "BFIndex", "scan_nearest", SINGLE),
            Item("default", "Index, ef = 10", "neighbors", APPROXIMATE),
            Item("everything", "Index, ef = n", "neighbors", APPROXIMATE, converts="default"),
        ),
    ),
    Library(
        "pynndescent",
        (
            Item("default", "NNDescent", "neighbors", APPROXIMATE),
            Item(
                "wide", "NNDescent, query(epsilon=1)", "neighbors", APPROXIMATE, converts="default"
            ),
        ),
    ),
    Library(
        "lightgbm",
        (
            Item(
                "stump",
                'a tree of num_leaves=2, objective="regression", labels -1 and 1',
                "best_stump",
                Convention(
                    "A stump is the split of least weighted squared error, which is that of least "
                    "Gini impurity; the papers' has the least weighted error.",
                    "Parameters: objective=regression is L2",
                    conventions.split_by("gini", single=False),
                ),
                note="Values within 1e-35 of zero count as zero, as the thresholds of other cases "
                "show. Weights over 30 powers of two (best_stump/20) give another split, too; the "
                "reason is open.",
                shows="best_stump/33",
            ),
        ),
    ),
    Library(
        "fastmapy",
        (
            Item(
                "fastmap",
                "FastMap(iters=2 * iterations)",
                "fastmap",
                Convention(
                    "A squared distance in the hyperplane that is below zero counts as zero; the "
                    "paper does not say. `fastmap(..., clip=True)` of this project is similar.",
                    "fastmap/_fastmap.py, FastMap._dist",
                    conventions.clipped,
                ),
            ),
        ),
    ),
)
