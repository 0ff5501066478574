"""Files: they give back what was written, and a damaged one is named, whatever the damage."""

import dataclasses
import errno
import io
import json
import os
import sys
import types
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from result_examples import examples

import refimpl
from refimpl import results
from refimpl.boosted_distance.model import BoostedDistance, StumpEnsemble, TreeEnsemble

STUMPS = StumpEnsemble([0.5, 2.0], [0, 3], [1, -1], [0.25, -np.inf])
TREES = TreeEnsemble([1.5], [[0, 1, 2]], [[1, -1, 1]], [[0.0, 1.0, -np.inf]])


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "m"
    refimpl.save(path, {0: STUMPS, 1: STUMPS.rounds(0, 1)})
    return path.read_bytes()


def loaded(tmp_path, content):
    """What :func:`refimpl.load` makes of a content: a value, or None if it refuses it by name."""
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    try:
        return refimpl.load(path)
    except refimpl.FileFormatError as error:
        assert str(path) in str(error)
        return None


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def archive(files, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return out.getvalue()


def npy(array, **options):
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def summed(files, header=None):
    """An archive of these members and header, with the sum that they have."""
    header = {**HEADER} if header is None else header
    if isinstance(header, dict):
        names = [name for name in files if name.endswith(".npy") and name != "refimpl.npy"]
        with suppress(Exception):  # there is no sum of what cannot be read
            arrays = {name[:-4]: np.load(io.BytesIO(files[name])) for name in names}
            header = {**header, "sha256": results.digest(header, arrays)}
    text = header if isinstance(header, str) else json.dumps(header)
    return archive({"refimpl.npy": npy(np.array(text)), **files})


def of_members(content):
    files = members(content)
    del files["refimpl.npy"]
    return files


HEADER = {"version": 2, "type": "StumpEnsemble", "labels": 2}


def test_the_examples_are_what_save_writes(tmp_path, content):
    assert loaded(tmp_path, content) == {0: STUMPS, 1: STUMPS.rounds(0, 1)}
    assert members(summed(of_members(content))) == members(content)


def test_cut_short(tmp_path, content):
    for end in range(0, len(content), 3):
        assert loaded(tmp_path, content[:end]) is None


def test_each_byte_of_the_directory(tmp_path, content):
    """zipfile raises NotImplementedError, RuntimeError, UnicodeDecodeError, struct.error, ...

    What is damaged is found, or stands where it means nothing, as in a time stamp.
    """
    for place in range(content.index(b"PK\x01\x02"), len(content)):
        for bits in (0x01, 0x08, 0xFF):
            damaged = bytearray(content)
            damaged[place] ^= bits
            value = loaded(tmp_path, bytes(damaged))
            assert value is None or value == {0: STUMPS, 1: STUMPS.rounds(0, 1)}


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{",
        "[" * 100_000,
        "null",
        "[]",
        "3",
        '"text"',
        "{}",
        *({k: v for k, v in HEADER.items() if k != name} for name in ("version", "type")),
        *({**HEADER, "version": v} for v in (True, 2.0, "2", None, [2], 0, 1, 3, 10**30)),
        *({**HEADER, "type": v} for v in (None, 1, [], {}, "", "Round", "NDA", "os")),
        *({**HEADER, "labels": v} for v in (None, 1, 3, -1, "2", [0, 1], 2.5)),
    ],
)
def test_headers(tmp_path, content, header):
    assert loaded(tmp_path, summed(of_members(content), header)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"refimpl.npy": npy(np.array([json.dumps(HEADER)] * 2))},
        {"refimpl.npy": npy(np.array(3.0))},
        {"refimpl.npy": npy(np.array([HEADER], dtype=object), allow_pickle=True)},
        {"labels.npy": npy(np.array([0, "a"], dtype=object), allow_pickle=True)},
        {"labels.npy": npy(np.array([0, 0]))},
        {"labels.npy": npy(np.array([0, 1, 2]))},
        {"labels.npy": npy(np.array(0))},
        {"labels.npy": npy(np.array([[0], [1]]))},
        {"0.alpha.npy": npy(np.array([0.5, np.nan]))},
        {"0.alpha.npy": npy(np.array(["a", "b"]))},
        {"0.alpha.npy": npy(np.ones((2, 2)))},
        {"0.alpha.npy": npy(np.ones(3))},
        {"0.feature.npy": npy(np.array([0.0, 3.0]))},
        {"0.feature.npy": npy(np.array([0, -3]))},
        {"0.polarity.npy": npy(np.array([0, 1]))},
        {"0.threshold.npy": npy(np.array([0.0, np.nan]))},
        {"0.threshold.npy": npy(np.array([1.0, 2.0])) + b"more"},
        {"0.threshold.npy": npy(np.array([1.0, 2.0]))[:-1]},
        {"0.threshold.npy": b""},
        {"0.threshold.npy": b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16},
        {"0.threshold.npy": npy(np.ones(2)).replace(b"(2,), }         ", b"(10000000000,), }", 1)},
        {
            "0.threshold.npy": npy(np.ones(2)).replace(
                b"(2,), }                  ", b"(1000000000000000000,), }", 1
            )
        },
        {"0.threshold.npy": None},
        {"2.threshold.npy": npy(np.ones(2))},
        {"notes.txt": b"text"},
    ],
)
def test_arrays(tmp_path, content, changes):
    """With the sum of before, and with their own one: then they have to fit by themselves."""
    for header in (members(content), {}):
        files = {**header, **of_members(content), **changes}
        files = {name: data for name, data in files.items() if data is not None}
        assert loaded(tmp_path, archive(files) if header else summed(files)) is None


