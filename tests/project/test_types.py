"""A small typed program of a user passes ``mypy --strict``; programs with one wrong call do not.

Not handled here: the packages' own hints (``make lint``).
"""

import importlib.util
import sys
from pathlib import Path

import pytest
from agreement import KERNELS
from processes import python

import refimpl.kernels

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="mypy is not installed: pip install mypy"
)

MINE = '''
"""Kernels of my own: one is new, the others are the reference's."""

import numpy as np

import refimpl.kernels as reference
from refimpl.kernels import *
from refimpl.typing import FloatArray


def by_blas(X: FloatArray, A: FloatArray, *, threads: int | None = None) -> FloatArray:
    return np.asarray(X @ A)


projections = by_blas
'''

PROGRAM = """
import mine
import numpy as np
import refimpl_fast

import refimpl.kernels
from refimpl.boosted_distance import boosted_distance
from refimpl.estimators import LMNN, BoostMap
from refimpl.ftune import ftune
from refimpl.lmnn import lmnn
from refimpl.typing import FloatArray, IntArray, Kernels

X = np.random.default_rng(0).normal(size=(20, 3))
y = np.arange(20) % 2


def nearest(Q: FloatArray, X: FloatArray, kernels: Kernels) -> IntArray:
    tree = kernels.build_tree(X, leaf_size=4)
    squares, indices, computed = kernels.tree_nearest(tree, Q, 2, bound="ball")
    return indices


for kernels in (refimpl.kernels, refimpl_fast, mine):
    nearest(X, X, kernels)

boosted_distance(X, y, 3)
boosted_distance(X, y, 3, kernels=refimpl_fast)
boosted_distance(X.tolist(), y.tolist(), 3, kernels=mine, threads=1)
lmnn(X, y, k=3)
lmnn(X, y, k=3, kernels=refimpl_fast)
LMNN(2, tol=0.1, n_jobs=1).fit(X, y).get_feature_names_out()
BoostMap(3, n_triples=99).set_output(transform="default")
"""

WRONG = {
    "a misspelt kernel": (
        "refimpl_fast.tree_nearset(tree, X, 1)",
        'has no attribute "tree_nearset"',
    ),
    "the points before the queries": (
        "refimpl.kernels.weighted_l1(X, X)",
        'Missing positional argument "X"',
    ),
    "a bound that there is not": ('refimpl_fast.tree_nearest(tree, X, 1, bound="sphere")', "bound"),
    "a module that has no kernels": ("kernels: Kernels = numpy", "Module"),
    "a kernel with another signature": ("kernels: Kernels = wrong_module", "wrong_module"),
    "a number of rounds that is a string": ('boosted_distance(X, y, "3")', "boosted_distance"),
    "an old name": ("boosted_distance(X, labels=y, T=3)", "labels"),
    "a parameter that an estimator lacks": ("LMNN(n_neighbours=3)", "n_neighbours"),
    "a second parameter without its name": ("BoostMap(8, 500)", "Too many positional arguments"),
    "a parameter of another type": ("BoostMapClassifier(n_refine=[3])", "n_refine"),
}

BEFORE_WRONG = """
import numpy
import refimpl_fast
import wrong_module

import refimpl.kernels
from refimpl.boosted_distance import boosted_distance
from refimpl.estimators import LMNN, BoostMap, BoostMapClassifier
from refimpl.typing import Kernels

X = numpy.zeros((20, 3))
y = numpy.arange(20) % 2
tree = refimpl_fast.build_tree(X)
"""

WRONG_MODULE = "".join(
    f"from refimpl.kernels import {name} as {name}\n"
    for name in refimpl.kernels.__all__
    if name != "projections"
)
WRONG_MODULE += """

def projections(X: list[float]) -> float:
    return X[0]
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """Run mypy over the programs; return its lines for each of them."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "mine.py").write_text(MINE)
    (folder / "wrong_module.py").write_text(WRONG_MODULE)
    (folder / "program.py").write_text(PROGRAM)
    names = {"program": "program.py"}
    for i, (name, (call, _)) in enumerate(WRONG.items()):
        names[name] = f"wrong_{i}.py"
        (folder / names[name]).write_text(f"{BEFORE_WRONG}{call}\n")
    command = ["-m", "mypy", "--strict", "--follow-imports=silent", "--config-file="]
    command += ["--cache-dir", str(folder / "cache"), "--no-error-summary"]
    root = Path(refimpl.__file__).resolve().parents[1]
    done = python(*command, *names.values(), "mine.py", cwd=folder, MYPYPATH=str(root))
    assert done.returncode in (0, 1), done.stdout + done.stderr
    lines = done.stdout.splitlines()
    found = {n: [line for line in lines if line.startswith(file)] for n, file in names.items()}
    found["mine"] = [line for line in lines if line.startswith("mine.py")]
    return found


@pytest.mark.parametrize("name", ["program", "mine"])
def test_a_typed_program_passes(errors, name):
    assert not errors[name]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_is_found(errors, name):
    assert len([line for line in errors[name] if "error:" in line]) == 1
    assert WRONG[name][1] in "".join(errors[name])


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
def test_the_program_runs(tmp_path, monkeypatch):
    """So what mypy accepts is no fiction."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    exec(compile(PROGRAM, "program.py", "exec"), {"__name__": "program"})
