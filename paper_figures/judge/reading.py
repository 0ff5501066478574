"""Read ``published/<paper>/claims.toml``, and refuse what is wrong in it with its line.

`judge` lists the fields of a claim and of its tests; `verdicts` reads verdicts.toml the same way.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain, repeat
from typing import Any, NoReturn

from paper_figures.study import PUBLISHED

KINDS = ("above", "below", "near", "not above", "not below", "as published")
STATES_OF_A_CELL = ("open", "not testable here")
_TABLE = (dict, "a table")
_LIST = (list, "a list")
_TEXT = (str, "a text")
_NUMBER = ((int, float), "a number")
_SPEC = ((str, int, dict, list), "a name, a table or a list of them")
TEST: dict[str, tuple[Any, ...]] = {
    "figure": _TEXT,
    "rows": _TABLE,
    "without": _LIST,
    "of": _SPEC,
    "over": _SPEC,
    "over_all": _LIST,
    "key": _TEXT,
    "is": KINDS,
    "limit": _NUMBER,
    "worth": _NUMBER,
    "need": ((str, int), "a number or words"),
    "apart": _LIST,
    "steps": _TEXT,
    "none_fails": (bool, "true"),
    "against": ("open",),
    "missing": STATES_OF_A_CELL,
    "also": _LIST,
    "reading": _TEXT,
    "runs": (int, "a number"),
}
NEED = re.compile(r"every|most|all but [1-9]\d*")
HEAD = re.compile(r"\s*\[\[?([\w.]+)\]\]?")  # of a table


class InvalidClaims(ValueError):
    """A file of claims or verdicts does not have its proper form; the message names the line.

    See Also
    --------
    load_claims : Raises it.

    Examples
    --------
    >>> parse("lmnn", "id = 1")
    Traceback (most recent call last):
    ...
    paper_figures.judge.reading.InvalidClaims: claims.toml of lmnn, line 1: no such table: id
    """


def fits(row: Mapping[str, Any], keys: Mapping[str, Any]) -> bool:
    """Return whether a row has these keys; a list allows several values."""
    for key, value in keys.items():
        own = row.get(key)
        if own not in value if isinstance(value, list) else own != value:
            return False
    return True


# ------------------------------------------------------------------------------- any of the files


def read(paper: str, file: str) -> str:
    """Return the text of a paper's file; empty if it has none."""
    path = PUBLISHED / paper / file
    return path.read_text(encoding="utf-8") if path.is_file() else ""


