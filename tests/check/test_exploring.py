"""Hypothesis finds what no vector shows, and makes it small.

Not tested here: the vectors (test_kernels.py).
"""

import types

import numpy as np
import pytest

import refimpl.kernels
from refimpl.check import exploring
from refimpl.check.encoding import decode
from refimpl.check.running import Module

pytest.importorskip("hypothesis")


def sum_of_three(u, A, *, threads=None):
    """Wrong only where u holds a 2 and a -2 and A has three rows or more."""
    product = refimpl.kernels.vector_matrix(u, A)
    return product + 1 if len(u) >= 3 and 2 in u and -2 in u else product


def test_a_rare_fault_is_found_and_made_small():
    module = Module(types.SimpleNamespace(vector_matrix=sum_of_three))
    found = exploring.explored(module, "vector_matrix", 400, seed=0)
    assert found is not None and found.kind == "wrong" and found.id == "found by Hypothesis"
    u = decode(found.arguments["u"])
    A = decode(found.arguments["A"])
    assert sorted(u.tolist()) == [-2, 0, 2] and A.shape == (3, 1) and not A.any()


def test_the_reference_by_another_name_agrees():
    def vector_matrix(u, A, *, threads=None):
        return refimpl.kernels.vector_matrix(u, A)

    module = Module(types.SimpleNamespace(vector_matrix=vector_matrix))
    assert exploring.explored(module, "vector_matrix", 50, seed=0) is None


def test_the_same_seed_finds_the_same_case():
    module = Module(types.SimpleNamespace(vector_matrix=lambda u, A, threads=None: np.zeros(9)))
    first, second = (exploring.explored(module, "vector_matrix", 50, seed=3) for _ in range(2))
    assert first == second and first is not None