@pytest.mark.parametrize("n", [1, 3])
def test_parts_of_another_number_than_in_the_header_are_refused(tmp_path, n):
    path = tmp_path / "model.npz"
    refimpl.save(path, BoostedDistance(np.arange(2), (STUMPS, STUMPS)))
    parts = {"ensembles": ["StumpEnsemble"] * n}
    header = {"version": 2, "type": "BoostedDistance", "parts": parts}
    path.write_bytes(summed(of_members(path.read_bytes()), header))
    with pytest.raises(refimpl.FileFormatError, match="missing or unknown"):
        refimpl.load(path)


def test_a_file_without_a_header(tmp_path, content):
    assert loaded(tmp_path, archive(of_members(content))) is None


def altered(content, arrays=(), **changes):
    """The file with other arrays or entries of its header, the sum being that of before."""
    header = {**json.loads(str(np.load(io.BytesIO(members(content)["refimpl.npy"])))), **changes}
    header = {name: value for name, value in header.items() if value is not None}
    files = {**members(content), "refimpl.npy": npy(np.array(json.dumps(header)))}
    return archive({**files, **dict(arrays)})


@pytest.mark.parametrize(
    "changes",
    [
        {"arrays": {"0.alpha.npy": npy(np.array([0.5, 3.0]))}},
        {"arrays": {"1.alpha.npy": npy(np.array([0.75]))}},
        {"arrays": {"0.alpha.npy": npy(np.array([0.5, 2.0]).view(np.int64))}},  # the same bytes
        {"arrays": {"0.feature.npy": npy(np.array([1, 3]))}},
        {"arrays": {"0.feature.npy": npy(np.array([0, 3], dtype=np.int32))}},
        {"arrays": {"labels.npy": npy(np.array([1, 0]))}},
        {"arrays": {"labels.npy": npy(np.array([False, True]))}},
        {"type": "TreeEnsemble"},
        {"sha256": None},
        {"sha256": "0" * 64},
        {"sha256": 3},
        {"more": "text"},
        {"version": 1},
    ],
)
def test_values_that_would_do_but_are_not_those_that_were_saved(tmp_path, content, changes):
    assert loaded(tmp_path, altered(content)) == {0: STUMPS, 1: STUMPS.rounds(0, 1)}
    assert loaded(tmp_path, altered(content, **changes)) is None