class Toml:
    """A file that is being read; it knows the lines of its tables, and so that of what is wrong."""

    def __init__(self, paper: str, name: str, text: str, known: Sequence[str]) -> None:
        self.paper, self.name = paper, name
        self.lines = text.splitlines()
        self.heads: dict[str, list[int]] = {}
        for i, line in enumerate(self.lines, 1):
            if found := HEAD.match(line):
                self.heads.setdefault(found[1], []).append(i)
        try:
            self.content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidClaims(f"{name} of {paper} must be TOML: {error}") from error
        for table in self.content:
            if table not in known:
                self.refuse(f"no such table: {table}", key=table)

    def refuse(self, message: str, at: int = 0, key: str = "") -> NoReturn:
        """Raise with the line of a key in the table that begins at a line, or in the file."""
        found = at or 1
        for i, line in enumerate(self.lines[found - 1 :], found):
            if at and i > at and HEAD.match(line):
                break
            if key and re.match(rf'\s*\[*"?{re.escape(key)}\b', line):
                found = i
                break
        raise InvalidClaims(f"{self.name} of {self.paper}, line {found}: {message}")

    def tables(self, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the tables of a list, each with the line at which it begins."""
        lines = chain(self.heads.get(name, []), repeat(1))
        yield from zip(lines, self.content.get(name, []), strict=False)

    def check(
        self,
        what: str,
        table: Mapping[str, Any],
        at: int,
        known: Mapping[str, tuple[Any, ...]],
        needed: Sequence[str],
    ) -> None:
        """Refuse fields that are unknown, missing, or not of the type or choices in `known`."""
        for name, value in table.items():
            if name not in known:
                self.refuse(f"a {what} has no field {name!r}", at, name)
            choices = known[name]
            if all(isinstance(choice, str) for choice in choices):
                if value not in choices:
                    said = f"{name} must be one of {', '.join(choices)}; got {value!r:.40}"
                    self.refuse(said, at, name)
                continue
            kind, words = choices
            right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
            if not right or (kind is str and not value.strip()):
                self.refuse(f"{name} must be {words}; got {value!r:.40}", at, name)
        for name in needed:
            if name not in table:
                self.refuse(f"a {what} must have {name}", at)


# ------------------------------------------------------------------------------------ claims.toml


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
        The figures that show it, such as ``("table2",)``: those of its tests, and others.
    why, settle, note, by_the_paper, at_best, readings : str
        As the docstring of `judge` says; may be empty.
    tests : tuple of mapping

    See Also
    --------
    paper_figures.judge.Decided : A claim with its state.

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
    note: str = ""
    by_the_paper: str = ""
    at_best: str = ""
    readings: str = ""
    tests: tuple[Mapping[str, Any], ...] = ()


TEXTS = [f.name for f in fields(Claim) if f.name not in ("paper", "figures", "tests")]
CLAIM: dict[str, tuple[Any, ...]] = dict.fromkeys(TEXTS, _TEXT) | {
    "readings": ("first", "agree"),
    "at_best": STATES_OF_A_CELL,
    "figures": _LIST,
    "test": _LIST,
}
NOT_HERE: dict[str, tuple[Any, ...]] = {"rows": _TABLE, "why": _TEXT}


@dataclass(frozen=True)
class Claims:
    """What a claims.toml says: the claims, and the rows that decide nothing."""

    claims: tuple[Claim, ...] = ()
    not_here: tuple[Mapping[str, Any], ...] = ()


@cache
def load_claims(paper: str) -> Claims:
    """Read a paper's claims.toml; a paper without the file has no claims.

    Parameters
    ----------
    paper : str
        ``"boosted_distance"``.

    Returns
    -------
    Claims

    Raises
    ------
    InvalidClaims
        If the file is not as `judge` says; the message names the line.

    See Also
    --------
    paper_figures.judge.decide : Decides them.

    Examples
    --------
    >>> load_claims("lmnn").claims[0].paper
    'lmnn'
    >>> load_claims("no-such-paper").claims
    ()
    """
    text = read(paper, "claims.toml")
    return parse(paper, text) if text else Claims()


def parse(paper: str, text: str, figures: frozenset[str] = frozenset()) -> Claims:
    """Return what a claims.toml says; only `figures` may be named, or any if there are none."""
    file = _ClaimsToml(paper, "claims.toml", text, ("claim", "lists", "not_here"))
    file.figures = figures
    not_here = []
    for at, table in file.tables("not_here"):
        file.check("not_here", table, at, NOT_HERE, ("rows", "why"))
        not_here.append(file.written_out(table, at))
    claims: dict[str, Claim] = {}
    for at, table in file.tables("claim"):
        claim = file.claim(at, table)
        if claim.id in claims:
            file.refuse(f"the id {claim.id!r} is there twice", at, "id")
        claims[claim.id] = claim
    return Claims(tuple(claims.values()), tuple(not_here))


class _ClaimsToml(Toml):
    """A claims.toml that is being read."""

    figures: frozenset[str] = frozenset()

    def claim(self, at: int, table: Mapping[str, Any]) -> Claim:
        self.check("claim", table, at, CLAIM, ("id", "where", "claim"))
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", table["id"]):
            self.refuse("id must be lower case letters and digits with hyphens", at, "id")
        if not table.get("test") and "why" not in table:
            self.refuse(f"claim {table['id']!r} must have tests, or why it has none", at, "id")
        listed = table.get("figures", [])
        self._known(listed, at, "figures")
        end = min((line for line in self.heads.get("claim", []) if line > at), default=math.inf)
        of_tests = (line for line in self.heads.get("claim.test", []) if at < line < end)
        lines = chain(of_tests, repeat(at))
        listed_tests = zip(lines, table.get("test", []), strict=False)
        tests = [self._test(line, test) for line, test in listed_tests]
        readings = {test["reading"] for test in tests if "reading" in test}
        if len(readings) == 1 or ("readings" in table) != bool(readings):
            wanted = "readings, and tests of two readings at least, need each other"
            self.refuse(wanted, at, "id")
        shown = [name for test in tests for name in _figures(test)]
        return Claim(
            **{name: table[name] for name in TEXTS if name in table},
            paper=self.paper,
            figures=tuple(dict.fromkeys([*shown, *listed])),
            tests=tuple(tests),
        )

    def _known(self, names: Iterable[Any], at: int, key: str) -> None:
        for name in names:
            if not isinstance(name, str) or (self.figures and name not in self.figures):
                self.refuse(f"{self.paper} has no figure {name!r}", at, key)

    def _test(self, at: int, table: Mapping[str, Any], further: bool = False) -> Mapping[str, Any]:
        self.check("test", table, at, TEST, ("is",) if further else ("figure", "is"))
        test: Mapping[str, Any] = self.written_out(table, at)
        for wrong, key in _impossible(test):
            self.refuse(wrong, at, key)
        self._known(_figures(test), at, "figure")
        if further and {"over", "over_all", "also"} & set(test):
            self.refuse("a further test compares nothing: over belongs to the test", at, "also")
        also = [self._test(at, each, further=True) for each in test.get("also", [])]
        return {**test, "also": also} if also else test

    def written_out(self, value: Any, at: int) -> Any:
        """Return a value with the lists of the file for their names, such as "$here"."""
        if isinstance(value, dict):
            return {key: self.written_out(of, at) for key, of in value.items()}
        if isinstance(value, list):
            return [self.written_out(of, at) for of in value]
        if isinstance(value, str) and value.startswith("$"):
            lists = self.content.get("lists", {})
            if value[1:] not in lists:
                self.refuse(f"there is no list {value!r}", at)
            return self.written_out(lists[value[1:]], at)
        return value


def _impossible(test: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what cannot be asked, with the field that asks it."""
    rows = test.get("rows", {})
    need = test.get("need", "every")
    if need < 1 if isinstance(need, int) else not NEED.fullmatch(need):
        yield f'need must be every, most, "all but 1" or 1 and more; got {need!r}', "need"
    if "over" in test and "over_all" in test:
        yield "a test has over or over_all, not both", "over_all"
    if test["is"] == "as published" and ({"over", "over_all", "limit", "worth"} & set(test)):
        yield "what is as published has no limit, and nothing beside it", "is"
    if test["is"] == "near" and test.get("limit", 0) <= 0:
        yield "near must have a limit above 0", "is"
    if "geometric_mean" in str(test.get("of")) and test.get("limit", 0) <= 0:
        yield "a geometric mean must have a limit above 0", "of"
    if "worth" in test and (test["is"] not in ("above", "below") or test["worth"] <= 0):
        yield "worth must be above 0, of a test that says above or below", "worth"
    if not set(test.get("apart", [])) <= set(rows):
        yield "apart must name keys of rows", "apart"
    if "steps" in test and test["steps"] not in rows:
        yield "steps must name a key of rows", "steps"
    for key, values in rows.items():
        count = len(key.split("__"))
        if count > 1 and any(not isinstance(v, list) or len(v) != count for v in values):
            yield f"{key} must have lists of {count} values", "rows"


def _figures(value: Any) -> Iterator[str]:
    """Yield the figures that a test names, at any depth."""
    if isinstance(value, Mapping):
        for key, of in value.items():
            if key == "figure":
                yield of
            else:
                yield from _figures(of)
    elif isinstance(value, list):
        for of in value:
            yield from _figures(of)
