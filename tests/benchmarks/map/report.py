"""Write the table (README.md) and the picture (speed.png) of the measured rows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from . import first_try
from .kernels import CASES
from .peers import ONE_THREAD
from .rows import FAST_1, FAST_2, OURS, REFERENCE, SIZES, names
from .trainings import TRAININGS

HEAD = """\
# Measured speed

`make benchmarks` measures these numbers and writes this page: {measured} of {all} rows so far,
{dates},
on {machines}.
Each row is measured in a process of its own, where all implementations take turns; a number is the
median of the turns. The results of both twins must be equal, where both end in time. The data are
prepared outside of the clock. No test asserts a time.
{load}
`speed.json` holds all peers and the numbers of turns. [notes.md](notes.md) has more details.
[widths.md](widths.md) has every kernel without AVX-512, too, and [widths_v3.md](widths_v3.md) on a
processor that has none.

The reference, the column "1 thread" and the peers that have no other way run on one thread,
everything else on two; a peer is compared with ours on as many. A peer with a star ends at another
objective, or does similar work: its time stands without a ratio. pylmnn, metric-learn and mlpack
run in environments of their own, with the versions that they need. LIBLINEAR (its primal, for the
squared hinge) stops at its own tolerance. [notes.md](notes.md) says how far above our objective.

*Growth* is the exponent of n between the second size and the third, on one thread: 1 is linear.
*Limit* is how many times as long the fast kernel takes on one thread as the machine takes to read
the same bytes ({bytes} GB/s) or to multiply matrices of the same work ({float64} GFlop/s in
float64), whichever is longer. A dash means not measured or not there; "> 60 s" was stopped.
"""
PICTURE = "![Times of the reference and of the peers over those of the fast kernels](speed.png)\n"

NOISE = 0.05
NOTHING: dict[str, Any] = {"seconds": {}, "stopped": {}, "bounds": {}}
COLOURS = {"hundreds": "#56b4e9", "thousands": "#0072b2", "paper": "#000000"}
SIZE_NAMES = {"hundreds": "hundreds", "thousands": "thousands", "paper": "the paper's size"}
TABLES = (("kernels", CASES), ("trainings", TRAININGS))


def write(stored: dict[str, Any], folder: Path) -> None:
    """Write README.md and speed.png."""
    rows = stored["rows"]
    parts = [head(rows), "## A fit at the defaults\n", first_table(rows)]
    parts += ["## An import\n", import_table(rows)]
    for table, cases in TABLES:
        parts += [f"## {table.capitalize()}\n", table_of(rows, table, cases)]
        parts.append(slower_rows(rows, table))
    if any(both_measured(row) for row in rows.values()):
        draw(rows, folder / "speed.png")
        parts.insert(1, PICTURE)
    (folder / "README.md").write_text("\n".join(parts), encoding="utf-8")


def head(rows: dict[str, Any]) -> str:
    """Return the page's introduction."""
    every = [row["machine"] for row in rows.values()]
    loads = [row["load"] for row in rows.values()]
    dates = sorted({machine["date"] for machine in every})
    about = "{cores} cores of {processor}, Python {python}, NumPy {numpy}, SciPy {scipy}"
    best = best_of_machines(rows)
    return HEAD.format(
        measured=len(rows),
        all=len(list(names())),
        dates=dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}",
        machines="; ".join(sorted({about.format(**machine) for machine in every})),
        load=f"The load of the machine, ours included, was {min(loads):.1f} to {max(loads):.1f}.",
        bytes=f"{best['bytes'] / 1e9:.0f}",
        float64=f"{best['float64'] / 1e9:.0f}",
    )


def best_of_machines(rows: dict[str, Any]) -> dict[str, float]:
    """Return the most bytes and operations a second that a run has measured."""
    return {
        what: max(row["machine"][what] for row in rows.values()) for what in ("bytes", "float64")
    }


def both_measured(row: dict[str, Any]) -> bool:
    """Return whether a row has the reference and the fast twin."""
    return {REFERENCE, FAST_1} <= set(row["seconds"])


