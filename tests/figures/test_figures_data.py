"""The loader: sizes as the paper's table gives them, checksums, downloads, and what it says."""

import csv
import hashlib
import http.server
import pickle
import re
import threading
from pathlib import Path

import numpy as np
import pooch
import pytest

from paper_figures.data import (
    FILES,
    DataFile,
    DataNotAvailable,
    describe,
    fetch,
    load,
    names,
    search_path,
)
from paper_figures.data.coding import nominal_codes, table
from paper_figures.data.fetch import find
from paper_figures.data.gist import gist
from paper_figures.data.sets import recipe_of

real = pytest.mark.real_data  # see conftest.py
PUBLISHED = (
    Path(__file__).resolve().parents[2] / "paper_figures/published/boosted_distance/table1.csv"
)
TABLE1 = {row["data_set"]: row for row in csv.DictReader(PUBLISHED.open(encoding="utf-8"))}
OTHER_SIZES = {"ad": (1966, 1555), "MNIST": (13007 + 2163, 784), "splice": (1535, 60)}
CLASS_SIZES = {
    "ad": (1598, 368),
    "arrhythmia": (237, 183),
    "splice": (767, 768),
    "sonar": (97, 111),
    "spectf": (95, 254),
    "ionosphere": (126, 225),
    "wdbc": (357, 212),
    "german": (700, 300),
    "vote1": (267, 168),
    "credit": (383, 307),
    "wbc": (458, 241),
    "pima": (500, 268),
    "liver": (145, 200),
}


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """No folder but a new cache: what is missing would have to be downloaded."""
    monkeypatch.delenv("REFIMPL_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")
    return tmp_path / "cache"


def each(sets):
    return [pytest.param(name, marks=real(name)) for name in sets]


@pytest.mark.parametrize("name", each(name for name in TABLE1 if name != "gender"))
def test_sizes_are_those_of_table_1(name):
    loaded = load(name)
    printed = (int(TABLE1[name]["observations"]), int(TABLE1[name]["dimensions"]))
    assert loaded.X.shape == OTHER_SIZES.get(name, printed)
    assert loaded.X.dtype == np.float64 and loaded.y.dtype == np.int64
    assert set(loaded.y.tolist()) == set(loaded.classes) and len(loaded.classes) == 2
    assert not loaded.X.flags.writeable
    if name in CLASS_SIZES:
        assert tuple(np.bincount(loaded.y)) == CLASS_SIZES[name]


@pytest.mark.parametrize(
    "name", each(name for name in names() if recipe_of(name).files and name != "gender")
)
def test_every_pinned_file_has_its_checksum(name):
    """The loader raises if a file has another sha256 than the table; its size is there, too."""
    described = describe(name)
    assert described == tuple(
        {"name": file, "sha256": FILES[file].sha256} for file in recipe_of(name).files
    )
    for file in recipe_of(name).files:
        assert find(file).stat().st_size == FILES[file].size


def test_every_file_of_the_table_belongs_to_a_set():
    assert set(FILES) == {file for name in names() for file in recipe_of(name).files}


def test_table_of_files_is_well_formed():
    for name, file in FILES.items():
        assert name == file.name and not name.startswith("/") and file.licence
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.url is None or file.url.startswith("https://")
        assert file.url is not None or file.note


def test_errors_about_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"name must be one of .*wdbc-small, .*; got 'iris'"):
        load("iris")
    with pytest.raises(
        ValueError, match=r"order must be 'sorted', .* or 'frequency'; got 'random'"
    ):
        nominal_codes(["a"], order="random")
    with pytest.raises(ValueError, match=r"missing must be 'code' or 'drop'; got 'zero'"):
        table([["1"]], missing="zero")


def test_folders_are_searched_in_order(empty_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("REFIMPL_DATA", str(tmp_path / "variable"))
    given, variable = tmp_path / "given", tmp_path / "variable"
    assert search_path(given) == [given, variable, empty_cache]
    monkeypatch.setitem(
        FILES, "a/b", DataFile("a/b", hashlib.sha256(b"x").hexdigest(), None, "none", "note")
    )
    for folder in ("variable", "given"):
        (tmp_path / folder / "a").mkdir(parents=True)
        (tmp_path / folder / "a/b").write_bytes(b"x")
        assert fetch("a/b", tmp_path / "given") == tmp_path / folder / "a/b"


def test_wrong_file_is_refused(empty_cache, tmp_path):
    path = tmp_path / "uci/sonar/sonar.all-data"
    path.parent.mkdir(parents=True)
    path.write_text("0.1,R\n")
    with pytest.raises(ValueError) as error:
        load("sonar", tmp_path)
    for word in (
        str(path),
        FILES["uci/sonar/sonar.all-data"].sha256,
        hashlib.sha256(b"0.1,R\n").hexdigest(),
        "Remove",
    ):
        assert word in str(error.value)


def test_without_network_it_says_which_whence_and_where(empty_cache, tmp_path, monkeypatch):
    file = DataFile("a/b", "0" * 64, "http://127.0.0.1:9/b", "none")
    monkeypatch.setitem(FILES, "a/b", file)
    with pytest.raises(DataNotAvailable) as error:
        fetch("a/b", tmp_path)
    for word in ("a/b", file.url, str(tmp_path / "a/b"), file.sha256):
        assert word in str(error.value)
    assert str(tmp_path) not in error.value.reason and not error.value.by_hand
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.reason) == (str(error.value), error.value.reason)
    assert again.by_hand is False


