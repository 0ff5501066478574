"""The printed steps in our own words and as formulas: ``steps/<paper>.toml``.

A file has words about the paper, sections and steps::

    [about]
    method = "Boosted Distance"
    words = "Learns a similarity for each class."
    find = "A.2 line 7"         # a printed line to try

    [[section]]
    id = "A.2"
    title = "Algorithm A.2: AdaBoost"
    words = "Chooses one weak classifier a round."
    places = ["A.2"]
    example = "adaboost"        # what examples/<paper>.py runs and draws by this name
    tick = "BD:A.2:3"           # the line that begins a round; `inside`: the function that has it
    rounds = "round t"          # what a round is called; absent, as the tick, without rounds
    caption = "What the picture shows."

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
    example: str  # what runs beside its lines
    tick: str = ""  # the printed line that begins a round
    inside: str = ""  # the function whose line it is, if there are several
    rounds: str = "round"  # what a round is called
    caption: str = ""  # what the picture shows


@dataclass(frozen=True)
class Steps:
    """The file of a paper."""

    about: tuple[str, str, str]  # the method, what it does in our words, a printed line to try
    sections: tuple[Section, ...]
    steps: dict[str, Step]


@cache
def read(room: str) -> Steps:
    """Read the steps of a paper."""
    table = tomllib.loads((FOLDER / f"{room}.toml").read_text(encoding="utf-8"))
    sections = [Section(**listed(entry, "places")) for entry in table.pop("section")]
    about = table.pop("about")
    steps = {id: Step(**listed(entry, "show")) for id, entry in table.items()}
    return Steps((about["method"], about["words"], about["find"]), tuple(sections), steps)


def listed(entry: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a table whose list, which may be absent, is a tuple."""
    return {**entry, name: tuple(entry.get(name, ()))}
