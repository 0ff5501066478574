"""The readers of the data sets on files of a few rows: labels, codes, gaps, orders, parts."""

import gzip
import hashlib
import io
import string
import tarfile

import numpy as np
import pytest
from scipy.io import savemat
from sklearn.datasets import load_wine
from sklearn.feature_extraction import text as words

from paper_figures import data
from paper_figures.data import sets, tiny_images
from paper_figures.data.recipes import DataSet, Recipe


@pytest.fixture
def write(tmp_path):
    """Write lines to a new file and return its path."""
    count = iter(range(99))

    def written(*lines):
        path = tmp_path / f"file{next(count)}"
        path.write_text("\n".join(lines) + "\n", encoding="latin-1")
        return path

    return written


def read(name, *paths, **options):
    return sets.recipe_of(name).read(*paths, **options)


# --------------------------------------------------------------------------------------------- UCI


DIGITS = [[1, 2], [3, 4], [8, 9], [6, 6]], [1, 0, 0, 1], "5 7"
TABLES = {  # lines of each file; X, y, and the names of the classes
    "sonar": ([["0.1,0.2,R", "0.3,0.4,M"]], [[0.1, 0.2], [0.3, 0.4]], [0, 1], "R M"),
    "ionosphere": ([["1,0,g", "0,-1,b"]], [[1, 0], [0, -1]], [1, 0], "b g"),
    "german": ([["  1   6  2", "  3   4  1"]], [[1, 6], [3, 4]], [1, 0], "1 2"),
    "liver": ([["85,92,2", "86,54,1"]], [[85, 92], [86, 54]], [1, 0], "1 2"),
    "wdbc": ([["842,M,1.5,2", "843,B,3,4"]], [[1.5, 2], [3, 4]], [1, 0], "benign malignant"),
    "pima": ([["6,148,0,1", "1,0,2,0"]], [[6, 148, 0], [1, 0, 2]], [1, 0], "healthy diabetic"),
    "wbc": (
        [["99,5,1,2", "98,?,3,4", "97,4,3,4"]],
        [[5, 1], [3, 3], [4, 3]],  # what is missing is one less than the least
        [0, 1, 1],
        "benign malignant",
    ),
    "spectf": (
        [["1,5,6", "0,7,8"], ["1,1,2", "1,5,6", "0,9,9"]],
        [[5, 6], [7, 8], [1, 2], [5, 6], [9, 9]],
        [1, 0, 1, 1, 0],
        "normal abnormal",
    ),
    "letters": ([["T,2,8", "A,5,12", "T,1,1"]], [[2, 8], [5, 12], [1, 1]], [1, 0, 1], "A T"),
    "cod-rna": ([["-1 1:3.5 3:2", "1 2:1.25"]], [[3.5, 0, 2], [0, 1.25, 0]], [0, 1], "-1 1"),
    "magic": ([["1.5,2,h", "3,4,g"]], [[1.5, 2], [3, 4]], [1, 0], "g h"),
    "pen-digits": ([["1,2,7", "3,4,5"], ["8,9,5", "6,6,7"]], *DIGITS),
    "opt-digits": ([["1,2,7", "3,4,5"], ["8,9,5", "6,6,7"]], *DIGITS),
    "satellite": ([["1 2 7", "3 4 5"], ["8 9 5", "6 6 7"]], *DIGITS),
    "segment": ([["1 2 3 1", "4 5 6 2"]], [[1, 2, 3], [4, 5, 6]], [0, 1], "1 2"),
    "nursery": (  # values are numbered as they appear
        [["usual,b,x,x,x,x,x,x,yes", "pretentious,a,x,x,x,x,x,x,no", "usual,a,y,x,x,x,x,x,no"]],
        [[0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0, 0]],
        [1, 0, 0],
        "no yes",
    ),
    "isolet": (
        [["0.5, -1, 1.", "0.1, 2, 26."], ["0.3, 4, 2."] * 2],
        [[0.5, -1], [0.1, 2], [0.3, 4], [0.3, 4]],
        [0, 25, 1, 1],
        " ".join(string.ascii_lowercase),
    ),
}
OWN_PARTS = {"letters": 14_000, "isolet": 2}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_numbers(write, name):
    files, X, y, classes = TABLES[name]
    parsed = read(name, *(write(*lines) for lines in files))
    assert parsed.X.tolist() == X and parsed.y.tolist() == y
    assert parsed.classes == dict(enumerate(classes.split()))
    assert parsed.n_train == OWN_PARTS.get(name)


def test_a_strange_class_is_refused(write):
    with pytest.raises(ValueError, match="the classes must be 'R' and 'M'; got 'Q'"):
        read("sonar", write("0.1,R", "0.2,Q"))


