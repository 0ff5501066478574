"""For each tie rule and each constant of a training a copy of the reference that breaks it alone.

The vectors have a case for each: its flags name the rules that it decides. Not there, because no
case decides them: which of two equal classifiers BoostMap removes or modifies (their losses are
sums in another order), and the least alpha of its step 3 (a classifier that it holds back is
removed before).

MUTANTS maps (training, rule) to a function or class of the reference, a text of its source, what
the copy has instead, and the line that the check names on the rule's case: None if the copy raises.
"""

import contextlib
import inspect
import pkgutil
import sys
import textwrap

import refimpl.boostmap.algorithm as bm
import refimpl.ftune.algorithm as ft
import refimpl.kernels.landmarks
import refimpl.kernels.losses
import refimpl.kernels.similarity
import refimpl.kernels.stumps
import refimpl.lmnn.algorithm as lm
import refimpl.rivals.fastmap as fm
import refimpl.rivals.lipschitz
import refimpl.search_forest.algorithm as sf
import refimpl.spaces.ranks
from refimpl.boosted_distance import algorithm as bd
from refimpl.boosted_distance.model import stump
from refimpl.kernels.sorting import SortedFeatures

best_stump = refimpl.kernels.stumps.best_stump
CHECK_BD, CHECK_BM, CHECK_LM, PAIRS = (
    f"refimpl.{module}:"
    for module in (
        "check.subjects.boosted_distance",
        "check.subjects.boostmap",
        "check.subjects.lmnn",
        "search_forest.pairs",
    )
)
ARGMIN = "int(np.argmin(errors))"
PIVOTS = "Faloutsos & Lin (1995), choose-distant-objects"
RANKS = "Athitsos et al. (2005), § 11.1"
RCA = "Bar-Hillel et al. (2003), § 2"
RAISES = None

