"""The numbers that decide a claim: found in the records, combined, and compared.

A test of a claim (`judge` lists its fields) names numbers in a small language of tables:

- ``"BBS"`` is the row of the test's figure with the cell's keys and ``method = "BBS"``;
- ``{ measure = "test", dimensions = 15 }`` is the row with these keys, too. Among them `figure`
  names another figure, and `field` another field of the row than `ours`, which is counted;
- ``{ dimensions = { best = "highest" } }`` is the row that is best over this key. `by` names the
  field that is compared, `most` its largest value, and `not` values of the key that are left out
  ("own" is that of the number it is compared with);
- ``{ number = 50 }`` is a number that the paper gives;
- ``{ sum = [a, b] }``, ``{ difference = [a, b] }``, ``{ ratio = [a, b] }``, ``{ times = [2, a] }``
  compute with independent numbers;
- ``{ mean = { data_set = ["a", "b"] }, of = x }`` is the mean of x over the values of a key;
  `geometric_mean` is that of numbers measured once, whose spread is its error.

Not handled here: which cells a test has, and the state of a claim (`judge`).
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from paper_figures.judge.reading import fits
from paper_figures.judge.verdicts import Rules, error_of_published, freedom_of
from paper_figures.registry import spoken
from paper_figures.store import Record, Row

OPERATIONS = ("sum", "difference", "ratio", "times", "mean", "geometric_mean", "number")
OF_THE_ROW = ("figure", "field")
"""Names in a number's table that are no keys of rows."""
Records: TypeAlias = Mapping[str, Record]
"""The records of one paper in one folder, by the names of their figures."""
Test: TypeAlias = Mapping[str, Any]


class Missing(LookupError):
    """A number is not in the records; the message says which, and in which figure."""


@dataclass(frozen=True)
class Number:
    """A number that decides a claim."""

    name: str
    ours: float
    std_error: float | None = None  # 0 of a deterministic quantity, None if it is unknown
    published: float | None = None
    entries: tuple[str, ...] = ()  # the figures that it comes from: "boosted_distance.table2"
    runs: int | None = None  # None of a deterministic quantity, and of parts that differ
    freedom: float = math.inf  # of the error
    of_published: float | None = None  # the published number's error; None: taken as ours
    geometric: bool = False  # how far it is from a limit is measured by logarithms


@dataclass(frozen=True)
class Source:
    """The records of a paper, and the rules of its rows."""

    paper: str
    records: Records
    rules: Rules = field(default_factory=Rules)

    def rows(self, figure: str, keys: Mapping[str, Any]) -> list[Row]:
        """Return a figure's rows that have these keys; raise Missing without its record."""
        if figure not in self.records:
            raise Missing(f"{spoken(figure)} is not computed yet")
        return [row for row in self.records[figure]["rows"] if fits(row, keys)]


def words(keys: Mapping[str, Any]) -> str:
    """Say keys: texts as they are, numbers with the name of their key."""
    return ", ".join(
        str(value) if isinstance(value, str) else f"{key.replace('_', ' ')} {short(value)}"
        for key, value in keys.items()
        if value is not None and value != "*"
    )


def joined(link: str, *names: str) -> str:
    """Join the names of numbers; what the first one has already said is not said again."""
    first, *others = names
    said = first.split(", ")
    new = [", ".join(part for part in name.split(", ") if part not in said) for name in others]
    return link.join([first, *(rest or name for rest, name in zip(new, others, strict=True))])


def short(value: Any) -> str:
    """Return a value as text, a whole number with commas."""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


# --------------------------------------------------------------------------- a number


def named(test: Test, of: Any) -> dict[str, Any]:
    """Return the table that names a number: a plain value is one of the test's own key."""
    if of is None:
        return {}
    return dict(of) if isinstance(of, Mapping) else {test.get("key", "method"): of}


def find(source: Source, test: Test, of: Any, keys: Mapping[str, Any]) -> Number:
    """Return the number that a table names, in the cell with these keys, or raise Missing."""
    own = named(test, of)
    operation = next((name for name in OPERATIONS if name in own), None)
    if operation is None:
        return _of_row(source, test, {**keys, **own})
    value = own.pop(operation)
    inner = own.pop("of", {})
    table = {**keys, **own}
    if operation == "number":
        return Number(f"{value:g}", float(value), 0.0, float(value))
    if operation in ("mean", "geometric_mean"):
        ((key, values),) = value.items()
        parts = [find(source, test, inner, {**table, key: one}) for one in values]
        join = _mean if operation == "mean" else _geometric_mean
        over = f"mean over {len(parts)} values of {key.replace('_', ' ')}"
        return replace(join(parts), name=", ".join([*common([n.name for n in parts]), over]))
    if operation == "times":
        factor, other = value
        return scaled(find(source, test, other, table), float(factor))
    parts = [find(source, test, each, table) for each in value]
    if operation == "ratio":
        return ratio(*parts)
    return combined(parts, [1.0] * len(parts) if operation == "sum" else [1.0, -1.0])


def common(names: Sequence[str]) -> list[str]:
    """Return the parts that all names have, each once."""
    first, *others = (name.split(", ") for name in names)
    return [part for part in dict.fromkeys(first) if all(part in other for other in others)]


