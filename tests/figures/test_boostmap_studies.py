"""BoostMap's studies: small cells measured anew by loops."""

from itertools import permutations

import numpy as np
import pytest
from agreement import NAMES
from scipy.spatial.distance import cdist

from paper_figures import data
from paper_figures.boostmap import examples, images, trainings
from paper_figures.data import DataSet
from paper_figures.study import Job, Seen
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import enn_ranks

ALL_DIGITS = data.load("digits")
N_TRAIN, N = 100, 125
SPACE = {"data_set": "few", "enlarge": 2, "most": 12, "sigma": 1.7, "distance": "mean"}
SIZES = {
    "candidates": 30,
    "objects": 50,
    "triples": 300,
    "k_most": 4,
    "d": 5,
    "M_1": 10,
    "M_2": 4,
    "query_sensitive": 6,
}


def job(seed=0):
    return Job(seed, NAMES[-1], None, ("few",))


@pytest.fixture(scope="module", autouse=True)
def few_digits():
    """Let data.load read the first digits of scikit-learn's, 25 of them the queries."""
    few = DataSet(ALL_DIGITS.X[:N], ALL_DIGITS.y[:N], ALL_DIGITS.classes, N_TRAIN, name="few")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "load", lambda name, data_dir, **options: few)
        yield


@pytest.fixture(scope="module", params=["mean", "squared"])
def few(request, few_digits):
    return images.load(job(), **SPACE | {"distance": request.param})


def chamfer_of(A, B, power):
    """Return chamfer distances from the distances between all pairs of pixels."""
    pixels = np.argwhere(np.ones(A.shape[1:]))
    between = cdist(pixels, pixels) ** power

    def directed(A, B):
        """Return the mean, over the edge pixels of a, of the distance to the nearest of b."""
        to_nearest = np.array([between[:, b.ravel()].min(axis=1) for b in B])
        return np.array([to_nearest[:, a.ravel()].mean(axis=1) for a in A])

    return directed(A, B) + directed(B, A).T


def exact_of(few):
    """Return the distances from the queries, and from the database, to the database."""
    power = 2 if few.distance == "squared" else 1
    return (chamfer_of(A, few.database, power) for A in (few.queries, few.database))


def test_the_space_holds_edges_and_nearest_images(few):
    assert few.database.shape == (100, 16, 16) and few.queries.shape == (25, 16, 16)
    assert few.database.dtype == bool and few.database.any(axis=(1, 2)).all()
    assert np.array_equal(few.labels, ALL_DIGITS.y[:100])
    assert np.array_equal(few.truth, ALL_DIGITS.y[100:N])
    D, between = exact_of(few)
    np.testing.assert_allclose(few.distances, np.sort(D, axis=1)[:, :12])
    assert np.array_equal(few.nearest, np.argsort(D, axis=1, kind="stable")[:, :12])
    np.testing.assert_allclose(few.D_X(few.database), between, atol=1e-12)
    assert np.array_equal(few.D_X(few.queries, few.database), few.D_X(few.database, few.queries).T)


def test_other_k_and_variants_share_a_draw(few):
    """A short training of k' = 4 is the beginning of the long one, so that k' = 16 is its pair."""
    cell = {"of": "Fe", "triples": "Se", "draw": 1}
    long = list(trainings.training(job(), few, sizes=SIZES, dimensions=[3, 5], **cell))
    short = SIZES | {"d": 3, "query_sensitive": 0}
    of_3 = list(trainings.training(job(), few, sizes=short, dimensions=[3], **cell))
    named = [(i["method"], i["dimensions"], i["whole"]) for i in long if "ranks" in i]
    assert named == [
        ("BoostMap-Fe-Se-QI", 3, False),
        ("BoostMap-Fe-Se-QI", 5, True),
        ("BoostMap-Fe-Se-QS", 5, True),
    ]
    assert [i["method"] for i in of_3 if "ranks" in i] == ["BoostMap-Fe-Se-QI"]
    assert np.array_equal(of_3[1]["ranks"]["10"], long[1]["ranks"]["10"])
    other = list(
        trainings.training(job(), few, sizes=short | {"k_most": 16}, dimensions=[3], **cell)
    )
    assert other[1]["method"] == "BoostMap-Fe-Se-QI, k' = 16" and "errors" not in other[1]


@pytest.mark.parametrize("clip", [False, True])
def test_ranks_of_the_first_dimensions_are_those_of_a_shorter_fastmap(few, clip):
    space = few.space(few.database)
    model = fastmap(space, 6, rng=np.random.default_rng(0), clip=clip)
    Q, X = model.embed(space, few.queries), model.embed(space, few.database)
    wanted = [1, 2, model.d]
    for d, ranks in zip(wanted, few.ranks_of_first(Q, X, wanted), strict=True):
        shorter = model.truncated(d)
        assert np.array_equal(ranks, enn_ranks(shorter, Q[:, :d], X[:, :d], few.nearest, few.ks))


def test_the_five_points_are_as_the_paper_says():
    (item,) = examples.five_points(job())
    X, names = item["points"], examples.NAMES
    line = [float(np.hypot(*(X[0] - x))) for x in X]
    np.testing.assert_allclose(item["line"], line)
    right = {
        (names[q], names[a], names[b])
        for q, a, b in permutations(range(5), 3)
        if (np.hypot(*(X[q] - X[a])) < np.hypot(*(X[q] - X[b])))
        == (abs(line[q] - line[a]) < abs(line[q] - line[b]))
    }
    assert not right & {tuple("bac"), tuple("cbd"), tuple("dbr")}
    (row,) = examples.figure1(Seen([item])).rows
    assert (row["ours"], row["published"], row["of"], row["error"]) == (len(right), 46, 60, 0)


def test_the_triangle_and_the_digits():
    (item,) = examples.triangle(job())
    (row,) = examples.figure2(Seen([item])).rows
    assert row["ours"] == pytest.approx(1.1, rel=1e-12) == row["published"]
    (item,) = examples.digits(job(), data_set="few", per_class=3)
    (row,) = examples.figure4(Seen([item])).rows
    assert item["side"] == 8 and row["ours"] == 30
