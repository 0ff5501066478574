"""The inverted index: against brute force, after additions, deletions and reloading; its kernels, twin against twin."""

import copy
import dataclasses
import io
import json
import os
import pickle
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import oracles_forest as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal
from sklearn.datasets import load_iris

import refimpl
from refimpl import kernels as kernel_names
from refimpl.kernels import forest as reference
from refimpl.kernels.forest import SearchForest
from refimpl.search_forest import neighbor_similarity, search_forest, selection, to_terms
from refimpl.search_forest.index import InvertedIndex, Selection

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


def random_forest(rng, M, d, depth, dtype=np.float64):
    """Complete or ragged trees of random hyperplanes and stumps."""
    left, planes, plane, feature, roots = [], [], [], [], []
    for _ in range(M):
        roots.append(len(left))
        waiting = [(roots[-1], 0)]
        for values in (left, plane, feature):
            values.append(-1)
        while waiting:
            k, level = waiting.pop(0)
            if level == depth or rng.random() < 0.1:
                continue
            left[k] = len(left)
            if rng.random() < 0.3:
                feature[k] = int(rng.integers(d))
            else:
                plane[k] = len(planes)
                planes.append(rng.normal(size=d))
            for child in (0, 1):
                waiting.append((left[k] + child, level + 1))
                for values in (left, plane, feature):
                    values.append(-1)
    left = np.array(left, dtype=np.int32)
    return SearchForest(
        c=rng.choice([0.1, 0.3, 0.3, 1.7], M), roots=np.array(roots), left=left,
        word=np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(np.int32),
        plane=np.array(plane, dtype=np.int32), feature=np.array(feature, dtype=np.int32),
        offset=rng.normal(size=len(left)) / 3, planes=np.array(planes).reshape(-1, d).astype(dtype), lam=0.1,
        history=np.zeros((M, 5)), message="",
    )  # fmt: skip


@st.composite
def forests(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    d = draw(st.sampled_from([1, 3, 16, 17, 33]))
    forest = random_forest(rng, draw(st.integers(1, 5)), d, draw(st.integers(0, 5)), dtype)
    X = rng.normal(size=(draw(st.integers(1, 90)), d))
    X = (np.rint(X) if draw(st.booleans()) else X).astype(dtype)
    return forest, X, rng


def brute(forest, Q, X, ids, most=None):
    words_Q, words = (to_terms(forest, part).tolist() for part in (Q, X))
    found = [oracle.selected(q, words, forest.c.tolist())[:most] for q in words_Q]
    return [[(T, int(ids[x])) for T, x in one] for one in found]


def listed(candidates):
    both = list(zip(candidates.scores.tolist(), candidates.ids.tolist(), strict=True))
    return [both[a:b] for a, b in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True)]


