"""What ``published/<paper>/verdicts.toml`` says of rows: how to judge them, and explanations.

The file has three lists. ``[[rule]]`` says how the rows of a figure are judged. A row takes the
fields of every rule that matches it; later rules win. ``[[explanation]]`` says why rows differ from
the printed numbers, and which stored experiment shows it. A pattern such as
``{data_set = "splice", N = [60, 600]}`` matches the rows whose keys have these values.
``[[note]]`` is a note of a figure at the paper's scale: what a trial found that is no longer made,
or what ``replaces`` a note of the stored record.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

from paper_figures import study
from paper_figures.store import Row
from refimpl.kernels.arguments import one_of

SIDES = ("lower", "higher", "neither")
SHOWS = ("same", "between")
NOT_COMPARABLE = "not comparable"
READ_OFF = "read off"
NO_CURVE = "curve not available as numbers"
BEYOND = "beyond the paper"
CHOICES = {  # of the fields of a rule
    "better": SIDES,
    "state": (NOT_COMPARABLE, READ_OFF, BEYOND),
    "unprinted": (NO_CURVE, BEYOND),
}
Pattern: TypeAlias = Mapping[str, Any]
"""Keys of rows, and the value of each, or a list of values."""


def matches(row: Row, pattern: Pattern) -> bool:
    """Return whether every key of the pattern has one of its values in the row."""
    return all(
        key in row and row[key] in (value if isinstance(value, list) else [value])
        for key, value in pattern.items()
    )


@dataclass(frozen=True)
class Rule:
    """How the rows of some figures are judged; None says nothing.

    Attributes
    ----------
    figures : tuple of str
    rows : mapping
        The pattern of the rows; an empty one matches all.
    better : {"lower", "higher", "neither"} or None
        Which side is better.
    runs : int or None
        The paper's number is a mean over so many runs of the same protocol. Its standard deviation
        is taken as ours.
    points : int or None
        The numbers are shares of so many points.
    per_cent : bool or None
        The shares are in per cent.
    rounding : float or None
        Half a unit of the last printed digit. A row's own ``tolerance`` wins.
    state : str or None
        The state of rows with a printed number, whatever the numbers are: "not comparable",
        "read off" or "beyond the paper".
    unprinted : str or None
        The state of rows without a printed number: "curve not available as numbers" or "beyond the
        paper".
    because : str or None
        Why the state is what it is.
    """

    figures: tuple[str, ...]
    rows: Pattern
    better: str | None = None
    runs: int | None = None
    points: int | None = None
    per_cent: bool | None = None
    rounding: float | None = None
    state: str | None = None
    unprinted: str | None = None
    because: str | None = None


@dataclass(frozen=True)
class Covered:
    """Rows that an explanation covers: those of some figures that match a pattern."""

    figures: tuple[str, ...]
    pattern: Pattern


@dataclass(frozen=True)
class Explanation:
    """Why rows differ from the printed numbers, and the experiment that shows it.

    Attributes
    ----------
    id : str
    text : str
    experiment : str
        A stored figure, such as ``"boosted_distance.distances"``.
    rows : tuple of Covered
        The covered rows.
    experiment_rows : mapping
        The pattern of the rows that show it.
    bind : mapping
        Keys of a covered row, and the key of the experiment's rows that must have the same value.
    shows : {"same", "between"}
        What the bound rows of the experiment show. "same": one of them is the printed number but
        for chance. "between": they vary a setting that has values between theirs, and the printed
        number lies between two of them, or between one of them and ours.
    checked_on : tuple of Covered
        Where a reading of what the paper leaves open was tried, the covered rows among them. It
        explains a row only if the others choose it: it must be nearer to the printed numbers than
        ours on most of them, and on average. Empty if the paper itself names what the experiment
        has.
    number : str
        The field of the experiment's rows that holds their number.
    accuracy : bool
        The experiment's numbers are 100 less the covered ones: accuracies beside errors.

    See Also
    --------
    paper_figures.verdict.judge : Gives a verdict its explanation.

    Examples
    --------
    >>> covered = Covered(("table1",), {"data_set": "toy"})
    >>> bind = {"data_set": "set"}
    >>> why = Explanation("runs", "more runs", "lmnn.runs", (covered,), {}, bind, "same")
    >>> why.covers("table1", {"data_set": "toy"}), why.covers("table2", {"data_set": "toy"})
    (True, False)
    >>> why.bound({"data_set": "toy"}, [{"set": "toy", "ours": 1.5}, {"set": "other", "ours": 2.0}])
    [{'set': 'toy', 'ours': 1.5}]
    """

    id: str
    text: str
    experiment: str
    rows: tuple[Covered, ...]
    experiment_rows: Pattern
    bind: Mapping[str, str]
    shows: str
    checked_on: tuple[Covered, ...] = ()
    number: str = "ours"
    accuracy: bool = False

    def covers(self, figure: str, row: Row) -> bool:
        """Return whether the row of the figure is one that the experiment covered."""
        return any(
            figure in covered.figures and matches(row, covered.pattern) for covered in self.rows
        )

    def bound(self, row: Row, experiment: Sequence[Row]) -> list[Row]:
        """Return the rows of the experiment that show why the row differs."""
        same = {theirs: row[mine] for mine, theirs in self.bind.items()}
        return [
            other
            for other in experiment
            if matches(other, self.experiment_rows) and matches(other, same)
        ]

    def value(self, bound: Row) -> float:
        """Return the number of a row of the experiment, as the covered rows have it."""
        number = float(bound[self.number])
        return 100.0 - number if self.accuracy else number


@dataclass(frozen=True)
class Note:
    """A note of some figures, and how the note of their records begins that it replaces, if any."""

    figures: tuple[str, ...]
    text: str
    replaces: str = ""


@dataclass(frozen=True)
class Rules:
    """The rules and explanations of a paper."""

    rules: tuple[Rule, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[Note, ...] = ()

    def of(self, figure: str, row: Row) -> Rule:
        """Return what all rules together say of a row."""
        said: dict[str, Any] = {}
        for rule in self.rules:
            if figure in rule.figures and matches(row, rule.rows):
                said |= {name: value for name, value in vars(rule).items() if value is not None}
        return Rule(**said | {"figures": (figure,), "rows": {}})

    def explanations_of(self, figure: str, row: Row) -> list[Explanation]:
        """Return the explanations that cover a row: one or none, as a test demands."""
        return [each for each in self.explanations if each.covers(figure, row)]

    def notes_of(self, figure: str, stored: Sequence[str]) -> list[str]:
        """Return the notes of a figure: those of its record with what replaces them, and more."""
        mine = [note for note in self.notes if figure in note.figures]
        replaced = [
            next((n.text for n in mine if n.replaces and text.startswith(n.replaces)), text)
            for text in stored
        ]
        return [text for text in replaced + [n.text for n in mine if not n.replaces] if text]


def load(paper: str, folder: Path | None = None) -> Rules:
    """Read the rules of a paper; a paper without the file has none.

    Parameters
    ----------
    paper : str
    folder : Path, optional
        By default ``paper_figures/published``.

    Returns
    -------
    Rules

    Raises
    ------
    ValueError
        For a file that is not TOML, and for unknown or missing fields.
    """
    path = (folder or study.PUBLISHED) / paper / "verdicts.toml"
    if not path.is_file():
        return Rules()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"verdicts.toml of {paper} must be TOML: {error}") from error
    return parse(paper, content)


def parse(paper: str, content: Mapping[str, Any]) -> Rules:
    """Return the rules of a parsed file.

    Raises
    ------
    ValueError
        For unknown or missing fields.
    """
    _only(content, ("rule", "explanation", "note"), "verdicts.toml")
    return Rules(
        tuple(_rule(table) for table in content.get("rule", ())),
        tuple(_explanation(paper, table) for table in content.get("explanation", ())),
        tuple(_note(table) for table in content.get("note", ())),
    )


def _only(table: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in table:
        one_of(name, known, f"a field of {what}")


def _rule(table: Mapping[str, Any]) -> Rule:
    known = [field.name for field in fields(Rule) if field.name != "figures"]
    _only(table, ["figure", *known], "a rule")
    if "figure" not in table:
        raise ValueError(f"a rule must name its figure; got {dict(table)}")
    more = {name: value for name, value in table.items() if name not in ("figure", "rows")}
    for name in CHOICES.keys() & more.keys():
        one_of(more[name], CHOICES[name], name)
    return Rule(_names(table["figure"]), table.get("rows", {}), **more)


def _note(table: Mapping[str, Any]) -> Note:
    _only(table, ("figure", "text", "replaces"), "a note")
    if not table.get("figure") or not (table.get("text") or table.get("replaces")):
        raise ValueError(f"a note must have a figure, and text or replaces; got {dict(table)}")
    text = " ".join(table.get("text", "").split())
    return Note(_names(table["figure"]), text, table.get("replaces", ""))


def _names(figure: str | Sequence[str]) -> tuple[str, ...]:
    return (figure,) if isinstance(figure, str) else tuple(figure)


EXPLANATION_FIELDS = ("id", "text", "experiment", "rows", "bind", "shows")
EXPLANATION_OPTIONS = ("experiment_rows", "checked_on", "named_by_the_paper", "number", "accuracy")


def _explanation(paper: str, table: Mapping[str, Any]) -> Explanation:
    _only(table, (*EXPLANATION_FIELDS, *EXPLANATION_OPTIONS), "an explanation")
    for name in EXPLANATION_FIELDS:
        if not table.get(name):
            raise ValueError(
                f"an explanation must have {name}; got {table.get('id', dict(table))!r} without"
            )
    one_of(table["shows"], SHOWS, "shows")
    if bool(table.get("checked_on")) == bool(table.get("named_by_the_paper")):
        raise ValueError(
            f"explanation {table['id']!r} must have checked_on, or else named_by_the_paper = true"
        )
    bind = table["bind"]
    return Explanation(
        id=table["id"],
        text=" ".join(table["text"].split()),
        experiment=f"{paper}.{table['experiment']}",
        rows=_all_covered(table["rows"], table["id"]),
        experiment_rows=table.get("experiment_rows", {}),
        bind=bind if isinstance(bind, Mapping) else {key: key for key in bind},
        shows=table["shows"],
        checked_on=_all_covered(table.get("checked_on", []), table["id"]),
        number=table.get("number", "ours"),
        accuracy=table.get("accuracy", False),
    )


def _all_covered(patterns: Any, explanation: str) -> tuple[Covered, ...]:
    listed = patterns if isinstance(patterns, list) else [patterns]
    return tuple(_covered(each, explanation) for each in listed)


def _covered(pattern: Pattern, explanation: str) -> Covered:
    if "figure" not in pattern:
        raise ValueError(f"rows of explanation {explanation!r} must name their figure")
    rest = {key: value for key, value in pattern.items() if key != "figure"}
    return Covered(_names(pattern["figure"]), rest)
