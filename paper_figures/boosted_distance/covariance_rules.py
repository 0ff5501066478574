"""Amores, Sebe & Radeva (2006), Table 2's second column: which distance serves NN best, and why.

The paper names the best of eight distances for each set. A rule says, for all sets alike, what
becomes of directions that hardly vary and which power of the covariance RCA takes. The rule that
keeps most of the printed winners is chosen on one half of the sets and checked on the other. A
substitute for the paper's set is shown, but chooses nothing and is not counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from paper_figures.boosted_distance.by_rounds import blocks
from paper_figures.boosted_distance.covariances import (
    COLUMNS,
    ESTIMATED,
    INVERSE,
    covariance_readings,
    reading_name,
)
from paper_figures.boosted_distance.protocol import (
    FIRST_HALF,
    MEASURE,
    OPTIONS,
    SECOND_HALF,
    SUBSTITUTES,
    Line,
    absent,
    halves,
    printed_lines,
    row_of,
    sets_of,
)
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import number_row
from paper_figures.store import Row
from refimpl.rivals.nearest_neighbor import NAMES
from refimpl.typing import FloatArray

POWERS = (INVERSE, -0.5, 1.0)
HANDLINGS: tuple[tuple[str, float], ...] = (
    ("none", 0.0),
    *(("ridge", size) for size in (0.001, 0.1, 1.0, 100.0)),
    *(("ridge, share", size) for size in (0.001, 0.01, 0.1, 1.0)),
    *(("drop", size) for size in (1e-8, 1e-4, 1.0)),
    *(("drop, share", size) for size in (1e-4, 0.01, 0.1, 0.25)),
    *((COLUMNS, size) for size in (0.01, 0.1, 0.25)),
)
AS_IN_TABLE2 = "as in table 2"
BEST = "printed winners that are best"
NEAR = "printed winners that are best but for chance"
EXCESS = "mean excess of the printed winner over the best (points)"

Table: TypeAlias = dict[str, FloatArray]
"""The errors of a set under each of the eight distances, over the repetitions."""


@dataclass(frozen=True)
class Rule:
    """What becomes of directions that hardly vary, and the power of C in RCA's W."""

    kind: str
    size: float
    power: float

    @property
    def handling(self) -> str:
        """The handling in words."""
        return self.kind if self.kind == "none" else f"{self.kind} {self.size:g}"

    @property
    def weights(self) -> str:
        """RCA's W in words."""
        return {INVERSE: "C^-1", -0.5: "C^-1/2", 1.0: "C"}[self.power]


RULES = [Rule(kind, size, power) for kind, size in HANDLINGS for power in POWERS]


def tasks(context: Context) -> list[Task]:
    """Return the repetitions of all sets, in blocks."""
    return [
        Task(
            "covariances",
            covariance_readings,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetitions": repetitions,
                "handlings": HANDLINGS,
                "powers": POWERS,
            },
            data=(name,),
            kernels=(),
        )
        for name in sets_of(context)
        for repetitions in blocks(context, name)
    ]


def tables_of(context: Context, results: Sequence[Result]) -> dict[str, dict[Rule, Table]]:
    """Return the errors of each available set under each rule.

    A distance without a number for every repetition is left out.
    """
    tables: dict[str, dict[Rule, Table]] = {}
    for name in sets_of(context):
        runs = [r.value["errors"] for r in results if r.params["data_set"] == name and r.value]
        if runs:
            tables[name] = {rule: _table(runs, rule) for rule in RULES}
    return tables


def _table(runs: Sequence[Sequence[Mapping[str, Sequence[float | None]]]], rule: Rule) -> Table:
    place = HANDLINGS.index((rule.kind, rule.size))
    plain = place if rule.kind == COLUMNS else 0  # L1 and L2 depend on the columns alone
    table = {}
    for name in NAMES:
        if name in ESTIMATED:
            power = rule.power if name.startswith("RCA") else INVERSE
            values = [v for run in runs for v in run[place][reading_name(name, power)]]
        else:
            values = [v for run in runs for v in run[plain][name]]
        if None not in values:
            table[name] = np.array(values, dtype=np.float64)
    return table


def covariances(context: Context, results: Sequence[Result]) -> Gathered:
    """Return how many printed winners each rule keeps, and the distances under chosen rules."""
    tables = tables_of(context, results)
    lines = printed_lines(context)
    named = {
        name: lines[name]["best_nn_distance"]
        for name in tables
        if lines[name] and name not in SUBSTITUTES
    }
    rows: list[Row] = []
    for group, names in {"all sets": list(named), **halves(named)}.items():
        rows += [row for rule in RULES for row in _kept_rows(group, rule, tables, named, names)]
    chosen = _chosen_rules(tables, named)
    for choice, rule in chosen.items():
        for name, line in lines.items():
            if name in tables:
                rows += _distance_rows(name, choice, rule, tables[name][rule], line)
    for name in lines:
        if name not in tables:
            keys = _keys(name, AS_IN_TABLE2, RULES[0], "all", None)
            rows.append(absent(keys, None, results, name))
    return Gathered(rows, [MEASURE, *_notes(chosen, tables, named)])


