"""The sets of Weinberger & Saul (2008) beside MNIST: letters, Isolet, Yale faces; and wine for the small scale."""

import numpy as np
from scipy.io import loadmat
from sklearn.datasets import load_wine

from paper_figures.data.sets import Parsed, Recipe


def read_letters(path):
    """Read the letters, 20000 x 16: the first 14000 rows are the training part, which is as many as the paper's."""
    cells = np.loadtxt(path, dtype=str, delimiter=",")
    letters, y = np.unique(cells[:, 0], return_inverse=True)
    X = cells[:, 1:].astype(np.float64)
    return Parsed(X, y, dict(enumerate(letters.tolist())), n_train=14_000,
                  notes=("the paper has 14000 training letters; which ones is not said: here the first",))


def read_isolet(train, test):
    """Read Isolet, 617 features: speakers 1 to 4 are the training part, 5 the test part."""
    parts = [np.loadtxt(path, delimiter=",") for path in (train, test)]
    X = np.concatenate(parts)
    names = {i: "abcdefghijklmnopqrstuvwxyz"[i] for i in range(26)}
    return Parsed(X[:, :-1], X[:, -1].astype(np.int64) - 1, names, n_train=len(parts[0]))


def read_yale(path):
    """Read Extended Yale Face B, 2414 faces of 32 x 32 pixels: seven of ten of each person are the training part."""
    arrays = loadmat(path)
    X, y = arrays["fea"].astype(np.float64), arrays["gnd"].ravel().astype(np.int64) - 1
    rng = np.random.default_rng(0)
    train = np.zeros(len(y), dtype=bool)
    for person in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == person))
        train[members[: round(0.7 * len(members))]] = True
    order = np.concatenate([np.flatnonzero(train), np.flatnonzero(~train)])
    note = "the paper's 1690 training faces are not named: 70 per cent of each person's, drawn with seed 0"
    names = {i: f"person {i + 1}" for i in range(38)}
    return Parsed(X[order], y[order], names, n_train=int(train.sum()), notes=(note,))


def read_wine():
    """Read wine, 178 x 13, each feature at unit variance; every third row is in the test part."""
    bunch = load_wine()
    X = bunch.data / bunch.data.std(axis=0)
    test = np.arange(len(X)) % 3 == 2
    order = np.concatenate([np.flatnonzero(~test), np.flatnonzero(test)])
    names = dict(enumerate(bunch.target_names.tolist()))
    return Parsed(X[order], bunch.target[order], names, n_train=int((~test).sum()))


RECIPES = {
    "letters": Recipe(read_letters, ("uci/letter/letter-recognition.data",)),
    "isolet": Recipe(read_isolet, ("uci/isolet/isolet1+2+3+4.data", "uci/isolet/isolet5.data")),
    "yalefaces": Recipe(read_yale, ("yaleb/YaleB_32x32.mat",)),
    "wine": Recipe(read_wine),
}
