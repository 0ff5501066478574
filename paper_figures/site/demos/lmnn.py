"""LMNN: k, mu and the step of the descent on eighteen flowers."""

from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from paper_figures.site.demos import (
    KINDS,
    Demo,
    Frame,
    Layer,
    Slider,
    Try,
    View,
    kinds,
    links,
    number,
    packed,
)
from paper_figures.site.examples.lmnn import X as FLOWERS
from paper_figures.site.examples.lmnn import y
from refimpl.lmnn import algorithm
from refimpl.typing import FloatArray

K = (1, 2, 3)
MU = (0.1, 0.3, 1.0, 3.0, 10.0)
STEPS = (0, 1, 2, 4, 8, 15, 30, 60, 100)
SPACES = ("as measured", "as learnt, x → Lx")
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


def _frame(k: int, mu: float, step: int, space: str) -> Frame:
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


def demo() -> Demo:
    """Compute the demo."""
    last = len(STEPS) - 1
    return Demo(
        room="lmnn",
        title="LMNN: target neighbours pull, impostors push",
        place="eq. 3",
        words="Eighteen iris flowers of three kinds. The metric M draws each flower to its k "
        '<b class="good">target neighbours</b> of the same kind, and pushes away '
        '<b class="bad">impostors</b>, flowers of another kind that come nearer than the target '
        "neighbours and a margin of 1.",
        formula='<p>ε(M) = <b class="good">Σ d²(x<sub>i</sub>, x<sub>j</sub>)</b> + μ '
        '<b class="bad">Σ [1 + d²(x<sub>i</sub>, x<sub>j</sub>) − d²(x<sub>i</sub>, x<sub>l</sub>)]'
        '<sub>+</sub></b></p><p>{objective} = <span class="good">{pull}</span> + {mu} · '
        '<span class="bad">{push}</span></p>',
        sliders=(
            Slider("k", "<i>k</i>, target neighbours", K, 1),
            Slider("mu", "<i>μ</i>, weight of the margins", MU, 2),
            Slider("step", "step of the descent", STEPS, last),
            Slider("space", "where the flowers are", SPACES),
        ),
        frame=_frame,
        legend=(
            *KINDS,
            ("good", "M0 8H24", "to a target neighbour (the first sum)"),
            ("bad", "M0 8H24", "to an impostor (the second sum)"),
            ("model", "M3 8a9 6 0 1 0 18 0a9 6 0 1 0 -18 0", "at distance 1 from the middle"),
        ),
        readouts=(
            ("objective", "ε(M), eq. 3"),
            ("triples", "triples (i, j, l) inside the margin"),
            ("errors", "1-NN errors, each flower left out"),
        ),
        curve=("step", "objective", "ε(M) over the steps shown"),
        tries=(
            Try(
                {"k": 1, "mu": 0, "step": last, "space": 0},
                "Make margins cheap: μ = 0.1",
                "The pull wins: the ring grows, and more triples break the margin.",
            ),
            Try(
                {"k": 1, "mu": 4, "step": last, "space": 0},
                "Make margins dear: μ = 10",
                "M stretches distances, the ring gets thin, and fewer triples break the margin.",
            ),
            Try(
                {"k": 1, "mu": 4, "step": last, "space": 1},
                "Look at the learnt space",
                "M has stretched the direction that tells the kinds apart: the ring is small "
                "beside the distances between kinds.",
            ),
        ),
        alt="Eighteen flowers with lines to target neighbours and impostors, and the ellipse of M",
    )
