"""Hold a verdicts.toml against stored records: what it names must be there, and be true.

An explanation holds only for rows whose experiment is stored, at the same keys, and shows what the
explanation says. A reading of what the paper leaves open must also be nearer to the published
numbers, on the other rows for which it was tried.
"""

from paper_figures.judge.reading import fits
from paper_figures.judge.verdicts import allowed, judge, names, of_figure
from paper_figures.registry import load_papers
from paper_figures.store import NO_KEYS

ENTRIES = {view.name for paper in load_papers() for view in paper.figures}


def problems(paper, rules, records):
    """Return what is wrong with a paper's rules, in words."""
    wrong = []
    rows = {name: record["rows"] for name, record in records.items()}
    for pattern, _ in rules.rules:
        wrong += named("a rule", pattern, rows)
    for note in rules.notes:
        for figure in names(note["figure"]):
            stored = records[figure]["notes"] if figure in records else []
            if not any(text.startswith(note.get("replaces", "")) for text in stored):
                wrong.append(f"a note: no note of {figure} begins {note['replaces']!r}")
    for each in rules.explanations:
        experiment = {"figure": each.experiment.removeprefix(f"{paper}.")} | each.experiment_rows
        absent = [
            line
            for pattern in (experiment, *each.rows, *each.checked_on)
            for line in named(f"explanation {each.id}", pattern, rows)
        ]
        wrong += absent or explanation(each, rules, records, rows[experiment["figure"]])
    for name, listed in rows.items():
        for row in listed:
            covering = [each.id for each in rules.explanations if each.covers(name, row)]
            if len(covering) > 1:
                wrong.append(f"{' and '.join(covering)} explain the same row: {keys_of(row)}")
    return wrong


def keys_of(row):
    return {key: value for key, value in row.items() if key not in NO_KEYS}


def named(what, pattern, rows):
    """Yield what a pattern names and no row has."""
    rest = {key: value for key, value in pattern.items() if key != "figure"}
    for figure in names(pattern["figure"]):
        if figure not in rows:
            if figure not in ENTRIES:  # an entry that is still to be made has no rows
                yield f"{what}: no figure {figure}"
            continue
        for key, value in rest.items():
            for choice in value if isinstance(value, list) else [value]:
                if not any(fits(keys_of(row), rest | {key: choice}) for row in rows[figure]):
                    yield f"{what}: no row of {figure} has {key} = {choice!r} beside the rest"


def explanation(why, rules, records, experiment):
    """Yield what is not so of an explanation."""
    found = False
    for figure, record in records.items():
        for row, said in zip(record["rows"], judge(record, rules), strict=True):
            if said.explanation != why:
                continue
            found = True
            bound = why.bound(row, experiment)
            if not bound:
                yield f"explanation {why.id}: no row is bound to {keys_of(row)}"
            elif not shown(why, rules.of(figure, row), row, bound):
                yield f"explanation {why.id}: not shown for {keys_of(row)}"
            elif why.checked_on:
                yield from checked(why, rules, records, experiment, row)
    if not found:
        yield f"explanation {why.id}: explains no row"


def shown(why, rule, row, bound):
    """Return whether the experiment's rows show what the explanation says of a covered row."""
    if why.shows == "between":
        ends = [row["ours"], *(other["ours"] for other in bound)]
        return min(ends) <= row["published"] <= max(ends)
    tried = [row | {name: other[name] for name in ("ours", "error", "n")} for other in bound]
    return any(abs(one["ours"] - row["published"]) <= allowed(one, rule) for one in tried)


def checked(why, rules, records, experiment, row):
    """Yield why the other rows on which a reading was tried do not choose it."""
    others = [
        (rules.of(figure, other), other, why.bound(other, experiment))
        for figure, record in records.items()
        for other in record["rows"]
        if any(of_figure(pattern, figure, other) for pattern in why.checked_on)
        and None not in (other["published"], other["ours"])
        and [other[key] for key in why.bind] != [row[key] for key in why.bind]
    ]
    others = [each for each in others if each[2]]
    if why.shows == "between":
        nearer = sum(shown(why, *each) for each in others)
    else:
        nearer = sum(
            abs(bound[0]["ours"] - other["published"]) < abs(other["ours"] - other["published"])
            for _, other, bound in others
        )
    if nearer <= len(others) / 2:
        tried = f"{nearer} of the {len(others)} other rows it was tried on"
        yield f"explanation {why.id}: true of {tried}"