def test_comments_and_empty_lines_are_no_rows(write):
    header = ("% a remark", "@relation x", "@data")
    assert read("sonar", write(*header, "1,R", "", "2,M")).X.tolist() == [[1], [2]]


def test_ad(tmp_path):
    path = tmp_path / "ad.npz"
    np.savez(path, X=np.eye(3), y=np.array([[0], [1], [0]]))
    parsed = read("ad", path)
    assert parsed.X.tolist() == np.eye(3).tolist() and parsed.y.tolist() == [0, 1, 0]
    assert parsed.classes == {0: "nonad.", 1: "ad."} and "substitute" in parsed.notes[0]


def test_arrhythmia(write):
    numbers = [str(j) for j in range(279)]
    gap = [*numbers[:3], "?", *numbers[4:]]
    lines = [",".join([*numbers, "1"]), ",".join([*gap, "1"]), ",".join([*numbers, "16"])]
    path = write(*lines)
    parsed = read("arrhythmia", path)
    assert parsed.X.tolist() == [[j for j in range(279) if j != 13]] * 2  # column 14 is left out
    assert parsed.y.tolist() == [0, 1] and parsed.classes == {0: "normal", 1: "arrhythmia"}


@pytest.mark.parametrize(
    "options, X, y",
    [
        ({}, [[2, 0, 0], [1, 3, 4], [1, 1, 5], [1, 6, 7]], [0, 1, 0, 1]),
        # C stands four times, A twice, G and T once
        ({"order": "frequency"}, [[2, 1, 1], [0, 3, 4], [0, 0, 5], [0, 6, 7]], [0, 1, 0, 1]),
        ({"order": "appearance"}, [[0, 1, 1], [2, 3, 4], [2, 2, 5], [2, 6, 7]], [0, 1, 0, 1]),
    ],
)
def test_splice(write, options, X, y):
    path = write(
        "@attribute x", "a,G,A,A,EI", "b,C,T,D,IE", "c, C ,C,N,EI", "d,C,A,A,N", "e,C,R,S,IE"
    )
    parsed = read("splice", path, **options)
    assert parsed.X.tolist() == X and parsed.y.tolist() == y
    assert (
        parsed.classes == {0: "EI", 1: "IE"} and f"the {len(y)} EI and IE rows" in parsed.notes[0]
    )


def votes(party, text):
    return ",".join([party, *text])


def test_vote(write):
    lines = [votes("republican", "nyny" * 4), votes("democrat", "?yn?" * 4)]
    path = write(*lines, *[votes("democrat", "ynyn" * 4)] * 2)
    parsed = read("vote1", path)
    assert parsed.X.shape[1] == 16 and parsed.classes == {0: "democrat", 1: "republican"}
    assert parsed.y.tolist() == [1, 0, 0, 0]
    assert parsed.X[1].tolist() == [2, 1, 0, 2] * 4


def test_credit(write):
    def line(a, b, sign):
        cells = [a, b, "1", *"xxxx", "2", *"xx", "3", *"xx", "4", "5"]
        return ",".join([*cells, sign])

    path = write(
        line("b", "30.5", "+"), line("?", "?", "-"), line("a", "20", "-"), line("b", "1", "+")
    )
    parsed = read("credit", path)
    assert parsed.y.tolist() == [1, 0, 0, 1] and parsed.classes == {0: "-", 1: "+"}
    assert parsed.X[:, 0].tolist() == [1, 2, 0, 1]  # by the alphabet, the missing one last
    assert parsed.X[:, 1].tolist() == [30.5, 0.0, 20.0, 1.0]  # one less than the least
    assert parsed.X[0, [2, 7, 10, 13, 14]].tolist() == [1, 2, 3, 4, 5]
    assert read("credit", path, order="appearance").X[:, 0].tolist() == [0, 2, 1, 0]


# ----------------------------------------------------------------------------- MNIST, tiny images


@pytest.fixture
def idx(tmp_path):
    """Write images of 2 x 2 pixels, or labels, as a gzip-compressed idx file."""
    count = iter(range(9))

    def written(values, shape=()):
        values = np.asarray(values, dtype=np.uint8)
        head = (0x800 + 1 + len(shape)).to_bytes(4, "big")
        sizes = (len(values), *shape)
        path = tmp_path / f"idx{next(count)}.gz"
        with gzip.open(path, "wb") as stream:
            stream.write(head + b"".join(n.to_bytes(4, "big") for n in sizes) + values.tobytes())
        return path

    return written


