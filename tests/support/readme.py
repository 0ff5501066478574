"""The table of the README that shows how the five reproductions ended, made from the records.

After a change of records or claims run, from the top of the checkout,

    PYTHONPATH=tests/support python -m readme --write

Without ``--write`` it says whether the README has the table. ``tests/project/test_readme.py`` does
that, too.

Not handled here: the READMEs of the papers' rooms (tests/figures/test_result_pages*.py).
"""

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REPRODUCED = ROOT / "paper_figures" / "reproduced"
BEGIN = "<!-- made by tests/support/readme.py, from here -->\n"
END = "<!-- to here -->\n"
STATES = ("holds", "fails", "open", "not testable here")
SIDES = ("published", "ours")
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


def stored(room, name):
    return json.loads((REPRODUCED / room / f"{name}.json").read_text(encoding="utf-8"))


def line(room, title, words, digits, figure, keys):
    """Return the row of a paper."""
    states = Counter(claim["state"] for claim in stored(room, "claims")["claims"])
    rows = [
        row
        for row in stored(room, figure)["rows"]
        if row["published"] is not None and all(row.get(key) == keys[key] for key in keys)
    ]
    numbers = [f"{np.mean([row[side] for row in rows]):,.{digits}f}" for side in SIDES]
    link = f"[{title}](paper_figures/reproduced/{room}/README.md)"
    return " | ".join(["", link, *(str(states[state]) for state in STATES), words, *numbers, ""])


def table():
    """Return the README's table, with its lines that mark it."""
    head = ["", "paper", *STATES, "a headline", "published", "reproduced", ""]
    lines = [" | ".join(head).strip(), "|---" * (len(head) - 2) + "|"]
    lines += [line(*headline).strip() for headline in HEADLINES]
    return "".join([BEGIN, *(f"{one}\n" for one in lines), END])


def parts(text):
    """Return what is before the README's table, the table, and what is after it."""
    before, begin, rest = text.partition(BEGIN)
    inside, end, after = rest.partition(END)
    return before, begin + inside + end, after


def main(arguments):
    """Write the table, or say whether it is as the records have it: the exit code is 1 if not."""
    before, shown, after = parts(README.read_text(encoding="utf-8"))
    made = table()
    if "--write" in arguments:
        README.write_text(before + made + after, encoding="utf-8")
        return 0
    if shown != made:
        print("README.md differs from the records: python -m readme --write")
    return int(shown != made)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
