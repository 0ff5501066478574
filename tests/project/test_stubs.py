"""The Protocol of the kernels is made from the reference, and refimpl_fast has its names."""

import pytest
import stubs
from agreement import KERNELS

TEXT = stubs.TYPING.read_text(encoding="utf-8")


def test_the_protocol_is_what_the_reference_gives():
    """If not, run ``PYTHONPATH=tests/support python -m stubs --write``."""
    assert stubs.same(TEXT, stubs.wanted(TEXT))


def test_the_twins_export_the_same_names():
    assert all(kernels.__all__ == KERNELS[0].__all__ for kernels in KERNELS)


@pytest.mark.parametrize(
    "old, new",
    [
        ("leaf_size: int = 128", "leaf_size: int = 64"),
        ("k: int,", "k: float,"),
        ("-> BallTree: ...", "-> object: ..."),
        ("def tree_within(", "def tree_outside("),
    ],
)
def test_a_file_that_differs_is_found(old, new):
    changed = TEXT.replace(old, new)
    assert changed != TEXT and not stubs.same(changed, stubs.wanted(changed))