@each
@settings(max_examples=40, deadline=None)
@given(case=forests(), most=st.sampled_from([None, 1, 4]))
def test_candidates_are_the_points_with_a_leaf_in_common(kernels, case, most):
    forest, X, rng = case
    index, Q = InvertedIndex(forest, X, kernels=kernels), np.concatenate([X[:5], X[:5] + X.dtype.type(0.5)])
    assert listed(index.candidates(Q, most)) == brute(forest, Q, X, np.arange(len(X)), most)
    np.testing.assert_allclose(
        selection(forest, Q, X).sum(axis=1), [sum(T for T, _ in one) for one in brute(forest, Q, X, np.arange(len(X)))]
    )
    gone = rng.permutation(len(X))[: len(X) // 3]
    index.delete(gone)
    more = index.add(X[:7] + X.dtype.type(0.1))
    assert more.tolist() == list(range(len(X), len(X) + len(X[:7])))
    everything, ids = np.concatenate([X, X[:7] + X.dtype.type(0.1)]), np.arange(len(X) + len(X[:7]))
    kept = ~np.isin(ids, gone)
    assert (index.ids == ids[kept]).all() and len(index) == kept.sum()
    for _ in range(2):
        assert listed(index.candidates(Q, most)) == brute(forest, Q, everything[kept], ids[kept], most)
        found, distances = index.query(Q, 3, most)
        for i, of_query in enumerate(brute(forest, Q, everything[kept], ids[kept], most)):
            mine = np.sort(np.array([x for _, x in of_query], dtype=int))
            exact = ((Q[i].astype(float) - everything[mine].astype(float)) ** 2).sum(axis=1) ** 0.5
            assert found[i, len(mine) :].tolist() == [-1] * max(0, 3 - len(mine))
            np.testing.assert_allclose(distances[i, : len(mine)], np.sort(exact)[:3], rtol=1e-12)
            assert set(found[i, : len(mine)]) <= set(mine) and (distances[i, len(mine) :] == np.inf).all()
        index.compact()


@fast_only
@settings(max_examples=60, deadline=None)
@given(case=forests(), threads=st.sampled_from([1, 2]), most=st.sampled_from([1, 3, 1000]))
def test_twins_agree_bit_for_bit(case, threads, most):
    forest, X, rng = case
    one, two = KERNELS
    for part in (X, X[:3], X[:0], np.concatenate([X] * 4)):
        words = one.forest_words(forest, part)
        assert_same(words, two.forest_words(forest, part, threads=threads))
    if len(forest.planes):
        assert_same(one.plane_values(X, forest.planes[0]), two.plane_values(X, forest.planes[0], threads=threads))
    index = InvertedIndex(forest, X)
    alive, words = rng.random(len(index)) < 0.8, one.forest_words(forest, X)
    arguments = index._starts, index._items, alive, words, forest.c, most
    expected = one.gather_candidates(*arguments)
    for counters in (None, np.zeros((threads, len(X))), rng.normal(size=(threads, len(X))).round(1)):
        for a, b in zip(expected, two.gather_candidates(*arguments, counters=counters, threads=threads), strict=True):
            assert_same(a, b)
    offsets, rows, _ = expected
    for a, b in zip(
        one.rerank(X, X, offsets, rows, 2), two.rerank(X, X, offsets, rows, 2, threads=threads), strict=True
    ):
        assert_same(a, b)


@fast_only
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("threads", [1, 2])
def test_twins_agree_on_more_points_than_pass_a_tree_together(threads, dtype):
    """2048 points pass a tree together, and all trees if these are fewer."""
    rng, (one, two) = np.random.default_rng(0), KERNELS
    forest, X = random_forest(rng, 4, 5, 4, dtype), rng.normal(size=(5000, 5)).astype(dtype)
    assert_same(one.forest_words(forest, X), two.forest_words(forest, X, threads=threads))
    assert_same(one.plane_values(X, forest.planes[0]), two.plane_values(X, forest.planes[0], threads=threads))


def test_the_oracle_walks_as_the_kernel_does():
    rng = np.random.default_rng(0)
    forest, X = random_forest(rng, 3, 4, 4), rng.normal(size=(50, 4))
    for m in range(3):
        for x, word in zip(X, reference.forest_words(forest, X)[:, m], strict=True):
            k = forest.roots[m]
            while forest.left[k] >= 0:
                p = forest.planes[forest.plane[k]] if forest.plane[k] >= 0 else np.eye(4)[forest.feature[k]]
                k = forest.left[k] + (0 if p @ x + forest.offset[k] > 0 else 1)
            assert forest.word[k] == word


@each
def test_any_distance_ranks(kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    index = InvertedIndex(random_forest(rng, 4, 3, 2), X, kernels=kernels)
    ids, distances = index.query(X[:5], 4, distance=lambda q, A: np.abs(A - q).sum(axis=1))
    assert (ids[:, 0] == np.arange(5)).all() and (np.diff(distances, axis=1) >= 0).all()
    euclidean, lengths = index.query(X[:5], 4)
    again = index.query(X[:5], 4, distance=lambda q, A: ((A - q) ** 2).sum(axis=1) ** 0.5)
    assert (again[0] == euclidean).all()
    np.testing.assert_allclose(again[1], lengths)
    with pytest.raises(ValueError, match="distance must return numbers"):
        index.query(X[:1], 4, distance=lambda q, A: np.zeros(1))


@each
@pytest.mark.parametrize("mmap", [True, False])
def test_save_and_load(tmp_path, kernels, mmap):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)).astype(np.float32)
    index = InvertedIndex(random_forest(rng, 4, 4, 4, np.float32), X, kernels=kernels)
    index.delete([3, 4, 80])
    expected, places = index.candidates(X), index.query(X, 5)
    for _ in range(2):  # the second time over the first
        index.save(tmp_path / "index")
    assert [p.name for p in tmp_path.iterdir()] == ["index"]
    again = InvertedIndex.load(tmp_path / "index", mmap=mmap, kernels=kernels)
    assert isinstance(again._vectors, np.memmap) == mmap
    for found, wanted in ((again.candidates(X), expected), (index.candidates(X), expected)):
        assert_same(found.ids, wanted.ids)
        assert_same(found.scores, wanted.scores)
    for a, b in zip(again.query(X, 5), places, strict=True):
        assert_same(a, b)
    assert again.add(X[:2]).tolist() == [90, 91]
    again.delete([0])
    again.save(tmp_path / "index")
    third = InvertedIndex.load(tmp_path / "index", mmap=mmap, kernels=kernels)
    assert (third.ids == np.setdiff1d(np.arange(92), [0, 3, 4, 80])).all()
    assert listed(third.candidates(X)) == listed(again.candidates(X))