def test_a_class_that_has_moved_can_be_read(tmp_path, monkeypatch):
    refimpl.save(tmp_path / "m", STUMPS)
    assert b"boosted_distance" not in (tmp_path / "m").read_bytes().replace(b"\0", b"")
    monkeypatch.setitem(results.HOMES, "StumpEnsemble", "refimpl_elsewhere")
    monkeypatch.delitem(results.TYPES, "StumpEnsemble")
    home = types.ModuleType("refimpl_elsewhere")
    monkeypatch.setitem(sys.modules, "refimpl_elsewhere", home)
    with pytest.raises(
        refimpl.FileFormatError, match="it holds a StumpEnsemble; import the module"
    ):
        refimpl.load(tmp_path / "m")
    monkeypatch.setitem(results.TYPES, "StumpEnsemble", StumpEnsemble)
    assert refimpl.load(tmp_path / "m") == STUMPS


def test_fields_that_no_file_holds_are_named(tmp_path):
    objects = dataclasses.replace(examples()["Landmarks"], L=np.array([1, None]))
    with pytest.raises(
        TypeError, match="value: L of a Landmarks is a ndarray; a file holds arrays of numbers"
    ):
        refimpl.save(tmp_path / "m", objects)
    with pytest.raises(TypeError, match="value: pivots of a FastMapEmbedding is a NoneType"):
        refimpl.save(
            tmp_path / "m", dataclasses.replace(examples()["FastMapEmbedding"], pivots=None)
        )
    assert not list(tmp_path.iterdir())


def test_compressed_files_are_not_unpacked(tmp_path, content):
    assert loaded(tmp_path, archive(members(content), zipfile.ZIP_DEFLATED)) is None


def test_errors_of_the_operating_system_are_its_own(tmp_path):
    with pytest.raises(FileNotFoundError):
        refimpl.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        refimpl.load(tmp_path)
    if hasattr(os, "geteuid") and os.geteuid() != 0:  # root may read everything
        (tmp_path / "closed").touch(mode=0)
        with pytest.raises(PermissionError):
            refimpl.load(tmp_path / "closed")


def test_without_room_the_message_names_the_file_and_the_old_one_stays(tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    refimpl.save(path, STUMPS)

    def short(file, **members):
        file.write(b"PK")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(results.np, "savez", short)
    with pytest.raises(OSError, match=r"No space left on device: '.*model\.npz'$") as refused:
        refimpl.save(path, TREES)
    assert refused.value.errno == errno.ENOSPC and refused.value.filename == str(path)
    assert refimpl.load(path) == STUMPS and list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "absent" / "model.npz"
    with pytest.raises(FileNotFoundError) as refused:
        refimpl.save(path, STUMPS)
    assert refused.value.filename == str(path)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_files_have_the_mode_of_any_new_file(tmp_path, umask):
    before = os.umask(umask)
    try:
        refimpl.save(tmp_path / "m", STUMPS)
        refimpl.save(tmp_path / "m", TREES)
        (tmp_path / "plain").write_text("")
    finally:
        os.umask(before)
    assert (tmp_path / "m").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(
    "value", [None, 3, {}, [STUMPS], {0: STUMPS, 1: TREES}, {0: 1.0}, np.ones(3)]
)
def test_other_values_are_refused(tmp_path, value):
    with pytest.raises(TypeError, match="value must be one of"):
        refimpl.save(tmp_path / "m", value)


def test_no_two_results_have_one_name():
    """A file names the class alone."""
    from refimpl.results import result

    with pytest.raises(TypeError, match="has a result of this name"):
        result(type("StumpEnsemble", (), {"__module__": "elsewhere"}))
