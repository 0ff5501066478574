"""BoostMap: its steps by hand, the bounds of a round, the output against its propositions."""

import dataclasses
from functools import partial
from types import SimpleNamespace

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import KERNELS, assert_same
from boostmap_toys import EMBEDDING, margin_of, toy, train

from refimpl.boostmap import CandidateDistances, Triples, algorithm, boostmap
from refimpl.boostmap import rounds as bm
from refimpl.boostmap import triples as tt
from refimpl.kernels import triples as kernel
from refimpl.spaces import PrecomputedSpace


def test_eq_1_and_eq_3():
    assert algorithm.proximity_order([1, 2, 2], [2, 2, 1]).tolist() == [1, 0, -1]
    error = algorithm.classification_error(np.array([1, 1, -1, 0]), np.array([0.3, -2, 0, 0]))
    assert error == (0 + 1 + 0.5 + 0) / 4


def test_eq_6_and_eq_8_on_a_plane():
    X = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 2.0], [-1.0, 5.0]])
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    assert algorithm.embedding(D, 2, -1, 0.0).tolist() == D[2].tolist()
    # the projection on the line through two pivots
    assert np.allclose(algorithm.embedding(D, 0, 1, 3.0), X[:, 0])
    assert algorithm.embedding(D, 0, 0, 0.0).tolist() == [0, 0, 0, 0]  # coinciding pivots


def test_eq_8_of_distances_in_8_bits():
    """A number of such an array has squares that 8 bits do not hold."""
    D = np.array([[0, 200, 100], [200, 0, 100]], dtype=np.uint8)
    assert algorithm.pivot_embedding(*D, D[0, 1]).tolist() == [0.0, 200.0, 100.0]


def test_object_0_is_a_pivot_like_others():
    """-1 says that there is no second pivot."""
    D, triples, y, _ = toy(n=30, t=200)
    model = train(D, triples, y, d=2)
    pivots = dataclasses.replace(
        model, first=np.array([1, 0]), second=np.array([0, -1]), length=np.array([D[1, 0], 0.0])
    )
    E = pivots.embed(PrecomputedSpace(D))
    projection = (D[1] ** 2 + D[1, 0] ** 2 - D[0] ** 2) / (2 * D[1, 0])  # eq. 8
    assert np.allclose(E, np.stack([projection, D[0]], axis=1))


@pytest.mark.parametrize("asymmetric", [False, True])
def test_proposition_1_and_eq_23(asymmetric):
    """The weighted L1 distance orders triples as H does, query-sensitive or not."""
    D, triples, y, _ = toy(seed=2, asymmetric=asymmetric)
    model = train(D, triples, y, query_sensitive=10)
    assert len(model.extra) == 10 and (model.alpha > 0).all() and (model.extra >= 0).all()
    E = model.embed(PrecomputedSpace(D))
    F = [
        algorithm.embedding(D.T, int(a), int(b), l)
        for a, b, l in zip(model.first, model.second, model.length, strict=True)
    ]
    assert np.allclose(E, np.transpose(F))
    H = sum(a * kernel.margins(f, triples) for a, f in zip(model.alpha, F, strict=True))
    for c, g, low, high, inside, alpha in zip(
        model.coordinate, model.by, model.low, model.high, model.inside, model.extra, strict=True
    ):
        v = F[g][triples[:, 0]]
        H = H + alpha * kernel.margins(F[c], triples) * (((low <= v) & (v < high)) == inside)
    D_q = model.pairwise(E, E)
    q, a, b = triples.T
    assert np.allclose(D_q[q, b] - D_q[q, a], H)


def test_a_single_candidate_is_a_reference_object(kernels):
    """There is no pair of pivots."""
    D = abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    triples = tt.random_triples(D, 50, rng=np.random.default_rng(0))
    one = CandidateDistances(D[:1], D[:1, :1])
    model = boostmap(one, triples, 2, rng=np.random.default_rng(0), kernels=kernels)
    assert (model.first.tolist(), model.second.tolist()) == ([0], [-1])


def test_truncated_is_what_a_shorter_training_gives():
    D, triples, y, _ = toy()
    long = train(D, triples, y, d=8)
    short = train(D, triples, y, d=3)
    for name in [*EMBEDDING, "round_z", "extra_z"]:
        assert_same(getattr(long.truncated(3), name), getattr(short, name))


