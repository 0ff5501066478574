"""BoostMap's studies: what the trainings of one draw share.

That cells give the numbers that they gave is held by test_probes.py.
"""

import numpy as np
from agreement import NAMES

from paper_figures import data
from paper_figures.boostmap import images, trainings
from paper_figures.data import DataSet
from paper_figures.study import Job

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


def test_other_k_and_variants_share_a_draw(monkeypatch):
    """A short training of k' = 4 is the beginning of the long one, so that k' = 16 is its pair."""
    digits = data.load("digits")
    few = DataSet(digits.X[:125], digits.y[:125], digits.classes, 100, name="few")
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: few)
    job = Job(0, NAMES[-1], None, ("few",))
    loaded = images.load(job, data_set="few", enlarge=2, most=12, sigma=1.7)

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
