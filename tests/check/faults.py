"""Faults that the check must find, each at its line, and what it must not flag: a text of the
reference's source, and what stands there instead.

RULES breaks alone each tie rule and each constant of a training. The vectors have a case for each:
its flags name the rules that it decides. Not there, because no case decides them: which of two
equal classifiers BoostMap removes or modifies (their losses are sums in another order), and the
least alpha of its step 3 (a classifier that it holds back is removed before).

FAULTS are other faults of kernels and of trainings; VARIANTS are changes that leave a kernel
right.
"""

import contextlib
import inspect
import pkgutil
import sys
import textwrap

import refimpl.boostmap.algorithm as bm
import refimpl.ftune.algorithm as ft
import refimpl.kernels
import refimpl.kernels.landmarks
import refimpl.kernels.similarity
import refimpl.kernels.stumps
import refimpl.lmnn.algorithm as lm
import refimpl.rivals.fastmap as fm
import refimpl.rivals.lipschitz
import refimpl.search_forest.algorithm as sf
import refimpl.spaces.ranks
from refimpl.boosted_distance import algorithm as bd
from refimpl.boosted_distance.model import stump
from refimpl.check.subject import Kind
from refimpl.check.subjects import KERNELS, TRAININGS
from refimpl.kernels.sorting import SortedFeatures

LAST_BITS, TIE, EQUAL_WORTH, WRONG = Kind.LAST_BITS, Kind.TIE, Kind.EQUAL_WORTH, Kind.WRONG
best_stump = refimpl.kernels.stumps.best_stump
CHECK_BD, CHECK_BM, CHECK_LM = (
    f"refimpl.{module}:"
    for module in (
        "check.subjects.boosted_distance",
        "check.subjects.boostmap",
        "check.subjects.lmnn",
    )
)
ARGMIN = "int(np.argmin(errors))"
PIVOTS = "Faloutsos & Lin (1995), choose-distant-objects"
RANKS = "Athitsos et al. (2005), § 11.1"
RCA = "Bar-Hillel et al. (2003), § 2"
RAISES = None

