"""Athitsos et al. (2005), beyond the paper: which readings of §§ 7 and 8 give the printed ranks.

`additions` tries readings of the first phase at the sizes of table 1, `second_phase` readings of
the second one on top of two of them.

A reading is chosen by some cells, :data:`CHOOSING`, and checked on the others. The claims that read
these tables are judged the other way round, too: :mod:`paper_figures.boostmap.reading_claims`.

Not handled here: edge detectors with FastMap (:mod:`paper_figures.boostmap.open_fastmap`).
"""

import math
from collections.abc import Sequence
from typing import Any

from paper_figures.boostmap.factorial import SHOWN, factor
from paper_figures.boostmap.protocol import SET, SIZES, SPACE
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import absent_rows, number_row
from paper_figures.store import Row

DETECTOR = ("canny", 1.7, 0.1, 0.2)
ADD = {"steps": "add"}
READINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("additions alone, negative weights too, m = M_1 / 10", ADD | {"signed": True, "m": 10}),
    ("additions alone, m = M_1 / 20", ADD | {"m": 20}),
    ("additions alone, M_1 / 2 objects and M_1 / 2 pairs", ADD | {"m": 2, "M_1": 2}),
    ("additions alone, m = M_1 / 50", ADD | {"m": 50}),
    ("additions alone, m = M_1 / 10", ADD | {"m": 10}),
    ("additions alone, m = M_1 / 2", ADD | {"m": 2}),
    ("additions alone, m = M_1 / 10, edges not smoothed", ADD | {"m": 10, "detector": 0.0}),
    ("additions alone, m = M_1 / 10, Canny's sigma 1", ADD | {"m": 10, "detector": 1.0}),
    (
        "additions alone, m = M_1 / 10, Canny's sigma 1; drawn anew where none gains",
        ADD | {"m": 10, "detector": 1.0, "redraw": True},
    ),
    ("all steps, M_1 / 2 objects and M_1 / 2 pairs", {"m": 2, "M_1": 2}),
    ("all steps, negative weights too, m = M_1 / 10", {"signed": True, "m": 10}),
)
"""What is tried, "m" and "M_1" as the share of M_1, "detector" as Canny's sigma."""
SHARES = ("m", "M_1")
ROUNDS = {"small": (8, 16, 32), "paper": (128, 256, 512)}
SECOND_PHASES: tuple[tuple[str, str, str, tuple[int, ...]], ...] = (
    ("a splitter for each coordinate, ranges by error", "one", "error", (0, 1, 2)),
    ("a splitter for each coordinate, ranges by Z", "one", "Z", (0,)),
    ("2 d classifiers, ranges by error", "both", "error", (1,)),
)
"""Name, splitters, ranges_by, and which of the numbers of rounds."""
FIRST_PHASES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("additions alone, m = M_1 / 10, Canny's sigma 1; drawn anew where none gains", (0, 2, 1)),
    ("additions alone, m = M_1 / 50", (0,)),
)
"""The first phases under the second ones, of :data:`READINGS`, and which second phases are tried on
top. They are fixed before `additions` is made, which has them among its candidates."""
CELLS = tuple((k, p) for k in (1, 10, 100) for p in SHOWN)
"""k and percentile of the ranks that are shown; the paper prints 95 and 99, and 98 for k = 10."""
CHOOSING = (1, 100)
"""The k whose cells choose a reading; the cells of the others check it."""
RATIO = "random / selective"
TIMES = "times the rank without it"
CHOSEN_BY = "factor to the printed ranks, k = 1 and 100"
CHECKED_ON = "factor to the printed ranks, k = 10"
Cell = tuple[str, int, int]
"""Triples, k, percentile."""


def _space(context: Context) -> dict[str, Any]:
    return {"data_set": SET[context.scale], **SPACE[context.scale]}


def _sizes(context: Context) -> dict[str, Any]:
    sizes = SIZES[context.scale]
    return sizes | {"m": sizes["M_1"], "threads": 1}


