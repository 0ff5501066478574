"""What the READMEs show of the records: a table in that of the project, and in those of the papers'
results the claims, the figures and tables, what they cost, and the pictures.

The words before them are those of ``paper_figures/published/<paper>/results.md``, a template for
Jinja that names the rows whose numbers it quotes (:class:`Quoted`). After a change of words,
records or claims run, from the top of the checkout,

    PYTHONPATH=tests/support python -m readme --write

Without ``--write`` it says which README differs. ``tests/project/test_readme.py`` does that, too.
"""

import json
import sys
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, partial
from pathlib import Path

import jinja2
import numpy as np

from paper_figures import gallery, judge, registry
from paper_figures.gallery.entries import collect
from paper_figures.store import Store

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REPRODUCED = ROOT / "paper_figures" / "reproduced"
PUBLISHED = ROOT / "paper_figures" / "published"
BEGIN = "<!-- made by tests/support/readme.py, from here -->\n"
END = "<!-- to here -->\n"
STATES = ("holds", "fails", "open", "not testable here")
SIDES = ("published", "ours")
RESULTS = """\
## How it was made

This command wrote the files beside this one, in {minutes:.0f} core-minutes:

```
make figures ARGS="{room} --all --scale paper --data DIR --out paper_figures/reproduced"
```

The page of the site (`make site`) shows each claim with its reason, and each number beside the
published one.

"""
# room, title, headline, digits, record, and what its rows must have; a headline is their mean
HEADLINES = (
    (
        *("boosted_distance", "Boosted Distance", "test error on MNIST, %", 2, "table2"),
        {"data_set": "MNIST", "method": "Boosted Distance"},
    ),
    (
        *("boostmap", "BoostMap", "distances for a query of MNIST (§ 11.2)", 0, "costs"),
        {"method": "BoostMap-Fe-Se-QI", "quantity": "total_distances"},
    ),
    (
        *("search_forest", "Search Forest"),
        *("neighbours among 500 returned, %; other images and coordinates", 1, "figure1"),
        {"reading": "whole sets", "method": "Boosted Search Forest", "returned": 500},
    ),
    (
        *("lmnn", "LMNN", "test error on MNIST, %", 2, "table1"),
        {"N": 60000, "images": "mean 0, length 1", "measure": "test error (%)"},
    ),
    (
        *("ftune", "FTUNE", "accuracy with 30 landmarks, mean of 12 sets", 3, "table2"),
        {"landmarks": 30, "method": "FTUNE-S"},
    ),
)


@cache
def stored(room, name):
    return json.loads((REPRODUCED / room / f"{name}.json").read_text(encoding="utf-8"))


def decided(room):
    """Return the claims of a paper, decided by the committed records."""
    (paper,) = (paper for paper in registry.load_papers() if paper.name == room)
    return judge.decide(room, judge.read_records(Store(REPRODUCED), paper))


def line(room, title, words, digits, figure, keys):
    """Return the cells of a paper."""
    states = Counter(item.state for item in decided(room))
    rows = [
        row
        for row in stored(room, figure)["rows"]
        if row["published"] is not None and all(row.get(key) == keys[key] for key in keys)
    ]
    numbers = [f"{np.mean([row[side] for row in rows]):,.{digits}f}" for side in SIDES]
    link = f"[{title}](paper_figures/reproduced/{room}/README.md)"
    return [link, *(states[state] for state in STATES), words, *numbers]


def written(head, rows):
    """Return a table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def table():
    """Return the table of the project's README, with its lines that mark it."""
    head = ["paper", *STATES, "a headline", "published", "reproduced"]
    return BEGIN + written(head, [line(*headline) for headline in HEADLINES]) + END