def test_mnist(idx):
    train = np.arange(16).reshape(4, 4)
    test = np.arange(100, 112).reshape(3, 4)
    paths = idx(train, (2, 2)), idx([7, 0, 1, 7]), idx(test, (2, 2)), idx([1, 5, 7])
    parsed = read("MNIST-10", *paths)
    assert parsed.X.tolist() == [*train.tolist(), *test.tolist()] and parsed.n_train == 4
    assert parsed.y.tolist() == [7, 0, 1, 7, 1, 5, 7] and parsed.classes[9] == "9"
    parsed = read("MNIST", *paths)
    assert parsed.y.tolist() == [7, 1, 7, 1, 7] and parsed.n_train == 3
    assert parsed.X[:, 0].tolist() == [0, 8, 12, 100, 108] and parsed.classes == {1: "1", 7: "7"}
    paths[1].write_bytes(gzip.compress(b"\0" * 40))
    with pytest.raises(ValueError, match="idx"):
        read("MNIST", *paths)


def test_tiny_images_are_mixed_in_the_test_part_alone(monkeypatch):
    train = np.zeros((3, 1024), dtype=np.uint8)
    test = np.tile(np.arange(10_000)[:, np.newaxis] % 251, (1, 1024)).astype(np.uint8)
    contents = {
        "images": train,
        "labels": np.array([5, 6, 7]),
        "test": test,
        "of test": np.arange(10_000) % 251,
    }
    monkeypatch.setattr(tiny_images, "read_idx", contents.__getitem__)
    monkeypatch.setattr(tiny_images, "gist", lambda images: images[:, 0, :1])
    parsed = tiny_images.read_tiny_images("images", "labels", "test", "of test")
    assert parsed.y[:3].tolist() == [5, 6, 7] and parsed.n_train == 50_000
    assert np.array_equal(parsed.X[3:, 0], parsed.y[3:])  # images and labels are mixed alike
    assert sorted(parsed.y[3:]) == sorted(contents["of test"])
    assert not np.array_equal(parsed.y[3:], contents["of test"])
    assert parsed.classes[0] == "airplane" and parsed.classes[9] == "truck"


# --------------------------------------------------------------------------------- sets of LMNN


def test_yale_faces_take_seven_of_ten_of_each_person(tmp_path):
    people = np.repeat([1, 2], (10, 20))
    savemat(
        tmp_path / "yale.mat", {"fea": np.arange(60).reshape(30, 2), "gnd": people[:, np.newaxis]}
    )
    parsed = read("yalefaces", tmp_path / "yale.mat")
    assert parsed.n_train == 21 and parsed.classes[1] == "person 2" and len(parsed.classes) == 38
    assert np.bincount(parsed.y[:21]).tolist() == [7, 14]
    assert np.bincount(parsed.y[21:]).tolist() == [3, 6]
    rows = parsed.X[:, 0] // 2
    assert sorted(rows) == list(range(30)) and np.array_equal(
        parsed.y, people[rows.astype(int)] - 1
    )
    assert (np.diff(rows[:21]) > 0).all() and (np.diff(rows[21:]) > 0).all()


def test_newsgroups_keep_two_lines_of_the_head(tmp_path, monkeypatch):
    from paper_figures.data import lmnn_sets

    texts = {
        f"20news/{part}/{group}/{i}": f"From: a{i}@b\nX-Mailer: {word}secret\nSubject: {word}\n\n"
        f"body of {word} number {i}\nFrom: here it stays"
        for part, group, word, numbers in (
            ("train", "sci.space", "orbit", range(4)),
            ("test", "sci.space", "orbit", range(4, 10)),
            ("train", "rec.autos", "wheel", range(10)),
        )
        for i in numbers
    }
    path = tmp_path / "news.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode("latin-1")))
    seen = []

    class Words(words.TfidfVectorizer):
        def fit_transform(self, documents):
            seen.append(documents)
            return super().fit_transform(documents)

    monkeypatch.setattr(words, "TfidfVectorizer", Words)
    monkeypatch.setattr(lmnn_sets, "TOPICS", 2)
    parsed = read("20news", path)
    assert parsed.X.shape == (20, 2) and parsed.n_train == 14
    assert parsed.classes == {0: "rec.autos", 1: "sci.space"}
    assert np.bincount(parsed.y[:14]).tolist() == [7, 7] == [7, 20 - 13]
    assert np.bincount(parsed.y[14:]).tolist() == [3, 3]
    (documents,) = seen  # words are counted in the training part
    assert len(documents) == 14 and not any("secret" in text for text in documents)
    assert all(text.startswith("From: a") and "\nSubject: " in text for text in documents)
    assert all("body of" in text and text.endswith("From: here it stays") for text in documents)
    # two topics tell the two groups apart
    first, second = (parsed.X[parsed.y == c] for c in (0, 1))
    gaps = np.linalg.norm(first[:, np.newaxis] - second, axis=2)
    spread = np.linalg.norm(first[:, np.newaxis] - first, axis=2)
    assert gaps.min() > spread.max()


# -------------------------------------------------------------------------------- sets of FTUNE


