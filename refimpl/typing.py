"""Types that the signatures of this package share, for readers and for mypy.

:class:`Kernels` says what a module of kernels has. Its methods have the reference's signatures,
which ``tests/kernels/test_twins.py`` compares.
"""

from typing import Literal, Protocol, TypeAlias

from numpy.typing import ArrayLike

from refimpl.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    IntArray,
    Labels,
    Points,
    RowArray,
    UInt8Array,
    UInt32Array,
    UInt64Array,
    WeightedPairs,
)
from refimpl.kernels.clustering import RegionTrees
from refimpl.kernels.forest import SearchForest
from refimpl.kernels.growing import BallTree, Direction
from refimpl.kernels.sorting import SortedFeatures
from refimpl.kernels.trees import Bound

__all__ = [
    "ArrayLike",
    "BoolArray",
    "Bound",
    "Direction",
    "FloatArray",
    "Int32Array",
    "IntArray",
    "Kernels",
    "KernelsName",
    "Labels",
    "Points",
    "RowArray",
    "UInt8Array",
    "UInt32Array",
    "UInt64Array",
    "WeightedPairs",
]

KernelsName: TypeAlias = Literal["reference", "fast"]


class Kernels(Protocol):
    """A module with the kernels of :mod:`refimpl.kernels`, such as that one or ``refimpl_fast``.

    See Also
    --------
    refimpl.kernels : The reference; what each kernel takes, does and returns.

    Examples
    --------
    A module of your own has the kernels that it lacks from the reference:

    >>> import types
    >>> mine = types.ModuleType("mine")
    >>> exec("from refimpl.kernels import *", vars(mine))
    >>> mine.projections is __import__("refimpl").kernels.projections
    True
    """

    def add_similarity(
        self,
        S: FloatArray,
        Q: FloatArray,
        X: FloatArray,
        alpha: FloatArray,
        feature: IntArray,
        polarity: IntArray,
        threshold: FloatArray,
        *,
        threads: int | None = None,
    ) -> None: ...
    def best_bin_first(
        self, trees: RegionTrees, Q: FloatArray, most: int, *, threads: int | None = None
    ) -> tuple[IntArray, IntArray, IntArray]: ...
    def best_plane(
        self,
        X: Points,
        first: Int32Array,
        second: Int32Array,
        v: FloatArray,
        base: float,
        start: FloatArray,
        augment: float,
        tol: float,
        offset: str,
        refine: int,
        *,
        threads: int | None = None,
    ) -> tuple[Points, float, BoolArray]: ...
    def best_ranges(
        self,
        values: FloatArray,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        w: FloatArray,
        thresholds: FloatArray,
        ranges: IntArray,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, IntArray]: ...
    def best_stump(
        self, features: SortedFeatures, w: FloatArray, l: BoolArray, *, threads: int | None = None
    ) -> tuple[float, int, int, float]: ...
    def best_thresholds(
        self,
        A: FloatArray,
        first: Int32Array,
        second: Int32Array,
        v: FloatArray,
        base: float,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, FloatArray]: ...
    def bucket_votes(
        self,
        starts: IntArray,
        ends: IntArray,
        members: IntArray,
        buckets: IntArray,
        n: int,
        most: int,
        *,
        threads: int | None = None,
    ) -> tuple[IntArray, IntArray, IntArray]: ...
    def build_tree(
        self,
        X: FloatArray,
        *,
        leaf_size: int = 128,
        direction: Direction = "axis",
        threads: int | None = None,
    ) -> BallTree: ...
    def chamfer_distances(
        self, A: BoolArray, B: BoolArray, *, threads: int | None = None
    ) -> FloatArray: ...
    def chamfer_nearest(
        self, Q: BoolArray, X: BoolArray, k: int, *, threads: int | None = None
    ) -> tuple[FloatArray, IntArray]: ...
    def forest_words(
        self, forest: SearchForest, X: Points, *, threads: int | None = None
    ) -> Int32Array: ...
    def gather_candidates(
        self,
        starts: IntArray,
        items: Int32Array,
        alive: BoolArray,
        words: Int32Array,
        c: FloatArray,
        most: int,
        *,
        counters: FloatArray | None = None,
        threads: int | None = None,
    ) -> tuple[IntArray, IntArray, FloatArray]: ...
    def hamming_distances(
        self, Q: UInt64Array, X: UInt64Array, *, threads: int | None = None
    ) -> Int32Array: ...
    def hamming_nearest(
        self, Q: UInt64Array, X: UInt64Array, k: int, *, threads: int | None = None
    ) -> tuple[Int32Array, IntArray]: ...
    def hamming_within(
        self, Q: UInt64Array, X: UInt64Array, radii: IntArray, *, threads: int | None = None
    ) -> tuple[IntArray, IntArray, Int32Array]: ...
    def hinge_terms(
        self,
        targets: FloatArray,
        pairs: FloatArray,
        start: IntArray,
        h: float,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, FloatArray, IntArray, FloatArray, FloatArray]: ...
    def impostors(
        self,
        Q: FloatArray,
        X: FloatArray,
        radii: FloatArray,
        classes_Q: IntArray,
        classes_X: IntArray,
        *,
        threads: int | None = None,
    ) -> tuple[IntArray, IntArray]: ...
    def leading_direction(
        self,
        x: FloatArray,
        first: Int32Array,
        second: Int32Array,
        v: FloatArray,
        base: float,
        start: FloatArray,
        tol: float,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
    def least_similar(
        self, sums: FloatArray, column: FloatArray, taken: BoolArray, *, threads: int | None = None
    ) -> int: ...
    def lloyd(
        self,
        X: FloatArray,
        rows: IntArray,
        centres: FloatArray,
        iterations: int,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, IntArray]: ...
    def margin_sums(
        self,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        w: FloatArray,
        S: FloatArray | None = None,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
    def matrix_vector(
        self, A: FloatArray, v: FloatArray, *, threads: int | None = None
    ) -> FloatArray: ...
    def meet_pairs(
        self,
        leaf: IntArray,
        first: Int32Array,
        second: Int32Array,
        similar: UInt8Array,
        T: FloatArray,
        c: float,
        *,
        threads: int | None = None,
    ) -> tuple[Int32Array, Int32Array, UInt8Array, FloatArray]: ...
    def minimize_z(
        self,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        margin: FloatArray,
        least: FloatArray,
        S: FloatArray | None = None,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, FloatArray]: ...
    def next_weights(
        self,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        margin: FloatArray,
        alpha: float,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, FloatArray, float]: ...
    def pair_distances(
        self, Z: FloatArray, first: IntArray, second: IntArray, *, threads: int | None = None
    ) -> FloatArray: ...
    def pair_product(
        self,
        first: Int32Array,
        second: Int32Array,
        v: FloatArray,
        u: FloatArray,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
    def plane_values(self, X: Points, p: Points, *, threads: int | None = None) -> FloatArray: ...
    def presort(
        self, A: FloatArray, B: FloatArray | None = None, *, threads: int | None = None
    ) -> SortedFeatures: ...
    def projections(
        self, X: FloatArray, A: FloatArray, *, threads: int | None = None
    ) -> FloatArray: ...
    def rerank(
        self,
        Q: Points,
        X: Points,
        offsets: IntArray,
        rows: IntArray,
        k: int,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, IntArray]: ...
    def scan_nearest(
        self,
        Q: FloatArray,
        X: FloatArray,
        k: int,
        *,
        skip: IntArray | None = None,
        threads: int | None = None,
    ) -> tuple[FloatArray, IntArray, IntArray]: ...
    def split_pairs(
        self,
        left: BoolArray,
        first: Int32Array,
        second: Int32Array,
        v: FloatArray,
        *,
        threads: int | None = None,
    ) -> tuple[WeightedPairs, WeightedPairs]: ...
    def transferred_differences(
        self,
        K: FloatArray,
        plus: IntArray,
        minus: IntArray,
        slopes: FloatArray,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
    def tree_leaves(
        self, trees: RegionTrees, Q: FloatArray, *, threads: int | None = None
    ) -> IntArray: ...
    def tree_nearest(
        self,
        tree: BallTree,
        Q: FloatArray,
        k: int,
        *,
        skip: IntArray | None = None,
        bound: Bound = "box",
        threads: int | None = None,
    ) -> tuple[FloatArray, IntArray, IntArray]: ...
    def tree_within(
        self,
        tree: BallTree,
        Q: FloatArray,
        limits: FloatArray,
        *,
        strict: bool = False,
        skip: IntArray | None = None,
        bound: Bound = "box",
        threads: int | None = None,
    ) -> tuple[IntArray, IntArray, FloatArray, IntArray]: ...
    def vector_matrix(
        self, u: FloatArray, A: FloatArray, *, threads: int | None = None
    ) -> FloatArray: ...
    def weighted_differences(
        self,
        Z: FloatArray,
        start: IntArray,
        other: IntArray,
        edge: IntArray,
        weights: FloatArray,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
    def weighted_errors(
        self,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        w: FloatArray,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
    def weighted_l1(
        self, Q: FloatArray, A: FloatArray, X: FloatArray, *, threads: int | None = None
    ) -> FloatArray: ...
    def weighted_l1_nearest(
        self, Q: FloatArray, A: FloatArray, X: FloatArray, k: int, *, threads: int | None = None
    ) -> tuple[FloatArray, IntArray]: ...
    def z_values(
        self,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        margin: FloatArray,
        alpha: FloatArray,
        S: FloatArray | None = None,
        *,
        threads: int | None = None,
    ) -> FloatArray: ...