def table_of(rows: dict[str, Any], table: str, cases: dict[str, Any]) -> str:
    """Return the table of kernels or trainings."""
    lines = [
        "| what | reference | fast, 1 thread | fast, 2 threads | best peer | growth | limit |",
        "|---|---|---|---|---|---|---|",
    ]
    best = best_of_machines(rows)
    for name, case in cases.items():
        measured = [rows.get(f"{table}/{name}/{size}", NOTHING) for size in SIZES]
        for i, row in enumerate(measured):
            title = f"**{name}**: " if i == 0 else ""
            what = row.get("what", f"{SIZES[i]}: not measured")
            growth = exponent(measured[1], row) if i == 2 and case.grows else None
            cells = [
                title + what,
                cell(row, REFERENCE),
                cell(row, FAST_1),
                cell(row, FAST_2),
                best_peer(row),
                "" if growth is None else f"{growth:.2f}",
                limit(row, best),
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def first_table(rows: dict[str, Any]) -> str:
    """Return the table of the estimators' first fits."""
    lines = [
        "`Thing().fit(X, y)` on two thirds of the set; medians of five, after a first call that is",
        "not counted.",
        "",
        "| estimator | " + " | ".join(first_try.SETS) + " |",
        "|---|" + "---|" * len(first_try.SETS),
    ]
    for name in first_try.ESTIMATORS:
        cells = [first_cell(rows.get(f"first/{name}/{data}")) for data in first_try.SETS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def import_table(rows: dict[str, Any]) -> str:
    """Return the table of what imports take."""
    about = "Medians of five, each in a Python of its own, which finds the modules compiled."
    lines = [about, "", "| import | |", "|---|---|"]
    for what in first_try.IMPORTS:
        row = rows.get(f"import/{what}/-")
        lines.append(f"| {what} | {'-' if row is None else duration(row['seconds']['import'])} |")
    return "\n".join(lines) + "\n"


def first_cell(row: dict[str, Any] | None) -> str:
    """Return the seconds of a first fit."""
    if row is None:
        return "-"
    if row["stopped"]:
        return f"> {max(row['stopped'].values()):.0f} s"
    return "; ".join(
        duration(row["seconds"][what]) + ("" if what == "fit" else f" ({what})")
        for what in sorted(row["seconds"], key=lambda what: what != "fit")
    )


def cell(row: dict[str, Any], name: str) -> str:
    """Return the seconds of an implementation, and how many times the fast kernel's they are."""
    if name in row["stopped"]:
        return f"> {row['stopped'][name]:.0f} s"
    seconds = row["seconds"].get(name)
    if seconds is None:
        return "-"
    fast = row["seconds"].get(FAST_1)
    if name == FAST_1 or not fast:
        return duration(seconds)
    if name == FAST_2:
        return f"{duration(seconds)} (gain {times(fast / seconds)})"
    return f"{duration(seconds)} ({times(seconds / fast)} x)"


def best_peer(row: dict[str, Any]) -> str:
    """Return the peer that is fastest beside ours on as many threads; those with a star too.

    Peers that were stopped are named with the seconds that they were given.
    """
    theirs = {name: s for name, s in row["seconds"].items() if name not in OURS}
    cells = [f"{name} {duration(s)}" for name, s in theirs.items() if name.endswith("*")]
    ratios = {name: ratio_of(row, name) for name in theirs if not name.endswith("*")}
    if ratios:
        name = min(ratios, key=lambda one: ratios[one] or math.inf)
        ratio = f" ({times(ratios[name])} x)" if ratios[name] else ""
        cells.insert(0, f"{name} {duration(theirs[name])}{ratio}")
    cells += [f"{name} > {s:.0f} s" for name, s in row["stopped"].items() if name not in OURS]
    return "; ".join(cells) or "-"


def limit(row: dict[str, Any], machine: dict[str, float]) -> str:
    """Return the fast kernel's seconds over the least that the machine could take."""
    seconds = row["seconds"].get(FAST_1)
    if not seconds or not row["bounds"]:
        return ""
    return f"{seconds / max(work / machine[what] for what, work in row['bounds'].items()):.1f}"


def exponent(small: dict[str, Any], large: dict[str, Any]) -> float | None:
    """Return b of seconds ~ n**b between two rows."""
    seconds = [row["seconds"].get(FAST_1) for row in (small, large)]
    if not all(seconds) or small["n"] == large["n"]:
        return None
    return math.log(seconds[1] / seconds[0]) / math.log(large["n"] / small["n"])


def duration(seconds: float) -> str:
    """Return seconds with a unit, two digits."""
    unit, scale = ("s", 1) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("us", 1e6)
    value = scale * seconds
    return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.1f} {unit}"


def times(ratio: float) -> str:
    """Return a ratio in two digits, larger ones in whole numbers."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}"


def slower_rows(rows: dict[str, Any], table: str) -> str:
    """Say where the fast twin is slower than the reference, on one thread and on two."""
    both = sum(both_measured(row) for name, row in rows.items() if name.startswith(table))
    one, two = (slower_than_the_reference(rows, table, ours) for ours in (FAST_1, FAST_2))
    return (
        f"Both were measured in {both} rows. Slower than the reference by more than "
        f"{100 * NOISE:.0f} %: on one thread {', '.join(one) or 'none'}; on two "
        f"{', '.join(two) or 'none'}.\n"
    )


def slower_than_the_reference(rows: dict[str, Any], table: str, ours: str) -> list[str]:
    """Return the rows at which the fast twin takes longer than the reference."""
    slower = []
    for name, row in rows.items():
        seconds = row["seconds"]
        if name.startswith(table + "/") and ours in seconds and REFERENCE in seconds:
            ratio = seconds[REFERENCE] / seconds[ours]
            if ratio < 1 - NOISE:
                slower.append(f"{name.removeprefix(table + '/')} ({ratio:.2f})")
    return slower


def draw(rows: dict[str, Any], target: Path) -> None:
    """Draw how many times as long the reference and the best peer take, at each size."""
    from matplotlib.figure import Figure

    groups = [(table, name) for table, cases in TABLES for name in cases]
    figure = Figure(figsize=(8, 0.24 * len(groups) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    for place, (table, name) in enumerate(groups):
        for size in SIZES:
            row = rows.get(f"{table}/{name}/{size}")
            if row is None or FAST_1 not in row["seconds"]:
                continue
            peers = [name for name in row["seconds"] if name not in OURS and name[-1] != "*"]
            best = min((ratio_of(row, name) or math.inf for name in peers), default=None)
            look = {"color": COLOURS[size], "markersize": 5}
            points = ((ratio_of(row, REFERENCE), "o", "full"), (best, "D", "none"))
            for ratio, marker, fill in points:
                if ratio is not None and math.isfinite(ratio):
                    axes.plot(ratio, place, marker, fillstyle=fill, **look)
    finish(axes, groups)
    figure.savefig(target, dpi=110)


def ratio_of(row: dict[str, Any], other: str) -> float | None:
    """Return the seconds of the reference or of a peer over ours on as many threads."""
    seconds = row["seconds"]
    ours = FAST_1 if other == REFERENCE or other in ONE_THREAD else FAST_2
    return seconds[other] / seconds[ours] if other in seconds and ours in seconds else None


def finish(axes: Any, groups: list[tuple[str, str]]) -> None:
    """Name the axes and the marks."""
    from matplotlib.lines import Line2D

    axes.axvline(1, color="0.5", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(groups)), [name for _, name in groups], fontsize=8)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.set_xlabel(
        "seconds over those of the fast kernels on as many threads (right of 1: ours is faster)"
    )
    shown = [(COLOURS[size], "s", "full", SIZE_NAMES[size]) for size in SIZES]
    shown += [("0.4", "o", "full", "reference"), ("0.4", "D", "none", "best peer")]
    marks = [
        Line2D([], [], color=colour, marker=marker, fillstyle=fill, linestyle="", label=label)
        for colour, marker, fill, label in shown
    ]
    axes.figure.legend(
        handles=marks, loc="outside upper center", ncols=5, fontsize=8, frameon=False
    )