def _keys(
    data_set: str, choice: str, rule: Rule, distance: str, printed: float | None
) -> dict[str, object]:
    return {
        "data_set": data_set,
        "choice": choice,
        "handling": rule.handling,
        "RCA's W": rule.weights,
        "distance": distance,
        "printed": printed,
    }


def _kept_rows(
    group: str,
    rule: Rule,
    tables: Mapping[str, Mapping[Rule, Table]],
    named: Mapping[str, str],
    names: Iterable[str],
) -> list[Row]:
    """Return how well a rule keeps the printed winners of some sets."""
    kept = [winner_kept(tables[name][rule], named[name]) for name in names]
    if not kept:
        return []
    quantities: dict[str, float] = {
        BEST: sum(excess == 0.0 for excess, _ in kept),
        NEAR: sum(near for _, near in kept),
        EXCESS: float(np.mean([excess for excess, _ in kept])),
    }
    keys = {"data_set": group, "handling": rule.handling, "RCA's W": rule.weights}
    return [
        number_row(keys | {"quantity": quantity}, None, value)
        for quantity, value in quantities.items()
    ]


def winner_kept(table: Table, named: str) -> tuple[float, bool]:
    """Return the excess of the named distance over the best, and whether it is within chance.

    That is two standard errors of the paired difference. A named distance without a number has the
    excess of guessing.
    """
    best = min(table, key=lambda distance: float(table[distance].mean()))
    if named not in table:
        return 50.0 - float(table[best].mean()), False
    lead = table[named] - table[best]
    excess = float(lead.mean())
    error = float(lead.std(ddof=1)) / len(lead) ** 0.5 if len(lead) > 1 else 0.0
    return excess, excess <= 2.0 * error


def _chosen_rules(
    tables: Mapping[str, Mapping[Rule, Table]], named: Mapping[str, str]
) -> dict[str, Rule]:
    """Return the rule of table 2 and, for each half, the rule that keeps most of its winners."""
    chosen = {AS_IN_TABLE2: RULES[0]}
    for half, names in halves(named).items():
        if names:
            order = [_order(rule, tables, named, names) for rule in RULES]
            chosen[f"by the {half}"] = RULES[order.index(min(order))]
    return chosen


def _order(
    rule: Rule,
    tables: Mapping[str, Mapping[Rule, Table]],
    named: Mapping[str, str],
    names: Sequence[str],
) -> tuple[int, float]:
    """Return what the best rule has least of: winners lost, then their mean excess."""
    kept = [winner_kept(tables[name][rule], named[name]) for name in names]
    return -sum(near for _, near in kept), float(np.mean([excess for excess, _ in kept]))


def _distance_rows(name: str, choice: str, rule: Rule, table: Table, line: Line) -> list[Row]:
    return [
        row_of(
            _keys(
                name,
                choice,
                rule,
                distance,
                line["nn"] if distance == line.get("best_nn_distance") else None,
            ),
            None,
            values,
        )
        for distance, values in table.items()
    ]


def _best_of_all(tables: Mapping[str, Mapping[Rule, Table]], named: Mapping[str, str]) -> list[str]:
    """Say whether a single rule keeps the printed winner of every set, outright or but for chance.

    This rule has seen all sets, so it answers a question and is no choice.
    """
    if not named:
        return []
    of_rules = [[winner_kept(tables[name][rule], named[name]) for name in named] for rule in RULES]
    outright = [sum(excess == 0.0 for excess, _ in kept) for kept in of_rules]
    near = [sum(near for _, near in kept) for kept in of_rules]
    most = [
        f"{max(counts)} of {len(named)} ({_first_rules(counts)})" for counts in (outright, near)
    ]
    ends = "None keeps all."
    if max(outright) == len(named):
        ends = "So a rule keeps all."
    elif max(near) == len(named):
        ends = "None keeps all outright, but one does but for chance."
    return [
        f"The best single rule keeps {most[0]} printed winners outright, and {most[1]} but for "
        f"chance. {ends}"
    ]


def _first_rules(counts: Sequence[int]) -> str:
    """Return the first rule that keeps most, and how many others keep as many."""
    places = [place for place, count in enumerate(counts) if count == max(counts)]
    rule = RULES[places[0]]
    others = f", and {len(places) - 1} others" if len(places) > 1 else ""
    return f"{rule.handling}, W = {rule.weights}{others}"


def _notes(
    chosen: Mapping[str, Rule], tables: Mapping[str, Mapping[Rule, Table]], named: Mapping[str, str]
) -> list[str]:
    """Say which rule is best on all sets, what each half chooses and what it keeps on the other."""
    notes = _best_of_all(tables, named)
    parts = halves(named)
    for half, other in ((FIRST_HALF, SECOND_HALF), (SECOND_HALF, FIRST_HALF)):
        rule = chosen.get(f"by the {half}")
        if rule is None or not parts[other]:
            continue
        counts = []
        for each in (rule, RULES[0]):
            lost = -_order(each, tables, named, parts[other])[0]
            counts.append(f"{lost} of {len(parts[other])}")
        notes.append(
            f"The {half} chooses the handling {rule.handling} and W = {rule.weights} for RCA. On "
            f"the {other} it keeps {counts[0]} printed winners but for chance; the rule of table 2 "
            f"keeps {counts[1]}."
        )
    return notes
