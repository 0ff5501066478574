"""The sets of the small scale: they come with scikit-learn, nothing is downloaded.

scikit-learn is imported where a set is read: it takes a second, and to ask for files takes none.
"""

import numpy as np

from paper_figures.data.recipes import DataSet, Recipe

GREY = "images are 8 x 8, grey 0..16"


def read_wdbc_small() -> DataSet:
    """Read Wisconsin diagnostic breast cancer, 569 x 30: the paper's wdbc."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    return DataSet(bunch.data, bunch.target, {0: "malignant", 1: "benign"})


def read_digits17() -> DataSet:
    """Read the digits 1 and 7 of scikit-learn's 8 x 8 digits; labels 1 and 7."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    keep = np.isin(bunch.target, (1, 7))
    return DataSet(bunch.data[keep], bunch.target[keep], {1: "1", 7: "7"}, notes=(GREY,))


def read_digits() -> DataSet:
    """Read scikit-learn's 8 x 8 digits, 1797 of them; the last 500 are the test part."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    names = {digit: str(digit) for digit in range(10)}
    return DataSet(bunch.data, bunch.target, names, len(bunch.data) - 500, (GREY,))


RECIPES = {
    "wdbc-small": Recipe(read_wdbc_small),
    "digits17": Recipe(read_digits17),
    "digits": Recipe(read_digits),
}