def at_once(call, threads=4):
    """What each of several threads gets that start together; an error is what it raises."""
    start, found = threading.Barrier(threads), []

    def one():
        start.wait()
        try:
            found.append(call())
        except Exception as error:
            found.append(error)

    team = [threading.Thread(target=one) for _ in range(threads)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    return found


@each
def test_threads_that_ask_at_once_sort_points_in_once(kernels):
    rng, interval = np.random.default_rng(0), sys.getswitchinterval()
    forest, X = random_forest(rng, 3, 4, 3), rng.normal(size=(3000, 4))
    expected = listed(InvertedIndex(forest, X, kernels=kernels).candidates(X[:2]))
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            index = InvertedIndex(forest, X[:20], kernels=kernels)
            assert len(index) == 20
            index.add(X[20:])
            assert at_once(lambda index=index: listed(index.candidates(X[:2]))) == [expected] * 4
            assert index._ids.tolist() == list(range(3000))
    finally:
        sys.setswitchinterval(interval)


def test_no_other_thread_comes_into_the_sorting(monkeypatch):
    rng, argsort, entered = np.random.default_rng(0), np.argsort, []
    index = InvertedIndex(random_forest(rng, 3, 4, 3), rng.normal(size=(30, 4)))

    def watched(*arguments, **options):
        entered.extend(at_once(lambda: index._lock.acquire(blocking=False), 1))
        return argsort(*arguments, **options)

    monkeypatch.setattr(np, "argsort", watched)
    assert len(index) == 30 and entered == [False] * 3


@pytest.mark.parametrize("ask", [lambda index, Q: listed(index.candidates(Q)), lambda index, Q: index.query(Q, 5)])
def test_an_answer_is_of_one_moment(monkeypatch, ask):
    """The index changes while the queries pass the trees."""
    rng, words = np.random.default_rng(0), kernel_names.forest_words
    forest, X = random_forest(rng, 3, 4, 3), rng.normal(size=(60, 4))
    index = InvertedIndex(forest, X)
    expected = ask(index, X[:2])

    def meanwhile(*arguments, threads):
        monkeypatch.undo()
        index.delete(np.arange(40))
        index.add(X[:3])
        assert len(index) == 23
        return words(*arguments)

    monkeypatch.setattr(kernel_names, "forest_words", meanwhile)
    for a, b in zip(ask(index, X[:2]), expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert index.ids.tolist() == [*range(40, 63)]


def test_points_wait_on_if_they_cannot_be_sorted_in(monkeypatch):
    rng = np.random.default_rng(0)
    forest, X = random_forest(rng, 3, 4, 3), rng.normal(size=(30, 4))
    index = InvertedIndex(forest, X[:20])
    assert len(index) == 20
    index.add(X[20:])

    def fail(*_, **__):
        raise MemoryError

    with monkeypatch.context() as context, pytest.raises(MemoryError):
        context.setattr(np, "argsort", fail)
        index.candidates(X)
    assert listed(index.candidates(X)) == listed(InvertedIndex(forest, X).candidates(X))


@each
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda index: pickle.loads(pickle.dumps(index))])
def test_copies_change_alone(kernels, copied):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    index = InvertedIndex(random_forest(rng, 3, 4, 3), X, kernels=kernels)
    other, expected = copied(index), listed(index.candidates(X))
    assert listed(other.candidates(X)) == expected and other.kernels is kernels
    other.delete([5])
    assert other.add(X[:2]).tolist() == [30, 31] and len(other) == 31
    assert len(index) == 30 and listed(index.candidates(X)) == expected
    assert at_once(lambda: len(other)) == [31] * 4


