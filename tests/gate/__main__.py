"""Compare the project with what it was when the gate was written: ``python -m tests.gate``.

Every section is a table of names and values. ``expected/<section>.json`` holds the values that were
accepted last. A difference is printed as a line, with the command that accepts it; a commit that
accepts one says why.

``views`` and ``pages`` are of made-up observations and records. ``rows`` makes the small scale of
the papers' own figures, or reads it from ``--folder``, which takes minutes; it runs only when it is
named.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from .pages import pages
from .rows import rows, same_rows
from .sections import claims, demos, names, records, trainings, verdicts
from .views import views

EXPECTED = Path(__file__).parent / "expected"
SECTIONS = {
    "claims": claims,
    "verdicts": verdicts,
    "records": records,
    "trainings": trainings,
    "names": names,
    "demos": demos,
    "views": views,
    "pages": pages,
}
MOST = 15  # differences of a section that are printed


def differences(section, was, now):
    """Return a line for each name whose value is not as accepted."""
    lines = []
    for name in sorted(was.keys() | now.keys()):
        if name not in now:
            lines.append(f"{name}: is gone; was {_short(was[name])}")
        elif name not in was:
            lines.append(f"{name}: is new: {_short(now[name])}")
        elif section in ("rows", "views", "pages"):
            lines += [f"{name}: {line}" for line in same_rows(was[name], now[name])]
        elif was[name] != now[name]:
            lines.append(f"{name}: was {_short(was[name])}; is {_short(now[name])}")
    return lines


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def main(arguments):
    """Compare the sections, or accept them as they are."""
    parser = argparse.ArgumentParser(prog="python -m tests.gate", description=__doc__)
    every = [*SECTIONS, "rows"]
    parser.add_argument("sections", nargs="*", choices=[[], *every], help="default: all but rows")
    parser.add_argument("--accept", action="store_true", help="write what is there as expected")
    parser.add_argument("--folder", type=Path, help="results of the small scale, for rows")
    options = parser.parse_args(arguments)
    moved = 0
    for section in options.sections or SECTIONS:
        begun = time.perf_counter()
        now = rows(options.folder) if section == "rows" else SECTIONS[section]()
        path = EXPECTED / f"{section}.json"
        was = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        lines = differences(section, was, json.loads(json.dumps(now)))
        if options.accept:
            _write(path, now)
        print(f"{section}: {len(now)} values, {len(lines)} differ", end="")
        print(f" ({time.perf_counter() - begun:.0f} s)")
        for line in lines[:MOST]:
            print(f"  {line}")
        if len(lines) > MOST:
            print(f"  ... and {len(lines) - MOST} more")
        if lines and not options.accept:
            moved += 1
            print(f'  if it is meant: make gate ARGS="{section} --accept"; the commit says why')
    return 1 if moved else 0


def _write(path, values):
    """Write a table, one name a line, or one row of a figure a line."""
    path.parent.mkdir(exist_ok=True)
    lines = []
    for name in sorted(values):
        text = json.dumps(values[name], ensure_ascii=False)
        lines.append(
            f"{json.dumps(name)}: "
            + text.replace("]], [", "]],\n  [").replace("[]], [", "[]],\n  [")
        )
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
