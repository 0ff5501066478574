"""Athitsos et al. (2005), beyond the paper: when BoostMap pays.

Exact distances a query at equal recall, for six distances that are no vectors' own, on the paper's
set and on six others, and what the methods cost beside them.

Not handled here: errors beside classifiers of vectors, which take no distance.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from paper_figures.boostmap.exact_counts import RECALLS, all_of, exact_counts
from paper_figures.boostmap.results import mean_row
from paper_figures.comparisons import when
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import absent_row, absent_rows
from paper_figures.store import Row

KINDS = {
    "edit": ("edit", "splice"),
    "DTW": ("DTW", "pen-digits"),
    "KL": ("KL", "opt-digits"),
    "Hausdorff": ("Hausdorff", "MNIST-10"),
    "chamfer": ("chamfer", "MNIST-10"),
    "cosine": ("cosine", "isolet"),
    "chamfer, faces": ("chamfer", "yalefaces"),
    "cosine, newsgroups": ("cosine", "20news"),
}
"""What a row is called, the distance and its data set at the papers' scale. The small scale has one
set, and so the first row of each distance."""
SMALL_SET = "digits"
FEWER = {"splice": 1135, "yalefaces": 1990}
"""The database's size where a set has no 2,000 objects beside the queries."""
DRAWS = {"small": 2, "paper": 20}
OBJECTS = {"small": 200, "paper": 2000}
QUERIES = {"small": 40, "paper": 400}
SIZES: dict[str, dict[str, Any]] = {
    "small": {
        "candidates": 60,
        "objects": 80,
        "triples": 1000,
        "k_most": 12,
        "k_selective": 4,
        "M_1": 40,
        "M_2": 10,
        "d": 16,
        "dimensions": (4, 8, 16),
        "query_sensitive": 16,
        "neighbors": 0,
    },
    "paper": {
        "candidates": 400,
        "objects": 600,
        "triples": 30_000,
        "k_most": 60,
        "k_selective": 4,
        "M_1": 200,
        "M_2": 50,
        "d": 64,
        "dimensions": (4, 8, 16, 32, 64),
        "query_sensitive": 64,
        "neighbors": 20,
    },
}
EMBEDDINGS = "BoostMap"
DECIDES = 95  # the recall by which it is judged when to take BoostMap
COSTS = {
    "train": "CPU seconds to train, without exact distances",
    "ask": "CPU milliseconds a query, without exact distances",
    "kept": "MB kept beside the objects",
}
DISTANCE = "CPU microseconds of an exact distance"
WORDS = when.Words(
    "it takes the fewest exact distances",
    "others take as few",
    "takes fewer",
    {"train": "trains fastest", "ask": "adds the least time to a query", "kept": "keeps the least"},
)
NOT_REACHED = "no width of the search that was tried reaches the recall"
LIBRARY = "PyNNDescent is not installed: pip install refimpl[libraries]"
PACKAGE = "pynndescent"
Values = Mapping[str, Sequence[dict[str, Any]]]
"""What the tasks return, by the names of :data:`KINDS`, in the order of the draws."""


def versions() -> dict[str, str | None]:
    """Return PyNNDescent's version, or None where it is not installed.

    It is a parameter of the tasks: what was stored without the package is not taken for what has
    it.
    """
    try:
        return {PACKAGE: version(PACKAGE)}
    except PackageNotFoundError:
        return {PACKAGE: None}


def kinds_of(context: Context) -> dict[str, tuple[str, str]]:
    """Return the distance and the data set of each row of a scale."""
    if context.scale == "paper":
        return KINDS
    return {name: (kind, SMALL_SET) for name, (kind, _) in KINDS.items() if name == kind}