def test_selective_triples_follow_section_10():
    D, _, _, labels = toy(n=80)
    M, k_most = 4, 3
    drawn_triples = tt.selective_triples(D, labels, k_most, 500, rng=np.random.default_rng(0))
    triples, y = drawn_triples.objects, drawn_triples.y
    drawn = set()
    for (q, a, b), label in zip(triples.tolist(), y, strict=True):
        assert labels[a] == labels[q] != labels[b] and a != q
        alike = [x for x in np.argsort(D[q], kind="stable") if labels[x] == labels[q] and x != q]
        others = [x for x in np.argsort(D[q], kind="stable") if labels[x] != labels[q]]
        k = alike.index(a) + 1
        r = others.index(b) + 1
        assert 1 <= k <= k_most and (M - 1) * k <= r <= (M - 1) * k + M - 1
        assert label == oracles.order(D[q, a], D[q, b])
        drawn.add((k, r - (M - 1) * k))
    assert drawn == {(k, more) for k in range(1, k_most + 1) for more in range(M)}
    assert set(triples[:, 0].tolist()) == set(range(80))
    Phi = (labels[:, None] != labels) * 1.0
    rng = np.random.default_rng(0)
    assert (tt.selective_triples(D, labels, k_most, 500, rng=rng, order_by=Phi).y == 1).all()


def test_small_classes_take_their_farthest():
    """Classes of two and of six: k is at most 1 in the first, and r follows the k that is taken."""
    D = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    labels = np.repeat([0, 1], [2, 6])
    alike, others = (tt.neighbors(D, labels, same=same) for same in (True, False))
    q, a, b = algorithm.selective_triples(alike, others, 2, 4, 800, np.random.default_rng(0)).T
    small = q < 2
    assert (a[small] == 1 - q[small]).all() and set(b[small].tolist()) == {2, 3}
    assert set(a[q == 2].tolist()) == {3, 4, 5, 6} and set(b[q == 2].tolist()) == {0, 1}


def test_triples_without_labels_and_without_ties():
    D, _, _, _ = toy(n=30)
    triples = tt.nearby_triples(np.rint(D), 5, 400, rng=np.random.default_rng(0))
    q, a, b = triples.objects.T
    assert (q != a).all() and (q != b).all() and (a != b).all()
    rank = np.argsort(np.argsort(np.rint(D) + np.eye(30) * -1, axis=1, kind="stable"), axis=1)
    assert rank[q, a].max() <= 5 and rank[q, b].max() <= 5
    assert (np.rint(D)[q, a] != np.rint(D)[q, b]).all() and set(triples.y) == {-1.0, 1.0}
    with pytest.raises(ValueError, match="D must order some triples; got no two different dist"):
        tt.random_triples(np.ones((5, 5)) - np.eye(5), 10, rng=np.random.default_rng(0))


def test_ranges_have_the_five_forms():
    ranges = algorithm.ranges([1.0, 2.0, 3.0])
    found = set(ranges)
    assert len(found) == len(ranges) == 1 + 2 * 3 + 3 + 3
    inf = np.inf
    assert found >= {(-inf, inf, 1), (-inf, 2.0, 1), (2.0, inf, 1), (1.0, 3.0, 1), (1.0, 3.0, 0)}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"y": np.zeros(600)}, "y must hold 1 or -1 for each of 600 triples"),
        ({"y": np.append(np.ones(599), 0)}, "y must hold 1 or -1 for each of 600 triples"),
        ({"triples": np.full((600, 3), 60)}, "triples must name objects below 60, .* D; got 60"),
        ({"triples": np.repeat([[0, 1, 2], [0, 1, 61]], [599, 1], axis=0)}, "below 60, .*; got 61"),
        ({"triples": np.zeros((600, 2), dtype=int)}, r"objects must have shape .*; got \(600, 2\)"),
        ({"triples": np.zeros((600, 3))}, "objects must hold integers; got float64"),
        ({"triples": np.full((600, 3), -1)}, "objects must hold indices of at least 0; got -1"),
        ({"D": np.full((60, 60), -1.0)}, "D must hold distances of at least 0; got -1"),
        ({"D": np.full((60, 60), np.nan)}, "D must hold finite numbers; got 3600"),
    ],
)
def test_bad_input(change, message):
    D, triples, y, _ = toy()
    arguments = {"D": D, "triples": triples, "y": y} | change
    with pytest.raises(ValueError, match=message):
        train(**arguments)


