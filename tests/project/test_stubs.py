"""The Protocol of the kernels has the functions of the reference, and refimpl_fast its names."""

from agreement import KERNELS

from refimpl.kernels.contract import CONTRACT
from refimpl.typing import Kernels


def test_the_protocol_has_the_functions_of_the_reference():
    assert all(getattr(Kernels, name) is getattr(KERNELS[0], name) for name in CONTRACT)


def test_the_protocol_has_no_other_kernel():
    assert {name for name in vars(Kernels) if not name.startswith("_")} == set(CONTRACT)


def test_the_twins_export_the_same_names():
    assert all(kernels.__all__ == KERNELS[0].__all__ for kernels in KERNELS)
