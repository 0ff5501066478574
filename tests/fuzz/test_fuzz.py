"""The fuzzer runs, and finds what it is there to find: differences, crashes, exceptions that a
kernel ignored, and answers that move with the BLAS kernel where none is used.

Not tested here: many cases. `.ci/run` and `make fuzz` run them.
"""

import os

import numpy as np
import pytest
from processes import ROOT, python

pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)

from tests.fuzz import trainings
from tests.support.agreement import Difference, other_kernels, require_equal_outcomes


def fuzz(*arguments, **environment):
    return python("-m", "tests.fuzz", *arguments, **environment)


def test_the_twins_agree_on_some_cases(request):
    cases = "4000" if request.config.getoption("all") else "400"
    done = fuzz("--cases", cases, "--seed", "11")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{cases} cases of seed 11" in done.stdout and ": 0 finds" in done.stdout


def test_a_case_can_be_repeated():
    done = fuzz("--seed", "11", "--repeat", "17")
    assert done.returncode == 0 and done.stdout.split()[1] in ("valid", "hostile")


def test_differences_are_found():
    raised = (None, ValueError("a"))
    returned, other = (((value, {"A": value}), None) for value in (np.ones(2), np.zeros(2)))
    for one, another, finite in (
        (returned, other, True),
        (returned, raised, False),
        (raised, returned, False),
        (raised, (None, TypeError("a")), False),
        (raised, (None, ValueError("b")), False),
    ):
        with pytest.raises(Difference):
            require_equal_outcomes(one, another, finite)
    require_equal_outcomes(raised, (None, ValueError("a")), finite=True)
    require_equal_outcomes(returned, other, finite=False)


def test_a_crash_is_named_and_the_rest_goes_on(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if '--worker' in sys.argv:\n"
        "    import tests.fuzz.compare as compare\n"
        "    run = compare.run\n"
        "    compare.run = lambda seed, number, only=None: "
        "os.abort() if number == 3 else run(seed, number, only)\n"
    )
    done = fuzz("--cases", "6", "--kernel", "presort", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 1
    assert "killed the process" in done.stdout and "--repeat 3 --kernel presort" in done.stdout
    assert "Fatal Python error: Aborted" in done.stdout and "sitecustomize.py" in done.stdout
    assert "Extension modules" not in done.stdout
    assert "6 cases" in done.stdout and "1 finds" in done.stdout


# -------------------------------------------------------------------------------- whole trainings


def test_every_public_training_has_cases():
    from trainings import TRAININGS as PROMISED

    public = {training.function.__name__ for training in PROMISED.values()}
    assert public < set(trainings.TRAININGS)


@pytest.mark.parametrize("name", sorted(trainings.TRAININGS))
def test_a_few_trainings_agree(name, request):
    """Both kernel modules, on 1, 2 and 7 threads."""
    cases = 10 if request.config.getoption("all") else 4
    kinds = [trainings.run(3, number, name)[1] for number in range(cases)]
    assert "trained" in kinds


def test_trainings_run_under_each_blas_kernel():
    done = fuzz("--trainings", "--cases", "3", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 trainings of seed 3" in done.stdout and ": 0 finds" in done.stdout


@pytest.mark.parametrize("refuses", [False, True])
def test_a_training_that_differs_is_found(monkeypatch, refuses):
    """On two threads it returns another threshold, or refuses the problem in other words."""
    from refimpl_fast import best_stump

    def on_two_threads(features, w, l, threads=None):
        if refuses:
            raise ValueError(f"on {threads}")
        error, f, p, theta = best_stump(features, w, l, threads=threads)
        return error, f, p, theta if threads == 1 else float(np.nextafter(theta, np.inf))

    kernels = other_kernels(best_stump=on_two_threads)
    kind = "refused" if refuses else "trained"
    monkeypatch.setattr(trainings, "RUNS", ((kernels, 1), (kernels, 1)))
    number = next(n for n in range(99) if trainings.run(0, n, "adaboost")[1] == kind)
    monkeypatch.setattr(trainings, "RUNS", ((kernels, 1), (kernels, 2)))
    with pytest.raises(Difference, match="other_kernels with 2 threads"):
        trainings.run(0, number, "adaboost")


@pytest.mark.parametrize("error", [ZeroDivisionError("a"), RuntimeWarning("a")])
def test_an_error_that_is_no_refusal_is_found(monkeypatch, error):
    def fails(*arguments, **options):
        raise error

    kernels = other_kernels(presort=fails)
    monkeypatch.setattr(trainings, "RUNS", ((kernels, 1), (kernels, 1)))
    with pytest.raises(Difference, match=f"adaboost: {type(error).__name__}: a"):
        trainings.run(0, 0, "adaboost")


def test_an_exception_that_a_kernel_ignored_is_found():
    from tests.fuzz.__main__ import requiring_silence

    class Ignored:
        def __del__(self):
            raise IndexError("out of bounds")

    def run(seed, number, only):
        if number == 2:
            Ignored()
        return seed, number, only

    assert requiring_silence(run)(0, 1, None) == (0, 1, None)
    with pytest.raises(Difference, match=r"ignored IndexError\('out of bounds'\)"):
        requiring_silence(run)(0, 2, None)


@pytest.mark.parametrize(("name", "found"), [("adaboost", True), ("search_forest", False)])
def test_what_may_move_with_the_blas_kernel(name, found):
    from tests.fuzz.__main__ import moved_by_blas

    finds = moved_by_blas({"a": {7: (name, "1")}, "b": {7: (name, "2")}})
    assert [number for number, _ in finds] == [7] * found
    assert moved_by_blas({"a": {7: (name, "1")}, "b": {7: (name, "1")}}) == []
    assert moved_by_blas({"a": {7: (name, "1")}, "b": {}}) == []