def pays_tasks(context: Context) -> list[Task]:
    """Return a task for each distance and draw; the small scale goes without PyNNDescent."""
    sizes = SIZES[context.scale]
    known = versions() if sizes["neighbors"] else {}
    tasks = []
    for draw in range(DRAWS[context.scale]):
        for kind, data_set in kinds_of(context).values():
            params = {
                "kind": kind,
                "data_set": data_set,
                "objects": FEWER.get(data_set, OBJECTS[context.scale]),
                "queries": QUERIES[context.scale],
                "sizes": sizes,
                "versions": known,
                "draw": draw,
            }
            kernels = ("chamfer", "losses", "scan")
            tasks.append(
                Task("exact_counts", exact_counts, params, data=(data_set,), kernels=kernels)
            )
    return tasks


def pays(context: Context, results: Sequence[Result]) -> Gathered:
    """Return exact distances a query by distance, method and recall, means over the draws."""
    empty: Row = {"distance": "all", "method": None, "recall": None}
    rows = absent_rows(results, empty)
    of_kinds = _by_kind(context, results)
    for kind, values in of_kinds.items():
        for recall in RECALLS:
            counts = _counts(values, recall)
            if counts:
                rows += _rows(kind, recall, values, counts)
        rows += _cost_rows(kind, values)
    if context.scale == "paper" and not all_of(versions()):
        rows.append(absent_row(empty | {"method": "PyNNDescent"}, LIBRARY))
    return Gathered(rows, [*_NOTES, *_who_wins(of_kinds), *_take_it(of_kinds)])


def _by_kind(context: Context, results: Sequence[Result]) -> Values:
    """Return the values of each row's distance and data set, where there are any."""
    of_kinds = {
        name: [
            r.value
            for r in results
            if r.value and (r.params["kind"], r.params["data_set"]) == of_name
        ]
        for name, of_name in kinds_of(context).items()
    }
    return {name: values for name, values in of_kinds.items() if values}


_NOTES = (
    "Exact distances a query, with those that embed it, for a recall of so many per cent of its 10 "
    "nearest. Half of the queries choose d and p, or the width of a search (or two widths, and "
    "the share of the queries that gets each); the other half gives the recall that stands in "
    "small beside the count. An object as near as the tenth counts as "
    "found. Means over draws of database and queries; a star: the fewest.",
    "Before the first query a method takes the distances under `build`: BoostMap those of its "
    "candidates and triples and those that embed the database, a tree or a graph those of its "
    "links. Times are those of one thread without the exact distances, which are looked up in a "
    "matrix; the tree is searched in Python, PyNNDescent's seconds to train include compiling. "
    "Where a distance is cheap, a scan of all of them is fastest.",
    "Exact distances at equal recall stand in for an error: methods that find the same neighbours "
    "classify alike, and what takes vectors (SVC, forests, boosting) has no use for a distance.",
)


def _counts(values: Sequence[dict[str, Any]], recall: int) -> dict[str, list[float]]:
    """Return each method's distances by draw, of methods that reach the recall in every draw."""
    counts = {}
    for method in values[0]["methods"]:
        reached = [value["methods"][method]["at"].get(str(recall)) for value in values]
        if all(reached):
            counts[method] = [at["distances"] for at in reached]
    return counts


def _rows(
    kind: str, recall: int, values: Sequence[dict[str, Any]], counts: dict[str, list[float]]
) -> list[Row]:
    fewest = min(counts, key=lambda method: float(np.mean(counts[method])))
    rows = []
    for method in values[0]["methods"]:
        keys = {"distance": kind, "method": method, "recall": recall}
        if method not in counts:
            rows.append(absent_row(keys, NOT_REACHED))
            continue
        at = [value["methods"][method]["at"][str(recall)]["recall"] for value in values]
        build = [value["methods"][method]["build"] for value in values]
        keys |= {
            "reached": round(float(np.mean(at)), 1),
            "build": round(float(np.mean(build))),
            "fewest": "yes" if method == fewest else "no",
        }
        rows.append(mean_row(keys, None, counts[method]))
    return rows


