"""The committed records of a paper, and copies of them with a planted change."""

import copy
from pathlib import Path

from paper_figures import claims
from paper_figures.registry import load_papers
from paper_figures.store import Store

REPRODUCED = Path(claims.__file__).parents[1] / "reproduced"


def paper_named(name):
    return next(paper for paper in load_papers() if paper.name == name)


def committed_records(name):
    """Return the records in paper_figures/reproduced, by the names of their figures."""
    return claims.read_records(Store(REPRODUCED), paper_named(name))


def planted(records, figure, change, **keys):
    """Return the records with `change`, a dict or a function of the row, in all rows with `keys`.

    A key that is a set or a function says which values it allows.
    """
    content = copy.deepcopy(records[figure])
    rows = [row for row in content["rows"] if all(_fits(row.get(k), v) for k, v in keys.items())]
    assert rows, f"{figure} has no row with {keys}"
    for row in rows:
        row.update(change(row) if callable(change) else change)
    return {**records, figure: content}


def _fits(value, wanted):
    if callable(wanted):
        return wanted(value)
    return value in wanted if isinstance(wanted, set | frozenset) else value == wanted


def states(name, records):
    """Return the state of each claim of a paper, by id."""
    return {decided.claim.id: decided.state for decided in claims.decide(name, records)}