RULES = {
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
        (CHECK_BD + "boosted_distance", "np.unique(l)", "np.unique(l)[::-1]", "BD:A.1:1"),
    ("boosted_distance", "pairs-with-itself"):
        ("refimpl.check.judging:differences", "(A[:, np.newaxis] - B).reshape(-1, A.shape[1])",
         "(A[:, np.newaxis] - B)[~np.eye(len(A), len(B), dtype=bool)]", "BD:A.1:2"),
    ("boosted_distance", "negatives-from-others"):
        (bd.difference_vectors, "Omega[l != C], Omega_C", "Omega_C, Omega[l != C]", "BD:A.1:3"),
    ("nearest_neighbor_boosted_distance", "first-of-equals"):
        (CHECK_BD + "nearest_neighbor_boosted_distance", "s.argmax(axis=1)",
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
        (CHECK_BM + "_states", "np.full(t, 1 / t)",
         "np.arange(1, t + 1) / np.arange(1, t + 1).sum()", "BM:8.1:8"),
    ("enn_ranks", "strictly-closer"):
        (refimpl.spaces.ranks.worst_ranks, "row < limit", "row <= limit", RANKS),
    ("enn_ranks", "one-plus"):
        (refimpl.spaces.ranks.worst_ranks, "1 + int(np", "int(np", RANKS),
    ("enn_ranks", "the-farthest-of-k"):
        (refimpl.spaces.ranks.worst_ranks,
         "np.maximum.accumulate(np.take_along_axis(D, true, axis=1), axis=1)",
         "np.take_along_axis(D, true, axis=1)", RANKS),
    ("search_forest", "last-entry-1"): (sf.augmented, "np.ones(len(X))", "2 * np.ones(len(X))",
         "SF:1:1"),
    ("search_forest", "mass-at-least-1"):
        (sf.best_c, "max(dissimilar, 1.0)", "max(dissimilar, 2.0)", "SF:eq15"),
    ("search_forest", "no-weight-ends"): (sf.selection_rounds, "if c <= 0", "if False", "SF:1:1"),
    ("search_forest", "pairs-of-different-points"):
        (sf.selection_rounds, "~np.eye(len(s), dtype=bool)", "np.ones(s.shape, dtype=bool)",
         "SF:eq17"),
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
        (CHECK_LM + "lmnn_steps", "algorithm.target_neighbors(X, y, k)",
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
        (CHECK_LM + "lmnn_steps", "np.eye(X.shape[1])", "2 * np.eye(X.shape[1])", "LM:3:3"),
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
        (CHECK_LM + "lmnn", "result.targets",
         "len(X) - 1 - reference_lmnn(X[::-1].copy(), y[::-1].copy(), k, mu).targets[::-1]",
         "LM:2:1"),
    ("lmnn", "mu"): (CHECK_LM + "lmnn", "k, mu, options", "k, 2 * mu, options", "LM:eq3"),
    ("lmnn", "margin-of-1"): (CHECK_LM + "lmnn", "result.M[0]", "2 * result.M[0]",
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
"""For each (training, rule): a function of the reference or its address, a text of its source,
what the copy has instead, and the line that the check names on the rule's case: None if it raises.
"""

POLARITIES = "((1, w1 - below), (-1, w0 + below))"
FAULTS = {
    "the last feature wins":
        ("best_stump", None, "in range(features.n_features)",
         "in reversed(range(features.n_features))", TIE, "BD:A.2:8"),
    "polarity -1 first":
        ("best_stump", None, POLARITIES, "((-1, w0 + below), (1, w1 - below))", TIE, "BD:A.2:8"),
    "no constant stump":
        ("best_stump", None, ARGMIN, "1 + int(np.argmin(errors[1:])) if len(errors) > 1 else 0",
         WRONG, "BD:A.2:7"),
    "one polarity":
        ("best_stump", None, POLARITIES, "((1, w1 - below),)", WRONG, "BD:A.2:7"),
    "thresholds at values":
        ("best_stump", SortedFeatures.threshold, "return middle",
         "return high if p > 0 else middle", EQUAL_WORTH, "BD:A.2:8"),
    "weights in float32":
        ("best_stump", None, "on_grid(w)", "w.astype(np.float32).astype(np.float64)",
         (LAST_BITS, WRONG), "BD:A.2:7"),
    "at most for below":
        ("add_similarity", None, "p * difference < p", "p * difference <= p", WRONG, "BD:A.3:4"),
    "exponent of the other sign":
        ("z_values", None, "_factors(u, x, a)", "_factors(u, x, -a)", WRONG, "BM:7.3:11"),
    "splitters forgotten":
        ("z_values", None, "triples, y, S)", "triples, y, None)", WRONG, "BM:7.3:11"),
    "splitters of the sums forgotten":
        ("margin_sums", None, "triples, y, S)", "triples, y, None)", WRONG, "BM:eq12"),
    "silence is no error":
        ("weighted_errors", None, "np.abs(y - sign) / 2", "np.abs(y - sign) // 2", WRONG,
         "BM:7.3:8"),
    "not normalised":
        ("next_weights", None, "return reweighted(margin, u, alpha)",
         "after, w, z = reweighted(margin, u, alpha); return after, w * z, z", WRONG, "BM:7.3:12"),
    "least alpha forgotten":
        ("minimize_z", None, "float(l)", "-50.0", WRONG, "BM:7.3:10", "BM:7.3:9"),
    "the last range wins":
        ("best_ranges", None, "np.argmax(gains)", "len(gains) - 1 - np.argmax(gains[::-1])", TIE,
         "BM:8.3:2"),
    "squared for absolute":
        ("weighted_l1", None, "np.abs(q - X)", "(q - X) ** 2", WRONG, "BM:eq22"),
    "the last of equal distances":
        ("weighted_l1_nearest", None, 'np.argsort(row, kind="stable")',
         '(len(row) - 1 - np.argsort(row[::-1], kind="stable"))', TIE, "BM:4.3:2"),
    "most similar":
        ("least_similar", None, "sums[left].argmin()", "sums[left].argmax()", WRONG, "FT:1:3"),
    "taken ones again":
        ("least_similar", None, "np.flatnonzero(~taken)", "np.arange(len(taken))", WRONG,
         "FT:1:3"),
    "no clip below":
        ("transferred_differences", None, "np.clip(s * difference, -1.0, 1.0)",
         "np.minimum(s * difference, 1.0)", WRONG, "FT:phi"),
    "at the radius too": ("impostors", None, "D < radii", "D <= radii", TIE, "LM:4.2:3"),
    "margin of zero": ("hinge_terms", None, "(1.0 + targets)", "targets", WRONG, "LM:3:1"),
    "sums in place of differences":
        ("weighted_differences", None, "Z[a[part]] - Z", "Z[a[part]] + Z", WRONG, "LM:eq6"),
    "the points themselves":
        ("tree_nearest", None, "-1 if skip is None else skip[t]", "-1", WRONG, "LM:4.1:4"),
    "the nearest left out":
        ("scan_nearest", None, "squares[t], indices[t] = near, which",
         "squares[t], indices[t] = np.append(near[1:], np.inf), np.append(which[1:], -1)", WRONG,
         "LM:4.1:4"),
    "the first word alone":
        ("hamming_nearest", None, "hamming_distances(Q[i : i + 1], X)",
         "hamming_distances(Q[i : i + 1, :1].copy(), X[:, :1].copy())", WRONG,
         "Li et al. (2011), Table 1"),
    "base weight forgotten":
        ("best_thresholds", None, "+ base * (", "+ 0.0 * (", WRONG, "SF:eq17"),
    "the upper triangle alone":
        ("pair_product", None, "listed_product(first, second, v, u)",
         "np.bincount(first, v * u[second], len(u))", WRONG, "SF:eq18"),
    "new pairs without c":
        ("meet_pairs", None, "np.full(len(met), c)", "np.zeros(len(met))", WRONG, "SF:1:3"),
    "deleted points too":
        ("gather_candidates", None, "(T > 0) & alive", "T > 0", WRONG, "SF:eq8"),
    "on the plane goes left": ("forest_words", None, "tests > 0", "tests >= 0", WRONG, "SF:eq16"),
    "of either sign":
        ("leading_direction", None, "return top_eigenvector", "return -top_eigenvector", WRONG,
         "SF:eq18"),
    "empty centres at zero":
        ("lloyd", None, "return centres, nearest",
         "centres[np.bincount(nearest, minlength=len(centres)) == 0] = 0.0\n"
         "    return centres, nearest", WRONG, "Lloyd (1982)"),
    "products in float32":
        ("projections", None, "x[:, np.newaxis] * a",
         "x[:, np.newaxis].astype(np.float32) * a.astype(np.float32)", (WRONG, LAST_BITS),
         "Datar et al. (2004), § 3.2"),
    "beta for the wrong ones":
        ("adaboost", CHECK_BD + "states", "np.where(right, beta, 1.0)",
         "np.where(right, 1.0, beta)", WRONG, "BD:A.2:11"),
    "alpha as printed":
        ("adaboost", bd.adaboost_rounds, "np.log(1 / beta_t)", "1 / np.log(beta_t)", WRONG,
         "BD:A.2:12"),
    "negatives the other way":
        ("boosted_distance", CHECK_BD + "_sets", "(part.A, part.B)",
         "(*sorted((part.A, part.B), key=len))", WRONG, "BD:A.1:3"),
    "boostmap weights not divided":
        ("boostmap", refimpl.kernels.next_weights, "return reweighted(margin, u, alpha)",
         "after, w, z = reweighted(margin, u, alpha); return after, w * z, z", WRONG, "BM:7.3:12"),
    "boostmap never modifies":
        ("boostmap", bm.training_rounds, "z < 0.9999", "z < -1", WRONG, "BM:7.3:4", "BM:7.3:12"),
    "forest c without lambda":
        ("search_forest", sf.best_c, "float(np.log(worth / cost)) if worth > cost else 0.0",
         "float(np.log(similar / max(dissimilar, 1.0)))", WRONG, "SF:eq15", "SF:1:1"),
    "forest trees of one leaf":
        ("search_forest", sf.search_tree, "rise > 1e-9", "rise > 1e9", WRONG, "SF:2:6", "SF:1:1"),
    "lmnn farthest targets":
        ("lmnn_steps", lm.target_neighbors, "targets[members] = members[near.indices]",
         "D = ((X[members][:, np.newaxis] - X[members]) ** 2).sum(axis=2)\n"
         "        np.fill_diagonal(D, -1.0)\n"
         "        targets[members] = members[np.argsort(-D, axis=1)[:, :k]]", WRONG, "LM:2:1"),
    "euclidean metric":
        ("lmnn", CHECK_LM + "lmnn", "result.M[0]", "np.eye(len(result.M[0]))", WRONG,
         "LM:eq3"),
    "dselect pairs swapped":
        ("dselect", ft.pairs, "[z_1, z_2]", "[z_2, z_1]", WRONG, "FT:1:8"),
    "landmarks most similar":
        ("dselect", refimpl.kernels.landmarks.least_similar, "sums[left].argmin()",
         "sums[left].argmax()", WRONG, "FT:1:3", "FT:1:8"),
    "the first function":
        ("ftune", ft.ftune, "min(F, key", "min(list(F)[:1], key", (WRONG, EQUAL_WORTH), "FT:2:5"),
    "fastmap divided once":
        ("fastmap", fm.line_projection, "(2 * np.sqrt(S_12))", "np.sqrt(S_12)", WRONG,
         "Faloutsos & Lin (1995), eq. 3"),
}  # fmt: skip
"""For each fault: the kernel or training, the function (that kernel if None), a text of its source,
what stands there instead, the kinds and the lines that the check may name on its vectors.
"""


VARIANTS = {
    "every stump tried":
        ("best_stump", None, "below = mass_below(features, f, g, w1 - w0)",
         "x = features.A[:, f] if features.B is None else "
         "np.subtract.outer(features.A[:, f], features.B[:, f]).ravel()\n"
         "        below = np.array([g[x < v].sum() for v in np.unique(x)])"),
    "rounds backwards":
        ("add_similarity", None, "in zip(alpha, feature, polarity, threshold, strict=True)",
         "in list(zip(alpha, feature, polarity, threshold, strict=True))[::-1]"),
    "losses by NumPy":
        ("z_values", None, "fixed_sum(_factors(u, x, a)) / total",
         "(weights_of(margin)[0] * np.exp(-a * u)).sum()"),
    "sums backwards":
        ("margin_sums", None, "fixed_sums(part)", "part[:, ::-1].sum(axis=1)"),
    "coordinates backwards":
        ("weighted_l1", None, "np.cumsum(lanes, axis=1)[:, -1]", "padded[:, ::-1].sum(axis=1)"),
    "distances not on the grid":
        ("chamfer_distances", None,
         "rounded_distances(scipy.spatial.distance.cdist(a, b), A.shape[1:])",
         "scipy.spatial.distance.cdist(a, b)"),
    "product of BLAS":
        ("matrix_vector", None, "if einsum_adds_so(A.shape[1]):",
         "return A @ v\n    if einsum_adds_so(A.shape[1]):"),
    "product of BLAS from the left":
        ("vector_matrix", None, "if einsum_adds_so(A.shape[1]):",
         "return u @ A\n    if einsum_adds_so(A.shape[1]):"),
    "edges backwards":
        ("weighted_differences", None, "out[first:last] = sums @ terms",
         "out[first:last] = 0\n"
         "            np.add.at(out, a[part[::-1]], terms[::-1])"),
    "squares by NumPy":
        ("pair_distances", None, "_distances(Z, first, second)",
         "((Z[first] - Z[second])[:, ::-1] ** 2).sum(axis=1)"),
    "slacks backwards":
        ("hinge_terms", "refimpl.kernels.subgradient:_sums",
         "np.bincount(rows, weights=values.ravel(), minlength=n)",
         "np.bincount(rows[::-1], weights=values.ravel()[::-1], minlength=n)"),
    "product with the matrix":
        ("pair_product", None, "return listed_product(first, second, v, u)",
         "V = np.zeros((len(u), len(u)))\n"
         "    V[first, second] = V[second, first] = v\n"
         "    return V @ u"),
    "direction by LAPACK":
        ("leading_direction", None, "return top_eigenvector(product, start, tol=tol)",
         "p = np.linalg.eigh(np.array([product(e) for e in np.eye(x.shape[1])]))[1][:, -1]\n"
         "    return p * np.sign(p[np.abs(p).argmax()])"),
    "projections by BLAS": ("projections", None, "return P", "return X @ A"),
}  # fmt: skip
"""Changes that leave a kernel right: it adds in another order, or by another library."""


def faulty(name, target, old, new):
    """Return the reference's kernel or training with a change of its source."""
    if name in KERNELS:
        kernel = getattr(refimpl.kernels, name)

        def function(*arguments, **given):
            with mutated(target or kernel, old, new):
                return kernel(*arguments, **given)

        function.__signature__ = inspect.signature(kernel)
        return function

    def training(**arguments):
        with mutated(target, old, new):
            return TRAININGS[name].run(arguments)

    return training


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
