"""The fuzzer runs, and finds what it is there to find."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]


def fuzz(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )


def test_every_kernel_has_cases_and_stands_in_the_contract():
    from refimpl import kernels
    from refimpl.kernels.contract import CONTRACT
    from tests.fuzz.cases import CASES

    names = {name for name in kernels.__all__ if not isinstance(getattr(kernels, name), type)}
    assert set(CASES) == names == set(CONTRACT)


def test_the_twins_agree_on_some_thousand_cases():
    done = fuzz("--cases", "4000", "--seed", "11")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4000 cases of seed 11" in done.stdout and ": 0 finds" in done.stdout


def test_a_case_can_be_repeated():
    done = fuzz("--seed", "11", "--repeat", "17")
    assert done.returncode == 0 and done.stdout.split()[1] in ("valid", "hostile")


def test_differences_are_found():
    from tests.fuzz.compare import Difference, require_equal_outcomes, require_same

    A = np.array([1.0, 0.0, np.nan])
    require_same("A", A, A.copy())
    signed = np.array([1.0, -0.0, np.nan])
    nearly = np.array([np.nextafter(1, 2), 0.0, np.nan])
    for other in (A[:2], A.astype(np.float32), signed, nearly):
        with pytest.raises(Difference):
            require_same("A", A, other)
    returned = ((A, {}), None)
    raised = (None, ValueError("a"))
    for one, other in (
        (returned, raised),
        (raised, returned),
        (raised, (None, TypeError("a"))),
        (raised, (None, ValueError("b"))),
    ):
        with pytest.raises(Difference):
            require_equal_outcomes(one, other, finite=False)
    require_equal_outcomes(raised, (None, ValueError("a")), finite=True)


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
    assert "6 cases" in done.stdout and "1 finds" in done.stdout
