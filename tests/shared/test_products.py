"""Products in blocks of rows, and the threads that share them: the same bits on any number."""

import os
import threading

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from processes import output
from teams import at_once
from trainings import each

from refimpl import products, resources
from refimpl.lmnn import LMNNResult
from refimpl.products import rows_times, transposed_times
from refimpl.resources import on_one_blas_thread

PATIENT = 60  # seconds until a test counts as hanging


@pytest.fixture
def eight(monkeypatch):
    """Eight processors, helpers that are never given up, and blocks so small that there are
    several.
    """
    monkeypatch.setattr(resources, "processors", lambda: 8)
    monkeypatch.setattr(resources, "MOST_PAUSE", 0.0)
    monkeypatch.setattr(resources, "helpers", resources.Helpers())
    monkeypatch.setattr(products, "BLOCK", 2**9)
    monkeypatch.setattr(products, "LEAST_ROWS", 16)


def alone(work):
    """The result of some work with BLAS on one thread."""
    return next(on_one_blas_thread(work() for _ in range(1)))


# ----------------------------------------------------------------------------------------- products


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 333])
@pytest.mark.parametrize(("d", "r"), [(1, 1), (7, 3), (3, 7), (0, 4), (4, 0)])
def test_products_in_blocks_are_the_products(eight, n, d, r):
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n, d))
    B = rng.standard_normal((d, r))
    C = rng.standard_normal((n, r))
    for threads in (1, 2, None):
        np.testing.assert_allclose(rows_times(A, B, threads=threads), A @ B, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            transposed_times(A, C, threads=threads), A.T @ C, rtol=1e-12, atol=1e-12
        )


def test_no_bit_depends_on_the_number_of_threads(eight):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((2000, 23))
    B = rng.standard_normal((23, 17))
    C = rng.standard_normal((2000, 17))
    first = alone(lambda: (rows_times(A, B, threads=1), transposed_times(A, C, threads=1)))
    for threads in (2, 3, 7, 1000, None):
        np.testing.assert_array_equal(
            alone(lambda n=threads: rows_times(A, B, threads=n)), first[0]
        )
        np.testing.assert_array_equal(
            alone(lambda n=threads: transposed_times(A, C, threads=n)), first[1]
        )


def test_sums_are_taken_in_the_order_of_the_blocks(eight, monkeypatch):
    monkeypatch.setattr(products, "BLOCK", 1)  # 16 rows
    A = np.zeros((64, 1))
    A[::16, 0] = 1e16, 1.0, -1e16, 1.0
    for threads in (1, 2, 7):
        # in the reverse order it is 0
        assert transposed_times(A, np.ones((64, 1)), threads=threads) == 1.0


@pytest.mark.parametrize("n", [255, 256, 5000])
def test_a_small_product_is_one_product(n):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((n, 20))
    B = rng.standard_normal((20, 30))
    C = rng.standard_normal((n, 30))
    np.testing.assert_array_equal(alone(lambda: rows_times(A, B)), alone(lambda: A @ B))
    np.testing.assert_array_equal(alone(lambda: transposed_times(A, C)), alone(lambda: A.T @ C))


@pytest.mark.parametrize("n", [1, 300, 3000, 60_000, 10**7])
@pytest.mark.parametrize("each", [0, 1, 169**2, 784**2])
@pytest.mark.parametrize("most", [None, 16])
def test_blocks_cover_the_rows_once_and_are_worth_a_thread(n, each, most):
    blocks = products.blocks_of(n, each, most)
    assert [block.start for block in blocks] == [0] + [block.stop for block in blocks[:-1]]
    assert blocks[-1].start < n <= blocks[-1].stop
    assert most is None or len(blocks) <= most
    if len(blocks) > 1:
        assert blocks[0].stop >= 256 and (blocks[0].stop + 1) * max(1, each) > products.BLOCK


