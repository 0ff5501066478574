"""Compare rules and explanations with stored records: what they name must be there, and be true.

An explanation holds only for rows whose experiment is stored, at the same keys, and shows what the
explanation says. A reading of what the paper leaves open explains no row for which it was chosen:
it must be nearer to the printed numbers on the other rows for which it was tried. See
:mod:`paper_figures.verdict.rules`.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from paper_figures.store import NO_KEYS, Record, Row
from paper_figures.verdict.judging import allowed, error_of_difference, judge
from paper_figures.verdict.rules import Explanation, Pattern, Rule, Rules, matches


def problems(paper: str, rules: Rules, records: Mapping[str, Record]) -> list[str]:
    """Return what is wrong with a paper's rules, in words; an empty list if nothing is.

    Parameters
    ----------
    paper : str
    rules : Rules
    records : mapping
        The paper's records at the paper's scale, by the names of their figures.

    Returns
    -------
    list of str
    """
    rows = {f"{paper}.{name}": record["rows"] for name, record in records.items()}
    wrong: list[str] = []
    for rule in rules.rules:
        for figure in rule.figures:
            wrong += _pattern(f"a rule of {figure}", rule.rows, rows.get(f"{paper}.{figure}"))
    for explanation in rules.explanations:
        wrong += _explanation(paper, explanation, rows, rules)
    for said in rules.notes:
        for figure in said.figures:
            stored = records[figure]["notes"] if figure in records else []
            if not any(note.startswith(said.replaces) for note in stored):
                wrong.append(f"a note: no note of {figure} begins {said.replaces!r}")
    for name, record in records.items():
        for row in record["rows"]:
            covering = [each.id for each in rules.explanations_of(name, row)]
            if len(covering) > 1:
                wrong.append(f"{' and '.join(covering)} explain the same row: {_keys(row)}")
    return wrong


def _keys(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in NO_KEYS}


def _pattern(what: str, pattern: Pattern, rows: list[Row] | None) -> Iterator[str]:
    """Yield what the pattern names and no row has."""
    if rows is None:
        yield f"{what}: no such figure"
        return
    for key, value in pattern.items():
        having = [row for row in rows if key in row and key not in NO_KEYS]
        if not having:
            yield f"{what}: no row has the key {key!r}"
            continue
        for choice in value if isinstance(value, list) else [value]:
            if not any(matches(row, {**pattern, key: choice}) for row in having):
                yield f"{what}: no row has {key} = {choice!r} beside the rest of {dict(pattern)}"


def _explanation(
    paper: str, explanation: Explanation, rows: Mapping[str, list[Row]], rules: Rules
) -> Iterator[str]:
    what = f"explanation {explanation.id}"
    experiment = rows.get(explanation.experiment)
    wrong = list(_pattern(f"{what}, experiment", explanation.experiment_rows, experiment))
    places = [(figure, each) for each in explanation.rows for figure in each.figures]
    for figure, covered in places:
        wrong += _pattern(f"{what}, {figure}", covered.pattern, rows.get(f"{paper}.{figure}"))
    for covered in explanation.checked_on:
        for figure in covered.figures:
            there = rows.get(f"{paper}.{figure}")
            wrong += _pattern(f"{what}, checked on {figure}", covered.pattern, there)
    if wrong or experiment is None:
        yield from wrong
        return
    for figure in dict.fromkeys(figure for figure, _ in places):
        explained = _explained(paper, figure, explanation, rows[f"{paper}.{figure}"], rules)
        if not explained:
            yield f"{what}: explains no row of {figure}"
        for row in explained:
            yield from _bound(what, explanation, rules.of(figure, row), row, experiment)
            if explanation.checked_on:
                for why in _checked(paper, explanation, row, rows, experiment):
                    yield f"{what}: {why}, without {_keys(row)}"


def _explained(
    paper: str, figure: str, explanation: Explanation, rows: list[Row], rules: Rules
) -> list[Row]:
    record = {"paper": paper, "figure": figure, "scale": "paper", "rows": rows}
    judged = zip(rows, judge(record, rules), strict=True)
    return [row for row, said in judged if said.explanation == explanation]


def _bound(
    what: str, explanation: Explanation, rule: Rule, row: Row, experiment: list[Row]
) -> Iterator[str]:
    """Yield what is wrong with the experiment's rows that are bound to an explained row."""
    missing = [key for key in explanation.bind if key not in row]
    if missing:
        yield f"{what}: its rows have no key {missing[0]!r}"
        return
    bound = [other for other in explanation.bound(row, experiment) if other["ours"] is not None]
    if not bound:
        yield f"{what}: no row of {explanation.experiment} is bound to {_keys(row)}"
    elif not shown(explanation, rule, row, bound):
        yield f"{what}: {explanation.experiment} does not show it for {_keys(row)}"


