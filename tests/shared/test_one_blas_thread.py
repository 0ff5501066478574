"""BLAS has one thread while a training is at work, its own number before and after."""

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  it may bring a BLAS of its own
from processes import output
from threadpoolctl import ThreadpoolController, threadpool_limits
from trainings import each

from refimpl.ftune import FTuneTraining
from refimpl.lmnn import LMNNOptions, lmnn, lmnn_rect, low_rank, training
from refimpl.resources import on_one_blas_thread, one_blas_thread


def blas_threads():
    """Return the numbers of threads of the BLAS libraries in this process."""
    libraries = ThreadpoolController().info()
    return {library["num_threads"] for library in libraries if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS cannot have two threads")
        yield
        assert blas_threads() == {2}


def test_the_last_one_out_gives_the_threads_back():
    with one_blas_thread:
        assert blas_threads() == {1}
        with one_blas_thread:
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_the_threads_come_back_after_an_error():
    with pytest.raises(KeyError), one_blas_thread:
        raise KeyError


def test_the_threads_come_back_between_the_steps():
    for inside in on_one_blas_thread(blas_threads() for _ in range(2)):
        assert inside == {1} and blas_threads() == {2}


@pytest.mark.parametrize(
    "module, train", [(training, lmnn), (low_rank, lambda X, y, **o: lmnn_rect(X, y, 2, **o))]
)
def test_the_starts_of_lmnn_are_found_on_one_thread(monkeypatch, module, train):
    """LAPACK's last digits depend on the number of threads."""
    seen = []
    find = module.scaled
    monkeypatch.setattr(module, "scaled", lambda *a: (seen.append(blas_threads()), find(*a))[1])
    X = np.random.default_rng(0).normal(size=(60, 3))
    train(X, np.arange(60) % 2, options=LMNNOptions(tol=0.1))
    assert seen == [{1}]


@each(lambda training: training.start is FTuneTraining)
def test_ftune_trains_on_one_blas_thread(training):
    seen = []
    training(callback=lambda step: seen.append(blas_threads()))
    assert seen and all(threads == {1} for threads in seen)


FRESH = """
import sys
from threadpoolctl import ThreadpoolController, threadpool_limits
from refimpl.resources import one_blas_thread
assert "scipy.linalg" not in sys.modules
with one_blas_thread:
    import scipy.linalg
    inside = ThreadpoolController().select(user_api="blas").info()
print(*(library["num_threads"] for library in inside))
"""


def test_a_blas_that_scipy_brings_along_has_one_thread_too():
    """In a process that has not used SciPy yet."""
    assert set(output("-c", FRESH).split()) == {"1"}
