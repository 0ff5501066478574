"""On a full disk the message names the file, the old file stays, nothing half-written is left."""

import errno
import os

import numpy as np
import pytest

import refimpl
from refimpl import results
from refimpl.boosted_distance import boosted_distance

X = np.array([[0.0], [1.0], [4.0], [5.0], [9.0], [9.5]])
y = np.array([0, 0, 1, 1, 0, 0])


@pytest.fixture
def full(monkeypatch):
    """A function after which np.savez writes a little and then finds the disk full."""

    def short(file, **members):
        file.write(b"PK")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return lambda: monkeypatch.setattr(results.np, "savez", short)


def test_a_result_that_cannot_be_saved_names_its_file(tmp_path, full):
    path = tmp_path / "model.npz"
    first, second = (boosted_distance(X, y, T) for T in (1, 2))
    refimpl.save(path, first)
    full()
    with pytest.raises(OSError, match=r"No space left on device: '.*model\.npz'$") as refused:
        refimpl.save(path, second)
    assert refused.value.errno == errno.ENOSPC and refused.value.filename == str(path)
    assert refimpl.load(path) == first and list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "absent" / "model.npz"
    with pytest.raises(FileNotFoundError) as refused:
        refimpl.save(path, boosted_distance(X, y, 1))
    assert refused.value.filename == str(path)


def test_a_checkpoint_without_room_ends_the_training_which_goes_on_from_the_file(tmp_path, full):
    path = tmp_path / "training.npz"
    checkpoint = refimpl.Checkpoint(path, every=0)

    def callback(step):
        if step.label == 1:
            full()
        checkpoint(step)

    with pytest.raises(OSError, match="No space left on device"):
        boosted_distance(X, y, 3, callback=callback)
    expected = boosted_distance(X, y, 3)
    start = refimpl.load(path)
    assert len(start[0]) == len(expected[0]) and len(start[1]) == 0
    assert boosted_distance(X, y, 3, start=start) == expected
