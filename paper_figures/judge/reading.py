"""Read ``published/<paper>/claims.toml``, and refuse what is wrong in it with its line.

`judge` lists the fields of a claim and of its tests.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, NoReturn

from paper_figures.study import PUBLISHED

KINDS = ("above", "below", "near", "not above", "not below", "as published")
STATES_OF_A_CELL = ("open", "not testable here")
_TABLE = (dict, "a table")
_LIST = (list, "a list")
_TEXT = (str, "a text")
_NUMBER = ((int, float), "a number")
_SPEC = ((str, int, dict, list), "a name, a table or a list of them")
TEST: dict[str, tuple[Any, str]] = {
    "figure": _TEXT,
    "rows": _TABLE,
    "where": _TABLE,
    "without": _LIST,
    "of": _SPEC,
    "over": _SPEC,
    "over_all": _LIST,
    "key": _TEXT,
    "is": _TEXT,
    "limit": _NUMBER,
    "worth": _NUMBER,
    "need": ((str, int), "a number or words"),
    "apart": _LIST,
    "steps": _TEXT,
    "none_fails": (bool, "true"),
    "against": _TEXT,
    "missing": _TEXT,
    "also": _LIST,
    "reading": _TEXT,
    "points": ((int, str, dict), "a number, a key or a table"),
    "both_errors": (bool, "true"),
    "more_error": _TABLE,
    "rounding": _NUMBER,
    "exact": (bool, "true"),
    "one_sample": (bool, "true"),
    "runs": (int, "a number"),
}
NEED = re.compile(r"every|most|all but [1-9]\d*")


class InvalidClaims(ValueError):
    """A claims.toml does not have its proper form; the message names the line.

    See Also
    --------
    paper_figures.judge.load : Raises it.

    Examples
    --------
    >>> parse("lmnn", "id = 1")
    Traceback (most recent call last):
    ...
    paper_figures.judge.reading.InvalidClaims: claims.toml of lmnn, line 1: no such table: id
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
        The figures that show it, such as ``("table2",)``: those of its tests, and others.
    why : str
        Why it is not testable here; empty if its tests decide.
    settle : str
        The experiment that settles it if it fails or is open; may be empty.
    note : str
        What ends the reason of its state; may be empty.
    awaits : str
        The run until which it is open, whatever its tests show; may be empty.
    by_the_paper : str
        What the paper's own tables show of it; empty if the cells say so.
    at_best : str
        Its state if its tests hold; empty for "holds".
    readings : str
        "first", "agree" or empty.
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
    awaits: str = ""
    by_the_paper: str = ""
    at_best: str = ""
    readings: str = ""
    tests: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Claims:
    """What a claims.toml says: the claims, and the rows that decide nothing or bound a number."""

    claims: tuple[Claim, ...] = ()
    not_here: tuple[Mapping[str, Any], ...] = ()
    lower_bounds: tuple[Mapping[str, Any], ...] = ()


@cache
def load_claims(paper: str) -> Claims:
    """Read a paper's claims.toml; a paper without the file has no claims."""
    path = PUBLISHED / paper / "claims.toml"
    return parse(paper, path.read_text(encoding="utf-8")) if path.is_file() else Claims()


def parse(paper: str, text: str, figures: frozenset[str] = frozenset()) -> Claims:
    """Return what a claims.toml says.

    Parameters
    ----------
    paper : str
    text : str
    figures : set of str, optional
        The figures that the paper has; by default any.

    Raises
    ------
    InvalidClaims
        If it is not as the docstring of `judge` says.
    """
    return _Reader(paper, text, figures).claims()


