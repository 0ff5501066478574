"""Amores, Sebe & Radeva (2006), table 2: why a number of ours is not the printed one.

In this order: chance (both numbers are means over random splits), T (not printed), another distance
of ours doing better than the one the paper names, then what experiments showed; their numbers stand
in the tables `rounds`, `distances`, `readings` and `codings`.
"""

from collections.abc import Callable, Sequence

import numpy as np

from paper_figures.boosted_distance.protocol import ROUNDS, errors_by_set, printed_lines
from paper_figures.registry import Context, Result
from refimpl.typing import FloatArray

MEASURE = (
    "Errors are means of the two classes' error rates. The paper does not name its measure; the "
    "share of all test vectors is much farther from its numbers (table `readings`)."
)
NORMALISED = (
    "Boosted Distance uses the similarity divided by sum_t alpha_t (ERRATUM BD-2). The literal "
    "sum of Algorithm A.3 grows worse with T (table `readings`)."
)
SUBSTITUTES = ("ad",)
CHANCE = (
    "chance: both are means over 100 random splits, and they differ by less than 2 standard "
    "errors of a difference"
)
BY_HAND: dict[str | tuple[str, str], str] = {
    "ad": (
        "a substitute for ad.data, 1966 distinct binary rows without the three geometry columns. "
        "On the 748 complete rows of the file's first 998, which keep the geometry, NN with L1, "
        "AdaBoost and Boosted Distance give 13.79, 8.75 and 7.74 (table `codings`): the printed "
        "errors lie between the two"
    ),
    ("MNIST", "nn"): (
        "not settled. RCA-D is the printed best; ours takes the classes as chunklets, and neither "
        "random chunklets of two vectors (2.75) nor a ridge of 1 (2.61) gives the printed number, "
        "while Mah-CD with a ridge of 1e-3 (2.06) is below it (table `codings`): how the paper "
        "treats pixels that hardly vary decides, and is not said"
    ),
    ("arrhythmia", "nn"): (
        "features that hardly vary dominate Mah-D: a ridge of 1 brings it from 38.64 to 36.36, on "
        "the other side of the printed number (table `codings`); how the paper treats them is not "
        "said"
    ),
    ("german", "nn"): (
        "columns that hardly vary within a class dominate Mah-CD: a ridge of 1e-3 gives 39.08, "
        "one of 0.1 gives 38.04, and the printed number lies between (table `codings`)"
    ),
    ("splice", "nn"): (
        "positions that are constant within a class: the pseudo-inverse leaves them out. With a "
        "ridge of 1e-3 in their place Mah-CD gives 10.50 (table `codings`), the printed number "
        "but for chance"
    ),
    ("splice", "adaboost"): (
        "the numbering of the letters: by the alphabet it is 5.01, by frequency (here) 5.60, as "
        "they appear 6.17 (table `codings`)"
    ),
    ("vote1", "adaboost"): (
        "the missing votes: with the more frequent vote in their place it is 6.20 (table "
        "`codings`), the printed number but for chance"
    ),
    ("spectf", "nn"): (
        "RCA's chunklets are not said. With the classes as chunklets it is worse than L1, whose "
        "31.78 is the printed number but for chance; random chunklets of two vectors give 37.21 "
        "(table `codings`)"
    ),
    ("wbc", "nn"): (
        "RCA's chunklets are not said. With the classes as chunklets it is worse than L1, whose "
        "5.22 is the printed number but for chance; random chunklets of two vectors give 6.91 "
        "(table `codings`)"
    ),
}


def best_fit(context: Context, results: Sequence[Result]) -> int:
    """Return the index of the T at which the boosted methods are nearest to table 2 on average."""
    errors_of_sets = errors_by_set(context, results)
    lines = printed_lines(context)
    gaps = [
        abs(errors_of_sets[name][method].mean(axis=0) - lines[name][column])
        for name in errors_of_sets
        if lines[name] and name not in SUBSTITUTES
        for method, column in (("stumps", "adaboost"), ("boosted", "boosted_distance"))
    ]
    return int(np.argmin(np.mean(gaps, axis=0)))


def by_chance(published: float, values: FloatArray) -> bool:
    """Return whether two means over equally many random splits may well differ so much.

    The limit is 2 standard errors of a difference.
    """
    limit = 2 * np.sqrt(2) * values.std(ddof=1) / np.sqrt(len(values))
    return bool(abs(values.mean() - published) <= limit)


class Explanations:
    """The reason why a row of table 2 differs from the printed one; "" where nothing is printed."""

    def __init__(self, context: Context, results: Sequence[Result]) -> None:
        self.errors_of_sets = errors_by_set(context, results)
        self.lines = printed_lines(context)
        self.place = best_fit(context, results) if any(self.lines.values()) else 0
        self.t = ROUNDS[context.scale][self.place]

    def nearest_neighbor(self, name: str, values: FloatArray) -> str:
        """Say why NN's number under its best distance, `values`, is not the printed one."""
        line = self.lines[name]
        errors = self.errors_of_sets[name]
        if not line:
            return ""
        reason = self._common(name, line["nn"], values)
        named = errors[line["best_nn_distance"]]
        if not reason and values.mean() < line["nn"] and by_chance(line["nn"], named):
            reason = (
                f"under the distance that the paper names, {line['best_nn_distance']}, ours is "
                f"{named.mean():.2f}, the printed number but for chance; another of ours is better"
            )
        return reason or BY_HAND.get((name, "nn"), "")

    def distance(self, name: str, values: FloatArray) -> str:
        """Say why NN's number under the distance that the paper names is not the printed one."""
        published = self.lines[name].get("nn")
        return self._common(name, published, values) or BY_HAND.get((name, "nn"), "")

    def boosted(self, name: str, column: str, of: Callable[[int | None], FloatArray]) -> str:
        """Say why a number of a boosted method, or of their difference, is not the printed one.

        ``of(place)`` gives the values at an index of the rounds, those at the chosen T for None.
        """
        published = self.lines[name].get(column)
        return self._common(name, published, of(None)) or self._by_rounds(
            name, column, published, of(self.place)
        )

    def _common(self, name: str, published: float | None, values: FloatArray) -> str:
        if published is None:
            return ""
        if name in SUBSTITUTES:
            return BY_HAND[name]
        return CHANCE if by_chance(published, values) else ""

    def _by_rounds(
        self, name: str, column: str, published: float | None, values: FloatArray
    ) -> str:
        if published is not None and by_chance(published, values):
            return (
                f"T: at T = {self.t}, where all of ours are nearest to the printed numbers (table "
                f"`rounds`), it is {values.mean():.2f}, the printed number but for chance"
            )
        return BY_HAND.get((name, column), "")
