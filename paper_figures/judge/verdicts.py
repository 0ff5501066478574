"""The verdict of each row: what our number says of the published one.

A row is *same* if the two numbers differ by no more than chance allows (`sure`) and the rounding of
the print. Otherwise it is *better*, *worse* or, where no side is better, *different*; such a row is
open unless an experiment explains it.

``published/<paper>/verdicts.toml`` says how. A row takes the fields of each ``[[rule]]`` that
matches it; later rules win. An ``[[explanation]]`` says why rows differ, and which stored
experiment shows it. A ``[[note]]`` is a note of a figure at the paper's scale, which may replace
one of the record. A pattern such as ``{data_set = "splice", N = [60, 600]}`` matches the rows whose
keys have these values.

Not handled here: the states of claims (`judge`).
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from scipy.special import stdtrit

from paper_figures.judge.reading import fits, read
from paper_figures.rows import points_error
from paper_figures.store import Record, Row

SAME = "same"
BETTER = "better"
WORSE = "worse"
DIFFERENT = "different"
NOT_COMPARABLE = "not comparable"
READ_OFF = "read off"
NO_CURVE = "curve not available as numbers"
BEYOND = "beyond the paper"
NOT_AVAILABLE = "not available"
STATES = (SAME, BETTER, WORSE, DIFFERENT, NOT_COMPARABLE, READ_OFF, NO_CURVE, BEYOND, NOT_AVAILABLE)
DIFFERING = (BETTER, WORSE, DIFFERENT)
NO_ERROR = "no standard error is known: only equal numbers are the same"
SMALL = "the small scale: other data or other sizes than the paper's"
SURE = 0.954
"""An interval that holds the true number this often: two standard errors of many runs."""


def sure(freedom: float) -> float:
    """Return how many standard errors count, by Student's t; a number of one run is never sure."""
    return _quantile(freedom if math.isfinite(freedom) else 1e9)


@cache
def _quantile(freedom: float) -> float:
    return float(stdtrit(freedom, (1.0 + SURE) / 2.0)) if freedom > 0.0 else math.inf


def freedom_of(row: Row) -> float:
    """Return the degrees of freedom of a row's error."""
    return float(row["n"] - 1)


# ------------------------------------------------------------------------------------ verdicts.toml


Rule: TypeAlias = Mapping[str, Any]
"""How rows are judged: the ``better`` side; the ``runs`` of the published mean, of the same
protocol; the ``points`` that a published percentage is a share of; ``rounding``, half a unit of the
last published digit; the ``state`` of rows with a published number, whatever it is; that of
``unprinted`` ones; ``because``."""


@dataclass(frozen=True)
class Explanation:
    """Why rows differ from the published numbers, and the experiment that shows it."""

    id: str
    text: str
    experiment: str
    rows: tuple[Mapping[str, Any], ...]  # patterns of the covered rows, with their figure
    experiment_rows: Mapping[str, Any]  # the pattern of the rows that show it
    bind: tuple[str, ...]  # keys in which covered rows and those of the experiment are equal
    shows: (
        str  # "same": one is the published number but for chance; or "between" two, or one and ours
    )
    # where a reading of what the paper leaves open was tried: it explains only if others choose it
    checked_on: tuple[Mapping[str, Any], ...] = ()

    def covers(self, figure: str, row: Row) -> bool:
        """Return whether a row of the figure is one that the experiment covered."""
        return any(of_figure(pattern, figure, row) for pattern in self.rows)

    def bound(self, row: Row, experiment: Sequence[Row]) -> list[Row]:
        """Return the rows of the experiment, with numbers, that are bound to a covered row."""
        keys = {key: row.get(key) for key in self.bind}
        return [
            other
            for other in experiment
            if fits(other, self.experiment_rows) and fits(other, keys) and other["ours"] is not None
        ]


def of_figure(pattern: Mapping[str, Any], figure: str, row: Row) -> bool:
    """Return whether a pattern matches a row of a figure; it names one figure or several."""
    rest = {key: value for key, value in pattern.items() if key != "figure"}
    return figure in names(pattern["figure"]) and fits(row, rest)


def names(value: Any) -> tuple[str, ...]:
    """Return a name, or a list of them, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


@dataclass(frozen=True)
class Rules:
    """What a verdicts.toml says: patterns with their rules, explanations, notes."""

    rules: tuple[tuple[Mapping[str, Any], Rule], ...] = ()
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[Mapping[str, Any], ...] = ()

    def of(self, figure: str, row: Row) -> Rule:
        """Return what all rules together say of a row."""
        fitting = (rule for pattern, rule in self.rules if of_figure(pattern, figure, row))
        return {name: value for rule in fitting for name, value in rule.items()}

    def explanation_of(self, figure: str, row: Row) -> Explanation | None:
        """Return the explanation that covers a row, if any."""
        return next((each for each in self.explanations if each.covers(figure, row)), None)


@cache
def load_rules(paper: str) -> Rules:
    """Read a paper's verdicts.toml; a paper without the file has no rules."""
    return parse_rules(paper, read(paper, "verdicts.toml"))