def _who_wins(of_kinds: Values, recall: int = 95) -> list[str]:
    """Say for each distance whether the best form of BoostMap takes fewer distances than rivals.

    A difference counts from two of its standard errors on, over the draws that both share.
    """
    said: dict[str, list[str]] = {"fewer": [], "more": [], "no sure difference": []}
    for kind, values in of_kinds.items():
        counts = _counts(values, recall)
        ours = {m: c for m, c in counts.items() if m.startswith(EMBEDDINGS)}
        rivals = {m: c for m, c in counts.items() if m not in ours}
        if not ours or not rivals:
            continue
        best = min(ours, key=lambda method: float(np.mean(ours[method])))
        rival = min(rivals, key=lambda method: float(np.mean(rivals[method])))
        gap = np.array(ours[best]) - np.array(rivals[rival])
        error = float(np.std(gap, ddof=1)) / len(gap) ** 0.5 if len(gap) > 1 else np.inf
        sure = abs(float(gap.mean())) > 2 * error
        state = ("fewer" if gap.mean() < 0 else "more") if sure else "no sure difference"
        a, b = float(np.mean(ours[best])), float(np.mean(rivals[rival]))
        said[state].append(f"{kind} ({best.removeprefix('BoostMap, ')} {a:,.0f}, {rival} {b:,.0f})")
    words = {
        "fewer": "BoostMap takes fewer exact distances than every rival",
        "more": "BoostMap takes more than the best rival",
        "no sure difference": "No sure difference to the best rival",
    }
    return [
        f"{words[state]} at {recall} % recall: {'; '.join(kinds)}."
        for state, kinds in said.items()
        if kinds
    ]


def _cost_rows(kind: str, values: Sequence[dict[str, Any]]) -> list[Row]:
    """Return what the methods cost beside exact distances, and what such a distance costs."""
    if "microseconds" not in values[0]:
        return []
    rows = [
        mean_row(
            {"distance": kind, "method": method, "cost": words},
            None,
            [value["methods"][method][cost] for value in values],
        )
        for cost, words in COSTS.items()
        for method in values[0]["methods"]
    ]
    keys = {"distance": kind, "method": "all distances", "cost": DISTANCE}
    return [*rows, mean_row(keys, None, [value["microseconds"] for value in values])]


def _take_it(of_kinds: Values) -> list[str]:
    """Say when to take BoostMap: its form is chosen on the first draw and judged on the others."""
    standings = {}
    chosen = {}
    for kind, values in of_kinds.items():
        counts = _counts(values, DECIDES) if len(values) > 1 else {}
        forms = [method for method in counts if method.startswith(EMBEDDINGS)]
        rivals = [method for method in counts if method not in forms]
        if not forms or not rivals:
            continue
        own = min(forms, key=lambda method: counts[method][0])
        chosen[kind] = own
        signs = {
            rival: when.beyond_chance(np.subtract(counts[rival][1:], counts[own][1:]))
            for rival in rivals
        }
        standings[kind] = when.Standing(signs, _cheapest(values[1:], own, signs))
    if not standings:
        return []
    forms_said = "; ".join(f"{kind}: {own}" for kind, own in chosen.items())
    return [
        f"{when.take_it_when(standings, EMBEDDINGS, WORDS)} At {DECIDES} % recall, by the form "
        f"that takes fewest on the first draw, judged on the others ({forms_said})."
    ]


def _cheapest(values: Sequence[Any], own: str, signs: dict[str, int]) -> list[str]:
    """Return in which costs `own` takes the least of the methods that take as few distances."""
    equals = [method for method, sign in signs.items() if sign == 0]

    def mean(method: str, cost: str) -> float:
        return float(np.mean([value["methods"][method][cost] for value in values]))

    return [
        cost
        for cost in COSTS
        if equals
        and "microseconds" in values[0]
        and all(mean(own, cost) < mean(method, cost) for method in equals)
    ]
