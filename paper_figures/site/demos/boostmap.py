"""BoostMap, § 7.3: the dimension and the candidates of a round, and the triples that flip."""

from functools import cache
from itertools import islice

import numpy as np

from paper_figures.site.demos import Frame, View, disc, kinds, links, number, packed
from paper_figures.site.examples import flowers
from paper_figures.site.examples.boostmap import D, kind
from refimpl.boostmap import algorithm, nearby_triples
from refimpl.typing import FloatArray

DIMENSIONS = (1, 2, 3, 4, 5, 6)
CANDIDATES = (1, 3, 8, 16)
SETTINGS = (DIMENSIONS, CANDIDATES)
SEED, ROUNDS = 2, 100
PETALS, _ = flowers(0, 14, 24, 41, 50, 57, 66, 70, 77, 83, 86, 101, 106, 118, 126, 133)
HARD = nearby_triples(D, 4, 120, rng=np.random.default_rng(SEED))
TRIPLES, ORDERS = HARD.objects, HARD.y
PROBLEM = algorithm.Problem(D, D, TRIPLES, ORDERS)
VIEW = View.around(PETALS, 0.1, bottom=292)


@cache
def trained(d: int, M_1: int) -> tuple[algorithm.Round, ...]:
    """Return the rounds of § 7.3 that have at most d unique classifiers."""
    rng = np.random.default_rng(SEED)
    rounds = algorithm.training_rounds(PROBLEM, d, M_1, M_1, M_1, rng=rng)
    return tuple(islice(rounds, ROUNDS))


def answers(d: int, M_1: int) -> FloatArray:
    """Return the margins y H of all triples; without a classifier they are 0."""
    rounds = trained(d, M_1) if d else ()
    return rounds[-1].m if rounds else np.zeros(len(ORDERS))


def values(d: int, M_1: int) -> dict[str, str]:
    """Return the numbers of a training: its rounds, its dimension, and what it gets wrong."""
    rounds, m = trained(d, M_1), answers(d, M_1)
    before = answers(d - 1, M_1)
    wrong = m <= 0
    error = algorithm.classification_error(ORDERS, ORDERS * m)
    return {
        "error": number(error),
        "wrong": str(int(wrong.sum())),
        "mended": str(int((~wrong & (before <= 0)).sum())),
        "spoilt": str(int((wrong & (before > 0)).sum())),
        "rounds": str(len(rounds)),
        "loss": number(float(np.exp(-m).mean())),
        "dimension": str(len(algorithm.strong_classifier(rounds))),
    }


def frame(d: int, M_1: int) -> Frame:
    """Return what the demo shows for a setting of each slider."""
    m, before = answers(d, M_1), answers(d - 1, M_1)
    wrong, were = m <= 0, before <= 0
    q, a, b = TRIPLES.T
    near, far = np.where(ORDERS > 0, a, b), np.where(ORDERS > 0, b, a)
    references = {
        r for name in algorithm.strong_classifier(trained(d, M_1)) for r in name if r >= 0
    }
    strip = {"fillgood": "", "fillbad": "", "thin": ""}
    for place, i in enumerate(np.argsort(m, kind="stable")):
        x = 47 + 3.5 * place
        name = "fillbad" if wrong[i] else "fillgood" if were[i] else "thin"
        strip[name] += f"M{x:g} 344h2.5v26h-2.5z"
    places = VIEW.places(PETALS)
    rings = "".join(disc(*places[r], 11) for r in sorted(references))
    pairs = [
        sorted({(int(one[i]), int(q[i])) for i in np.flatnonzero(wrong)}) for one in (near, far)
    ]
    layers = [
        *VIEW.axes(
            "petal length (cm)",
            "petal width (cm)",
            ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, 1.0, 1.5, 2.0]),
        ),
        *((("good", links(pairs[0])), ("bad", links(pairs[1]))) if wrong.any() else ()),
        ("mark", rings or "M0 0"),
        *kinds(kind),
        *((name, path) for name, path in strip.items() if path),
        ("t", "257 390 middle each triple a bar, from the least margin to the largest"),
    ]
    return Frame(tuple(layers), values(d, M_1), packed(places))
