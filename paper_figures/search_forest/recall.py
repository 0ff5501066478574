"""What the figures of recall compute, and the curves that they read: § 4's protocol.

The database is searched for each query, and recall is the share of the query's K nearest among the
returned items. What the paper leaves open is chosen by one rule for all methods and readings: the
setting of the largest mean recall along the curve is taken, on a trial (:mod:`points`), of those
with which every draw gives a model: with a large lambda no tree may be worth its cost. The draws of
a method share the setting. A model that two readings choose is built once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from paper_figures.rows import by
from paper_figures.search_forest.methods import METHODS, RANKED, SETS, grows
from paper_figures.search_forest.points import trial, whole
from paper_figures.search_forest.readings import over_draws
from paper_figures.store import Row
from paper_figures.study import Cell, Job, Observation, Seen

FOREST = "Boosted Search Forest"
KMEANS = "k-means trees"
LSH = "LSH"
READINGS = (SETS, RANKED)
BY_READING: dict[str, Any] = {
    "columns": ("returned",),
    "tables": ("reading",),
    "names": {"reading": {reading: reading.capitalize() for reading in READINGS}},
    "headings": {"trees": "trees in use"},
}
"""How the views lay out recall by the number of returned items."""
FULL = 0.95
"""A method that returns a smaller part of what is asked for has run out of candidates."""
READING = (
    "Whole sets, the main reading: what is returned is the union of the leaves (LSH: buckets) that "
    "a query reaches in the first trees, in no order; section 4.1 says that more returned items "
    "take more trees, whose number stands in the cell. Between two numbers of trees recall is "
    "interpolated. Ranked lists: the candidates of all trees, ordered by T or by the trees that "
    "agree, are cut. Codes and best-bin-first search give a list in any case."
)
RULE = (
    "Settings that the paper leaves open (lambda; regions and leaves of the k-means trees; "
    "functions and width of LSH) are those of the largest mean recall along the curve when 300 "
    "points of the database are the queries, among a part of the others, as long as every draw has "
    "a tree with it; K, "
    "the counts and the leaves of the k-means trees shrink with the database. Each reading has its "
    "own setting. The trees' leaves are no smaller than in their source, which does not divide "
    "fewer points than there are regions."
)
DRAWN = (
    "Means over {} draws of forests, trees and tables; the error is over the draws and the "
    "queries. A number without an error has run out of candidates: fewer than 95 % of the items "
    "that are asked for are returned."
)


def recalls(
    job: Job,
    *,
    method: str,
    part: str,
    draws: int,
    settings: Sequence[Any],
    shape: Mapping[str, Any],
    sample: int,
    **of: Any,
) -> Iterator[Observation]:
    """Yield the curve of each draw of a method (`part` of METHODS) under each reading."""
    # `sample` is the size of the trial; `of` are the parameters of points.whole
    how = METHODS[part]
    tried: list[dict[str, float]] = []
    if len(settings) > 1:
        small = trial(job, sample, **{key: of[key] for key in ("data_set", "d", "K", "counts")})
        for setting in settings:
            model = how.build(job, small, setting, 0, **shape)
            curves = {reading: read(job, model, small) for reading, read in how.read.items()}
            tried.append({reading: float(c["recall"].mean()) for reading, c in curves.items()})
    problem = whole(job, **of)
    built: dict[int, list[tuple[Any, float]]] = {}
    for reading, read in how.read.items():
        means = [of_setting[reading] for of_setting in tried]
        ranked = sorted(range(len(means)), key=lambda place: -means[place]) or [0]
        for best in ranked:
            if best not in built:
                built[best] = [
                    timed(how.build, job, problem, settings[best], draw, **shape)
                    for draw in range(draws)
                ]
            if all(grows(model) for model, _ in built[best]):
                break
        for draw, (model, seconds) in enumerate(built[best]):
            yield {
                "reading": reading,
                "draw": draw,
                "setting": settings[best],
                "tried": list(zip(settings, means, strict=False)),
                "seconds": seconds,
                **how.size(model),
                **read(job, model, problem),
            }


def timed(build: Callable[..., Any], *arguments: Any, **shape: Any) -> tuple[Any, float]:
    """Return a model and the seconds that it took to build."""
    start = perf_counter()
    return build(*arguments, **shape), perf_counter() - start


def forest_cell(at: Cell, sizes: Mapping[str, Any], draws: int, **options: Any) -> Cell:
    """Return the cell of a forest; `options` are of :func:`methods.build_forest`, or its name."""
    name = options.pop("method", FOREST)
    shape = {"n_train": sizes["n_train"], "trees": sizes["trees"], "max_depth": sizes["depth"]}
    how = {"method": name, "part": "forest", "draws": draws, "settings": sizes["lams"]}
    return at | how | {"shape": shape | options}


def rival_cell(
    at: Cell, method: str, part: str, draws: int, settings: Sequence[Any], trees: int | None
) -> Cell:
    """Return the cell of a rival with so many trees or tables; None for codes."""
    how = {"method": method, "part": part, "draws": draws, "settings": list(settings)}
    return at | how | {"shape": {} if trees is None else {"trees": trees}}


def leaves_of(regions: Iterable[int], leaves: Iterable[int]) -> list[tuple[int, int]]:
    """Return the settings of k-means trees; a leaf has no fewer points than the source divides."""
    return [(n, leaf) for n in regions for leaf in leaves if leaf >= n - 1]


# --------------------------------------------------------------------------- what is read


@dataclass(frozen=True)
class Curve:
    """The draws of a method under a reading, which share a setting."""

    method: str
    reading: str
    draws: Sequence[Observation]

    @property
    def first(self) -> Observation:
        """What draw 0 gave, with the parameters of the cell."""
        return self.draws[0]

    @property
    def counts(self) -> list[int]:
        """The numbers of returned items."""
        return list(self.first["counts"])

    @property
    def setting(self) -> str:
        """The setting in words."""
        return METHODS[self.first["part"]].words(self.first["setting"])

    @property
    def trial(self) -> float:
        """The mean recall of the setting on the trial; 0 if there was none."""
        return max((mean for _, mean in self.first["tried"]), default=0.0)

    def mean(self, key: str) -> list[float]:
        """Return the mean over the draws of what each has at every count."""
        columns: list[float] = np.mean([draw[key] for draw in self.draws], axis=0).tolist()
        return columns

    def numbers(self, place: int) -> Row:
        """Return recall at a count; it has no error if the method has run out of candidates."""
        recalls, errors = ([draw[key][place] for draw in self.draws] for key in ("recall", "error"))
        row = over_draws(recalls, errors, self.first["queries"])
        found = self.mean("returned")[place]
        return row if found >= FULL * self.counts[place] else row | {"error": None}

    def rows(self, printed: Mapping[tuple[str, int], float] = {}) -> Iterator[Row]:
        """Yield the row of each count; `printed` has the paper's number by method and count."""
        for place, count in enumerate(self.counts):
            trees = self.mean("trees")[place] if "trees" in self.first else None
            yield {
                "reading": self.reading,
                "method": self.method,
                "setting": self.setting,
                "returned": count,
                "trees": None if trees is None else round(trees, 1),
                "published": printed.get((self.method, count)),
            } | self.numbers(place)

    def drawing(self) -> dict[str, Any]:
        """Return what is drawn of the curve."""
        line = {"method": self.method, "reading": self.reading, "counts": self.counts}
        drawn = ("recall", "compared")
        return line | {key: self.mean(key) for key in drawn if key in self.first}


def curves_of(items: Sequence[Observation]) -> list[Curve]:
    """Return the curves of the observations, whole sets first."""
    groups = by(items, "method", "reading").items()
    curves = [Curve(method, reading, draws) for (method, reading), draws in groups]
    return sorted(curves, key=lambda curve: READINGS.index(curve.reading))


def set_note(seen: Seen) -> str:
    """Return the note that says what is searched, and what is counted."""
    items = [*seen.items, *seen.missing]
    sets = " and ".join(dict.fromkeys(item["data_set"] for item in items))
    d = ", ".join(str(d) for d in sorted({item["d"] for item in items}))
    return (
        f"The paper's images are not available: {sets} on {d} components, "
        f"{items[0]['queries']} queries that are not in the database. "
        f"Recall of the {items[0]['K']} nearest in per cent."
    )


def drawn_note(curves: Sequence[Curve]) -> str:
    """Return the note on the draws."""
    return DRAWN.format(max((len(curve.draws) for curve in curves), default=1))
