"""The printed steps in our own words and as formulas: ``steps/<paper>.toml``.

A file has words about the paper, examples, sections and steps::

    [about]
    method = "Boosted Distance"
    words = "Learns a similarity for each class."
    find = "A.2 line 7"         # a printed line to try

    [example.adaboost]          # what examples/<paper>.py runs and draws by this name
    tick = "BD:A.2:3"           # the line that begins a round; `inside`: the function that has it
    rounds = "round t"
    caption = "What the picture shows."

    [[section]]
    id = "A.2"
    title = "Algorithm A.2: AdaBoost"
    words = "Chooses one weak classifier a round."
    places = ["A.2"]
    example = "adaboost"        # may be absent

    ["BD:A.2:1"]
    words = "Count the examples of both sets."
    formula = 'n = |P| + |N|'   # LaTeX; may be absent
    show = ["n"]                # expressions whose values stand beside the code; by default what
                                # the line assigns or returns
    rests = "No round follows." # why a round may not reach the line; absent if each one does

Words may hold formulas between dollars and code between backquotes.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from paper_figures.site.printed import PREFIXES

__all__ = ["Section", "Step", "Steps", "read"]

FOLDER = Path(__file__).parent / "steps"


@dataclass(frozen=True)
class Step:
    """A printed step."""

    words: str
    formula: str = ""  # LaTeX
    show: tuple[str, ...] = ()  # Python expressions to show beside the code
    rests: str = ""  # why a round may not reach the line


@dataclass(frozen=True)
class Section:
    """Printed places that stand together on a page."""

    id: str
    title: str
    words: str
    places: tuple[str, ...]
    example: str = ""  # what runs beside its lines


@dataclass(frozen=True)
class Steps:
    """The file of a paper."""

    about: tuple[str, str, str]  # the method, what it does in our words, a printed line to try
    sections: tuple[Section, ...]
    steps: dict[str, Step]
    examples: dict[str, dict[str, str]]


@cache
def read(room: str) -> Steps:
    """Read the steps of a paper."""
    text = (FOLDER / f"{room}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    sections = [_section(entry) for entry in table.pop("section")]
    examples = table.pop("example")
    about = table.pop("about")
    wrong = [id for id in table if not id.startswith(f"{PREFIXES[room]}:")]
    if wrong:
        raise ValueError(f"steps of {room} must be of its printed lines; got {wrong}")
    steps = {id: _step(id, entry) for id, entry in table.items()}
    named = (about["method"], about["words"], about["find"])
    return Steps(named, tuple(sections), steps, examples)


def _section(entry: dict[str, Any]) -> Section:
    return Section(**{**entry, "places": tuple(entry["places"])})


def _step(id: str, entry: dict[str, Any]) -> Step:
    unknown = set(entry) - {"words", "formula", "show", "rests"}
    if unknown:
        raise ValueError(
            f"the step {id} must have words, formula, show and rests; got {sorted(unknown)}"
        )
    return Step(**{**entry, "show": tuple(entry.get("show", ()))})
