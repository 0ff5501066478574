"""BoostMap's studies: both readings of the distance by loops, and what the trainings of one draw
share.

That cells give the numbers that they gave is held by test_probes.py.
"""

import numpy as np
import pytest
from agreement import NAMES
from scipy.spatial.distance import cdist

from paper_figures import data
from paper_figures.boostmap import images, trainings
from paper_figures.data import DataSet
from paper_figures.study import Job

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


@pytest.fixture
def job(monkeypatch):
    """A job whose data are scikit-learn's first digits, the last 25 of them queries."""
    digits = data.load("digits")
    few = DataSet(digits.X[:125], digits.y[:125], digits.classes, 100, name="few")
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: few)
    return Job(0, NAMES[-1], None, ("few",))


def chamfer_of(A, B, power):
    """Return chamfer distances from the distances between all pairs of pixels."""
    pixels = np.argwhere(np.ones(A.shape[1:]))
    between = cdist(pixels, pixels) ** power

    def directed(A, B):
        """Return the mean, over the edge pixels of a, of the distance to the nearest of b."""
        to_nearest = np.array([between[:, b.ravel()].min(axis=1) for b in B])
        return np.array([to_nearest[:, a.ravel()].mean(axis=1) for a in A])

    return directed(A, B) + directed(B, A).T


@pytest.mark.parametrize(("distance", "power"), [("mean", 1), ("squared", 2)])
def test_the_space_holds_edges_and_nearest_images(job, distance, power):
    few = images.load(job, **SPACE | {"distance": distance})
    assert few.database.shape == (100, 16, 16) and few.queries.shape == (25, 16, 16)
    D, between = (chamfer_of(A, few.database, power) for A in (few.queries, few.database))
    np.testing.assert_allclose(few.distances, np.sort(D, axis=1)[:, :12])
    assert np.array_equal(few.nearest, np.argsort(D, axis=1, kind="stable")[:, :12])
    np.testing.assert_allclose(few.D_X(few.database), between, atol=1e-12)
    assert np.array_equal(few.D_X(few.queries, few.database), few.D_X(few.database, few.queries).T)


def test_other_k_and_variants_share_a_draw(job):
    """A short training of k' = 4 is the beginning of the long one, so that k' = 16 is its pair."""
    loaded = images.load(job, **SPACE)

    def trained(dimensions, **changes):
        cell = {"of": "Fe", "triples": "Se", "draw": 1, "dimensions": dimensions}
        seen = trainings.training(job, loaded, sizes=SIZES | changes, **cell)
        return [item for item in seen if "ranks" in item]

    long = trained([3, 5])
    (of_3,) = trained([3], d=3, query_sensitive=0)
    (other,) = trained([3], d=3, query_sensitive=0, k_most=16)
    named = [(item["method"], item["dimensions"], item["whole"]) for item in [*long, of_3]]
    qi = "BoostMap-Fe-Se-QI"
    assert named == [(qi, 3, False), (qi, 5, True), ("BoostMap-Fe-Se-QS", 5, True), (qi, 3, True)]
    assert np.array_equal(of_3["ranks"]["10"], long[0]["ranks"]["10"])
    assert "errors" in long[2] and "errors" not in of_3  # only a whole model has k-nn errors
    assert other["method"] == f"{qi}, k' = 16" and "errors" not in other
