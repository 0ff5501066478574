"""The inverted index on disk: saved, loaded and damaged."""

import dataclasses
import hashlib
import io
import json
import os
import shutil
from contextlib import suppress

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from forest_problems import listed, random_forest

import refimpl
from refimpl import results
from refimpl.search_forest import InvertedIndex, Selection

FOREST = random_forest(np.random.default_rng(0), 2, 3, 2)
X = np.random.default_rng(1).normal(size=(20, 3))


@pytest.fixture
def path(tmp_path):
    """The place of an index."""
    return tmp_path / "index"


@pytest.mark.parametrize("mmap", [True, False])
def test_save_and_load(tmp_path, kernels, mmap):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)).astype(np.float32)
    index = InvertedIndex(random_forest(rng, 4, 4, 4, np.float32), X, kernels=kernels)
    index.delete([3, 4, 80])
    expected = index.candidates(X)
    places = index.query(X, 5)
    for _ in range(2):  # the second time over the first
        index.save(tmp_path / "index")
    assert [p.name for p in tmp_path.iterdir()] == ["index"]
    again = InvertedIndex.load(tmp_path / "index", mmap=mmap, kernels=kernels)
    assert isinstance(again._lists.vectors, np.memmap) == mmap
    for found, wanted in ((again.candidates(X), expected), (index.candidates(X), expected)):
        assert_same(found.ids, wanted.ids)
        assert_same(found.scores, wanted.scores)
    assert_same(again.query(X, 5), places)
    assert again.add(X[:2]).tolist() == [90, 91]
    again.delete([0])
    again.save(tmp_path / "index")
    third = InvertedIndex.load(tmp_path / "index", mmap=mmap, kernels=kernels)
    assert (third.ids == np.setdiff1d(np.arange(92), [0, 3, 4, 80])).all()
    assert listed(third.candidates(X)) == listed(again.candidates(X))


def test_without_vectors(path):
    index = InvertedIndex(FOREST, X, keep_vectors=False)
    index.save(path)
    again = InvertedIndex.load(path)
    assert listed(again.candidates(X)) == listed(index.candidates(X))
    with pytest.raises(ValueError, match="keep_vectors"):
        again.query(X, 1)
    assert not list(path.glob("*/vectors.npy"))


def changed(name, change):
    """A damage: what `change` makes of an array of the index."""

    def damage(path):
        (file,) = path.glob(f"arrays-*/{name}.npy")
        array = change(np.load(file))
        np.save(file, array, allow_pickle=array.dtype == object)

    return damage


def rewritten(name, change):
    """A damage: what `change` makes of the bytes of a file in the index."""

    def damage(path):
        (file,) = path.glob(f"**/{name}")
        file.write_bytes(change(file.read_bytes()))

    return damage


def headed(**fields):
    return rewritten("index.json", lambda text: json.dumps({**json.loads(text), **fields}).encode())


def zipped(_):
    file = io.BytesIO()
    np.savez(file, a=np.arange(3))
    return file.getvalue()