def test_withdrawn_file_has_to_be_put_in_place_by_hand(empty_cache, tmp_path):
    with pytest.raises(DataNotAvailable, match="withdrawn") as error:
        load("pima", tmp_path)
    assert str(tmp_path / "uci/pima/pima-indians-diabetes.data") in str(error.value)


@pytest.fixture
def server(tmp_path):
    """A web server on this machine that offers the file b."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www/b").write_bytes(b"content")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, directory=tmp_path / "www", **options)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()


@pytest.mark.parametrize("good", [True, False])
def test_missing_file_is_downloaded_and_checked(empty_cache, monkeypatch, server, good):
    sha256 = hashlib.sha256(b"content" if good else b"other").hexdigest()
    monkeypatch.setitem(FILES, "a/b", DataFile("a/b", sha256, server + "b", "none"))
    if good:
        assert (
            fetch("a/b") == empty_cache / "a/b" and (empty_cache / "a/b").read_bytes() == b"content"
        )
    else:
        with pytest.raises(DataNotAvailable, match="does not have the sha256"):
            fetch("a/b")
        assert not (empty_cache / "a/b").exists()


def test_gender_is_licensed_unless_supplied(empty_cache, tmp_path):
    with pytest.raises(DataNotAvailable, match="licensed") as error:
        load("gender", tmp_path)
    assert error.value.by_hand
    path = tmp_path / "gender/gender.npz"
    path.parent.mkdir()
    np.savez(path, X=np.arange(3 * 784).reshape(3, 784), y=["m", "f", "m"])
    loaded = load("gender", tmp_path)
    assert loaded.X.shape == (3, 784) and loaded.y.tolist() == [1, 0, 1]
    assert (
        describe("gender", tmp_path)[0]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    )


def test_a_damaged_file_of_the_user_is_named(empty_cache, tmp_path):
    path = tmp_path / "gender/gender.npz"
    path.parent.mkdir()
    X = np.arange(2 * 784).reshape(2, 784)
    y = [0, 1]
    np.savez(path, X=X, y=y)
    content = path.read_bytes()
    start = content.index(b"PK\x01\x02")  # the directory, where each byte counts
    damaged = [content[:end] for end in range(0, len(content), 997)] + [b"text", b"PK\x03\x04"]
    damaged += [
        content[:i] + bytes([content[i] ^ bits]) + content[i + 1 :]
        for i in range(start, len(content))
        for bits in (1, 255)
    ]
    for content_tried in damaged:
        path.write_bytes(content_tried)
        try:
            assert load("gender", tmp_path).y.tolist() == [0, 1]  # a time stamp, say
        except ValueError as error:
            assert str(path) in str(error)
    for changed in (
        {"y": [0, 1, 1]},
        {"y": [[0], [1]]},
        {"y": [1, 1]},
        {"X": X[:, :5]},
        {"X": X * np.nan},
        {"X": X.astype(str)},
    ):
        np.savez(path, **{"X": X, "y": y, **changed})
        with pytest.raises(ValueError, match=r"gender\.npz must hold"):
            load("gender", tmp_path)
    np.savez(path, Z=X)
    with pytest.raises(ValueError, match="must hold the arrays X and y; got Z"):
        load("gender", tmp_path)
    np.savez(path, X=X, y=np.array([0, "a"], dtype=object))
    with pytest.raises(ValueError, match=r"gender\.npz must be an \.npz file without pickle"):
        load("gender", tmp_path)


def gratings(side):
    """Images with the angle and frequency of each of GIST's filters: ndarray, shape (24, side,
    side).
    """
    f, t = np.meshgrid(0.3 / 1.85 ** np.arange(3), np.pi * np.arange(8) / 8, indexing="ij")
    row, column = np.mgrid[:side, :side]
    along = (
        np.cos(t)[..., np.newaxis, np.newaxis] * column
        + np.sin(t)[..., np.newaxis, np.newaxis] * row
    )
    return (100 + 60 * np.cos(2 * np.pi * f[..., np.newaxis, np.newaxis] * along)).reshape(
        -1, side, side
    )


def test_a_grating_excites_its_own_filter_most():
    of_filters = gist(gratings(32)).reshape(24, 24, 16).mean(axis=2)
    assert of_filters.argmax(axis=1).tolist() == list(range(24))


def test_gist_says_what_would_do():
    for shape in ((32, 32), (1, 32, 28), (1, 30, 30)):
        with pytest.raises(ValueError, match="multiple of 4"):
            gist(np.zeros(shape))
