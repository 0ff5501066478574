"""On a full disk the message names the file, the old file stays, nothing half-written is left."""

import errno
import os

import numpy as np
import pytest

import refimpl
from refimpl import results
from refimpl.boosted_distance import boosted_distance
from refimpl.search_forest import InvertedIndex, index_files, label_similarity, search_forest

X = np.array([[0.0], [1.0], [4.0], [5.0], [9.0], [9.5]])
y = np.array([0, 0, 1, 1, 0, 0])


@pytest.fixture
def full(monkeypatch):
    """A function after which np.savez and np.save write a little and then find the disk full."""

    def short(file, *arrays, **members):
        if hasattr(file, "write"):
            file.write(b"PK")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise OSError("6 requested and 0 written")  # as NumPy says it after a short write

    def fill():
        monkeypatch.setattr(results.np, "savez", short)
        monkeypatch.setattr(index_files.np, "save", short)

    yield fill


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


def test_an_index_that_cannot_be_saved_leaves_the_old_index_or_nothing(tmp_path, full):
    forest = search_forest(X, label_similarity(y), 2, 0.1, rng=np.random.default_rng(0))
    index = InvertedIndex(forest, X)
    old, new = tmp_path / "old", tmp_path / "new"
    index.save(old)
    before = sorted(old.rglob("*"))
    results.save(tmp_path / "forest.npz", forest)  # what is written first has room
    content = (tmp_path / "forest.npz").read_bytes()
    (tmp_path / "forest.npz").unlink()
    full()
    index_files_save = index_files.save
    try:
        index_files.save = lambda path, value: path.write_bytes(content)
        for path in (old, new):
            with pytest.raises(OSError, match=rf"^cannot write '.*{path.name}': 6 requested and 0"):
                index.save(path)
    finally:
        index_files.save = index_files_save
    assert sorted(old.rglob("*")) == before and not new.exists()
    assert InvertedIndex.load(old).candidates(X) == index.candidates(X)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