def test_bad_input_of_triples():
    D, _, _, labels = toy(n=10)
    rng = np.random.default_rng(0)
    chosen = partial(tt.selective_triples, D, k_most=2, t=10, rng=rng)
    for call, message in (
        (lambda: tt.random_triples(D[:5], 10, rng=rng), r"D must have shape .*; got \(5, 10\)"),
        (lambda: tt.nearby_triples(D, 10, 10, rng=rng), "k_most must be at most 9, .*; got 10"),
        (lambda: chosen(np.zeros(10)), "y must hold at least .*got 1"),
        (
            lambda: tt.selective_triples(D, labels, 10**30, 10, rng=rng),
            f"k_most must be at most 9, as D has 10 objects; got {10**30}",
        ),
        (
            lambda: chosen(np.arange(10) // 9),
            r"y must have at least two objects of each class.*; got a single object of class 1$",
        ),
        (
            lambda: chosen(labels, order_by=D[:4, :4]),
            r"order_by must have the shape of D, \(10, 10\); got \(4, 4\)",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("seed", range(20))
def test_the_bounds_change_nothing(seed):
    """The least Z by bounds is that of the full search, and no bound lies above its Z."""
    rng = np.random.default_rng(seed)
    D, triples, y, _ = toy(n=30, t=300, seed=seed)
    w = rng.random(300) ** rng.choice([1, 6])
    w = w / w.sum()
    margin = margin_of(w)
    # equal ones, a constant one
    F = np.concatenate([D[:24], D[:3], np.zeros((1, 30))])
    k = KERNELS[0]
    alpha = rng.normal(size=len(F)) * rng.choice([0.1, 3])
    z = k.z_values(F, triples, y, margin, alpha)
    sums = bm.margin_sums(F, triples, y, w, k, 1)
    assert (bm.z_bound(sums, bm.least_total(300), alpha) <= z * (1 + 1e-12)).all()
    assert bm.least_z(F, triples, y, margin, alpha, k, 1) == (int(np.argmin(z)), z.min())
    assert bm.least_z(F, triples, y, margin, alpha, k, 1, below=z.min())[0] is None
    least = -rng.random(len(F))
    a, z = k.minimize_z(F, triples, y, margin, least)
    bound = bm.z_bound(sums, bm.least_total(300), bm.best_of_bound(sums, least))
    assert (bound <= z * (1 + 1e-12)).all()
    tighter = bm.z_min_bound(sums, bm.least_total(300), least)
    assert (tighter <= z * (1 + 1e-12)).all() and np.isfinite(tighter[:24]).all()
    g = int(np.argmin(z))
    assert bm.least_z_min(F, triples, y, margin, least, k, 1) == (g, a[g], z[g])
    assert bm.least_z_min(F, triples, y, margin, least, k, 1, below=z[g])[0] is None
    S = rng.integers(0, 2, size=F.shape).astype(float)  # splitters of the second phase
    a, z = k.minimize_z(F, triples, y, margin, least, S)
    sums = bm.margin_sums(F, triples, y, w, k, 1, S)
    for bound in (
        bm.z_bound(sums, bm.least_total(300), bm.best_of_bound(sums, least)),
        bm.z_min_bound(sums, bm.least_total(300), least),
    ):
        assert (bound <= z * (1 + 1e-12)).all()
    g = int(np.argmin(z))
    assert bm.least_z_min(F, triples, y, margin, least, k, 1, S) == (g, a[g], z[g])


def test_where_the_steps_to_the_minimum_are_too_few_there_is_no_bound():
    """Margins of 50, 0.08 and -4. The first step begins far above the minimum, where Z rises like
    exp(4 alpha), and each step goes back by little more than 1 / 4.
    """
    w = np.array([0.25, 0.75 - 2**-17, 2**-17])
    u = np.array([50.0, 0.08, -4.0])
    right = [(w[:2] * u[:2] ** power).sum() for power in (0, 1, 2)]
    wrong = [w[2] * 4.0**power for power in (0, 1, 2)]
    sums = np.array([[*np.column_stack([right, wrong]).ravel(), 50.0, 4.0]])
    assert bm.z_min_bound(sums, 1.0, np.zeros(1)).tolist() == [-np.inf]


def test_margins_whose_squares_overflow_have_no_bound():
    """Margins of 3e150, 0 and 9e157, with weights: the square of their distance is infinite."""
    sums = np.array([[0.75, 0.25, 1e157, 1e150, 1e300, 1e290, 9e157, 1e151]])
    assert bm.z_min_bound(sums, 1.0, np.zeros(1)).tolist() == [-np.inf]


@pytest.mark.parametrize(
    "bounds, z, found",
    [
        ({}, {15: 0.5}, 15),  # all bounds alike: far more are looked at than at once
        ({19: 0.1}, {19: 0.5, 3: 0.5}, 3),  # of equal ones the first, though the last comes first
        # and though its bound is no lower than what was found
        ({19: 0.1, 3: 0.5}, {19: 0.5, 3: 0.5}, 3),
    ],
)
def test_bounds_leave_the_first_of_the_least(bounds, z, found):
    """Classifiers 0, 1, ... (the values of F) with a prescribed Z and bound of it."""
    bounds, z = (
        np.array([special.get(c, usual) for c in range(20)])
        for special, usual in ((bounds, 0.3), (z, 0.9))
    )
    sums = np.zeros((20, 8))
    sums[:, 0], sums[:, 2] = 1.0, -np.log(bounds)
    kernels = SimpleNamespace(
        margin_sums=lambda *_, threads: sums, z_values=lambda F, *_, threads: z[F[:, 0].astype(int)]
    )
    F = np.arange(20.0)[:, None]
    one = np.zeros(1)
    assert bm.least_z(F, None, one, one, np.ones(20), kernels, 1) == (found, 0.5)


def test_a_bound_that_rounding_lifts_above_its_z_rules_nothing_out():
    """Margins of one size: the bound is Z but for rounding, and the limit lies just above Z."""
    F = np.array([[0.0, 0.0, 1.0]])
    above = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        triples = np.array([[0, 1, 2], [0, 2, 1]], dtype=np.int32)[rng.integers(2, size=200)]
        y = np.ones(200)
        w = rng.dirichlet(np.ones(200))
        alpha = rng.normal(size=1)
        z = KERNELS[0].z_values(F, triples, y, margin_of(w), alpha)[0]
        limit = np.nextafter(z, np.inf)
        above += bm.z_bound(KERNELS[0].margin_sums(F, triples, y, w), w.sum(), alpha)[0] > limit
        assert bm.least_z(F, triples, y, margin_of(w), alpha, KERNELS[0], 1, below=limit) == (0, z)
    assert above > 0


def test_a_classifier_without_an_error_is_found(kernels):
    """Z has an infimum only, at alpha = inf: alone, and before a classifier that errs."""
    D = np.abs(np.subtract.outer([0.0, 1.0, 5.0, 6.0], [0.0, 1.0, 5.0, 6.0]))
    triples = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], dtype=np.int32)
    y = np.ones(4)
    margin = np.zeros(4)
    for F in (D[:1], np.concatenate([D[:, [0, 2, 1, 3]], D])):
        alpha, z = kernels.minimize_z(F, triples, y, margin, np.zeros(len(F)))
        g = int(np.argmin(z))
        found = bm.least_z_min(F, triples, y, margin, np.zeros(len(F)), kernels, 1)
        assert found == (g, alpha[g], z[g])
    problem, rng = (CandidateDistances(D, D), Triples(triples, y)), np.random.default_rng(0)
    model = boostmap(*problem, 2, rng=rng, kernels=kernels)
    D_q = model.pairwise(*(model.embed(PrecomputedSpace(D)),) * 2)
    q, a, b = triples.T
    assert (D_q[q, a] < D_q[q, b]).all() and np.isfinite(D_q).all()


def test_the_last_triples_drawn_may_be_ties():
    """Few triples have a label: none among the last few drawn is no reason to give up."""
    labels = np.repeat([0, 1], [2, 58])
    Phi = (labels[:, None] != labels) * 1.0
    for seed in range(10):
        triples = tt.random_triples(Phi, 50, rng=np.random.default_rng(seed))
        q, a, b = triples.objects.T
        assert (Phi[q, a] != Phi[q, b]).all() and len(triples) == 50
    D = np.abs(np.subtract.outer(np.arange(60.0), np.arange(60.0)))
    triples = tt.nearby_triples(D, 4, 50, rng=np.random.default_rng(0), order_by=Phi)
    q, a, b = triples.objects.T
    assert (triples.y == np.sign(Phi[q, b] - Phi[q, a])).all()
