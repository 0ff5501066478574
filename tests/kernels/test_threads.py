"""The threads that the fast kernels share: how many there are, who may use them, and what a forked
child has.
"""

import os

import numpy as np
import pytest
from agreement import assert_same
from processes import output
from teams import at_once

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

PREPARED = """
import os, sys
import numpy as np
import refimpl_fast
from refimpl_fast import threads

A = np.random.default_rng(0).integers(0, 9, (600, 60)).astype(float)

def work(n_threads):
    S = np.zeros((600, 600))
    feature = np.arange(60)
    ones = np.ones(60, dtype=np.int64)
    stumps = np.ones(60), feature, ones, np.zeros(60)
    refimpl_fast.add_similarity(S, A, A, *stumps, threads=n_threads)
    return S

expected = work(1)
assert (work(2) == expected).all()
"""


def run(code, **environment):
    """The output of some code in a process of its own."""
    return output("-c", PREPARED + code, **environment)


@pytest.mark.parametrize("n_threads", [3, 1000, 100_000, 2**26, 2**29, 2**40])
def test_more_threads_than_processors_are_no_more_than_processors(n_threads):
    code = (
        f"assert (work({n_threads}) == expected).all(); print(len(os.listdir('/proc/self/task')))"
    )
    if not os.path.isdir("/proc/self/task"):
        code = code.split(";")[0]
    printed = run(code, OPENBLAS_NUM_THREADS="1")
    if printed:
        assert int(printed) <= max(os.cpu_count(), 8) + 1  # the build with checks has up to 8


def test_a_forked_child_works_on_threads_of_its_own():
    code = """
child = os.fork()
if child == 0:
    os._exit(0 if (work(2) == expected).all() and (work(None) == expected).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
assert (work(2) == expected).all()
"""
    if not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    assert run(code) == "0"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_of_joblibs_multiprocessing_works():
    code = """
import multiprocessing
from joblib import Parallel, delayed
multiprocessing.set_start_method("fork")  # Python 3.14 starts children that do not know `work`
parallel = Parallel(n_jobs=2, backend="multiprocessing")
with_children = parallel(delayed(work)(n) for n in (None, 2, 1))
print(all((S == expected).all() for S in with_children))
"""
    assert run(code) == "True"


def test_several_python_threads_share_the_pool():
    rng = np.random.default_rng(1)
    A = rng.integers(0, 5, (300, 40)).astype(float)
    w = np.full(300, 1 / 512)
    labels = rng.random(300) < 0.5
    features = refimpl_fast.presort(A)
    expected = refimpl_fast.best_stump(features, w, labels, threads=1)

    def work(n_threads):
        for _ in range(50):
            assert refimpl_fast.best_stump(features, w, labels, threads=n_threads) == expected
            assert_same(refimpl_fast.presort(A, threads=n_threads).rows, features.rows)

    at_once(work, (1, 2, None, 7))


def test_processors_are_those_of_the_affinity_and_of_the_usual_variable():
    code = "print(threads.processors())"
    least = int(run("print(threads.LEAST_PROCESSORS)"))  # 1, or more in the build with checks
    assert int(run(code, OMP_NUM_THREADS="1")) == max(least, 1)
    assert int(run(code, OMP_NUM_THREADS="nonsense")) >= 1
    if hasattr(os, "sched_setaffinity"):
        first = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        assert int(run(first + code)) == max(least, 1)


LIMITED = """
import resource

work(None)  # all threads start before the limit

def limit(more):
    now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (more << 20), now + (more << 20)))

from refimpl import kernels as reference
rng = np.random.default_rng(0)
"""


@pytest.mark.one_case
@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="the size of the process is read from /proc"
)
@pytest.mark.parametrize("more", [60, 250, 400, 150])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_loop_whose_memory_runs_out_raises_and_returns_nothing(more, n_threads):
    code = f"""
A, B = rng.normal(size=(3000, 1)), rng.normal(size=(3000, 1))
limit({more})
try:
    print(len(refimpl_fast.presort(A, B, threads={n_threads}).rows))
except MemoryError as error:
    print("MemoryError")
"""
    assert run(LIMITED + code, OPENBLAS_NUM_THREADS="1") in ("8999999", "MemoryError")


@pytest.mark.one_case
@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="the size of the process is read from /proc"
)
@pytest.mark.parametrize("more", [40, 160, 80])
def test_lists_that_outgrow_the_memory_raise(more):
    code = f"""
X = np.zeros((3000, 2))
classes = np.arange(3000) % 2
tree = reference.build_tree(X)
limit({more})
for name, arguments in (
    ("impostors", (X, X, np.ones(3000), classes, classes)),
    ("tree_within", (tree, X, np.ones(3000))),
):
    try:
        found = getattr(refimpl_fast, name)(*arguments)
        print(len(found[1]) == {{"impostors": 3000 * 1500, "tree_within": 3000 * 3000}}[name])
        del found
    except MemoryError:
        print(True)
"""
    assert run(LIMITED + code, OPENBLAS_NUM_THREADS="1").split() == ["True", "True"]