def results(room):
    """Return the part of a README of results, with its lines that mark it."""
    papers = registry.load_papers()
    paper = next(paper for paper in papers if paper.name == room)
    found = collect(Store(REPRODUCED), paper, papers)
    made = [entry for entry in found.entries if entry.record]
    parts = [RESULTS.format(room=room, minutes=gallery.cpu_seconds(made) / 60)]
    if found.claims:
        counts = [found.decided[state] for state in STATES]
        parts.append(f"## Claims\n\n{written(STATES, [counts])}\n")
    rows = [
        (
            f"`{entry.name}`",
            entry.figure.title,
            ", ".join(f"{n} {s}" for s, n in entry.states.items()),
        )
        for entry in found.entries
    ]
    parts.append(f"## Figures and tables\n\n{written(('name', 'what', 'its numbers'), rows)}\n")
    shown = [entry for entry in found.entries if ".png" in entry.pictures]
    pictures = [f"\n![{e.spoken}: {e.figure.title}]({e.figure.name}.png)\n" for e in shown]
    return "".join([BEGIN, *parts, "## Pictures\n", *pictures, END])


class Quoted:
    """What a template of results can ask for; `figure` and `claim` are names of its paper."""

    def __init__(self, room):
        self.room = room

    def stored(self, figure):
        return stored(self.room, figure)

    def rows(self, figure, **keys):
        """Return the rows that have these keys."""
        return [row for row in self.stored(figure)["rows"] if keys.items() <= row.items()]

    def one(self, figure, **keys):
        (row,) = self.rows(figure, **keys)
        return row

    def number(self, value, digits, thousands=","):
        """Return a number as text, 5 rounded up."""
        rounded = Decimal(str(value)).quantize(Decimal(10) ** -digits, ROUND_HALF_UP)
        return f"{rounded:{thousands}}"

    def ours(self, figure, digits, **keys):
        return self.number(self.one(figure, **keys)["ours"], digits)

    def both(self, figure, digits=2, **keys):
        """Return the published and the reproduced number."""
        row = self.one(figure, **keys)
        mine = "not available" if row["ours"] is None else self.number(row["ours"], digits)
        return f"{self.number(row['published'], digits)} / {mine}"

    def lower(self, figure, **pair):
        """Return in how many cells the first value of a key has a lower number than the second."""
        ((key, (first, second)),) = pair.items()
        numbers = ("ours", "published", "error", "n", key)
        at = {
            tuple((k, v) for k, v in row.items() if k not in numbers): row["ours"]
            for row in self.rows(figure, **{key: second})
        }
        mine = self.rows(figure, **{key: first})
        return sum(
            row["ours"] < at[tuple((k, v) for k, v in row.items() if k not in numbers)]
            for row in mine
        )

    def claim(self, name):
        (item,) = (item for item in decided(self.room) if item.claim.id == name)
        return item

    def holds(self, claim, begin, end=None):
        """Return how many of a claim's cells hold, of those that can be tested."""
        states = [state for _, state in self.claim(claim).cells if state != STATES[-1]]
        return states[begin:end].count(STATES[0])


def words(room):
    """Return the words of a README of results with the numbers of the records."""
    template = (PUBLISHED / room / "results.md").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    quoted = Quoted(room)
    names = [name for name in vars(Quoted) if not name.startswith("_")]
    given = {name: getattr(quoted, name) for name in names}
    return environment.from_string(template).render(given)


def project():
    """Return the project's README with the table of the records."""
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    return before + table() + rest.partition(END)[2]


def page(room):
    """Return the README of the results of a paper."""
    return words(room) + results(room)


PAGES = {README: project} | {
    REPRODUCED / room / "README.md": partial(page, room) for room in registry.ROOMS
}
"""{README: what makes its text}."""


def main(arguments):
    """Write the READMEs, or say which differs from the records; then the exit code is 1."""
    differ = 0
    for path, make in PAGES.items():
        made = make()
        if "--write" in arguments:
            path.write_text(made, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != made:
            differ = 1
            print(f"{path} differs from the records: python -m readme --write")
    return differ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