def test_faults_mfeat_and_similarities(write, tmp_path):
    features = " ".join(str(j) for j in range(27))
    parsed = read("faults", write(f"{features} 0 1 0 0 0 0 0", f"{features} 0 0 0 0 0 0 1"))
    assert parsed.X.tolist() == [list(range(27))] * 2
    assert [parsed.classes[c] for c in parsed.y.tolist()] == ["Z_Scratch", "Other_Faults"]
    parsed = read("mfeat-pixel", write(*[f"{i} 1" for i in range(2000)]))
    assert parsed.X[:, 0].tolist() == list(range(2000))
    assert parsed.y[[0, 199, 200, 1999]].tolist() == [0, 0, 1, 9]
    parsed = read("mfeat-zernike", write("a,b,class", "1.5,2,1", "3,4,10"))
    assert parsed.X.tolist() == [[1.5, 2], [3, 4]] and parsed.classes == {0: "0", 1: "9"}
    S = [[1.0, 0.25], [0.5, 1.0]]
    names = {"aural_sonar_data": S, "aural_sonar_labels": [[2], [1]]}
    savemat(tmp_path / "a.mat", names)
    savemat(tmp_path / "b.mat", {"A": S, "C": [[1], [3]]})
    for name, path, y in (
        ("aural-sonar", "a.mat", [1, 0]),
        ("protein", "b.mat", [0, 1]),
        ("voting-similarity", "b.mat", [0, 1]),
    ):
        parsed = read(name, tmp_path / path)
        assert parsed.X.tolist() == S and parsed.y.tolist() == y


# ------------------------------------------------------------------------------ bundled, the loader


def test_wine_has_unit_variances_and_every_third_row_in_the_test_part():
    wine = load_wine()
    parsed = read("wine")
    order = [i for i in range(178) if i % 3 != 2] + list(range(2, 178, 3))
    variances = ((wine.data - wine.data.mean(axis=0)) ** 2).mean(axis=0)
    np.testing.assert_allclose(parsed.X, (wine.data / np.sqrt(variances))[order])
    assert np.array_equal(parsed.y, wine.target[order]) and parsed.n_train == 119
    assert parsed.classes == {0: "class_0", 1: "class_1", 2: "class_2"}


@pytest.fixture
def recipe(monkeypatch):
    """Let the loader know one set, "made", that is read as this dict says."""
    parsed = {"X": np.array([[1, 2], [3, 4]]), "y": np.array([0, 1], dtype=np.int8)}

    def read_made(*, option="a"):
        return DataSet(parsed["X"], parsed["y"], {0: "x", 1: "y"}, n_train=1, notes=(option,))

    monkeypatch.setitem(sets.RECIPES, "made", Recipe(read_made))
    return parsed


def test_what_the_loader_adds(recipe):
    loaded = data.load("made", option="b")
    assert loaded.name == "made" and loaded.notes == ("b",) and loaded.n_train == 1
    assert loaded.X.dtype == np.float64 and loaded.y.dtype == np.int64
    assert loaded.X.flags.c_contiguous and not loaded.X.flags.writeable
    assert not loaded.y.flags.writeable and loaded.classes == {0: "x", 1: "y"}
    content = b"(2, 2)" + loaded.X.tobytes() + loaded.y.tobytes()
    (file,) = loaded.files
    assert file == {
        "name": "made (bundled with scikit-learn)",
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    assert data.describe("made") == loaded.files and data.at_hand("made")
    assert "made" in data.names() and data.names() == sorted(data.names())
    with pytest.raises(ValueError, match="an option of 'made' must be one of option; got 'other'"):
        data.load("made", other=1)


@pytest.mark.parametrize(
    "changes",
    [
        {"X": np.array([1.0, 2.0])},
        {"y": np.array([0, 1, 1])},
        {"y": np.array([[0], [1]])},
        {"X": np.array([[1.0, np.nan], [3.0, 4.0]])},
        {"X": np.array([[1.0, np.inf], [3.0, 4.0]])},
    ],
)
def test_what_no_set_may_hold(recipe, changes):
    recipe.update(changes)
    with pytest.raises(ValueError, match="made: X must be finite, n x d, and y have n labels"):
        data.load("made")


def test_options_of_a_set_that_has_none(monkeypatch):
    with pytest.raises(ValueError, match=r"an option of 'sonar' must be one of \(it has none\);"):
        data.load("sonar", missing="drop")
    assert data.at_hand("digits")
    monkeypatch.setattr(sets, "find", lambda file, data_dir: None)
    assert not data.at_hand("sonar") and data.at_hand("digits")
    monkeypatch.setattr(sets, "find", lambda file, data_dir: file if "train" in file else None)
    assert not data.at_hand("spectf")  # all of its files are needed
