"""Curves of recall, read in two ways: the draws of a method together, their rows and names."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

import numpy as np

from paper_figures.search_forest.methods import RANKED, SETS
from paper_figures.store import Row
from paper_figures.tasks import Result

FOREST = "Boosted Search Forest"
ALL_POINTS = f"{FOREST}, all points"
MOVED_PLANES = f"{FOREST}, moved planes"
KMEANS = "k-means trees"
TWO_REGIONS = "k-means trees of 2 regions"
BEST_BIN_FIRST = "k-means trees, best-bin-first"
ONE_TREE = "k-means tree, best-bin-first"
LSH = "LSH"
READINGS = {SETS: "whole sets", RANKED: "ranked lists"}
EQ_18 = "eq. 18"
PLANES = {"random": "random", "principal": "principal directions", "two-means": "2-means"}


@dataclass(frozen=True)
class Curve:
    """The draws of a method under a reading.

    Attributes
    ----------
    method : str
    reading : {"sets", "ranked"}
    counts : list of int
    draws : list of dict
        The curve of each draw; all have the setting that the trial chose.
    params : mapping
        Those of draw 0.
    """

    method: str
    reading: str
    counts: list[int]
    draws: list[Mapping[str, Any]]
    params: Mapping[str, Any]

    def mean(self, key: str) -> list[float]:
        """Return the mean over the draws of what each has at every count."""
        columns: list[float] = np.mean([draw[key] for draw in self.draws], axis=0).tolist()
        return columns

    @property
    def setting(self) -> str:
        """The setting in words."""
        return setting_words(self.draws[0]["setting"], self.params)

    @property
    def trial(self) -> float:
        """The mean recall of the setting on the trial; 0 if there was none."""
        return max((value for _, value in self.draws[0]["tried"]), default=0.0)

    def rows(self, printed: Mapping[tuple[str, int], float]) -> Iterator[Row]:
        """Yield the row of each count; `printed` has the paper's number by method and count."""
        for place, count in enumerate(self.counts):
            recalls = [draw["recall"][place] for draw in self.draws]
            trees = self.mean("trees")[place] if "trees" in self.draws[0] else None
            row = {
                "reading": READINGS[self.reading],
                "method": self.method,
                "setting": self.setting,
                "returned": count,
                "trees": None if trees is None else round(trees, 1),
                "published": printed.get((self.method, count)),
            }
            more = {}
            if "error" in self.draws[0]:
                chance = _error(recalls, self.mean("error")[place])
                found = self.mean("returned")[place]
                more = complete(chance, found, count)
            yield row | spread(recalls) | more

    def drawing(self) -> dict[str, Any]:
        """Return what is drawn of the curve."""
        return {
            "method": self.method,
            "reading": READINGS[self.reading],
            "counts": self.counts,
            "candidates": mean(draw["candidates"] for draw in self.draws),
        } | {
            key: self.mean(key)
            for key in ("recall", "error", "returned", "compared")
            if key in self.draws[0]
        }


def _error(recalls: Sequence[float], of_queries: float) -> float:
    """Return the standard error of a mean recall, over the draws and over the queries."""
    n = len(recalls)
    return math.hypot(of_queries, stdev(recalls) / math.sqrt(n) if n > 1 else 0.0)


FULL = 0.95
"""A method that returns a smaller part of what is asked for has run out of candidates."""


def complete(error: float, found: float, count: int) -> Row:
    """Return the error of a recall; none if a method has run out of candidates."""
    return {"error": float(f"{error:.4g}") if found >= FULL * count else None}


def spread(values: Sequence[float]) -> Row:
    """Return the number of several draws, with their standard deviation if they are several."""
    number: Row = {"ours": round(mean(values), 2), "std": None}
    if len(values) > 1:
        number |= {"std": round(stdev(values), 3), "repetitions": len(values)}
    return number


def setting_words(setting: Any, params: Mapping[str, Any]) -> str:
    """Return a setting in words; `params` say of which method it is."""
    if "bits" in params:
        return f"{setting} bits"
    if "tables" in params:
        return f"{setting[0]} functions of width {setting[1]:g}"
    if "settings" in params:
        return f"{setting[0]} regions, leaves of {setting[1]}"
    return f"lambda {setting:g}"


def method_of(r: Result) -> str:
    """Return the name of a task's curve in figures 1 and 2."""
    if r.name == "spectral":
        return f"spectral hashing {r.params['bits']} bits"
    if r.name == "best_first":
        return BEST_BIN_FIRST if r.params["trees"] > 1 else ONE_TREE
    if r.name == "kmeans":
        regions = {setting[0] for setting in r.params["settings"]}
        return f"{KMEANS} of {regions.pop()} regions" if len(regions) == 1 else KMEANS
    if r.name == "forest":
        return MOVED_PLANES if r.params.get("refine") else FOREST
    return LSH


def curves_of(results: Sequence[Result], name: Callable[[Result], str] = method_of) -> list[Curve]:
    """Return the curves of the results that have a value, whole sets first; draws are in one."""
    together: dict[tuple[str, str], list[Result]] = {}
    for reading in READINGS:
        for r in results:
            if r.value is not None and reading in r.value:
                together.setdefault((reading, name(r)), []).append(r)
    return [
        Curve(
            method,
            reading,
            list(of_method[0].params["counts"]),
            [r.value[reading] for r in of_method],
            of_method[0].params,
        )
        for (reading, method), of_method in together.items()
    ]


def named_for_figures(results: Sequence[Result]) -> Callable[[Result], str]:
    """Return the names of Figure 1's and 2's curves: a forest of more points has its own."""
    sizes = [r.params["n_train"] for r in results if r.name == "forest"]

    def name(r: Result) -> str:
        if r.name == "forest" and r.params["n_train"] > min(sizes):
            return ALL_POINTS
        return method_of(r)

    return name


def best_regions(curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves with one of k-means trees by leaves beside that of two regions.

    It has the regions of the largest mean recall on the trial.
    """
    chosen: list[Curve] = []
    for reading in READINGS:
        mine = [curve for curve in curves if curve.reading == reading]
        trees = [curve for curve in mine if curve.method.startswith(f"{KMEANS} of ")]
        best = max(trees, key=lambda curve: curve.trial, default=None)
        for curve in mine:
            if curve is best:
                chosen.append(Curve(KMEANS, reading, curve.counts, curve.draws, curve.params))
            if curve not in trees or curve.method == TWO_REGIONS:
                chosen.append(curve)
    return chosen