def parse_rules(paper: str, text: str) -> Rules:
    """Return what a verdicts.toml says."""
    content = tomllib.loads(text)
    rules = tuple(
        ({**table.pop("rows", {}), "figure": table.pop("figure")}, table)
        for table in content.get("rule", [])
    )
    explanations = tuple(_explanation(paper, table) for table in content.get("explanation", []))
    notes = tuple(
        {**table, "text": " ".join(table.get("text", "").split())}
        for table in content.get("note", [])
    )
    return Rules(rules, explanations, notes)


def _explanation(paper: str, table: Mapping[str, Any]) -> Explanation:
    covered, checked = (
        tuple(value if isinstance(value, list) else [value])
        for value in (table["rows"], table.get("checked_on", []))
    )
    return Explanation(
        table["id"],
        " ".join(table["text"].split()),
        f"{paper}.{table['experiment']}",
        covered,
        table.get("experiment_rows", {}),
        tuple(table["bind"]),
        table["shows"],
        checked,
    )


# ----------------------------------------------------------------------------------- the verdict


@dataclass(frozen=True)
class Verdict:
    """What a row says: one of :data:`STATES`, and ours less the published number."""

    state: str
    difference: float | None = None
    error: float | None = None  # of the difference; None if it is not known
    explanation: Explanation | None = None
    note: str = ""  # why the row is not comparable, or NO_ERROR

    @property
    def open(self) -> bool:
        """Whether the numbers differ and no experiment explains it."""
        return self.state in DIFFERING and self.explanation is None


def judge(record: Record, rules: Rules | None = None) -> list[Verdict]:
    """Return the verdict of each row of a record; the rules are those of its paper."""
    known = load_rules(record["paper"]) if rules is None else rules
    small = record["scale"] == "small"
    return [_verdict(row, record["figure"], known, small) for row in record["rows"]]


def _verdict(row: Row, figure: str, rules: Rules, small: bool) -> Verdict:
    rule = rules.of(figure, row)
    because = rule.get("because", "")
    if row["ours"] is None:
        return Verdict(NOT_AVAILABLE, note=row.get("why", ""))
    if row["published"] is None:
        if small and rule.get("unprinted") != BEYOND:
            return Verdict(NOT_COMPARABLE, note=SMALL)
        return Verdict(rule.get("unprinted", BEYOND), note=because)
    difference = row["ours"] - row["published"]
    error = error_of_difference(row, rule)
    if "state" in rule:
        return Verdict(rule["state"], difference, error, None, because)
    note = "; ".join(filter(None, [because, NO_ERROR if error is None else ""]))
    if abs(difference) <= allowed(row, rule):
        state = SAME
    elif rule.get("better") in (None, "neither"):
        state = DIFFERENT
    else:
        state = BETTER if (difference < 0) == (rule.get("better") == "lower") else WORSE
    explained = state != SAME and not small
    why = rules.explanation_of(figure, row) if explained else None
    return Verdict(state, difference, error, why, note)


def error_of_published(row: Row, rule: Rule) -> float:
    """Return the error of a published number: of a mean of its runs, or of a share; else 0."""
    if "runs" in rule and row["error"] is not None:
        return float(row["error"] * math.sqrt(row["n"] / rule["runs"]))
    return points_error(row["published"], rule["points"]) if "points" in rule else 0.0


def error_of_difference(row: Row, rule: Rule) -> float | None:
    """Return the standard error of ours less the published number, or None if it is not known."""
    if row["error"] is None:
        return None
    return math.hypot(row["error"], error_of_published(row, rule))


def allowed(row: Row, rule: Rule) -> float:
    """Return by how much the numbers of a row may differ and still be the same."""
    error = error_of_difference(row, rule)
    chance = sure(freedom_of(row)) * error if error else 0.0
    slack = 1e-9 * max(1.0, abs(row["published"]))  # decimals that binary numbers cannot hold
    rounding: float = rule.get("rounding", 0.0)
    return float(chance + row.get("tolerance", rounding) + slack)


def notes(record: Record, rules: Rules | None = None) -> list[str]:
    """Return the notes of a record, and at the paper's scale those of verdicts.toml."""
    if record["scale"] != "paper":
        return list(record["notes"])
    known = load_rules(record["paper"]) if rules is None else rules
    mine = [note for note in known.notes if record["figure"] in names(note["figure"])]
    replaced = [
        next((n["text"] for n in mine if text.startswith(n.get("replaces", "\0"))), text)
        for text in record["notes"]
    ]
    more = [note["text"] for note in mine if "replaces" not in note]
    return [text for text in replaced + more if text]