MUTANTS = {
    ("adaboost", "lowest-feature"):
        (best_stump, "in range(features.n_features)", "in reversed(range(features.n_features))",
         "BD:A.2:8"),
    ("adaboost", "polarity-1-first"):
        (best_stump, "((1, w1 - below), (-1, w0 + below))", "((-1, w0 + below), (1, w1 - below))",
         "BD:A.2:8"),
    ("adaboost", "feature-before-polarity"):
        (best_stump, "errors[k] < best[0]", "(errors[k], -p) < (best[0], -best[2])", "BD:A.2:8"),
    ("adaboost", "midpoint-of-large-values"):
        (SortedFeatures.threshold, "low / 2 + high / 2", "(low + high) / 2", "BD:A.2:8"),
    ("adaboost", "lowest-threshold"):
        (best_stump, ARGMIN, "len(errors) - 1 - int(np.argmin(errors[::-1]))", "BD:A.2:8"),
    ("adaboost", "constant-stump"):
        (best_stump, ARGMIN, "1 + int(np.argmin(errors[1:])) if len(errors) > 1 else 0",
         "BD:A.2:7"),
    ("adaboost", "midpoint"): (SortedFeatures.threshold, "low / 2 + high / 2", "low", "BD:A.2:8"),
    ("adaboost", "neighbouring-floats"):
        (SortedFeatures.threshold, "return high if p > 0 else low", "return low", "BD:A.2:11"),
    ("adaboost", "strictly-below"): (stump, "p * x_f < p", "p * x_f <= p", "BD:A.2:6"),
    ("adaboost", "first-weights"):
        (bd.adaboost_rounds, "1 / (2 * len(P)), 1 / (2 * len(N))", "1 / n, 1 / n", "BD:A.2:6"),
    ("adaboost", "normalised"): (bd.adaboost_rounds, "w = w / w.sum()", "w = w / 1", "BD:A.2:6"),
    ("adaboost", "no-error"):
        (bd.error_beyond_rounding, "max(epsilon_t, GRID)", "max(epsilon_t, 4 * GRID)", "BD:A.2:7"),
    ("adaboost", "slightly-less"):
        (best_stump, ARGMIN, "int(np.argmax(errors <= errors.min() * (1 + 1e-3)))", "BD:A.2:7"),
    ("adaboost", "near-a-half"): (bd.error_beyond_rounding, "n * GRID", "2e-4", "BD:A.2:7"),
    ("adaboost", "right-ones-lose"):
        (bd.adaboost_rounds, "np.where(e, 1, beta_t)", "np.where(e, beta_t, 1)", "BD:A.2:6"),
    ("boosted_distance", "classes-ascend"):
        (CHECK_BD + "_run_classes", 'np.unique(arguments["l"])',
         'np.unique(arguments["l"])[::-1]', "BD:A.1:1"),
    ("boosted_distance", "pairs-with-itself"):
        (CHECK_BD + "_rows", "(A[:, np.newaxis] - B).reshape(-1, A.shape[1])",
         "(A[:, np.newaxis] - B)[~np.eye(len(A), len(B), dtype=bool)]", "BD:A.1:2"),
    ("boosted_distance", "negatives-from-others"):
        (bd.difference_vectors, "Omega[l != C], Omega_C", "Omega_C, Omega[l != C]", "BD:A.1:3"),
    ("nearest_neighbor_boosted_distance", "first-of-equals"):
        (CHECK_BD + "_run_queries", "s.argmax(axis=1)",
         "s.shape[1] - 1 - s[:, ::-1].argmax(axis=1)", "BD:A.3:7"),
    ("nearest_neighbor_boosted_distance", "divided-by-weights"):
        (bd.similarity, "if normalize", "if False", "BD:A.3:4"),
    ("nearest_neighbor_boosted_distance", "no-weight"):
        (bd.total_weight, "total > 0 else 1.0", "total > 0 else np.nan", "BD:A.3:4"),
    ("nearest_neighbor_boosted_distance", "strictly-below"):
        (refimpl.kernels.similarity.add_similarity, "p * difference < p", "p * difference <= p",
         "BD:A.3:4"),
    ("nearest_neighbor_boosted_distance", "query-less-point"):
        (refimpl.kernels.similarity.add_similarity, "difference = Q", "difference = -Q",
         "BD:A.3:4"),
    ("boostmap", "remove-first"):
        (bm.training_rounds, "if z < 1 - ROUNDING", "if False", "BM:7.3:4"),
    ("boostmap", "modify-below-.9999"):
        (bm.training_rounds, "if z < 0.9999", "if z < 0.99", "BM:7.3:12"),
    ("boostmap", "first-added"):
        (bm.training_rounds, "g = Z_min.argmin()  # BM",
         "g = len(Z_min) - 1 - Z_min[::-1].argmin()  # BM", "BM:7.3:9"),
    ("boostmap", "M_2-of-least-error"): (bm.training_rounds, "[:M_2]", "[:M_2 + 1]", "BM:7.3:9"),
    ("boostmap", "first-of-equal-errors"):
        (bm.training_rounds, 'np.argsort(Lambda_j, kind="stable")',
         'np.lexsort((-np.arange(len(Lambda_j)), Lambda_j))', "BM:7.3:9"),
    ("boostmap", "reversed-pivots"): (bm.unique_name, "if alike", "if False", "BM:7.3:9"),
    ("boostmap", "coinciding-pivots"):
        (bm.pivot_embedding, "if D_x1_x2 == 0", "if D_x1_x2 < 0", RAISES),
    ("boostmap", "length-of-pivots"):
        (bm.Problem.D_X, "between[x_2, x_1]", "between[x_1, x_2]", "BM:7.3:10"),
    ("boostmap", "ends-at-d"): (bm.training_rounds, "elif len(H) == d", "elif len(H) == d + 1",
         "BM:7.3:12"),
    ("boostmap", "no-error-left"): (bm.training_rounds, "loss >= 1 / len(y)", "True", "BM:7.3:12"),
    ("boostmap", "no-gain"): (bm.training_rounds, "if z_j >= 1 - ROUNDING", "if z_j >= 2",
         "BM:7.3:12"),
    ("boostmap", "gain-of-a-thousandth"):
        (bm.training_rounds, "if z_j >= 1 - ROUNDING", "if z_j >= 0.999", "BM:7.3:12"),
    ("boostmap", "gone-at-zero"): (bm.add_to, "if H[h_j] == 0", "if False", "BM:7.3:12"),
    ("query_sensitive", "first-classifier"):
        (bm.query_sensitive_rounds, "int(Z_min.argmin())",
         "len(Z_min) - 1 - int(Z_min[::-1].argmin())", "BM:8.1:4"),
    ("query_sensitive", "first-range"):
        (bm.ranges_of_least_z, "Z_min.argmin()", "len(Z_min) - 1 - Z_min[::-1].argmin()",
         "BM:8.1:3"),
    ("query_sensitive", "half-way"): (bm.thresholds, "values[picked] / 2 + values[picked + 1] / 2",
                                      "values[picked + 1]", "BM:8.1:3"),
    ("query_sensitive", "greatest-value"):
        (bm.thresholds, "np.minimum(picked, len(values) - 2)",
         "np.where(picked > len(values) - 2, 0, picked)", "BM:8.1:3"),
    ("query_sensitive", "low-included"): (bm.accepts, "low <= values", "low < values", "BM:8.1:7"),
    ("query_sensitive", "high-excluded"): (bm.accepts, "values < high", "values <= high",
         "BM:8.1:3"),
    ("query_sensitive", "no-gain"):
        (bm.query_sensitive_rounds, "if z_j >= 1 - ROUNDING", "if z_j >= 2", "BM:8.1:7"),
    ("query_sensitive", "gain-of-a-thousandth"):
        (bm.query_sensitive_rounds, "if z_j >= 1 - ROUNDING", "if z_j >= 0.999", "BM:8.1:7"),
    ("query_sensitive", "equal-weights"):
        (CHECK_BM + "_run_sensitive", "np.full(len(y), 1 / len(y))",
         "np.arange(1, len(y) + 1) / np.arange(1, len(y) + 1).sum()", "BM:8.1:8"),
    ("enn_ranks", "strictly-closer"):
        (refimpl.spaces.ranks.enn_ranks, "D < farthest", "D <= farthest", RANKS),
    ("enn_ranks", "one-plus"): (refimpl.spaces.ranks.enn_ranks, "1 + (D", "(D", RANKS),
    ("enn_ranks", "the-farthest-of-k"):
        (refimpl.spaces.ranks.enn_ranks,
         "np.maximum.accumulate(np.take_along_axis(D, true[block], axis=1), axis=1)",
         "np.take_along_axis(D, true[block], axis=1)", RANKS),
    ("search_forest", "last-entry-1"): (sf.augmented, "np.ones(len(X))", "2 * np.ones(len(X))",
         "SF:1:1"),
    ("search_forest", "mass-at-least-1"):
        (sf.best_c, "max(dissimilar, 1.0)", "max(dissimilar, 2.0)", "SF:eq15"),
    ("search_forest", "no-weight-ends"): (sf.selection_rounds, "if c <= 0", "if False", "SF:1:1"),
    ("search_forest", "pairs-of-different-points"):
        (sf.selection_rounds, "np.fill_diagonal(w, 0.0)", "pass", "SF:eq17"),
    ("search_forest", "depth"): (sf.search_tree, "depth + 1 < max_depth", "depth + 2 < max_depth",
         "SF:1:1"),
    ("search_forest", "T-grows-by-c"): (sf.selection_rounds, "T + c * t", "T + 2 * c * t",
         "SF:1:1"),
    ("search_tree", "last-entry-1"): (sf.augmented, "np.ones(len(X))", "2 * np.ones(len(X))",
         "SF:2:6"),
    ("search_tree", "depth"): (sf.search_tree, "depth + 1 < max_depth", "depth + 2 < max_depth",
         "SF:2:6"),
    ("search_tree", "J-must-rise"):
        (sf.search_tree, "rise > 1e-9 * np.abs(M[np.ix_(rows, rows)]).sum()", "True", "SF:2:6"),
    ("search_tree", "negligible-rise"): (sf.search_tree, "1e-9", "-1e-9", "SF:2:6"),
    ("search_tree", "symmetric-part"): (sf.hyperplane, "(A + A.T) / 2", "A", RAISES),
    ("lmnn_steps", "lowest-of-equal-neighbours"):
        (CHECK_LM + "_run", "algorithm.target_neighbors(X, y, k)",
         "len(X) - 1 - algorithm.target_neighbors(X[::-1].copy(), y[::-1].copy(), k)[::-1]",
         "LM:2:1"),
    ("lmnn_steps", "step-.3"): (lm.step_size, "float(0.3", "float(0.31", "LM:3:3"),
    ("lmnn_steps", "root-of-t"): (lm.step_size, "np.sqrt(t)", "t**0.6", "LM:3:3"),
    ("lmnn_steps", "twenty-steps"): (lm.steps, "min(gap, between)", "min(gap, between + 1)",
         "LM:3:2"),
    ("lmnn_steps", "steps-double"): (lm.steps, "2 * gap", "3 * gap", "LM:3:2"),
    ("lmnn_steps", "projected"): (lm.project, "np.maximum(values, 0.0)", "np.abs(values)",
         "LM:3:3"),
    ("lmnn_steps", "start"):
        (CHECK_LM + "_run", "np.eye(X.shape[1])", "2 * np.eye(X.shape[1])", "LM:3:3"),
    ("lmnn_steps", "pairs-found-alone"):
        (lm.steps, "slacks = xi(near, d2(Z, i, l, examples.partition, **how), i)",
         "new = np.union1d(active, np.ravel_multi_index(look(examples, Z, near, **how), (n, n)))\n"
         "        known = np.isin(new, active)\n"
         "        grown = np.zeros((len(new), k), bool)\n"
         "        grown[known] = N if len(N) == known.sum() else False\n"
         "        N, active = grown, new\n"
         "        i, l = np.divmod(new, n)\n"
         "        slacks = xi(near, d2(Z, i, l, examples.partition, **how), i)", "LM:3:3"),
    ("lmnn", "lowest-of-equal-neighbours"):
        (CHECK_LM + "_run_optimum", "result.targets",
         "len(arguments['X']) - 1 - reference_lmnn("
         "**{**arguments, 'X': arguments['X'][::-1].copy(), "
         "'y': arguments['y'][::-1].copy()}, options=options).targets[::-1]", "LM:2:1"),
    ("lmnn", "mu"): (CHECK_LM + "_run_optimum", "lmnn(**arguments",
                     "lmnn(**{**arguments, 'mu': 2 * arguments['mu']}", "LM:eq3"),
    ("lmnn", "margin-of-1"): (CHECK_LM + "_run_optimum", "result.M[0]", "2 * result.M[0]",
         "LM:eq3"),
    ("dselect", "lowest-of-equal-sums"):
        (refimpl.kernels.landmarks.least_similar, "sums[left].argmin()",
         "len(left) - 1 - sums[left][::-1].argmin()", "FT:1:3"),
    ("dselect", "landmarks-leave-T"): (ft.diverse, "taken[z] = True  # FT", "pass  # FT", "FT:1:3"),
    ("dselect", "sum-over-landmarks"):
        (refimpl.kernels.landmarks.least_similar, "sums += column", "sums[:] = column", "FT:1:3"),
    ("dselect", "similarity-to-the-landmark"):
        (ft.diverse, "K.within(T, T[[z]])[:, 0]", "K.within(T[[z]], T)[0].copy()", "FT:1:3"),
    ("dselect", "order-of-choice"):
        (ft.pairs, "plus = L[l[L] == 1]", "plus = np.sort(L[l[L] == 1])", "FT:1:8"),
    ("ftune", "penalty-1"): (ft.TRAIN, "C = 1.0", "C = 2.0", "FT:2:3"),
    ("ftune", "bias-1"): (ft.TRAIN, "bias = 1.0", "bias = 2.0", "FT:2:3"),
    ("ftune", "first-of-equal-losses"): (ft.ftune, "min(F, key", "min(list(F)[::-1], key",
         "FT:2:5"),
    ("ftune", "mean-loss"): (ft.ftune, ".mean()", ".max()", "FT:2:5"),
    ("fastmap", "lowest-of-farthest"):
        (fm.choose_distant_objects, "a = int(residuals(b).argmax())",
         "a = len(residuals(b)) - 1 - int(residuals(b)[::-1].argmax())", PIVOTS),
    ("fastmap", "lowest-of-farthest-from-a"):
        (fm.choose_distant_objects, "b = int(residuals(a).argmax())",
         "b = len(residuals(a)) - 1 - int(residuals(a)[::-1].argmax())", PIVOTS),
    ("fastmap", "passes"): (fm.choose_distant_objects, "range(iterations)", "range(1)", PIVOTS),
    ("fastmap", "fifth-pass"):
        (fm.choose_distant_objects, "range(iterations)", "range(iterations - (iterations == 5))",
         PIVOTS),
    ("fastmap", "next-start"):
        (fm.choose_distant_objects, "for b in starts.tolist()", "for b in starts.tolist()[:1]",
         PIVOTS),
    ("fastmap", "first-start"):
        (fm.choose_distant_objects, "starts.tolist()", "starts.tolist()[::-1]", PIVOTS),
    ("fastmap", "ends-at-zero"): (fm.fastmap, "if S_1[x_2] <= zero()", "if S_1[x_2] <= 0", PIVOTS),
    ("fastmap", "at-the-limit-is-zero"):
        (fm.fastmap, "if S_1[x_2] <= zero()", "if S_1[x_2] < zero()", PIVOTS),
    ("fastmap", "squares-below-0"): (fm.residual_squares, "if clip", "if True",
         "Faloutsos & Lin (1995), eq. 3"),
    ("relevant_component_analysis", "divided-by-n"):
        ("refimpl.rivals.nearest_neighbor:_centred_samples", "np.count_nonzero(in_chunklet)), 1)",
         "np.count_nonzero(in_chunklet)) - 1, 1)", RCA),
    ("relevant_component_analysis", "a-class-of-one"):
        ("refimpl.rivals.nearest_neighbor:_centred_samples", "sizes[c] > 1", "sizes[c] > 0", RCA),
    ("lipschitz", "nearest-of-the-set"):
        (refimpl.rivals.lipschitz.lipschitz_coordinates, ".min(axis=1)", ".max(axis=1)", "BM:eq7"),
}  # fmt: skip


@contextlib.contextmanager
def mutated(function, old, new):
    """Let a function of the reference have another source for a while."""
    if isinstance(function, str):
        function = pkgutil.resolve_name(function)
    function = inspect.unwrap(function)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, (function.__qualname__, source.count(old), old)
    names = dict(vars(sys.modules[function.__module__]))
    lines = source.replace(old, new).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def "))
    exec(compile("\n".join(lines[start:]), "<mutant>", "exec"), names)
    kept = function.__code__
    function.__code__ = names[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = kept
