"""What a paper claims of its experiments, and whether our numbers bear it out.

``published/<paper>/claims.toml`` restates each claim in our own words. A function of
``paper_figures/<paper>/claims.py`` decides it from the stored records::

    [[claim]]
    id = "beats-adaboost"
    where = "Table 2"
    claim = "Boosted Distance errs less than AdaBoost on 13 of 15 sets."
    figures = ["table2"]
    settle = "..."    # if it fails or is open: the experiment that settles it

    RULES = {"beats-adaboost": beats_adaboost}    # takes the records, returns a Decision

A claim without a rule says ``why`` it is not testable here; or it names no figures and says what
experiment settles it, and is open. The rules are written with the helpers of `evidence`.

Not handled here: the verdict of each number beside its printed one (`verdict`), and the pages.
"""

import importlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

from paper_figures.claims.evidence import (
    FAILS,
    HOLDS,
    NOT_TESTABLE,
    OPEN,
    STATES,
    Decision,
    Missing,
    Number,
    Records,
)
from paper_figures.registry import PUBLISHED, Paper
from paper_figures.store import Record, Store, write_atomic

__all__ = [
    "FAILS",
    "HOLDS",
    "NOT_TESTABLE",
    "OPEN",
    "STATES",
    "Claim",
    "Decided",
    "Decision",
    "InvalidClaims",
    "Number",
    "count",
    "decide",
    "load",
    "write",
]

SMALL_SCALE = "the records of this folder are of the small scale; the claim is about the paper's"


class InvalidClaims(ValueError):
    """A claims.toml, or the rules beside it, do not have their proper form.

    See Also
    --------
    load : Raises it.

    Examples
    --------
    >>> from paper_figures import claims
    >>> claims.parse("lmnn", "id = 1")
    Traceback (most recent call last):
    ...
    paper_figures.claims.InvalidClaims: claims.toml of lmnn must hold [[claim]] tables only; got id
    """


@dataclass(frozen=True)
class Claim:
    """A claim of a paper in our own words.

    Attributes
    ----------
    id : str
        Lower case, digits and hyphens: a permalink. Unique within the paper.
    paper : str
    where : str
        Its place in the paper, such as ``"Section 4, Table 2"``.
    claim : str
    figures : tuple of str
        The figures whose rows decide it, such as ``("table2",)``.
    why : str
        Why it is not testable here; empty if it has a rule.
    settle : str
        The experiment that settles it if it fails or is open; may be empty.

    See Also
    --------
    load : The claims of a paper.
    Decided : A claim with its state.

    Examples
    --------
    >>> Claim("faster", "lmnn", "Section 4", "Ball trees are faster.", why="no timing").figures
    ()
    """

    id: str
    paper: str
    where: str
    claim: str
    figures: tuple[str, ...] = ()
    why: str = ""
    settle: str = ""


@dataclass(frozen=True)
class Decided:
    """A claim with its state, the numbers that decide it, why they do, and the cells counted.

    See Also
    --------
    decide : Decides the claims of a paper.

    Examples
    --------
    >>> claim = Claim("faster", "lmnn", "Section 4", "Ball trees are faster.")
    >>> Decided(claim, OPEN, (), "no entry decides it").state
    'open'
    """

    claim: Claim
    state: str
    numbers: tuple[Number, ...]
    because: str
    cells: tuple[tuple[str, str], ...] = ()


Rule: TypeAlias = Callable[[Records], Decision]

# --------------------------------------------------------------------------- claims.toml


def load(paper: str) -> list[Claim]:
    """Read the claims of a paper, in their order in its claims.toml.

    Parameters
    ----------
    paper : str
        ``"boosted_distance"``.

    Returns
    -------
    list of Claim
        Empty for a paper without the file.

    Raises
    ------
    InvalidClaims
        If the file is not as the module's docstring says.

    See Also
    --------
    decide : Decides them.

    Examples
    --------
    >>> load("lmnn")[0].paper
    'lmnn'
    >>> load("no-such-paper")
    []
    """
    path = PUBLISHED / paper / "claims.toml"
    return parse(paper, path.read_text(encoding="utf-8")) if path.is_file() else []