class _Reader:
    """A claims.toml that is being read; it knows the line of what is wrong."""

    def __init__(self, paper: str, text: str, figures: frozenset[str]) -> None:
        self.paper, self.text, self.figures = paper, text, figures
        self.lists: Mapping[str, Any] = {}

    def refuse(self, message: str, place: tuple[str, ...] = (), key: str = "") -> NoReturn:
        """Raise with the line of a key in a table: ``("claim", "2", "test", "1")``."""
        line = _line(self.text, place, key)
        raise InvalidClaims(f"claims.toml of {self.paper}, line {line}: {message}")

    def claims(self) -> Claims:
        try:
            content = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidClaims(f"claims.toml of {self.paper} must be TOML: {error}") from error
        for name in content:
            if name not in ("claim", "lists", "not_here", "lower_bound"):
                self.refuse(f"no such table: {name}", (), name)
        self.lists = content.get("lists", {})
        for name, needed in (
            ("not_here", {"rows", "why"}),
            ("lower_bound", {"figure", "rows", "instead"}),
        ):
            for i, table in enumerate(content.get(name, []), 1):
                if set(table) != needed:
                    self.refuse(f"{name} has {', '.join(sorted(needed))}", (name, str(i)))
        claims = tuple(self._claim(i, table) for i, table in enumerate(content.get("claim", []), 1))
        for name, times in Counter(claim.id for claim in claims).items():
            if times > 1:
                last = max(i for i, claim in enumerate(claims, 1) if claim.id == name)
                self.refuse(f"the id {name!r} is there {times} times", ("claim", str(last)), "id")
        return Claims(
            claims,
            tuple(self._written_out(content.get("not_here", []))),
            tuple(content.get("lower_bound", [])),
        )

    def _claim(self, i: int, table: Mapping[str, Any]) -> Claim:
        place = ("claim", str(i))
        texts = [f.name for f in fields(Claim) if f.name not in ("paper", "figures", "tests")]
        for name, value in table.items():
            if name not in (*texts, "figures", "test"):
                self.refuse(f"a claim has no field {name!r}", place, name)
            if name in texts and not (isinstance(value, str) and value.strip()):
                self.refuse(f"{name} must be a text; got {value!r:.40}", place, name)
        for name in ("id", "where", "claim"):
            if name not in table:
                self.refuse(f"a claim must have {name}", place)
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", table["id"]):
            self.refuse("id must be lower case letters and digits with hyphens", place, "id")
        if not table.get("test") and "why" not in table:
            self.refuse(f"claim {table['id']!r} must have tests, or why it has none", place, "id")
        listed = table.get("figures", [])
        if not isinstance(listed, list):
            self.refuse(f"figures must be a list of names; got {listed!r:.40}", place, "figures")
        for name in listed:
            self._figure(name, place, "figures")
        one_of = {"readings": ("first", "agree"), "at_best": STATES_OF_A_CELL}
        for name, choices in one_of.items():
            if table.get(name, choices[0]) not in choices:
                self.refuse(f"{name} must be one of {', '.join(choices)}", place, name)
        tests = [
            self._test(t, (*place, "test", str(j))) for j, t in enumerate(table.get("test", []), 1)
        ]
        readings = {test["reading"] for test in tests if "reading" in test}
        if len(readings) == 1 or ("readings" in table) != bool(readings):
            self.refuse(
                "readings, and tests of two readings at least, need each other", place, "id"
            )
        shown = [name for test in tests for name in _figures(test)]
        more = {name: table[name] for name in texts if name in table}
        return Claim(
            **more,
            paper=self.paper,
            figures=tuple(dict.fromkeys([*shown, *listed])),
            tests=tuple(tests),
        )

    def _figure(self, name: Any, place: tuple[str, ...], key: str) -> None:
        if not isinstance(name, str) or (self.figures and name not in self.figures):
            self.refuse(f"{self.paper} has no figure {name!r}", place, key)

    def _test(
        self, table: Mapping[str, Any], place: tuple[str, ...], further: bool = False
    ) -> Mapping[str, Any]:
        for name, value in table.items():
            if name not in TEST:
                self.refuse(f"a test has no field {name!r}", place, name)
            kind, what = TEST[name]
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                self.refuse(f"{name} must be {what}; got {value!r:.40}", place, name)
        for name in ("is",) if further else ("figure", "is"):
            if name not in table:
                self.refuse(f"a test must have {name}", place)
        if table["is"] not in KINDS:
            self.refuse(f"is must be one of {', '.join(KINDS)}; got {table['is']!r}", place, "is")
        test: Mapping[str, Any] = self._written_out(table, place)
        for wrong, key in _impossible(test):
            self.refuse(wrong, place, key)
        for name in _figures(test):
            self._figure(name, place, "figure")
        if further and "over" in test:
            self.refuse("also has over_all, not over", place, "also")
        also = [self._test(each, place, further=True) for each in test.get("also", [])]
        return {**test, "also": also} if also else test

    def _written_out(self, value: Any, place: tuple[str, ...] = ()) -> Any:
        """Return a value with the lists of the file for their names, such as "$here"."""
        if isinstance(value, dict):
            return {key: self._written_out(of, place) for key, of in value.items()}
        if isinstance(value, list):
            return [self._written_out(of, place) for of in value]
        if isinstance(value, str) and value.startswith("$"):
            if value[1:] not in self.lists:
                self.refuse(f"there is no list {value!r}", place)
            return self._written_out(self.lists[value[1:]], place)
        return value


def _impossible(test: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what cannot be asked, with the field that asks it."""
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
    keys = {*test.get("rows", {}), "of"}
    for name in ("apart", "where"):
        if name in test and not set(test[name]) <= keys:
            yield f"{name} must name keys of rows", name
    if "steps" in test and test["steps"] not in test.get("rows", {}):
        yield "steps must name a key of rows", "steps"
    for name, choices in (("against", ("open",)), ("missing", STATES_OF_A_CELL)):
        if test.get(name, choices[0]) not in choices:
            yield f"{name} must be one of {', '.join(choices)}", name


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


def _line(text: str, place: tuple[str, ...], key: str) -> int:
    """Return the line of a key in a table, or that of the table's head."""
    wanted = {place[i]: int(place[i + 1]) for i in range(0, len(place), 2)}
    heads = {"test": "claim.test"}
    seen: Counter[str] = Counter()
    head = inside = 0
    for i, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*\[\[?([\w.]+)\]\]?", line):
            name = found[1]
            seen[name] += 1
            if name == "claim":
                seen["claim.test"] = 0
            last = heads.get(list(wanted)[-1], list(wanted)[-1]) if wanted else ""
            inside = all(seen[heads.get(n, n)] == times for n, times in wanted.items()) and (
                name == last
            )
            if inside:
                head = i
        if (inside or not wanted) and key and re.match(rf'\s*\[*"?{re.escape(key)}\b', line):
            return i
    return head or 1
