"""Read ``published/<paper>/claims.toml``.

`judge` says what the fields of a claim and of its tests mean. ``published/claims.schema.json`` and
``verdicts.schema.json`` hold the form of the files: editors read them, and a test does.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from paper_figures.rows import PUBLISHED


def fits(row: Mapping[str, Any], keys: Mapping[str, Any]) -> bool:
    """Return whether a row has these keys; a list allows several values."""
    for key, value in keys.items():
        own = row.get(key)
        if own not in value if isinstance(value, list) else own != value:
            return False
    return True


@dataclass(frozen=True)
class Claim:
    """A claim of a paper in our own words; the docstring of `judge` says what the fields mean."""

    id: str  # a permalink, unique within the paper
    paper: str
    where: str
    claim: str
    figures: tuple[str, ...] = ()  # those of its tests, and others that show it
    why: str = ""
    settle: str = ""
    note: str = ""
    by_the_paper: str = ""
    at_best: str = ""
    readings: str = ""
    tests: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Claims:
    """What a claims.toml says: the claims, and the rows that decide nothing."""

    claims: tuple[Claim, ...] = ()
    not_here: tuple[Mapping[str, Any], ...] = ()


@cache
def load_claims(paper: str) -> Claims:
    """Read a paper's claims.toml; a paper without the file has no claims."""
    return parse(paper, read(paper, "claims.toml"))


def read(paper: str, file: str) -> str:
    """Return the text of a paper's file; empty if it has none."""
    path = PUBLISHED / paper / file
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def parse(paper: str, text: str) -> Claims:
    """Return what a claims.toml says."""
    content = tomllib.loads(text)
    whole = written_out(content, content.get("lists", {}))
    listed = (_claim(paper, table) for table in whole.get("claim", []))
    return Claims(tuple(listed), tuple(whole.get("not_here", [])))


def _claim(paper: str, table: Mapping[str, Any]) -> Claim:
    tests = table.get("test", [])
    shown = [*named_figures(tests), *table.get("figures", [])]
    own = {field.name for field in fields(Claim)} - {"figures", "tests"}
    texts = {name: value for name, value in table.items() if name in own}
    return Claim(**texts, paper=paper, figures=tuple(dict.fromkeys(shown)), tests=tuple(tests))


def written_out(value: Any, lists: Mapping[str, Any]) -> Any:
    """Return a value with the lists of the file for their names, such as "$here"."""
    if isinstance(value, dict):
        return {key: written_out(of, lists) for key, of in value.items()}
    if isinstance(value, list):
        return [written_out(of, lists) for of in value]
    if isinstance(value, str) and value.startswith("$"):
        return written_out(lists[value[1:]], lists)
    return value


def named_figures(value: Any) -> Iterator[str]:
    """Yield the figures that a test names, at any depth."""
    if isinstance(value, Mapping):
        for key, of in value.items():
            if key == "figure":
                yield of
            else:
                yield from named_figures(of)
    elif isinstance(value, list):
        for of in value:
            yield from named_figures(of)
