"""The rows of `search_forest.when`: recall at equal comparisons and at equal time, and costs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paper_figures.comparisons import when
from paper_figures.registry import Context, Gathered, Result
from paper_figures.rows import absent_row, absent_rows, number_row
from paper_figures.search_forest import when as runs
from paper_figures.search_forest.results import computed
from paper_figures.store import Row
from refimpl.typing import FloatArray

OWN = (runs.PRINTED, runs.MOVED)
SHARE, TIME = "compared", "ms"
LEVELS: Mapping[str, tuple[int, ...]] = {SHARE: (1, 2, 5, 10), TIME: (5, 10, 20, 50, 100, 200)}
DECIDES = {SHARE: 5, TIME: 50}  # the level by which a basis is judged
WORDS = {
    SHARE: "recall (%) with {} % of brute force's comparisons",
    TIME: "recall (%) in {} % of the time of brute force",
}
COSTS = {
    "build": "CPU seconds to build",
    "peak": "MB that building adds",
    "size": "MB of the index",
}
WHY = {SHARE: "a comparison is what costs", TIME: "a query's time is what costs"}
FIND = {
    SHARE: f"with {DECIDES[SHARE]} % of brute force's comparisons",
    TIME: f"in {DECIDES[TIME]} % of the time of brute force",
}
DECIDED = tuple(WORDS[basis].format(level) for basis, level in DECIDES.items())
SENTENCE = when.Words(
    "it finds more than every rival",
    "others find as much",
    "finds more",
    {"build": "is built fastest", "size": "has the smallest index"},
)
RULE = (
    "Every method has the settings that its library documents as defaults: the forest those of "
    f"SearchForestNeighbors, printed with refine=0; annoy, which has none, {runs.TREES} trees; "
    f"FAISS {runs.LISTS} sqrt(n) lists, the least that it advises; hnswlib, PyNNDescent and the "
    "ball tree their own. How far a query searches goes through "
    "several values: n_candidates, search_k, probed lists, ef, epsilon. Between two of them recall "
    "is read off the line by the logarithm of comparisons or of time. A recall of 0 says that the "
    "shortest search that was tried takes more."
)
COUNTED = (
    "Compared with a query are points, the forest's hyperplanes, FAISS's centroids and the ball "
    "tree's centres: each is one pass over the columns. annoy does not say how many planes it "
    "passes, so its planes are not counted. hnswlib and PyNNDescent do not say what they compare. "
    "Processor time is "
    "that of one thread, the least of "
    f"{runs.PASSES} passes; where the library can, all queries are asked in one call."
)


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return recall by set and method at each level, costs, and when to take the forest."""
    rows = absent_rows(results, {"data_set": "all", "method": None, "quantity": None})
    standings: dict[tuple[str, str], dict[str, when.Standing]] = {
        (basis, own): {} for basis in DECIDES for own in OWN
    }
    too_slow: dict[tuple[str, str], list[str]] = {}
    rows += _missing(results)
    for name in dict.fromkeys(result.params["data_set"] for result in computed(results)):
        mine = [result for result in computed(results) if result.params["data_set"] == name]
        draws = [run for result in mine for run in result.value["runs"]]
        about = mine[0].value["about"]
        rows += [row for method in draws[0] for row in _of_method(name, method, draws)]
        for basis, level in DECIDES.items():
            for own in OWN:
                beyond = _signs(draws, own, basis, level)
                kin = {form: beyond.pop(form) for form in OWN if form in beyond}
                cheapest = _cheapest(draws, own, beyond)
                if not any(at_level(run, own, basis, level) for run in draws):
                    too_slow.setdefault((basis, own), []).append(name)
                    cheapest = []  # what finds nothing is not taken for its costs
                standings[basis, own][name] = when.Standing(beyond, cheapest, about, kin)
    notes = []
    for (basis, own), of_sets in standings.items():
        rows += _counts(basis, own, of_sets)
        said = [when.take_it_when(of_sets, f"the {own}", SENTENCE)] if of_sets else []
        if (basis, own) in too_slow:
            slow = when.listed(too_slow[basis, own])
            said.append(
                f"On {slow} the shortest search of the {own} takes more, which counts as nothing "
                "found."
            )
        notes.append(f"Where {WHY[basis]} (recall {FIND[basis]}): {' '.join(said)}")
    return Gathered(rows, [*notes, _sizes(context), RULE, COUNTED])


