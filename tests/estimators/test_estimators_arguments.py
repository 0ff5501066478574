"""What all estimators understand alike."""

import numpy as np
import pytest
from scipy import sparse

from refimpl import estimators
from refimpl.estimators import arguments
from refimpl.estimators.arguments import threads_of
from refimpl.estimators.spaces import as_query_objects, holds_objects


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 1), (-1, None), (1, 1), (3, 3), (-2, 7), (-8, 1), (-99, 1)]
)
def test_n_jobs_means_what_it_means_in_scikit_learn(n_jobs, threads, monkeypatch):
    monkeypatch.setattr(arguments, "processors", lambda: 8)
    assert threads_of(n_jobs) == threads


def test_a_sparse_matrix_holds_numbers():
    """What reads numbers says what is wrong with it."""
    assert holds_objects(np.array(["map", "lap"], dtype=object))
    assert holds_objects([list("map"), list("lap")]) and holds_objects([("map", 1), ("lap", 2)])
    assert holds_objects(np.array([list("map"), list("lap")], dtype=object))
    assert holds_objects([[b"m", b"a"]]) and holds_objects(np.array([[b"m", b"a"]], dtype=object))
    assert holds_objects(np.array(["map", "lap"], dtype=np.dtypes.StringDType()))
    assert not holds_objects(np.eye(2, dtype=object)) and not holds_objects(5)
    assert not holds_objects(sparse.csr_matrix(np.eye(2)))


def test_tables_are_checked_whatever_measures_their_rows():
    """Only lists of objects are left alone, and only for a function."""
    model = estimators.LandmarkTransformer()
    model.n_features_in_ = 2
    with pytest.raises(ValueError, match="3 features"):
        as_query_objects(model, np.ones((2, 3)), lambda a, b: 0.0)
    with pytest.raises(ValueError):
        as_query_objects(model, ["coat", "boat"], "euclidean")
    assert as_query_objects(model, ["coat", "boat"], lambda a, b: 0.0) == ["coat", "boat"]


@pytest.mark.parametrize(
    "X", [{"ab", "b"}, {"ab": 1, "b": 2}, {"ab": 1}.keys()], ids=["set", "dict", "keys"]
)
def test_objects_without_places_are_refused(X):
    """Their list would be in no order, or that of the keys."""
    model = estimators.LandmarkTransformer(kernel=lambda a, b: float(a == b))
    for call in (model.fit, lambda X, y: as_query_objects(model, X, model.kernel)):
        with pytest.raises(TypeError, match=r"^X must be a list of objects or a table; got a "):
            call(X, [0, 1])


NUMBERS = np.random.default_rng(0).integers(0, 99, (30, 2))
NO_NUMBERS = {
    "dates": NUMBERS.astype("M8[s]"),
    "times": NUMBERS.astype("m8[s]"),
    "text": NUMBERS.astype(str),
    "bytes": NUMBERS.astype("S2"),
    "text in objects": NUMBERS.astype(str).astype(object),
    "beyond float64": np.array([[10**400, 0]] * 30, dtype=object),
    "dates in objects": np.array([[np.datetime64(int(i), "s"), 0.0] for i in range(30)], object),
}


@pytest.mark.parametrize("name", estimators.__all__)
@pytest.mark.parametrize("X", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_text_and_dates_are_no_numbers(name, X):
    """NumPy and scikit-learn would take dates for integers and parse text."""
    with pytest.raises(
        TypeError, match=r"^(X must hold real numbers; got|float\(\) argument must)"
    ):
        getattr(estimators, name)().fit(X, np.arange(30) % 2)
