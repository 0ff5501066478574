"""Kernels with a fault each, and correct kernels that add in another order.

MUTANTS maps a name to (kernel, function, kinds that may be named, sources that may be named).
VARIANTS maps a name to (kernel, function).
"""

import numpy as np

import refimpl.kernels as reference
from refimpl.check.judging import differences
from refimpl.check.subject import EQUAL_WORTH, LAST_BITS, TIE, WRONG
from refimpl.kernels.losses import weights_of
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import margins

MUTANTS = {}
VARIANTS = {}


def mutant(kernel, kinds, *sources):
    """Enter a faulty kernel."""

    def enter(function):
        kinds_ = (kinds,) if isinstance(kinds, str) else kinds
        MUTANTS[function.__name__] = (kernel, function, kinds_, sources)
        return function

    return enter


def variant(kernel):
    """Enter a correct kernel."""

    def enter(function):
        VARIANTS[function.__name__] = (kernel, function)
        return function

    return enter


# ------------------------------------------------------------------------------------------ stumps


def stump(features, w, l, *, features_order=1, polarities=(1, -1), constant=True, at_value=False):
    """The best stump by trying all of them."""
    X = differences(features.A, features.B) + 0.0
    best = None
    for f in range(X.shape[1])[::features_order]:
        values = np.unique(X[:, f])
        for p in polarities:
            cuts = [features.threshold(f, k, p) for k in range(len(values))]
            if at_value and p == 1:
                cuts = [-np.inf, *values[1:]]
            for theta in cuts if constant else cuts[1:]:
                error = float(w[(p * X[:, f] < p * theta) != l].sum())
                if best is None or error < best[0]:
                    best = error, f, p, float(theta)
    return best or (1.0, 0, 1, -np.inf)


@mutant("best_stump", TIE, "BD:A.2:8")
def the_last_feature_wins(features, w, l, *, threads=None):
    return stump(features, on_grid(w), l, features_order=-1)


@mutant("best_stump", TIE, "BD:A.2:8")
def polarity_minus_one_first(features, w, l, *, threads=None):
    return stump(features, on_grid(w), l, polarities=(-1, 1))


@mutant("best_stump", WRONG, "BD:A.2:7")
def no_constant_stump(features, w, l, *, threads=None):
    return stump(features, on_grid(w), l, constant=False)


@mutant("best_stump", WRONG, "BD:A.2:7")
def one_polarity(features, w, l, *, threads=None):
    return stump(features, on_grid(w), l, polarities=(1,))


@mutant("best_stump", EQUAL_WORTH, "BD:A.2:8")
def thresholds_at_values(features, w, l, *, threads=None):
    return stump(features, on_grid(w), l, at_value=True)


@mutant("best_stump", (LAST_BITS, WRONG), "BD:A.2:7")
def weights_in_float32(features, w, l, *, threads=None):
    return stump(features, w.astype(np.float32), l)


@variant("best_stump")
def every_stump_tried(features, w, l, *, threads=None):
    return stump(features, on_grid(w), l)


@mutant("add_similarity", WRONG, "BD:A.3:4")
def at_most_for_below(S, Q, X, alpha, feature, polarity, threshold, *, threads=None):
    for a, f, p, theta in zip(alpha, feature, polarity, threshold, strict=True):
        S += a * (p * (Q[:, [f]] - X[:, f]) <= p * theta)


@variant("add_similarity")
def rounds_backwards(S, Q, X, alpha, feature, polarity, threshold, *, threads=None):
    rounds = list(zip(alpha, feature, polarity, threshold, strict=True))
    for a, f, p, theta in rounds[::-1]:
        S += a * (p * (Q[:, [f]] - X[:, f]) < p * theta)


# ---------------------------------------------------------------------------------------- BoostMap


def answers(F, triples, y, S=None):
    return [
        y * margins(row, triples) * (1 if S is None else S[j][triples[:, 0]])
        for j, row in enumerate(F)
    ]


@mutant("z_values", WRONG, "BM:7.3:11")
def exponent_of_the_other_sign(F, triples, y, margin, alpha, S=None, *, threads=None):
    u = answers(F, triples, y, S)
    w = weights_of(margin)[0]
    return np.array([(w * np.exp(a * v)).sum() for a, v in zip(alpha, u, strict=True)])


@mutant("z_values", WRONG, "BM:7.3:11")
def splitters_forgotten(F, triples, y, margin, alpha, S=None, *, threads=None):
    return reference.z_values(F, triples, y, margin, alpha)


@variant("z_values")
def sums_of_numpy(F, triples, y, margin, alpha, S=None, *, threads=None):
    u = answers(F, triples, y, S)
    w = weights_of(margin)[0]
    return np.array([(w * np.exp(-a * v)).sum() for a, v in zip(alpha, u, strict=True)])


@mutant("weighted_errors", WRONG, "BM:7.3:8")
def silence_is_no_error(F, triples, y, w, *, threads=None):
    return np.array([on_grid(w)[u < 0].sum() for u in answers(F, triples, y)])