def _factor_task(
    context: Context, change: dict[str, Any], triples: str, second: Sequence[dict[str, Any]] = ()
) -> Task:
    whole = SIZES[context.scale]["M_1"]
    reading = {
        name: -(-whole // value) if name in SHARES else value
        for name, value in change.items()
        if name != "detector"
    }
    detector = ("canny", change["detector"], 0.1, 0.2) if "detector" in change else DETECTOR
    return Task(
        "factor",
        factor,
        _space(context)
        | {
            "detector": detector,
            "triples": triples,
            "sizes": _sizes(context),
            "reading": reading,
            "second_phases": list(second),
            "draw": 0,
        },
        data=(SET[context.scale],),
        kernels=("chamfer", "losses", "scan"),
    )


# ------------------------------------------------------------------------------ the first phase


def additions_tasks(context: Context) -> list[Task]:
    """Return a task for each reading of the first phase, with random and with selective triples."""
    return [
        _factor_task(context, change, triples) for _, change in READINGS for triples in ("Ra", "Se")
    ]


def additions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return ranks under each reading, random over selective triples, and what is nearest."""
    empty = {"quantity": None, "triples": "all", "k": None, "percentile": None}
    rows = absent_rows(results, {"reading": "all"} | empty)
    values: dict[str, dict[str, Any]] = {}
    for (name, _), pair in zip(READINGS, _pairs(results), strict=True):
        if all(r.value for r in pair):
            values[name] = {r.params["triples"]: r.value for r in pair}
    printed = _printed(context, "QI")
    ranks = {
        name: {
            (triples, k, p): value["QI"][str(k)][SHOWN.index(p)]
            for triples, value in pair.items()
            for k, p in CELLS
            if str(k) in value["QI"]
        }
        for name, pair in values.items()
    }
    for name, cells in ranks.items():
        for cell, rank in cells.items():
            rows.append(_rank_row(name, cell, values[name][cell[0]], printed.get(cell), rank))
        rows += _ratio_rows({"reading": name}, cells, printed)
    nearest = [
        row
        for name, cells in ranks.items()
        for row in _distance_rows({"reading": name}, cells, printed)
    ]
    said = _chosen(nearest, ("reading",))
    return Gathered(rows + nearest, [*_NOTES, *said])


def _pairs(results: Sequence[Result]) -> list[Sequence[Result]]:
    """Return the results of random and of selective triples, two by two."""
    return [results[place : place + 2] for place in range(0, len(results), 2)]


def _printed(context: Context, distance: str) -> dict[Cell, float]:
    """Return the printed ranks of tables 1 and 2, and the p of § 11.2, by cell."""
    if context.scale != "paper":
        return {}
    printed = {
        (line["triples"], int(line["k"]), int(line["percentile"])): line["enn_k_rank"]
        for line in context.published("boostmap/table1_2.csv")
        if line["distance"] == distance
    }
    if distance == "QI":
        for line in context.published("boostmap/section11_2.csv"):
            if line["method"].startswith("BoostMap"):
                printed[line["method"].split("-")[2], 10, 98] = line["candidates_p"]
    return printed


def _rank_row(name: str, cell: Cell, value: dict[str, Any], printed: Any, rank: float) -> Row:
    triples, k, p = cell
    keys = {
        "reading": name,
        "quantity": "rank",
        "triples": triples,
        "k": k,
        "percentile": p,
        "reached": value["d"],
        "distances to embed": value["cost"],
        "with pivot pairs": value["pairs"],
        "negative": value["negative"],
        "printed": printed,
    }
    return number_row(keys, None, rank)


def _ratio_rows(keys: Row, ranks: dict[Cell, float], printed: dict[Cell, float]) -> list[Row]:
    """Return how many times the rank of random triples is that of selective ones."""
    rows = []
    for k, p in CELLS:
        ra, se = ("Ra", k, p), ("Se", k, p)
        if ra in ranks:
            known = round(printed[ra] / printed[se], 2) if ra in printed else None
            more = {"quantity": RATIO, "k": k, "percentile": p}
            ratio = round(ranks[ra] / ranks[se], 3)
            rows.append(number_row(keys | more | {"printed": known}, None, ratio))
    return rows


def _distance_rows(keys: Row, cells: dict[Cell, float], printed: dict[Cell, float]) -> list[Row]:
    """Return by which factor the ranks of a reading miss the printed ones, on average."""
    rows = []
    for quantity, chooses in ((CHOSEN_BY, True), (CHECKED_ON, False)):
        logs = [
            abs(math.log(rank / printed[cell]))
            for cell, rank in cells.items()
            if cell in printed and (cell[1] in CHOOSING) == chooses
        ]
        if logs:
            factor_off = round(math.exp(math.fsum(logs) / len(logs)), 3)
            rows.append(number_row(keys | {"quantity": quantity}, None, factor_off))
    return rows


def _chosen(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """Say which reading the cells with k = 1 and 100 choose, and how it does on k = 10.

    `rows` are those of :func:`_distance_rows`; `keys` name a reading.
    """
    factors: dict[str, dict[tuple[str, ...], float]] = {}
    for row in rows:
        name = tuple(str(row[key]) for key in keys)
        factors.setdefault(row["quantity"], {})[name] = row["ours"]
    if CHOSEN_BY not in factors or CHECKED_ON not in factors:
        return []
    chosen, least = (
        min(factors[quantity], key=lambda name: factors[quantity][name])
        for quantity in (CHOSEN_BY, CHECKED_ON)
    )
    there = "the same one" if least == chosen else _said(keys, least)
    return [
        f"The cells with k = 1 and 100 choose {_said(keys, chosen)}: on average its ranks are a "
        f"factor {factors[CHOSEN_BY][chosen]:g} off the printed ones. On k = 10 it is a factor "
        f"{factors[CHECKED_ON][chosen]:g} off; the least there is {factors[CHECKED_ON][least]:g}, "
        f"of {there}."
    ]


def _said(keys: Sequence[str], name: Sequence[str]) -> str:
    """Return a reading in words; a single key goes without saying."""
    parts = name if len(keys) == 1 else [f"{k}: {v}" for k, v in zip(keys, name, strict=True)]
    return f'"{"; ".join(parts)}"'


_NOTES = (
    "Ranks of query-insensitive embeddings at the sizes of table 1, all queries; one training each "
    "on the same draws. p = 98 with k = 10 is the number of candidates of § 11.2.",
    "Additions alone skip steps 1-4 of § 7.3. § 7.5 speaks of M_1 classifiers in a round: half of "
    "them objects and half of them pairs is one way to read it. Negative weights are those of the "
    "earlier BoostMap that § 7.4 mentions: no least weight in steps 3, 9 and 10, and step 8 also "
    "takes classifiers that are mostly wrong.",
    "A reading is chosen by the cells with k = 1 and k = 100 and checked on those with k = 10: the "
    "last table holds the mean factor between our ranks and the printed ones.",
)


def second_phase_tasks(context: Context) -> list[Task]:
    """Return a task for each pair of phases, with random and with selective triples."""
    rounds = ROUNDS[context.scale]
    tasks = []
    for _, change, place in _phases():
        _, splitters, ranges_by, at = SECOND_PHASES[place]
        choices = {
            "splitters": splitters,
            "ranges_by": ranges_by,
            "rounds": [rounds[number] for number in at],
        }
        tasks += [_factor_task(context, change, triples, [choices]) for triples in ("Ra", "Se")]
    return tasks


def _phases() -> list[tuple[str, dict[str, Any], int]]:
    """Return each first phase with each second phase on top of it, in the order of the tasks."""
    changes = dict(READINGS)
    return [(name, changes[name], place) for name, places in FIRST_PHASES for place in places]


def second_phase(context: Context, results: Sequence[Result]) -> Gathered:
    """Return ranks with each second phase, how many times those without, and what is nearest."""
    empty = {"quantity": None, "triples": "all", "k": None, "percentile": None}
    nothing = {"first phase": "all", "second phase": None, "rounds": None}
    rows = absent_rows(results, nothing | empty)
    printed = {form: _printed(context, form) for form in ("QI", "QS")}
    shown: set[tuple[str, str]] = set()
    nearest: list[Row] = []
    for (first, _, place), pair in zip(_phases(), _pairs(results), strict=True):
        name = SECOND_PHASES[place][0]
        for r in (r for r in pair if r.value):
            triples = r.params["triples"]
            alone = _cells(triples, r.value["QI"])
            of_first = []
            if (first, triples) not in shown:
                of_first += _phase_rows("none", 0, alone, printed["QI"], r.value["d"])
                shown.add((first, triples))
            for measured in r.value["QS"]:
                cells = _cells(triples, measured["ranks"])
                rounds = measured["rounds"]
                of_first += _phase_rows(name, rounds, cells, printed["QS"], r.value["d"])
                of_first += _times_rows(name, rounds, cells, alone, printed)
            rows += [{"first phase": first} | row for row in of_first]
        if all(r.value for r in pair):
            nearest += _nearest_phases({"first phase": first, "second phase": name}, pair, printed)
    said = _chosen(nearest, ("first phase", "second phase", "rounds"))
    return Gathered(rows + nearest, [*_PHASE_NOTES, *said])


def _nearest_phases(
    keys: Row, pair: Sequence[Result], printed: dict[str, dict[Cell, float]]
) -> list[Row]:
    """Return how near the query-sensitive ranks of both kinds of triples are, by rounds."""
    by_rounds: dict[int, dict[Cell, float]] = {}
    for r in pair:
        for measured in r.value["QS"]:
            cells = _cells(r.params["triples"], measured["ranks"])
            by_rounds.setdefault(measured["rounds"], {}).update(cells)
    return [
        row
        for rounds, cells in by_rounds.items()
        for row in _distance_rows(keys | {"rounds": rounds}, cells, printed["QS"])
    ]


def _cells(triples: str, ranks: dict[str, list[int]]) -> dict[Cell, float]:
    return {(triples, k, p): ranks[str(k)][SHOWN.index(p)] for k, p in CELLS if str(k) in ranks}


def _phase_rows(
    name: str, rounds: int, cells: dict[Cell, float], printed: dict[Cell, float], d: int
) -> list[Row]:
    rows = []
    for (triples, k, p), rank in cells.items():
        keys = {"second phase": name, "rounds": rounds, "quantity": "rank", "triples": triples}
        more = {"k": k, "percentile": p, "reached": d, "printed": printed.get((triples, k, p))}
        rows.append(number_row(keys | more, None, rank))
    return rows


def _times_rows(
    name: str,
    rounds: int,
    cells: dict[Cell, float],
    alone: dict[Cell, float],
    printed: dict[str, dict[Cell, float]],
) -> list[Row]:
    """Return the ranks with a second phase over those without it."""
    rows = []
    for cell, rank in cells.items():
        triples, k, p = cell
        keys = {"second phase": name, "rounds": rounds, "quantity": TIMES, "triples": triples}
        known = None
        if cell in printed["QS"] and cell in printed["QI"]:
            known = round(printed["QS"][cell] / printed["QI"][cell], 2)
        more = {"k": k, "percentile": p, "printed": known}
        rows.append(number_row(keys | more, None, round(rank / alone[cell], 3)))
    return rows


_PHASE_NOTES = (
    "Query-sensitive ranks with second phases on top of two first phases, and without one. "
    "All queries; one training each.",
    "`Z` compares ranges by Z_min (§ 8.1 step 3), `error` by their weighted error (§ 8.3); 2 d "
    "classifiers are each coordinate split by itself and by another one (§ 8.3).",
    "A pair of phases is chosen by the query-sensitive cells with k = 1 and k = 100 and checked on "
    "those with k = 10: the last table. The two first phases are candidates of `additions`.",
)