def test_what_is_selected_can_be_saved(tmp_path):
    """Beside the rivals' candidates: no two results have one name."""
    import refimpl.rivals.candidates

    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    found = InvertedIndex(random_forest(rng, 2, 2, 2), X).candidates(X)
    refimpl.save(tmp_path / "found.npz", found)
    again = refimpl.load(tmp_path / "found.npz")
    assert type(again) is type(found) and listed(again) == listed(found)


def test_without_vectors(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    index = InvertedIndex(random_forest(rng, 2, 2, 2), X, keep_vectors=False)
    index.save(tmp_path / "index")
    again = InvertedIndex.load(tmp_path / "index")
    assert listed(again.candidates(X)) == listed(index.candidates(X))
    with pytest.raises(ValueError, match="keep_vectors"):
        again.query(X, 1)
    assert not list(tmp_path.glob("index/*/vectors.npy"))


def test_an_empty_index_and_one_of_deleted_points():
    rng = np.random.default_rng(0)
    index = InvertedIndex(random_forest(rng, 2, 3, 2))
    Q = rng.normal(size=(2, 3))
    for _ in range(2):
        assert len(index) == 0 and index.query(Q, 2)[0].tolist() == [[-1, -1]] * 2
        index.delete(index.add(Q))


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
    *(rewritten("index.json", lambda _, text=text: text)
      for text in (b"", b"{", b"[]", b"3", b"\xff\xfe", b"[" * 10**5)),
    *(headed(version=v) for v in (1, 4, "2", None)), headed(refimpl="Index"),
    *(headed(next=v) for v in (3.5, "90", -1, 19, 10**30, None, True)), *(headed(vectors=v) for v in ("yes", None, 1)),
    *(headed(arrays=v) for v in (None, 3, "", ".", "..", "/", "arrays-", "arrays-\0", "arrays-1/..")),
    *(rewritten(f"{name}.npy", change) for name in ARRAYS for change in (
        lambda _: b"", lambda _: b"hello", lambda _: b"PK\x03\x04", zipped, lambda content: content[:-4],
        lambda content: content[:90], lambda content: content + b"more",
        lambda content: content.replace(b": (", b":(9", 1), lambda content: content.replace(b": (", b":(-", 1),
    )),
    *(changed(name, change) for name in ARRAYS for change in (
        lambda array: array[0], lambda array: array[:-1], lambda array: array[:0], lambda array: array[..., np.newaxis],
        lambda array: array.astype(np.float32), lambda array: array.astype(array.dtype.newbyteorder()),
        lambda array: array.astype(object),
    )),
    rewritten("forest.npz", lambda _: b"PK"), rewritten("forest.npz", lambda content: content[:-9]),
    lambda path: refimpl.save(next(path.glob("arrays-*/forest.npz")), Selection(*np.zeros((3, 1)))),
    lambda path: refimpl.save(next(path.glob("arrays-*/forest.npz")), random_forest(np.random.default_rng(1), 2, 3, 3)),
    changed("starts", lambda starts: starts[::-1]), changed("starts", lambda starts: starts + 1),
    changed("starts", lambda starts: np.where(starts == 20, 19, starts)),
    changed("starts", lambda starts: np.array([0, *[2**63 - 1] * (len(starts) - 3), -2, starts[-1]])),
    changed("ids", lambda ids: ids[::-1]), changed("ids", lambda ids: ids - 1), changed("ids", lambda ids: ids + 1),
    changed("ids", lambda ids: ids // 2), changed("ids", lambda ids: np.array([2**62, *[-(2**62)] * 19])),
    *(changed("items", lambda items, by=by: items + np.int32(by)) for by in (1, -1, 10**6, -30)),
    changed("items", np.zeros_like), changed("items", lambda items: np.where(items == 4, 5, items).astype(np.int32)),
    changed("vectors", np.asfortranarray), changed("vectors", lambda vectors: vectors[:, :2]),
]  # fmt: skip


def without_sums(path):
    """Make the folder one of version 2, whose arrays have to fit by themselves."""
    header = json.loads((path / "index.json").read_bytes())
    for name in ("sha256", "forest"):
        header.pop(name, None)
    (path / "index.json").write_text(json.dumps({**header, "version": 2}))


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("old", [True, False])
def test_damaged_folders(tmp_path, mmap, old):
    rng = np.random.default_rng(0)
    index, path = InvertedIndex(random_forest(rng, 2, 3, 2), rng.normal(size=(20, 3))), tmp_path / "index"
    for place, damage in enumerate(DAMAGES):
        shutil.rmtree(path, ignore_errors=True)
        index.save(path)
        if old:
            without_sums(path)
            assert len(InvertedIndex.load(path)) == 20
        damage(path)
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
        headed(next=30), headed(sha256="0" * 64), headed(sha256=None), headed(forest=None), headed(more=1),
        headed(version=2), lambda path: save_shifted(next(path.glob("arrays-*/forest.npz"))),
    ],
)  # fmt: skip
def test_values_that_would_do_but_are_not_those_that_were_saved(tmp_path, damage):
    rng, path = np.random.default_rng(0), tmp_path / "index"
    InvertedIndex(random_forest(rng, 2, 3, 2), rng.normal(size=(20, 3))).save(path)
    damage(path)
    with pytest.raises(refimpl.FileFormatError, match="index"):
        InvertedIndex.load(path)