def _of_row(source: Source, test: Test, table: Mapping[str, Any]) -> Number:
    keys: Mapping[str, Any] = {k: v for k, v in table.items() if k not in OF_THE_ROW}
    figure = table.get("figure", test["figure"])
    for key, choice in keys.items():
        if isinstance(choice, Mapping):
            return _of_row(source, test, {**table, key: _best(source, figure, keys, key, choice)})
    found = [row for row in source.rows(figure, keys) if row["ours"] is not None]
    if len(found) != 1:
        several = f"{len(found)} numbers" if found else "no number yet"
        raise Missing(f"{spoken(figure)} has {several} for {words(keys) or 'this'}")
    row = found[0]
    own = table.get("field", "ours") == "ours"
    error = row["error"] if own else 0.0
    of_published = None
    if own and row["published"] is not None:
        of_published = error_of_published(row, source.rules.of(figure, row))
    return Number(
        words(keys),
        float(row[table.get("field", "ours")]),
        error,
        row["published"] if own else None,
        (f"{source.paper}.{figure}",),
        None if error == 0.0 else int(row["n"]),
        freedom_of(row) if error else math.inf,
        of_published,
    )


def _best(
    source: Source, figure: str, keys: Mapping[str, Any], key: str, choice: Mapping[str, Any]
) -> Any:
    """Return the value of a key at which a number is best."""
    by = choice.get("by", "ours")
    rest = {name: value for name, value in keys.items() if name != key}
    listed = [
        row
        for row in source.rows(figure, rest)
        if row["ours"] is not None
        and (row[by] or 0) <= choice.get("most", math.inf)
        and row[key] not in choice.get("not", ())
    ]
    if not listed:
        raise Missing(f"{spoken(figure)} has no number yet for {words(rest)}")
    best = max if choice["best"] == "highest" else min
    return best(listed, key=lambda row: row[by] or 0)[key]


# --------------------------------------------------------------------------- computing with them


def _freedom(error: float, parts: Sequence[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of errors (Welch and Satterthwaite); 0 of one run."""
    if any(part and freedom <= 0 for part, freedom in parts):
        return 0.0
    spent = math.fsum(part**4 / freedom for part, freedom in parts if part)
    return error**4 / spent if spent else math.inf


def combined(numbers: Sequence[Number], weights: Sequence[float]) -> Number:
    """Return a weighted sum of independent numbers; its error is None if one of theirs is."""
    errors = [number.std_error for number in numbers]
    error = freedom = None
    if None not in errors:
        parts = [w * e for w, e in zip(weights, errors, strict=True) if e is not None]
        error = math.hypot(*parts)
        freedom = _freedom(error, [(p, n.freedom) for p, n in zip(parts, numbers, strict=True)])
    prints = [number.published for number in numbers if number.published is not None]
    published = None
    if len(prints) == len(numbers):
        published = math.fsum(w * p for w, p in zip(weights, prints, strict=True))
    link = " plus " if min(weights) > 0 else " minus "
    return Number(
        joined(link, *(number.name for number in numbers)),
        math.fsum(w * number.ours for w, number in zip(weights, numbers, strict=True)),
        error,
        published,
        entries_of(numbers),
        _runs(numbers),
        math.inf if freedom is None else freedom,
    )


def scaled(number: Number, factor: float) -> Number:
    """Return a number times a factor."""
    return replace(combined([number], [factor]), name=f"{factor:g} times {number.name}")


def ratio(a: Number, b: Number) -> Number:
    """Return a / b of independent numbers, with the error of first order; Missing if b is 0."""
    if b.ours == 0.0:
        raise Missing(f"{b.name} is 0: there is no ratio to it")
    share = a.ours / b.ours
    value = combined([a, b], [1.0 / b.ours, -share / b.ours])
    published = a.published / b.published if a.published is not None and b.published else None
    return replace(value, name=joined(" over ", a.name, b.name), ours=share, published=published)


def _mean(numbers: Sequence[Number]) -> Number:
    return combined(numbers, [1.0 / len(numbers)] * len(numbers))


def _geometric_mean(numbers: Sequence[Number]) -> Number:
    """Return the geometric mean of numbers that were measured once, with their spread."""
    if low := [number.name for number in numbers if number.ours <= 0.0]:
        raise Missing(f"{low[0]} is not above 0: there is no geometric mean")
    logs = [math.log(number.ours) for number in numbers]
    mean = math.exp(statistics.mean(logs))
    prints = [number.published for number in numbers if number.published]
    published = statistics.geometric_mean(prints) if len(prints) == len(numbers) else None
    error = mean * statistics.stdev(logs) / math.sqrt(len(logs))
    entries = entries_of(numbers)
    n = len(numbers)
    return Number("", mean, error, published, entries, n, n - 1.0, geometric=True)


def distance(number: Number, limit: float) -> float:
    """Return how far a number is above a limit, in the unit of its standard error."""
    if number.geometric:
        return number.ours * math.log(number.ours / limit)
    return number.ours - limit


def entries_of(numbers: Sequence[Number]) -> tuple[str, ...]:
    """Return the figures that numbers come from, each once."""
    return tuple(dict.fromkeys(entry for number in numbers for entry in number.entries))


def _runs(numbers: Sequence[Number]) -> int | None:
    """Return how many runs numbers are means of; None if they differ, or if chance has no part."""
    runs = {number.runs for number in numbers if number.std_error != 0.0}
    return runs.pop() if len(runs) == 1 else None


def less_published(number: Number) -> Number:
    """Return a number less the published one, which has an error of the same kind, or Missing."""
    if number.published is None:
        raise Missing(f"the paper has no number for {number.name}")
    of_print = number.std_error if number.of_published is None else number.of_published
    error = None if number.std_error is None else math.hypot(number.std_error, of_print or 0.0)
    return replace(
        number,
        name=f"{number.name} less published",
        ours=number.ours - number.published,
        std_error=error,
        published=None,
    )
