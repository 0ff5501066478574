"""The sets of Kar & Jain (2011) except letters and Isolet.

They are UCI's, and similarity matrices of Chen et al. (2009). A similarity matrix is X, n x n, from
row i to column j. The paper's AmazonBinary, Patrol, Mirex07, Amazon47 and FaceRec are not
available.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.io import loadmat

from paper_figures.data.coding import table
from paper_figures.data.recipes import DataSet, Recipe

FAULTS = ("Pastry", "Z_Scratch", "K_Scatch", "Stains", "Dirtiness", "Bumps", "Other_Faults")


def _with_classes(X: ArrayLike, labels: ArrayLike, notes: tuple[str, ...] = ()) -> DataSet:
    names, y = np.unique(labels, return_inverse=True)
    classes = {i: str(name) for i, name in enumerate(names)}
    return DataSet(np.asarray(X, dtype=np.float64), y, classes, notes=notes)


def _last_column(separator: str | None) -> Callable[..., DataSet]:
    """Return the reader of tables of numbers with the class in the last column."""

    def read(*paths: Path) -> DataSet:
        cells = np.concatenate([np.loadtxt(path, delimiter=separator) for path in paths])
        return _with_classes(cells[:, :-1], cells[:, -1].astype(np.int64))

    return read


def read_cod_rna(path: Path) -> DataSet:
    """Read Cod-rna, 59535 x 8."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(path)
    return _with_classes(X.toarray(), y.astype(np.int64))


def read_magic(path: Path) -> DataSet:
    """Read Magic, 19020 x 10: gamma (g) against hadron (h)."""
    cells = np.loadtxt(path, dtype=str, delimiter=",")
    return _with_classes(cells[:, :-1].astype(np.float64), cells[:, -1])


def read_nursery(path: Path) -> DataSet:
    """Read Nursery, 12960 x 8 nominal features, numbered in the order of the file."""
    rows = [line.split(",") for line in path.read_text(encoding="ascii").split() if line]
    X, _ = table([row[:-1] for row in rows], range(8), order="appearance")
    return _with_classes(
        X, [row[-1] for row in rows], ("nominal values are numbered in the order of the file",)
    )


def read_faults(path: Path) -> DataSet:
    """Read steel plate faults, 1941 x 27."""
    cells = np.loadtxt(path)
    return _with_classes(cells[:, :27], np.array(FAULTS)[cells[:, 27:].argmax(axis=1)])


def read_mfeat_pixel(path: Path) -> DataSet:
    """Read mfeat-pix, 2000 x 240: 200 rows of each digit, one after the other."""
    return _with_classes(np.loadtxt(path), np.repeat(np.arange(10), 200))


def read_mfeat_zernike(path: Path) -> DataSet:
    """Read mfeat-zer, 2000 x 47."""
    cells = np.loadtxt(path, delimiter=",", skiprows=1)
    return _with_classes(cells[:, :-1], cells[:, -1].astype(np.int64) - 1)


def read_aural_sonar(path: Path) -> DataSet:
    """Read AuralSonar, similarities of 100 echoes."""
    arrays = loadmat(path)
    return _with_classes(arrays["aural_sonar_data"], arrays["aural_sonar_labels"].ravel())


def read_matrix(path: Path) -> DataSet:
    """Read Protein or Voting, a matrix of similarities."""
    arrays = loadmat(path)
    return _with_classes(arrays["A"], arrays["C"].ravel())


RECIPES = {
    "cod-rna": Recipe(read_cod_rna, ("uci/cod-rna/cod-rna",)),
    "magic": Recipe(read_magic, ("uci/magic/magic04.data",)),
    "pen-digits": Recipe(
        _last_column(","), ("uci/pendigits/pendigits.tra", "uci/pendigits/pendigits.tes")
    ),
    "nursery": Recipe(read_nursery, ("uci/nursery/nursery.data",)),
    "faults": Recipe(read_faults, ("uci/faults/Faults.NNA",)),
    "mfeat-pixel": Recipe(read_mfeat_pixel, ("uci/mfeat/mfeat-pix",)),
    "mfeat-zernike": Recipe(read_mfeat_zernike, ("uci/mfeat/mfeat-zernike.csv",)),
    "opt-digits": Recipe(
        _last_column(","), ("uci/optdigits/optdigits.tra", "uci/optdigits/optdigits.tes")
    ),
    "satellite": Recipe(_last_column(None), ("uci/satimage/sat.trn", "uci/satimage/sat.tst")),
    "segment": Recipe(_last_column(None), ("uci/segment/segment.dat",)),
    "aural-sonar": Recipe(read_aural_sonar, ("similarity/aural_sonar.mat",)),
    "protein": Recipe(read_matrix, ("similarity/Protein.mat",)),
    "voting-similarity": Recipe(read_matrix, ("similarity/Voting.mat",)),
}
