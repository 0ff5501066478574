"""The sets of Amores, Sebe & Radeva (2006), Table 1, and its licensed gender set.

Every set has two classes. What the paper leaves open is an option (`order`) or a note.
"""

import io
from pathlib import Path

import numpy as np

from paper_figures.data.coding import class_last, labelled, rows_of, table
from paper_figures.data.recipes import DataSet, Recipe

CREDIT_NOMINAL = (0, 3, 4, 5, 6, 8, 9, 11, 12)


def read_ad(path: Path) -> DataSet:
    """Read the substitute of ad: 1966 distinct binary rows of 1555 columns."""
    with np.load(path) as arrays:
        X, y = arrays["X"], arrays["y"]
    note = (
        "substitute: distinct binary rows only, the three geometry columns are dropped "
        "(paper: 2359 x 1558)"
    )
    return DataSet(X, y.ravel(), {0: "nonad.", 1: "ad."}, notes=(note,))


def read_gender(path: Path) -> DataSet:
    """Read the faces that the user supplies: arrays X (n x 784) and y (n), without pickle."""
    content = path.read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = dict(file)
    except Exception as error:  # what a damaged file raises in zipfile and NumPy is not documented
        raise ValueError(
            f"{path} must be an .npz file without pickle; reading it failed ({error})"
        ) from error
    if not {"X", "y"} <= set(arrays):
        raise ValueError(f"{path} must hold the arrays X and y; got {', '.join(arrays) or 'none'}")
    X, y = arrays["X"], arrays["y"]
    if X.ndim != 2 or X.shape[1] != 784 or y.shape != (len(X),) or np.unique(y).size != 2:
        raise ValueError(
            f"{path} must hold X (n x 784) and y (n) of two classes; got X {X.shape}, y {y.shape}"
        )
    if X.dtype.kind not in "biuf" or not np.isfinite(X).all():
        raise ValueError(f"X in {path} must hold finite numbers; got {X.dtype}")
    _, places = np.unique(y, return_inverse=True)
    return DataSet(X, places, {0: "class 0", 1: "class 1"}, notes=("supplied by the user",))


def read_arrhythmia(path: Path) -> DataSet:
    """Read normal (0) against arrhythmia (1), 420 x 278, without column 14 and incomplete rows."""
    rows = rows_of(path)
    X, keep = table([row[:13] + row[14:279] for row in rows], missing="drop")
    y = np.array([int(row[-1] != "1") for row in rows])[keep]
    note = "column 14 is missing in 376 of 452 rows and left out; class 1 (normal) against the rest"
    return DataSet(X, y, {0: "normal", 1: "arrhythmia"}, notes=(note,))


def read_splice(path: Path, *, order: str = "sorted") -> DataSet:
    """Read exon/intron (0) against intron/exon (1) borders, 60 letters numbered in `order`."""
    # ambiguity letters D, N, R, S come after A, C, G, T
    rows = [row for row in rows_of(path) if row[-1].strip() != "N"]
    letters = np.array([[cell.strip() for cell in row[1:-1]] for row in rows])
    doubtful = ~np.isin(letters, list("ACGT"))
    flat, _ = table(np.where(doubtful, "?", letters).reshape(-1, 1), {0}, order=order)
    X = flat.reshape(letters.shape)
    for place, letter in enumerate("DNRS"):
        X[letters == letter] = 4 + place
    note = f"the {len(X)} EI and IE rows; which 1500 the paper used is not documented"
    return labelled(X, [row[-1] for row in rows], {"EI": "EI", "IE": "IE"}, (note,))


def read_spectf(train: Path, test: Path) -> DataSet:
    """Read normal (0) against abnormal (1) hearts: 80 training rows, the older 269 test rows."""
    values = np.array([row for path in (train, test) for row in rows_of(path)], dtype=np.float64)
    note = "the 349 rows hold the 80 training rows twice"
    return DataSet(values[:, 1:], values[:, 0], {0: "normal", 1: "abnormal"}, notes=(note,))


def read_wdbc(path: Path) -> DataSet:
    """Read benign (0) against malignant (1)."""
    rows = rows_of(path)
    classes = {"B": "benign", "M": "malignant"}
    return labelled([row[2:] for row in rows], [row[1] for row in rows], classes)


def read_vote(path: Path) -> DataSet:
    """Read democrats (0) against republicans (1): n = 0, y = 1, a vote that is neither = 2."""
    rows = rows_of(path)
    X, _ = table([row[1:17] for row in rows], range(16))
    note = (
        "all 16 votes, as the paper's table says; "
        "elsewhere vote1 is the set without physician-fee-freeze"
    )
    classes = {"democrat": "democrat", "republican": "republican"}
    return labelled(X, [row[0] for row in rows], classes, (note,))


def read_credit(path: Path, *, order: str = "sorted") -> DataSet:
    """Read refused (0) against granted (1) credit: nine nominal and six numeric columns."""
    rows = rows_of(path)
    X, _ = table([row[:-1] for row in rows], CREDIT_NOMINAL, order=order)
    return labelled(X, [row[-1] for row in rows], {"-": "-", "+": "+"})


def read_wbc(path: Path) -> DataSet:
    """Read benign (0) against malignant (1), 699 x 9; 16 values of bare nuclei are missing."""
    rows = rows_of(path)
    X, _ = table([row[1:-1] for row in rows])
    return labelled(X, [row[-1] for row in rows], {"2": "benign", "4": "malignant"})


_BCW = "uci/breast-cancer-wisconsin/"
RECIPES = {
    "ad": Recipe(read_ad, ("uci/ad/17_InternetAds.npz",)),
    "gender": Recipe(read_gender, ("gender/gender.npz",)),
    "arrhythmia": Recipe(read_arrhythmia, ("uci/arrhythmia/arrhythmia.data",)),
    "splice": Recipe(read_splice, ("uci/splice/splice.arff",)),
    "sonar": Recipe(class_last({"R": "R", "M": "M"}), ("uci/sonar/sonar.all-data",)),
    "spectf": Recipe(read_spectf, ("uci/spectf/spectf.train.arff", "uci/spectf/spectf.test.arff")),
    "ionosphere": Recipe(class_last({"b": "b", "g": "g"}), ("uci/ionosphere/ionosphere.data",)),
    "wdbc": Recipe(read_wdbc, (_BCW + "wdbc.data",)),
    "german": Recipe(class_last({"1": "1", "2": "2"}, None), ("uci/german/german.data-numeric",)),
    "vote1": Recipe(read_vote, ("uci/voting/house-votes-84.data",)),
    "credit": Recipe(read_credit, ("uci/credit-screening/crx.data",)),
    "wbc": Recipe(read_wbc, (_BCW + "breast-cancer-wisconsin.data",)),
    # zeros of columns 2 to 6 are missing values, and kept
    "pima": Recipe(
        class_last({"0": "healthy", "1": "diabetic"}), ("uci/pima/pima-indians-diabetes.data",)
    ),
    # the class is column 7, a selector, as in the paper
    "liver": Recipe(class_last({"1": "1", "2": "2"}), ("uci/liver-disorders/bupa.data",)),
}