@mutant("next_weights", WRONG, "BM:7.3:12")
def not_renormalised(F, triples, y, margin, alpha, *, threads=None):
    after, w, z = reference.next_weights(F, triples, y, margin, alpha)
    return after, w * z, z


@mutant("minimize_z", WRONG, "BM:7.3:10", "BM:7.3:9")
def least_alpha_forgotten(F, triples, y, margin, least, S=None, *, threads=None):
    return reference.minimize_z(F, triples, y, margin, np.full(len(F), -50.0), S)


@mutant("best_ranges", TIE, "BM:8.3:2")
def the_last_range_wins(values, F, triples, y, w, thresholds, ranges, *, threads=None):
    turned = np.ascontiguousarray(ranges[::-1])
    error, best = reference.best_ranges(values, F, triples, y, w, thresholds, turned)
    return error, len(ranges) - 1 - best


@variant("margin_sums")
def sums_by_side(F, triples, y, w, *, threads=None):
    rows = []
    for u in answers(F, triples, y):
        sides = [(on_grid(w)[s], np.abs(u[s])) for s in (u > 0, u < 0)]
        sums = [[(v * x**p).sum() for v, x in sides] for p in range(3)]
        rows.append([*np.ravel(sums), *(x.max(initial=0.0) for _, x in sides)])
    return np.array(rows)


@mutant("weighted_l1", WRONG, "BM:eq22")
def squared_for_absolute(Q, A, X, *, threads=None):
    return (A[:, np.newaxis] * (Q[:, np.newaxis] - X) ** 2).sum(axis=2)


@variant("weighted_l1")
def coordinates_backwards(Q, A, X, *, threads=None):
    terms = A[:, np.newaxis] * np.abs(Q[:, np.newaxis] - X)
    return np.ascontiguousarray(terms[:, :, ::-1]).sum(axis=2)


@mutant("weighted_l1_nearest", TIE, "BM:4.3:2")
def the_last_of_equal_distances(Q, A, X, k, *, threads=None):
    D = reference.weighted_l1(Q, A, X)[:, ::-1]
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1), len(X) - 1 - order


@variant("chamfer_distances")
def distances_not_on_the_grid(A, B, *, threads=None):
    D = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            P, Q = np.argwhere(a), np.argwhere(b)
            d = np.sqrt(((P[:, np.newaxis] - Q) ** 2).sum(axis=2))
            D[i, j] = d.min(axis=0).mean() + d.min(axis=1).mean()
    return D


# ------------------------------------------------------------------------------------------- FTUNE


@mutant("least_similar", WRONG, "FT:1:3")
def most_similar(sums, column, taken, *, threads=None):
    sums += column
    left = np.flatnonzero(~taken)
    return int(left[sums[left].argmax()])


@mutant("least_similar", WRONG, "FT:1:3")
def taken_ones_again(sums, column, taken, *, threads=None):
    sums += column
    return int(sums.argmin())


@mutant("transferred_differences", WRONG, "FT:phi")
def no_clip_below(K, plus, minus, slopes, *, threads=None):
    with np.errstate(invalid="ignore"):
        f = slopes[:, np.newaxis, np.newaxis] * (K[:, plus] - K[:, minus])
    return np.nan_to_num(np.minimum(f, 1.0), neginf=-1.0)


@variant("matrix_vector")
def product_of_blas(A, v, *, threads=None):
    return A @ v


@variant("vector_matrix")
def product_of_blas_from_left(u, A, *, threads=None):
    return u @ A


# -------------------------------------------------------------------------------------------- LMNN


@mutant("impostors", TIE, "LM:4.2:3")
def at_the_radius_too(Q, X, radii, classes_Q, classes_X, *, threads=None):
    D = ((Q[:, np.newaxis] - X) ** 2).sum(axis=2)
    return np.nonzero((D <= radii[:, np.newaxis]) & (classes_Q[:, np.newaxis] != classes_X))


@mutant("hinge_terms", WRONG, "LM:3:1")
def margin_of_zero(targets, pairs, start, h, *, threads=None):
    return reference.hinge_terms(targets, pairs + 1, start, h)


@mutant("weighted_differences", WRONG, "LM:eq6")
def sums_in_place_of_differences(Z, start, other, edge, weights, *, threads=None):
    sums = np.zeros(Z.shape)
    a = np.repeat(np.arange(len(Z)), np.diff(start))
    np.add.at(sums, a, weights[edge][:, np.newaxis] * (Z[a] + Z[other]))
    return sums


@variant("weighted_differences")
def edges_backwards(Z, start, other, edge, weights, *, threads=None):
    sums = np.zeros(Z.shape)
    a = np.repeat(np.arange(len(Z)), np.diff(start))[::-1]
    terms = weights[edge[::-1]][:, np.newaxis] * (Z[a] - Z[other[::-1]])
    np.add.at(sums, a, terms)
    return sums


@variant("pair_distances")
def squares_of_numpy(Z, first, second, *, threads=None):
    return ((Z[first] - Z[second])[:, ::-1] ** 2).sum(axis=1)