def parse(paper: str, text: str) -> list[Claim]:
    """Return the claims of a claims.toml's text; see :func:`load`."""
    where = f"claims.toml of {paper}"
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidClaims(f"{where} must be TOML: {error}") from error
    tables = content.get("claim")
    if set(content) != {"claim"} or not isinstance(tables, list):
        raise InvalidClaims(f"{where} must hold [[claim]] tables only; got {', '.join(content)}")
    claims = [_claim(paper, table, f"{where}, claim {i}") for i, table in enumerate(tables, 1)]
    for name, times in Counter(claim.id for claim in claims).items():
        if times > 1:
            raise InvalidClaims(
                f"{where}: the id {name!r} must stand once; it stands {times} times"
            )
    return claims


def _claim(paper: str, table: Any, where: str) -> Claim:
    names = [field.name for field in fields(Claim) if field.name != "paper"]
    if not isinstance(table, dict):
        raise InvalidClaims(f"{where} must be a table; got {table!r:.40}")
    if unknown := [name for name in table if name not in names]:
        raise InvalidClaims(f"{where} has fields {', '.join(names)}; got {', '.join(unknown)}")
    for name in ("id", "where", "claim"):
        if name not in table:
            raise InvalidClaims(f"{where}: {name} must be a text; it is missing")
    for name in names:
        if name != "figures" and name in table and not _is_text(table[name]):
            raise InvalidClaims(f"{where}: {name} must be a text; got {table[name]!r:.40}")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", table["id"]):
        raise InvalidClaims(
            f"{where}: id must be lower case letters and digits with hyphens; got {table['id']!r}"
        )
    figures = table.get("figures", [])
    if not isinstance(figures, list) or not all(_is_text(name) for name in figures):
        raise InvalidClaims(f"{where}: figures must be a list of names; got {figures!r:.40}")
    if not figures and "why" not in table and "settle" not in table:
        raise InvalidClaims(f"{where} needs figures that decide it, or why, or settle")
    return Claim(**{**table, "paper": paper, "figures": tuple(figures)})


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


# --------------------------------------------------------------------------- deciding


def rules(paper: str) -> Mapping[str, Rule]:
    """Return the rules of a paper, by the ids of their claims.

    Raises
    ------
    InvalidClaims
        If a rule has no claim, or a claim with figures neither a rule nor a ``why``, or both.
    """
    claims = load(paper)
    if not claims:
        return {}
    table: Mapping[str, Rule] = importlib.import_module(f"paper_figures.{paper}.claims").RULES
    match_rules(claims, table)
    return table


def match_rules(claims: Sequence[Claim], table: Mapping[str, Rule]) -> None:
    """Check that each rule has a claim, and each claim a rule, a ``why``, or no figures."""
    if extra := sorted(set(table) - {claim.id for claim in claims}):
        raise InvalidClaims(f"each rule must have a claim; these have none: {', '.join(extra)}")
    for claim in claims:
        if claim.id in table and (claim.why or not claim.figures):
            raise InvalidClaims(f"claim {claim.id!r} has a rule; it must name figures and no why")
        if claim.id not in table and claim.figures and not claim.why:
            raise InvalidClaims(f"claim {claim.id!r} names figures; it must have a rule or a why")


def decide(paper: str, records: Records) -> list[Decided]:
    """Decide each claim of a paper from the records of one folder.

    Parameters
    ----------
    paper : str
    records : mapping of str to dict
        The folder's records, by the names of their figures.

    Returns
    -------
    list of Decided
        In the order of claims.toml. A claim whose records are missing is open. In a folder of
        small-scale records no claim is testable.

    Raises
    ------
    InvalidClaims
        If the paper's claims.toml or its rules do not have their form.

    See Also
    --------
    load : The claims alone.
    count : How many are in each state.

    Examples
    --------
    >>> decided = decide("lmnn", {})
    >>> {item.state for item in decided} <= {OPEN, NOT_TESTABLE}  # without records nothing holds
    True
    """
    table = rules(paper)
    return [decide_claim(claim, table.get(claim.id), records) for claim in load(paper)]


