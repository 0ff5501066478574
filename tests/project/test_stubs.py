"""The Protocol of the kernels has the signatures of the reference, and refimpl_fast its names."""

import inspect

import pytest
from agreement import KERNELS

from refimpl.kernels.contract import CONTRACT
from refimpl.typing import Kernels


@pytest.mark.parametrize("name", CONTRACT)
def test_the_protocol_has_the_signature_of_the_reference(name):
    reference, protocol = (inspect.signature(getattr(of, name)) for of in (KERNELS[0], Kernels))
    assert [*protocol.parameters.values()][1:] == [*reference.parameters.values()]
    assert protocol.return_annotation == reference.return_annotation


def test_the_protocol_has_no_other_kernel():
    assert {name for name in vars(Kernels) if not name.startswith("_")} == set(CONTRACT)


def test_the_twins_export_the_same_names():
    assert all(kernels.__all__ == KERNELS[0].__all__ for kernels in KERNELS)
