"""LMNN: k, mu and the step of the descent on eighteen flowers."""

from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from paper_figures.site.demos import Frame, Layer, View, kinds, links, number, packed
from paper_figures.site.examples.lmnn import X as FLOWERS
from paper_figures.site.examples.lmnn import y
from refimpl.lmnn import algorithm
from refimpl.typing import FloatArray

K = (1, 2, 3)
MU = (0.1, 0.3, 1.0, 3.0, 10.0)
STEPS = (0, 1, 2, 4, 8, 15, 30, 60, 100)
SPACES = ("as measured", "as learnt, x → Lx")
SETTINGS = (K, MU, STEPS, SPACES)
X = FLOWERS - FLOWERS.mean(axis=0)
ALL = np.zeros(len(X), dtype=np.int64)


@cache
def states(k: int, mu: float) -> list[algorithm.State]:
    """Return the states before each step; each one searches all impostors."""
    targets = algorithm.target_neighbors(X, y, k)
    examples = algorithm.Examples(X, y, targets, ALL)
    run = algorithm.steps(examples, mu, np.eye(2)[None], between=1)
    return list(islice(run, STEPS[-1] + 1))


def values(state: algorithm.State, targets: Any, mu: float) -> dict[str, str]:
    """Return the terms of eq. 3 at a state, and what a nearest neighbour gets wrong."""
    n, k = targets.shape
    Z = algorithm.mapped(X, state.L)
    near = algorithm.d2(Z, np.repeat(np.arange(n), k), targets.ravel(), ALL).reshape(n, k)
    slacks = algorithm.xi(near, algorithm.d2(Z, state.i, state.l, ALL), state.i)
    closest = algorithm.nearest(X, X, 2, state.L, ALL)[1]
    other = np.where(closest[:, 0] == np.arange(n), closest[:, 1], closest[:, 0])
    return {
        "pull": number(near.sum()),
        "push": number(slacks.sum()),
        "mu": f"{mu:g}",
        "objective": number(algorithm.epsilon(near, slacks, mu)),
        "triples": str(int(state.N.sum())),
        "errors": f"{int((y[other] != y).sum())} of {n}",
    }


def measured() -> View:
    """Return the view of the flowers as they were measured."""
    return View.around(FLOWERS, 0.15)


def frame(k: int, mu: float, step: int, space: str) -> Frame:
    """Return what the demo shows for a setting of each slider."""
    state, targets = states(k, mu)[step], algorithm.target_neighbors(X, y, k)
    s, V = np.linalg.eigh(state.L[0].T @ state.L[0])
    s = np.sqrt(np.maximum(s, 0))
    if space == SPACES[1]:  # the symmetric root of M keeps the directions of the axes
        Z: FloatArray = X @ (V * s) @ V.T
        reach = np.abs(Z).max(axis=0) + 0.3
        view = View.around(np.vstack([Z, -reach[None], reach[None]]), 0.02, equal=True)
        axes: list[Layer] = [("t", "54 28 start each flower at Lx; the ring has radius 1")]
        ring = view.ellipse(np.zeros(2), np.eye(2))
    else:
        Z, view = FLOWERS, measured()
        ticks = ([2.0, 2.5, 3.0, 3.5, 4.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        axes = view.axes("sepal width (cm)", "petal length (cm)", ticks)
        ring = view.ellipse(FLOWERS.mean(axis=0), V / np.maximum(s, 0.02))
    pulled = {(i, j) for i, row in enumerate(targets.tolist()) for j in row}
    pushed = state.N.any(axis=1)
    pairs = zip(state.i[pushed].tolist(), state.l[pushed].tolist(), strict=True)
    close = {(min(pair), max(pair)) for pair in pairs}
    layers = [
        *axes,
        ("bad", links(sorted(close)) if close else "M0 0"),
        ("good", links(sorted(pulled))),
        ("model", ring),
        *kinds(y),
    ]
    return Frame(tuple(layers), values(state, targets, mu), packed(view.places(Z)))