@variant("hinge_terms")
def slacks_backwards(targets, pairs, start, h, *, threads=None):
    smooth, hinge = np.zeros((2, len(targets)))
    active = np.zeros(len(targets), dtype=np.int64)
    of_pairs, of_targets = np.zeros(len(pairs)), np.zeros(targets.shape)
    for i in range(len(targets)):
        own = slice(start[i], start[i + 1])
        z = np.maximum(1 + targets[i] - pairs[own, np.newaxis], 0.0)
        slope = np.minimum(z / h, 1.0) if h else (z > 0) + 0.0
        value = np.where(z < h, z * z / (2 * h), z - h / 2) if h else z
        smooth[i], hinge[i] = value.T[::-1].sum(), z.T[::-1].sum()
        active[i] = (z > 0).sum()
        of_pairs[own] = slope.sum(axis=1)
        of_targets[i] = slope[::-1].sum(axis=0)
    return smooth, hinge, active, of_pairs, of_targets


@mutant("tree_nearest", WRONG, "LM:4.1:4")
def the_points_themselves(tree, Q, k, *, skip=None, bound="box", threads=None):
    return reference.tree_nearest(tree, Q, k, bound=bound)


@mutant("scan_nearest", WRONG, "LM:4.1:4")
def the_nearest_left_out(Q, X, k, *, skip=None, threads=None):
    D = ((Q[:, np.newaxis] - X) ** 2).sum(axis=2)
    order = np.argsort(D, axis=1, kind="stable")[:, 1 : k + 1]
    terms = reference.scan_nearest(Q, X, k, skip=skip)[2]
    return np.take_along_axis(D, order, axis=1), order, terms


# -------------------------------------------------------------------------------- forest and rivals


@mutant("hamming_nearest", WRONG, "Li et al. (2011), Table 1")
def the_first_word_alone(Q, X, k, *, threads=None):
    return reference.hamming_nearest(Q[:, :1].copy(), X[:, :1].copy(), k)


@mutant("best_thresholds", WRONG, "SF:eq17")
def base_weight_forgotten(A, first, second, v, base, *, threads=None):
    return reference.best_thresholds(A, first, second, v, 0.0)


@mutant("pair_product", WRONG, "SF:eq18")
def the_upper_triangle_alone(first, second, v, u, *, threads=None):
    return np.bincount(first, v * u[second], len(u))


@variant("pair_product")
def product_with_the_matrix(first, second, v, u, *, threads=None):
    V = np.zeros((len(u), len(u)))
    V[first, second] = V[second, first] = v
    return V @ u


@mutant("meet_pairs", WRONG, "SF:1:3")
def new_pairs_without_c(leaf, first, second, similar, T, c, *, threads=None):
    a, b, s, new = reference.meet_pairs(leaf, first, second, similar, T, c)
    listed = set(zip(first.tolist(), second.tolist(), strict=True))
    old = [pair in listed for pair in zip(a.tolist(), b.tolist(), strict=True)]
    return a, b, s, np.where(old, new, 0.0)


@mutant("gather_candidates", WRONG, "SF:eq8")
def deleted_points_too(starts, items, alive, words, c, most, counters=None, *, threads=None):
    everyone = np.ones(len(alive), dtype=bool)
    return reference.gather_candidates(starts, items, everyone, words, c, most)


@mutant("forest_words", WRONG, "SF:eq16")
def on_the_plane_goes_left(forest, X, *, threads=None):
    words = np.empty((len(X), len(forest.roots)), dtype=np.int32)
    for i, x in enumerate(X):
        for m, k in enumerate(forest.roots):
            while forest.left[k] >= 0:
                plane = forest.plane[k]
                value = x @ forest.planes[plane] if plane >= 0 else x[forest.feature[k]]
                k = forest.left[k] + int(value + forest.offset[k] < 0)
            words[i, m] = forest.word[k]
    return words


@mutant("leading_direction", WRONG, "SF:eq18")
def of_either_sign(x, first, second, v, base, start, tol, *, threads=None):
    return -reference.leading_direction(x, first, second, v, base, start, tol)


@variant("leading_direction")
def direction_of_eigh(x, first, second, v, base, start, tol, *, threads=None):
    M = np.full((len(x), len(x)), base / 2)
    np.fill_diagonal(M, 0.0)
    M[first, second] += v / 2
    M[second, first] += v / 2
    p = np.linalg.eigh(x.T @ M @ x)[1][:, -1]
    return p * np.sign(p[np.abs(p).argmax()])


@mutant("lloyd", WRONG, "Lloyd (1982)")
def empty_centres_at_zero(X, rows, centres, iterations, *, threads=None):
    found, nearest = reference.lloyd(X, rows, centres, iterations)
    found[np.setdiff1d(np.arange(len(found)), nearest)] = 0.0
    return found, nearest


@mutant("projections", (WRONG, LAST_BITS), "Datar et al. (2004), § 3.2")
def products_in_float32(X, A, *, threads=None):
    with np.errstate(over="ignore", under="ignore"):
        return (X.astype(np.float32) @ A.astype(np.float32)).astype(np.float64)


@variant("projections")
def projections_of_blas(X, A, *, threads=None):
    return X @ A