def shown(explanation: Explanation, rule: Rule, row: Row, bound: list[Row]) -> bool:
    """Return whether the experiment's rows show what the explanation says of a covered row."""
    values = [explanation.value(other) for other in bound]
    if explanation.shows == "between":
        ends = [*values, row["ours"]]
        return bool(min(ends) <= row["published"] <= max(ends))
    for value, other in zip(values, bound, strict=True):
        tried = {**row, "ours": value, "error": other["error"], "n": other["n"]}
        limit = allowed(tried, rule, error_of_difference(tried, rule))
        if abs(value - row["published"]) <= limit:
            return True
    return False


Tried: TypeAlias = tuple[str, Row, list[Row]]
"""A figure, a row of it, and the experiment's rows that are bound to that row."""


def _checked(
    paper: str,
    explanation: Explanation,
    explained: Row,
    rows: Mapping[str, list[Row]],
    experiment: list[Row],
) -> Iterator[str]:
    """Say why the other rows on which a reading was tried do not choose it; nothing if they do."""
    tried = _tried(paper, explanation, rows, experiment)
    own = [explained[key] for key in explanation.bind]
    others = [each for each in tried if [each[1].get(key) for key in explanation.bind] != own]
    if len(others) == len(tried):
        yield "checked_on must hold the covered rows"
    elif not others:
        yield "was tried on no other row"
    elif explanation.shows == "between":
        n = sum(
            shown(explanation, Rule((figure,), {}), row, bound) for figure, row, bound in others
        )
        if n <= len(others) / 2:
            yield f"the printed number lies between on {n} of the {len(others)} other rows only"
    elif any(len(bound) > 1 for _, _, bound in tried):
        yield "a row is bound to several of the experiment's, and may choose among them"
    else:
        yield from _nearer(explanation, others)


def _nearer(explanation: Explanation, others: list[Tried]) -> Iterator[str]:
    """Say so where a reading is not nearer than ours to the print, mostly and on average."""
    theirs = [abs(explanation.value(bound[0]) - row["published"]) for _, row, bound in others]
    ours = [abs(row["ours"] - row["published"]) for _, row, _ in others]
    n = sum(their < our for their, our in zip(theirs, ours, strict=True))
    if n <= len(others) / 2 or sum(theirs) >= sum(ours):
        yield (
            f"nearer to the print on {n} of the {len(others)} other rows, on average "
            f"{sum(theirs) / len(others):.3g} from it, ours {sum(ours) / len(others):.3g}"
        )


def _tried(
    paper: str, explanation: Explanation, rows: Mapping[str, list[Row]], experiment: list[Row]
) -> list[Tried]:
    """Return the rows that a reading was tried on, with the experiment's rows."""
    found = []
    for covered in explanation.checked_on:
        for figure in covered.figures:
            for row in rows[f"{paper}.{figure}"]:
                if not matches(row, covered.pattern) or None in (row["published"], row["ours"]):
                    continue
                bound = [r for r in explanation.bound(row, experiment) if r["ours"] is not None]
                if bound:
                    found.append((figure, row, bound))
    return found