def decide_claim(claim: Claim, rule: Rule | None, records: Records) -> Decided:
    """Decide a claim by its rule; see :func:`decide`."""
    if rule is None and claim.why:
        return Decided(claim, NOT_TESTABLE, (), claim.why)
    if any(record["scale"] != "paper" for record in records.values()):
        return Decided(claim, NOT_TESTABLE, (), SMALL_SCALE)
    if rule is None:
        return Decided(claim, OPEN, (), "no entry decides it")
    try:
        decision = rule(_Folder(records))
    except Missing as missing:
        decision = Decision(OPEN, (), f"not decided: {missing}")
    return Decided(claim, decision.state, decision.numbers, decision.because, decision.cells)


class _Folder(dict[str, Record]):
    """The records of a folder; a rule that asks for another one is not decided."""

    def __missing__(self, figure: str) -> Record:
        raise Missing(f"there is no record of {figure}")


def write(store: Store, papers: Sequence[Paper]) -> None:
    """Decide the claims of the papers and write ``OUT/<paper>/claims.json``.

    Parameters
    ----------
    store : store.Store
    papers : sequence of registry.Paper
        A paper without claims gets no file.

    Raises
    ------
    InvalidClaims
        As for :func:`decide`.
    paper_figures.store.CannotStore
        If the file system refuses.

    See Also
    --------
    decide : What is written.

    Examples
    --------
    >>> import tempfile
    >>> from paper_figures.registry import load_papers
    >>> store = Store(tempfile.mkdtemp())
    >>> write(store, load_papers())
    >>> json.loads(store.path("lmnn", "claims", ".json").read_text())["count"]["holds"]
    0
    """
    for paper in papers:
        if load(paper.name):
            decided = decide(paper.name, read_records(store, paper))
            write_atomic(store.path(paper.name, "claims", ".json"), dump(paper.name, decided))


def read_records(store: Store, paper: Paper) -> dict[str, Record]:
    """Return the paper's records that the folder holds, by the names of their figures."""
    records = {figure.name: store.read(paper.name, figure.name) for figure in paper.figures}
    return {name: record for name, record in records.items() if record is not None}


def count(decided: Iterable[Decided]) -> dict[str, int]:
    """Return how many claims are in each of :data:`STATES`.

    Parameters
    ----------
    decided : iterable of Decided

    Returns
    -------
    dict
        {state: number}.

    See Also
    --------
    decide : Decides claims.

    Examples
    --------
    >>> count(decide("lmnn", {}))["fails"]
    0
    """
    states = Counter(item.state for item in decided)
    return {state: states[state] for state in STATES}


def dump(paper: str, decided: Sequence[Decided]) -> str:
    """Return decided claims as JSON text, sorted by id, each on a line of its own."""
    lines = [_as_json(item) for item in sorted(decided, key=lambda item: item.claim.id)]
    head = f' "paper": {json.dumps(paper)},\n "count": {json.dumps(count(decided))},\n'
    return "{\n" + head + ' "claims": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


def _as_json(item: Decided) -> str:
    claim = item.claim
    numbers = [
        {name: _short(value) for name, value in asdict(number).items()} for number in item.numbers
    ]
    line = {
        "id": claim.id,
        "where": claim.where,
        "claim": claim.claim,
        "state": item.state,
        "because": item.because,
        "settle": claim.settle,
        "figures": [f"{claim.paper}.{name}" for name in claim.figures],
        "cells": dict(item.cells),
        "numbers": numbers,
    }
    return json.dumps(line, allow_nan=False, ensure_ascii=False)


def _short(value: Any) -> Any:
    """Keep eight digits of a number, which no order of additions changes."""
    return float(f"{value:.8g}") if isinstance(value, float) else value
