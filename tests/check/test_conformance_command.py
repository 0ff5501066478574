"""pytest with REFIMPL_CHECK and the command ``python -m refimpl.check``, in processes of their own.

Not tested here: what they find (test_kernels.py, test_trainings.py).
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MINE = """
import numpy as np

def projections(X, A, *, threads=None):
    return X @ A

def least_similar(sums, column, taken, *, threads=None):
    sums += column
    return int(sums.argmin())

def enn_ranks(Q, X, A, neighbors, k_values):
    return [{"ranks": np.zeros((len(Q), len(k_values)), dtype=int)}]
"""


def process(folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **variables}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip


def test_a_module_through_pytest(tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "refimpl.check")
    done = process(tmp_path, *arguments, REFIMPL_CHECK="mine")
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "least_similar, FT:1:3: wrong" in done.stdout
    assert "enn_ranks, Athitsos et al. (2005), § 11.1: wrong" in done.stdout
    done = process(tmp_path, *arguments, REFIMPL_CHECK="")
    assert "2 skipped" in done.stdout, done.stdout + done.stderr


def test_the_command_makes_vectors_and_reads_its_own(tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    done = process(tmp_path, "-m", "refimpl.check", "make", "--out", "vectors")
    assert done.returncode == 0, done.stderr
    arguments = ("kernels", "mine", "--vectors", "vectors", "--examples", "0")
    done = process(tmp_path, "-m", "refimpl.check", *arguments, "--only", "projections")
    assert done.returncode == 0 and done.stdout.endswith("agrees\n"), done.stdout + done.stderr
    done = process(tmp_path, "-m", "refimpl.check", *arguments)
    assert done.returncode == 1 and done.stdout.endswith("differs\n")
    done = process(tmp_path, "-m", "refimpl.check", "kernels", "no_such_module")
    assert done.returncode == 2 and "cannot import no_such_module" in done.stderr
