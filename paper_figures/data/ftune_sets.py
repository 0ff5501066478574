"""The sets of Kar & Jain (2011) except letters and Isolet.

They are UCI's, and similarity matrices of Chen et al. (2009). A similarity matrix is X, n x n, from
row i to column j. The paper's AmazonBinary, Patrol, Mirex07, Amazon47 and FaceRec are not
available.
"""

from pathlib import Path

import numpy as np
from scipy.io import loadmat

from paper_figures.data.coding import class_last, labelled, rows_of, table
from paper_figures.data.recipes import DataSet, Recipe

FAULTS = ("Pastry", "Z_Scratch", "K_Scatch", "Stains", "Dirtiness", "Bumps", "Other_Faults")


def read_cod_rna(path: Path) -> DataSet:
    """Read Cod-rna, 59535 x 8."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(path)
    return labelled(X.toarray(), y.astype(np.int64))


def read_nursery(path: Path) -> DataSet:
    """Read Nursery, 12960 x 8 nominal features, numbered in the order of the file."""
    rows = rows_of(path)
    X, _ = table([row[:-1] for row in rows], range(8), order="appearance")
    note = "nominal values are numbered in the order of the file"
    return labelled(X, [row[-1] for row in rows], notes=(note,))


def read_faults(path: Path) -> DataSet:
    """Read steel plate faults, 1941 x 27."""
    cells = np.loadtxt(path)
    return labelled(cells[:, :27], np.array(FAULTS)[cells[:, 27:].argmax(axis=1)])


def read_mfeat_pixel(path: Path) -> DataSet:
    """Read mfeat-pix, 2000 x 240: 200 rows of each digit, one after the other."""
    return labelled(np.loadtxt(path), np.repeat(np.arange(10), 200))


def read_mfeat_zernike(path: Path) -> DataSet:
    """Read mfeat-zer, 2000 x 47."""
    cells = np.loadtxt(path, delimiter=",", skiprows=1)
    return labelled(cells[:, :-1], cells[:, -1].astype(np.int64) - 1)


def read_aural_sonar(path: Path) -> DataSet:
    """Read AuralSonar, similarities of 100 echoes."""
    arrays = loadmat(path)
    return labelled(arrays["aural_sonar_data"], arrays["aural_sonar_labels"].ravel())


def read_matrix(path: Path) -> DataSet:
    """Read Protein or Voting, a matrix of similarities."""
    arrays = loadmat(path)
    return labelled(arrays["A"], arrays["C"].ravel())


RECIPES = {
    "cod-rna": Recipe(read_cod_rna, ("uci/cod-rna/cod-rna",)),
    "magic": Recipe(class_last(), ("uci/magic/magic04.data",)),
    "pen-digits": Recipe(
        class_last(), ("uci/pendigits/pendigits.tra", "uci/pendigits/pendigits.tes")
    ),
    "nursery": Recipe(read_nursery, ("uci/nursery/nursery.data",)),
    "faults": Recipe(read_faults, ("uci/faults/Faults.NNA",)),
    "mfeat-pixel": Recipe(read_mfeat_pixel, ("uci/mfeat/mfeat-pix",)),
    "mfeat-zernike": Recipe(read_mfeat_zernike, ("uci/mfeat/mfeat-zernike.csv",)),
    "opt-digits": Recipe(
        class_last(), ("uci/optdigits/optdigits.tra", "uci/optdigits/optdigits.tes")
    ),
    "satellite": Recipe(
        class_last(separator=None), ("uci/satimage/sat.trn", "uci/satimage/sat.tst")
    ),
    "segment": Recipe(class_last(separator=None), ("uci/segment/segment.dat",)),
    "aural-sonar": Recipe(read_aural_sonar, ("similarity/aural_sonar.mat",)),
    "protein": Recipe(read_matrix, ("similarity/Protein.mat",)),
    "voting-similarity": Recipe(read_matrix, ("similarity/Voting.mat",)),
}