def _missing(results: Sequence[Result]) -> list[Row]:
    """Return a row for each method whose package is not installed."""
    params = results[0].params
    return [
        absent_row(
            {"data_set": "all", "method": name, "quantity": None},
            f"{package} is not installed: pip install 'refimpl[libraries]' installs it",
        )
        for name in params["methods"]
        if (package := runs.missing(name, params["versions"])) is not None
    ]


def _sizes(context: Context) -> str:
    scale = context.scale
    return (
        f"{runs.DRAWS[scale]} draws of {runs.QUERIES[scale]} queries and of a database of the "
        f"other points, {runs.POINTS[scale]:,} at most; recall is that of the {runs.K} nearest, "
        "or of points as near as these."
    )


def _of_method(name: str, method: str, draws: Sequence[Any]) -> list[Row]:
    rows = []
    for basis, levels in LEVELS.items():
        for level in levels:
            keys = {"data_set": name, "method": method, "quantity": WORDS[basis].format(level)}
            recalls = [at_level(run, method, basis, level) for run in draws]
            if None not in recalls:
                rows.append(_row(keys, np.array(recalls, dtype=np.float64)))
    for cost, quantity in COSTS.items():
        values = [run[method][cost] for run in draws]
        if None not in values:
            keys = {"data_set": name, "method": method, "quantity": quantity}
            rows.append(_row(keys, np.array(values, dtype=np.float64)))
    return rows


def _row(keys: Row, values: FloatArray) -> Row:
    row = number_row(keys, None, float(values.mean()))
    if len(values) > 1:
        row |= {"std": float(values.std(ddof=1)), "repetitions": len(values)}
    return row


def at_level(run: Mapping[str, Any], method: str, basis: str, level: float) -> float | None:
    """Return a method's recall at so many per cent of brute force's comparisons or time.

    Parameters
    ----------
    run : mapping
        What the task says of each method on a draw.
    method : str
    basis : {"compared", "ms"}
    level : float
        Per cent.

    Returns
    -------
    float or None
        0 if the method's shortest search takes more; None if it does not count.
    """
    lines = run[method]["lines"]
    if any(line[basis] is None for line in lines):
        return None
    most = level / 100.0 * run[runs.EXACT]["lines"][0][basis]
    points = sorted((line[basis], line["recall"]) for line in lines)
    spent = np.array([at for at, _ in points])
    recall = np.maximum.accumulate([found for _, found in points])
    if most < spent[0]:
        return 0.0
    return float(np.interp(np.log(most), np.log(spent), recall))


def _signs(draws: Sequence[Any], own: str, basis: str, level: float) -> dict[str, int]:
    """Return for each other method whether `own` finds more beyond chance, draw by draw."""
    signs = {}
    for method in draws[0]:
        pairs = [
            (at_level(run, own, basis, level), at_level(run, method, basis, level)) for run in draws
        ]
        if method != own and None not in pairs[0]:
            signs[method] = when.beyond_chance(np.array([ours - theirs for ours, theirs in pairs]))  # type: ignore[operator] # no None
    return signs


def _cheapest(draws: Sequence[Any], own: str, signs: Mapping[str, int]) -> list[str]:
    """Return in which costs `own` takes the least of the methods that find as much."""
    equals = [method for method, sign in signs.items() if sign == 0]

    def mean(method: str, cost: str) -> float:
        return float(np.mean([run[method][cost] for run in draws]))

    return [
        cost
        for cost in SENTENCE.costs
        if equals and all(mean(own, cost) < mean(method, cost) for method in equals)
    ]


def _counts(basis: str, own: str, standings: Mapping[str, when.Standing]) -> list[Row]:
    rows = []
    methods = next(iter(standings.values())).signs if standings else {}
    for method in methods:
        signs = [standing.signs[method] for standing in standings.values()]
        for verb, sign in (("more", 1), ("less", -1)):
            quantity = f"sets on which the {own} finds {verb} {FIND[basis]}, beyond chance"
            keys = {"data_set": "all sets", "method": method, "quantity": quantity}
            rows.append(number_row(keys, None, signs.count(sign)))
    return rows
