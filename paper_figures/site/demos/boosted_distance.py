"""Boosted Distance, Algorithm A.2: rounds and noise on two kinds of flowers."""

from functools import cache
from itertools import islice

import numpy as np

from paper_figures.site.demos import Frame, Layer, View, disc, number, square
from paper_figures.site.examples import flowers
from paper_figures.site.examples.boosted_distance import TWO
from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.model import StumpEnsemble
from refimpl.typing import FloatArray

X, kind = flowers(*TWO)
ROUNDS = 12
NOISE = (0, 2, 4, 6)
SETTINGS = (range(1, ROUNDS + 1), NOISE)
VIEW = View.around(X, 0.1, bottom=270)
ORDER = np.random.default_rng(4).permutation(len(X))


def labelled(noise: int) -> tuple[FloatArray, FloatArray]:
    """Return P and N, where `noise` flowers have the other kind's label."""
    versicolor = kind == 1
    versicolor[ORDER[:noise]] ^= True
    return X[versicolor], X[~versicolor]


@cache
def trained(noise: int) -> tuple[list[algorithm.Round], FloatArray, FloatArray]:
    """Return the rounds of Algorithm A.2, and P and N."""
    P, N = labelled(noise)
    return list(islice(algorithm.adaboost_rounds(P, N), ROUNDS)), P, N


def margins(rounds: list[algorithm.Round], P: FloatArray, N: FloatArray) -> FloatArray:
    """Return y (2 H(x) / sum alpha - 1), between -1 and 1: above 0 where the ensemble is right."""
    Phi = StumpEnsemble.from_rounds([(one.alpha, *one.h) for one in rounds])
    share = algorithm.H(np.vstack([P, N]), Phi) / algorithm.total_weight(Phi)
    signs = np.repeat([1.0, -1.0], [len(P), len(N)])
    return np.asarray(signs * (2 * share - 1))


def values(rounds: list[algorithm.Round], P: FloatArray, N: FloatArray) -> dict[str, str]:
    """Return the numbers of the last round, and the errors of the ensemble so far."""
    now, margin = rounds[-1], margins(rounds, P, N)
    return {
        "epsilon": number(now.epsilon),
        "beta": number(now.epsilon / (1 - now.epsilon)),
        "alpha": number(now.alpha),
        "wrong": str(int((margin <= 0).sum())),
        "least": number(margin.min()),
    }


def _stump(f: int, p: int, theta: float) -> list[Layer]:
    """Return the line of a stump, with short strokes on the side where it says versicolor."""
    if not np.isfinite(theta):
        return []
    low, high = (VIEW.x, VIEW.y) if f else (VIEW.y, VIEW.x)
    across = np.linspace(low[0], low[1], 13)
    towards = theta - p * 0.02 * (high[1] - high[0]) * (1 if not f else 2)
    ends = np.column_stack([across, np.full(13, theta)])
    tips = np.column_stack([across, np.full(13, towards)])
    if not f:
        ends, tips = ends[:, ::-1], tips[:, ::-1]
    strokes = "".join(VIEW.path(np.stack(pair)) for pair in zip(ends, tips, strict=True))
    return [("model", VIEW.path(ends[[0, -1]]) + strokes)]


def _yes(rounds: list[algorithm.Round]) -> str:
    """Return the rectangles in which the ensemble says versicolor."""
    Phi = StumpEnsemble.from_rounds([(one.alpha, *one.h) for one in rounds])
    edges = []
    for f, (low, high) in enumerate((VIEW.x, VIEW.y)):
        cuts = Phi.threshold[Phi.feature == f]
        edges.append(np.unique(np.clip([low, *cuts[np.isfinite(cuts)], high], low, high)))
    path = ""
    for a, b in zip(edges[0], edges[0][1:], strict=False):
        for c, d in zip(edges[1], edges[1][1:], strict=False):
            middle = np.array([[(a + b) / 2, (c + d) / 2]])
            if algorithm.H(middle, Phi)[0] > algorithm.total_weight(Phi) / 2:
                corners = np.array([[a, c], [b, c], [b, d], [a, d]])
                path += VIEW.path(corners, closed=True)
    return path or "M0 0"


def frame(T: int, noise: int) -> Frame:
    """Return what the demo shows for a setting of each slider."""
    rounds, P, N = trained(noise)
    rounds = rounds[:T]
    now, margin = rounds[-1], margins(rounds, P, N)
    places = VIEW.places(np.vstack([P, N]))
    radius = np.minimum(4.0 + 26 * np.sqrt(now.w / 2), 18)
    wrong = algorithm.h(np.vstack([P, N]), *now.h) != (np.arange(len(margin)) < len(P))
    shapes = [disc if i < len(P) else square for i in range(len(places))]
    dots = [shape(*place, r) for shape, place, r in zip(shapes, places, radius, strict=True)]
    rings = "".join(disc(*places[i], radius[i] + 4) for i in np.flatnonzero(wrong))
    strip = {"fillgood": "", "fillbad": ""}
    for i, m in enumerate(margin.tolist()):
        x, y = 257 + 205 * m, 356 - 11 * sum(abs(m - other) < 0.03 for other in margin[:i])
        strip["fillgood" if m > 0 else "fillbad"] += shapes[i](round(x), y, 4)
    layers = [
        ("area", _yes(rounds)),
        *VIEW.axes(
            "petal length (cm)",
            "petal width (cm)",
            ([4.0, 4.5, 5.0, 5.5, 6.0, 6.5], [1.0, 1.5, 2.0]),
        ),
        *_stump(*now.h),
        ("fill0", "".join(dots[: len(P)])),
        ("fill1", "".join(dots[len(P) :])),
        ("ring", rings or "M0 0"),
        ("axis", "M52 364H462M52 360v8M257 360v8M462 360v8"),
        *(("t", f"{x} 382 middle {m}") for x, m in ((52, "−1"), (257, "0"), (462, "1"))),
        ("t", "257 397 middle margin: wrong below 0, right above"),
        *((name, path) for name, path in strip.items() if path),
    ]
    return Frame(tuple(layers), values(rounds, P, N))