@pytest.mark.parametrize("mmap", [True, False])
def test_an_index_of_an_earlier_release_can_be_read(tmp_path, mmap):
    """It has no sums."""
    files = Path(__file__).resolve().parents[1] / "files" / "schema1"
    X = np.ascontiguousarray(load_iris().data[::5])
    old = InvertedIndex.load(files / "index2", mmap=mmap)
    now = InvertedIndex(refimpl.load(files / "SearchForest.npz"), X)
    assert old.forest == now.forest and old.candidates(X) == now.candidates(X)
    old.save(tmp_path / "index")
    assert InvertedIndex.load(tmp_path / "index", mmap=mmap).candidates(X) == now.candidates(X)


def corrupted(content, rng):
    """The bytes after a random accident: bits flipped, the end lost, places exchanged, or a block zeroed."""
    data, kind = bytearray(content), rng.integers(4)
    if kind == 1 or not data:
        return bytes(data[: rng.integers(len(data) + 1)])
    i, j = (int(rng.integers(len(data))) for _ in range(2))
    if kind == 0:
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            data[place] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        data[i], data[j] = data[j], data[i]
    else:
        zeroed = data[i : i + int(rng.integers(1, 65))]
        data[i : i + len(zeroed)] = bytes(len(zeroed))
    return bytes(data)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_random_corruption_gives_another_index(tmp_path, dtype):
    """REFIMPL_CORRUPTIONS sets their number."""
    rng, path = np.random.default_rng(0), tmp_path / "index"
    X = rng.normal(size=(40, 3)).astype(dtype)
    InvertedIndex(random_forest(rng, 3, 3, 3, dtype), X).save(path)
    whole = InvertedIndex.load(path)
    files = {file: file.read_bytes() for file in sorted(path.glob("**/*")) if file.is_file()}
    refused = 0
    for turn in range(int(os.environ.get("REFIMPL_CORRUPTIONS", 300)) // 2):
        for file in rng.choice(list(files), size=rng.choice([1, 1, 2]), replace=False):
            file.write_bytes(corrupted(files[file], rng))
        try:
            index = InvertedIndex.load(path, mmap=bool(turn % 2))
        except refimpl.FileFormatError:
            refused += 1
        except FileNotFoundError:  # index.json names another folder
            refused += 1
        else:
            assert index.forest == whole.forest and index._next == whole._next
            for name in ("_starts", "_items", "_ids", "_vectors"):
                assert np.array_equal(getattr(index, name), getattr(whole, name))
        for file, content in files.items():
            file.write_bytes(content)
    assert refused > turn // 2


def test_a_mapped_index_outlives_its_files(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "index"
    forest, X = random_forest(rng, 2, 3, 2), rng.normal(size=(20, 3))
    InvertedIndex(forest, X).save(path)
    mapped = InvertedIndex.load(path)
    expected = listed(mapped.candidates(X))
    InvertedIndex(forest, X[:3]).save(path)
    assert listed(mapped.candidates(X)) == expected and len(InvertedIndex.load(path)) == 3


@pytest.mark.parametrize("mmap", [True, False])
def test_an_empty_index_can_be_saved(tmp_path, mmap):
    rng = np.random.default_rng(0)
    index, X = InvertedIndex(random_forest(rng, 2, 3, 2)), rng.normal(size=(4, 3))
    index.delete(index.add(X))
    index.save(tmp_path / "index")
    again = InvertedIndex.load(tmp_path / "index", mmap=mmap, kernels=KERNELS[-1])
    assert len(again) == 0 and again.query(X, 1)[0].tolist() == [[-1]] * 4 and again.add(X).tolist() == [4, 5, 6, 7]


def test_bad_arguments(tmp_path):
    rng = np.random.default_rng(0)
    index = InvertedIndex(random_forest(rng, 2, 3, 2), rng.normal(size=(5, 3)))
    index.delete([2])
    for call, message in (
        (lambda: index.delete([2]), "deleted already"), (lambda: index.delete([9]), "ids holds 9"),
        (lambda: index.add(np.zeros((1, 2))), "2 columns"), (lambda: index.candidates([[np.nan] * 3]), "NaN"),
        (lambda: index.query(np.zeros((1, 3)), 0), "k is 0"),
        (lambda: index.candidates(np.zeros((1, 3)), 0), "most is 0"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="forest is a int"):
        InvertedIndex(3)
    (tmp_path / "other").mkdir()
    with pytest.raises(FileExistsError, match="is no index"):
        index.save(tmp_path / "other")


@fast_only
def test_the_twins_refuse_the_same_arguments_with_the_same_words():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 3))
    index = InvertedIndex(random_forest(rng, 2, 3, 2), X)
    assert len(index) == 5
    forest, alive = index.forest, np.ones(5, dtype=bool)
    starts, items, words, c = index._starts, index._items, index.to_terms(X), index.forest.c
    offsets, rows = np.array([0, 1, 1, 1, 1, 1]), np.array([0])
    lists = starts, items, alive, words, c
    for name, arguments, error, message in (
        ("forest_words", (forest, X[:, :2].copy()), ValueError, "X must have the length 3 along axis 1"),
        ("forest_words", (forest, X.astype(np.float32)), TypeError, "X must hold float64, as forest.planes does"),
        ("forest_words", (forest, X.tolist()), TypeError, "X must be a numpy.ndarray; got list"),
        ("forest_words", (X, X), TypeError, "forest must be a SearchForest; got ndarray"),
        ("plane_values", (X, X[0, :2].copy()), ValueError, "p must have the length 3"),
        ("plane_values", (X[:, :0].copy(), X[0, :0].copy()), ValueError, "p must not be empty"),
        ("plane_values", (X, X[0].astype(">f8")), TypeError, "p must hold float32 or float64"),
        ("plane_values", (X[0], X[0]), ValueError, "X must have 2 dimensions"),
        ("gather_candidates", (starts, items + np.int32(3), alive, words, c, 9), ValueError, "from 0 to 4; word"),
        ("gather_candidates", (starts, items - np.int32(9), alive, words, c, 9), ValueError, "from 0 to 4; word"),
        ("gather_candidates", (*lists[:3], words + np.int32(99), c, 9), ValueError, "words must hold indices"),
        ("gather_candidates", (starts + 99, *lists[1:], 9), ValueError, "starts must name parts of the 10 items"),
        ("gather_candidates", (-starts, *lists[1:], 9), ValueError, "starts must name parts of the 10 items"),
        ("gather_candidates", (*lists[:4], -c, 9), ValueError, "c must hold positive finite numbers"),
        ("gather_candidates", (*lists[:4], c * np.nan, 9), ValueError, "c must hold positive finite numbers"),
        ("gather_candidates", (*lists[:4], c[:1], 9), ValueError, "c must have the length 2"),
        ("gather_candidates", (starts, items, alive[:0], words, c, 9), ValueError, "from 0 to -1; word"),
        ("gather_candidates", (*lists, -1), ValueError, "most must be at least 0; got -1"),
        ("gather_candidates", (*lists, None), TypeError, "most must be an integer; got None"),
        ("rerank", (X, X, offsets, np.array([5]), 1), ValueError, "rows must hold indices from 0 to 4; got 5"),
        ("rerank", (X, X, offsets[:2], rows, 1), ValueError, "offsets must have the length 6"),
        ("rerank", (X, X, offsets[::-1].copy(), rows, 1), ValueError, "offsets must ascend from 0 to 1"),
        ("rerank", (X, X, 9 * offsets, rows, 1), ValueError, "offsets must ascend from 0 to 1"),
        ("rerank", (X, X[:, :2].copy(), offsets, rows, 1), ValueError, "X must have the length 3"),
        ("rerank", (X, X, offsets, rows, -1), ValueError, "k must be from 0 to 16777216; got -1"),
        ("rerank", (X, X, offsets, rows, 2**62), ValueError, ""),  # NumPy's
    ):  # fmt: skip
        assert message in refusal(name, *arguments, error=error)
    with pytest.raises(ValueError, match="counters must have the length 5"):
        KERNELS[1].gather_candidates(*lists, 9, counters=np.zeros((9, 4)))


@fast_only
def test_a_point_that_is_listed_twice_counts_twice():
    starts, items = np.array([0, 3]), np.array([1, 1, 0], dtype=np.int32)
    for kernels in KERNELS:
        found = kernels.gather_candidates(
            starts, items, np.ones(2, dtype=bool), np.zeros((1, 1), dtype=np.int32), np.array([0.3]), 9
        )
        for a, b in zip(found, (np.array([0, 2]), np.array([1, 0]), np.array([0.6, 0.3])), strict=True):
            assert_same(a, b)


@fast_only
def test_candidates_at_no_distance_that_is_a_number_come_last():
    """A comparison that forgets NaN is no order, and sorting by it reads beyond the end."""
    rng, (one, two) = np.random.default_rng(0), KERNELS
    X = rng.normal(size=(400, 3))
    X[rng.random(400) < 0.5, 1] = np.nan
    Q, offsets, rows = X[~np.isnan(X[:, 1])][:2].copy(), np.array([0, 300, 700]), rng.integers(400, size=700)
    for k in (1, 100, 299, 500):
        expected, found = one.rerank(Q, X, offsets, rows, k), two.rerank(Q, X, offsets, rows, k)
        np.testing.assert_array_equal(expected, found)
    assert np.isnan(found[0][0, 299]) and np.isinf(found[0][0, 300])


def test_a_learnt_forest_finds_neighbours():
    """Recall grows with the candidates, and far fewer than all points suffice."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6)) + 0.05 * rng.normal(size=(300, 6))
    forest = search_forest(X[:250], neighbor_similarity(X[:250], 10), 10, 0.1, rng=rng, kernels=KERNELS[-1])
    index = InvertedIndex(forest, X[:250], kernels=KERNELS[-1])
    exact = ((X[250:, None] - X[:250]) ** 2).sum(axis=2).argsort(axis=1)[:, :10]
    recall = [
        np.mean([len(set(a) & set(b)) / 10 for a, b in zip(index.query(X[250:], 10, most)[0], exact, strict=True)])
        for most in (20, 60)
    ]
    assert recall[0] < recall[1] and recall[1] > 0.9
