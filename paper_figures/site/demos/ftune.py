"""FTUNE: the slope of the transfer function, the landmarks, and how they are chosen."""

from functools import cache

import numpy as np

import refimpl.kernels
from paper_figures.site.demos import Frame, View, disc, kinds, links, number, packed
from paper_figures.site.examples import flowers
from paper_figures.site.examples.ftune import SLOPES, K, X, kind, l
from refimpl.ftune import algorithm
from refimpl.ftune.linear_models import LinearModel, loss
from refimpl.ftune.similarities import Similarity
from refimpl.typing import FloatArray, IntArray

LANDMARKS = (1, 2, 4, 8, 16)
CHOICES = ("at random", "by DSELECT")
SETTINGS = (SLOPES, LANDMARKS, CHOICES)
SEED = 1
REST, rest_kind = flowers(*range(50, 150))
VIEW = View.around(X, 0.12)
COLUMNS, ROWS = 84, 68


def similarity(Q: FloatArray, pairs: IntArray) -> FloatArray:
    """Return K to all x_i^+ and then to all x_i^-."""
    others = X[pairs.T.ravel()]
    S: FloatArray = np.exp(-((Q[:, None] - others) ** 2).sum(axis=-1))
    return S


@cache
def landmarks(d: int, diverse: bool) -> IntArray:
    """Return the pairs of landmarks, (d, 2)."""
    rng = np.random.default_rng(SEED)
    of_all = Similarity(K)
    if diverse:
        return algorithm.dselect(of_all, np.arange(len(X)), l, max(d, 4), rng)[1][:d]
    return algorithm.random_pairs(of_all, l, d, rng)


@cache
def trained(slope: float, d: int, diverse: bool) -> tuple[LinearModel, float]:
    """Return w_f and L_f of Algorithm 2, line 3, for one slope."""
    Phi = algorithm.Phi(similarity(X, landmarks(d, diverse)), slope, refimpl.kernels)
    w = algorithm.TRAIN(Phi, l, "hinge")
    return w, float(loss("hinge", l * (Phi @ w.w + w.b)).mean())


def chosen(d: int, diverse: bool) -> object:
    """Return f* of Algorithm 2, the slope of least loss, from Algorithm 2 itself."""
    pairs, rng = landmarks(d, diverse), np.random.default_rng(SEED)
    similar = Similarity(K)
    return algorithm.ftune(SLOPES, similar, "hinge", l, d, rng, select=lambda *_: pairs)[0]


def values(slope: float, d: int, diverse: bool) -> dict[str, str]:
    """Return the loss and errors of one slope, and the slope that FTUNE chooses."""
    w, L_f = trained(slope, d, diverse)
    pairs = landmarks(d, diverse)
    new = ~(REST[:, None] == X).all(axis=2).any(axis=1)
    errors = [
        int((np.sign(algorithm.g(similarity(Q, pairs), slope, w)) != sign).sum())
        for Q, sign in ((X, l), (REST[new], np.where(rest_kind[new] == 1, 1.0, -1.0)))
    ]
    return {
        "slope": f"{slope:g}",
        "loss": number(L_f),
        "train": f"{errors[0]} of {len(X)}",
        "test": f"{errors[1]} of {int(new.sum())}",
        "best": f"{chosen(d, diverse):g}",
        "objects": str(len(np.unique(pairs))),
    }


def _yes(slope: float, d: int, diverse: bool) -> str:
    """Return the part of the picture where g is above 0, as rows of a grid."""
    w, _ = trained(slope, d, diverse)
    x = np.linspace(*VIEW.x, COLUMNS + 1)
    y = np.linspace(*VIEW.y, ROWS + 1)
    middles = np.stack(np.meshgrid((x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2), axis=-1)
    S = similarity(middles.reshape(-1, 2), landmarks(d, diverse))
    above = (algorithm.g(S, slope, w) > 0).reshape(ROWS, COLUMNS)
    lefts = [a for a, _ in VIEW.places(np.column_stack([x, np.full(len(x), y[0])]))]
    bases = [b for _, b in VIEW.places(np.column_stack([np.full(len(y), x[0]), y]))]
    path = ""
    for row, here in enumerate(above):
        steps = np.flatnonzero(np.diff(np.concatenate([[0], here.astype(int), [0]])))
        for a, b in steps.reshape(-1, 2):
            high = bases[row] - bases[row + 1]
            path += f"M{lefts[a]} {bases[row]}H{lefts[b]}v{-high}H{lefts[a]}z"
    return path or "M0 0"


def frame(slope: float, d: int, choice: str) -> Frame:
    """Return what the demo shows for a setting of each slider."""
    diverse = choice == CHOICES[1]
    pairs = landmarks(d, diverse)
    places = VIEW.places(X)
    used = [places[i] for i in np.unique(pairs)]
    rings = "".join(disc(x, y, 11) for x, y in used)
    ticks = ([3.5, 4.0, 4.5, 5.0, 5.5, 6.0], [1.0, 1.5, 2.0, 2.5])
    layers = [
        ("area", _yes(slope, d, diverse)),
        *VIEW.axes("petal length (cm)", "petal width (cm)", ticks),
        ("thin", links(sorted({(int(a), int(b)) for a, b in pairs}))),
        ("mark", rings),
        *kinds(kind - 1),
    ]
    return Frame(tuple(layers), values(slope, d, diverse), packed(places))
