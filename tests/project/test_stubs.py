"""The Protocol of the kernels and the stubs of refimpl_fast are made from the reference."""

import pytest
import stubs

import refimpl.kernels


def test_the_files_are_what_the_reference_gives():
    """If not, run ``PYTHONPATH=tests/support python -m stubs --write``."""
    assert not [path.name for path in stubs.differing()]


def test_each_kernel_is_in_the_protocol_and_in_one_stub():
    kernels = set(refimpl.kernels.__all__) - {"BallTree", "SearchForest", "SortedFeatures"}
    assert set(stubs.reference()) == kernels
    names = [name for names in stubs.compiled().values() for name in names]
    assert sorted(names) == sorted(kernels)


@pytest.mark.parametrize(
    "old, new",
    [
        ("leaf_size: int=128", "leaf_size: int=64"),
        ("k: int,", "k: float,"),
        ("-> BallTree: ...", "-> object: ..."),
        ("def tree_within(", "def tree_outside("),
    ],
)
def test_a_file_that_differs_is_found(old, new):
    for path, text in stubs.wanted().items():
        if path.name in ("trees.pyi", "growing.pyi"):
            changed = text.replace(old, new)
            assert (stubs.syntax(changed) != stubs.syntax(text)) == (old in text)
    assert any(old in text for text in stubs.wanted().values())