def test_the_place_for_the_product_is_written(eight):
    A, B = np.random.default_rng(2).standard_normal((2, 100, 100))
    out = np.full((3, 100, 100), np.nan)
    assert rows_times(A, B, out=out[1], threads=2) is not None
    np.testing.assert_allclose(out[1], A @ B, rtol=1e-12, atol=1e-12)
    assert np.isnan(out[[0, 2]]).all()


# ------------------------------------------------------------------------------------------ sharing


def test_every_call_is_made_once_and_helpers_make_some(eight):
    both = threading.Barrier(2, timeout=PATIENT)
    seen = []

    def work(i):
        seen.append((i, threading.get_ident()))
        if i < 2:
            both.wait()  # passes only with two threads

    resources.share(work, 50, 2)
    assert sorted(i for i, _ in seen) == list(range(50))
    assert len({thread for _, thread in seen}) == 2


@pytest.mark.parametrize("threads", [1, 2, None])
def test_an_exception_is_raised_in_the_caller(eight, threads):
    def work(i):
        if i == 3:
            raise ZeroDivisionError("block 3")

    with pytest.raises(ZeroDivisionError, match="block 3"):
        resources.share(work, 20, threads)
    resources.share(lambda i: None, 20, threads)


def test_nobody_waits_for_a_helper_that_has_not_begun(eight, monkeypatch):
    monkeypatch.setattr(resources, "processors", lambda: 2)  # one helper
    held = threading.Event()
    made = []
    assert resources.helpers.call(lambda: held.wait(PATIENT))
    resources.share(made.append, 20, 2)
    assert made == list(range(20)) and not held.is_set()
    held.set()


def test_without_helpers_the_caller_does_all(eight):
    resources.share(lambda i: None, 20, 2)
    resources.helpers.executor.shutdown()
    made = []
    resources.share(made.append, 20, 2)
    assert made == list(range(20))


def test_helpers_that_make_nothing_faster_are_given_up_for_longer_and_longer():
    helpers = resources.Helpers()
    pauses = []
    for _ in range(10):
        helpers.judge(1.0, 1.0)
        pauses.append(helpers.pause)
    assert pauses[:3] == [0.004, 0.008, 0.016] and pauses[-1] == resources.MOST_PAUSE
    helpers.judge(0.5, 1.0)
    assert helpers.pause == resources.MOST_PAUSE / 2


def test_helpers_work_in_the_callers_context(eight):
    def work(i):
        np.log(np.zeros(3))  # a warning, and so an error, unless it is ignored

    with np.errstate(divide="ignore"):
        resources.share(work, 50, 4)


def test_several_callers_share_the_helpers(eight):
    rng = np.random.default_rng(4)
    # exact
    A = rng.integers(-9, 9, (500, 20)).astype(float)
    B = rng.integers(-9, 9, (20, 20)).astype(float)

    def work(threads):
        for _ in range(20):
            assert np.array_equal(rows_times(A, B, threads=threads), A @ B)

    at_once(work, (1, 2, 7, None), PATIENT)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_helpers_of_its_own():
    code = """
import os, threading
from refimpl import resources
resources.processors = lambda: 2

def work():
    both = threading.Barrier(2, timeout=30)
    resources.helpers.again = 0.0
    resources.share(lambda i: both.wait() if i < 2 else None, 20, 2)

work()
child = os.fork()
if child == 0:
    work()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
work()
"""
    assert output("-c", code, timeout=PATIENT) == "7"


# ------------------------------------------------------------------------------------------ in LMNN


@each(lambda training: training.start is LMNNResult)
def test_trainings_have_the_same_bits_where_the_products_are_shared(eight, training, kernels):
    first, steps = alone(lambda: training.steps(kernels=KERNELS[0], threads=1))
    for threads in (1, 2, 7, None):
        again, others = alone(lambda n=threads: training.steps(kernels=kernels, threads=n))
        assert_same(again, first)
        assert_same([step.state for step in others], [step.state for step in steps])