ARRAYS = "starts", "items", "ids", "vectors"
DAMAGES = [
    *(
        rewritten("index.json", lambda _, text=text: text)
        for text in (b"", b"{", b"[]", b"3", b"\xff\xfe", b"[" * 10**5)
    ),
    *(headed(version=v) for v in (1, 4, "2", None)),
    headed(refimpl="Index"),
    *(headed(next=v) for v in (3.5, "90", -1, 19, 10**30, None, True)),
    *(headed(vectors=v) for v in ("yes", None, 1)),
    *(
        headed(arrays=v)
        for v in (None, 3, "", ".", "..", "/", "arrays-", "arrays-\0", "arrays-1/..")
    ),
    *(
        rewritten(f"{name}.npy", change)
        for name in ARRAYS
        for change in (
            lambda _: b"",
            lambda _: b"hello",
            lambda _: b"PK\x03\x04",
            zipped,
            lambda content: content[:-4],
            lambda content: content[:90],
            lambda content: content + b"more",
            lambda content: content.replace(b": (", b":(9", 1),
            lambda content: content.replace(b": (", b":(-", 1),
        )
    ),
    *(
        changed(name, change)
        for name in ARRAYS
        for change in (
            lambda array: array[0],
            lambda array: array[:-1],
            lambda array: array[:0],
            lambda array: array[..., np.newaxis],
            lambda array: array.astype(np.float32),
            lambda array: array.astype(array.dtype.newbyteorder()),
            lambda array: array.astype(object),
        )
    ),
    rewritten("forest.npz", lambda _: b"PK"),
    rewritten("forest.npz", lambda content: content[:-9]),
    lambda path: refimpl.save(next(path.glob("arrays-*/forest.npz")), Selection(*np.zeros((3, 1)))),
    lambda path: refimpl.save(
        next(path.glob("arrays-*/forest.npz")), random_forest(np.random.default_rng(1), 2, 3, 3)
    ),
    changed("starts", lambda starts: starts[::-1]),
    changed("starts", lambda starts: starts + 1),
    changed("starts", lambda starts: np.where(starts == 20, 19, starts)),
    changed(
        "starts", lambda starts: np.array([0, *[2**63 - 1] * (len(starts) - 3), -2, starts[-1]])
    ),
    changed("ids", lambda ids: ids[::-1]),
    changed("ids", lambda ids: ids - 1),
    changed("ids", lambda ids: ids + 1),
    changed("ids", lambda ids: ids // 2),
    changed("ids", lambda ids: np.array([2**62, *[-(2**62)] * 19])),
    *(changed("items", lambda items, by=by: items + np.int32(by)) for by in (1, -1, 10**6, -30)),
    changed("items", np.zeros_like),
    changed("items", lambda items: np.where(items == 4, 5, items).astype(np.int32)),
    changed("vectors", np.asfortranarray),
    changed("vectors", lambda vectors: vectors[:, :2]),
]


def summed(path):
    """Give the folder the sums that its files have now, so that they have to fit by themselves."""
    header = json.loads((path / "index.json").read_bytes())
    header.pop("sha256")
    folder = path / header["arrays"]
    header["forest"] = hashlib.sha256((folder / "forest.npz").read_bytes()).hexdigest()
    arrays = {name: np.load(folder / f"{name}.npy", allow_pickle=True) for name in ARRAYS}
    sha256 = results.digest(header, arrays)
    (path / "index.json").write_text(json.dumps({**header, "sha256": sha256}))


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("sums", ["of before", "of the damaged files"])
def test_damaged_folders(path, mmap, sums):
    index = InvertedIndex(FOREST, X)
    for place, damage in enumerate(DAMAGES):
        shutil.rmtree(path, ignore_errors=True)
        index.save(path)
        if sums == "of the damaged files":
            summed(path)
            assert len(InvertedIndex.load(path)) == 20
        damage(path)
        if sums == "of the damaged files":
            with suppress(Exception):  # there are no sums of what cannot be read
                summed(path)
        with pytest.raises(refimpl.FileFormatError, match="index"):
            InvertedIndex.load(path, mmap=mmap)
            pytest.fail(f"damage {place} is not found")


def save_shifted(path):
    forest = refimpl.load(path)
    refimpl.save(path, dataclasses.replace(forest, offset=forest.offset + 0.5))


@pytest.mark.parametrize(
    "damage",
    [
        changed("items", lambda items: items[np.r_[1, 0, 2 : len(items)]]),
        changed("ids", lambda ids: np.append(ids[:-1], 20)),
        changed("vectors", lambda vectors: vectors + 1e-9),
        changed("vectors", lambda vectors: -vectors[::-1]),
        headed(next=30),
        headed(sha256="0" * 64),
        headed(sha256=None),
        headed(forest=None),
        headed(more=1),
        headed(version=2),
        lambda path: save_shifted(next(path.glob("arrays-*/forest.npz"))),
    ],
)
def test_values_that_would_do_but_are_not_those_that_were_saved(path, damage):
    InvertedIndex(FOREST, X).save(path)
    damage(path)
    with pytest.raises(refimpl.FileFormatError, match="index"):
        InvertedIndex.load(path)


def test_a_mapped_index_outlives_its_files(path):
    InvertedIndex(FOREST, X).save(path)
    mapped = InvertedIndex.load(path)
    expected = listed(mapped.candidates(X))
    InvertedIndex(FOREST, X[:3]).save(path)
    assert listed(mapped.candidates(X)) == expected and len(InvertedIndex.load(path)) == 3


@pytest.mark.parametrize("mmap", [True, False])
def test_an_empty_index_can_be_asked_and_saved(path, mmap):
    index = InvertedIndex(FOREST)
    assert len(index) == 0 and index.query(X[:1], 2)[0].tolist() == [[-1, -1]]
    index.delete(index.add(X[:4]))
    index.save(path)
    again = InvertedIndex.load(path, mmap=mmap, kernels=KERNELS[-1])
    for one in (index, again):
        assert len(one) == 0 and one.query(X[:4], 1)[0].tolist() == [[-1]] * 4
        assert one.add(X[:4]).tolist() == [4, 5, 6, 7]


def test_the_first_list_starts_at_0_in_an_empty_index_too(path):
    """No point shows there that the lists begin before the items."""
    InvertedIndex(FOREST).save(path)
    changed("starts", lambda starts: np.append(-1, starts[1:]))(path)
    summed(path)
    with pytest.raises(refimpl.FileFormatError, match="do not fit together"):
        InvertedIndex.load(path)


# ---------------------------------------------------------------------------------- saves that fail


def test_errors_of_the_operating_system_are_its_own_in_an_index(path, monkeypatch):
    index = InvertedIndex(FOREST, X)
    with pytest.raises(FileNotFoundError):
        InvertedIndex.load(path)
    for name in ("index.json", "forest.npz", "starts.npy", "items.npy", "ids.npy", "vectors.npy"):
        shutil.rmtree(path, ignore_errors=True)
        index.save(path)
        (file,) = path.glob(f"**/{name}")
        file.unlink()
        with pytest.raises(FileNotFoundError):
            InvertedIndex.load(path)
    with pytest.raises(NotADirectoryError):
        InvertedIndex.load(next(path.glob("arrays-*/forest.npz")))
    for name in ("starts", "items"):
        shutil.rmtree(path)
        index.save(path)
        with monkeypatch.context() as context, pytest.raises(PermissionError):
            context.setattr("builtins.open", refusing(open, f"{name}.npy"))
            InvertedIndex.load(path)
    with pytest.raises(TypeError, match="kernels"):
        InvertedIndex.load(path, kernels=3)


def refusing(function, name, error=PermissionError):
    """`function`, but for calls whose last or first argument is a path that ends with `name`."""

    def call(*arguments, **options):
        if any(str(one).endswith(name) for one in (arguments[0], arguments[-1])):
            raise error(name)
        return function(*arguments, **options)

    return call


@pytest.mark.parametrize("where", ["forest.npz", "ids.npy", "index.json", "index"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_save_that_fails_leaves_the_index_that_was_there(path, monkeypatch, where, error):
    tmp_path = path.parent
    first = InvertedIndex(FOREST, X[:15])
    second = InvertedIndex(FOREST, X)

    def fail(index):
        # an OSError without a number is NumPy's after a short write
        said = f"cannot write '{path}': .*{where}" if error is OSError else where
        with monkeypatch.context() as context, pytest.raises(error, match=f"^{said}$"):
            for module, name in ((os, "replace"), (np, "save")):
                context.setattr(module, name, refusing(getattr(module, name), where, error))
            index.save(path)

    fail(first)
    assert not list(tmp_path.iterdir())
    first.save(path)
    before = sorted(tmp_path.rglob("*"))
    if where != "index":  # the folder's own place, to which the first save moves it
        fail(second)
    assert sorted(tmp_path.rglob("*")) == before and len(InvertedIndex.load(path)) == 15
    second.save(path)
    assert len(InvertedIndex.load(path)) == 20 and len(list(tmp_path.rglob("*"))) == len(before)


def test_an_interrupt_after_the_new_header_leaves_the_new_index(path, monkeypatch):
    replace = os.replace
    InvertedIndex(FOREST, X[:15]).save(path)

    def interrupted(source, target):
        replace(source, target)
        if target.name == "index.json":
            raise KeyboardInterrupt

    with monkeypatch.context() as context, pytest.raises(KeyboardInterrupt):
        context.setattr(os, "replace", interrupted)
        InvertedIndex(FOREST, X).save(path)
    assert len(InvertedIndex.load(path)) == 20
    InvertedIndex(FOREST, X[:3]).save(path)
    assert len(InvertedIndex.load(path)) == 3 and len(list(path.iterdir())) == 2


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_an_index_has_the_modes_of_any_new_file(path, umask):
    before = os.umask(umask)
    try:
        InvertedIndex(FOREST).save(path)
    finally:
        os.umask(before)
    for one in [path, *path.glob("**/*")]:
        assert one.stat().st_mode & 0o777 == (0o777 if one.is_dir() else 0o666) & ~umask
