"""Write the table (README.md) and the picture (speed.png) of the measured rows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from . import first_try
from .kernels import CASES
from .rows import FAST_1, FAST_2, OURS, REFERENCE, SIZES
from .trainings import TRAININGS

HEAD = """\
# Measured speed

`make benchmarks` measures these numbers and writes this page; {date}, {cores} cores of {processor},
Python {python}, NumPy {numpy}, SciPy {scipy}. Each row was measured in a process of its own, where
all implementations took turns; a number is the median of the turns. The results of both twins were
equal before the clock started, and the data were prepared outside of it. No test asserts a time.
{load} `speed.json` holds all peers and the numbers of turns. [notes.md](notes.md) has more details.

*Growth* is the exponent of n between the second size and the third, on one thread: 1 is linear.
*Limit* is how many times as long the fast kernel takes on one thread as this machine takes to read
the same bytes ({bytes} GB/s) or to multiply matrices of the same work ({float64} GFlop/s in
float64), whichever is longer. A dash means not measured or not there; "> 60 s" was stopped.

![Times of the reference and of the peers over those of the fast kernels](speed.png)
"""

TABLES = (("kernels", CASES), ("trainings", TRAININGS))


def write(stored: dict[str, Any], folder: Path) -> None:
    """Write README.md and speed.png."""
    rows = stored["rows"]
    parts = [head(stored), "## The first call\n", first_table(rows)]
    for table, cases in TABLES:
        parts += [f"## {table.capitalize()}\n", table_of(rows, table, cases)]
        slower = slower_than_the_reference(rows, table)
        parts.append(
            "Slower than the reference on one thread: " + (", ".join(slower) or "none") + ".\n"
        )
    (folder / "README.md").write_text("\n".join(parts), encoding="utf-8")
    draw(rows, folder / "speed.png")


def head(stored: dict[str, Any]) -> str:
    """Return the page's introduction."""
    machine = stored["machine"]
    loads = [row["load"] for row in stored["rows"].values() if "load" in row]
    load = ""
    if loads:
        low, high = min(loads), max(loads)
        load = f"The load of the machine, ours included, was {low:.1f} to {high:.1f}."
    numbers = {
        "bytes": f"{machine['bytes'] / 1e9:.0f}",
        "float64": f"{machine['float64'] / 1e9:.0f}",
    }
    return HEAD.format(**{**machine, **numbers, "load": load})


def table_of(rows: dict[str, Any], table: str, cases: dict[str, Any]) -> str:
    """Return the table of kernels or trainings."""
    lines = [
        "| what | reference | fast, 1 thread | fast, 2 threads | best peer | growth | limit |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in cases:
        measured = [rows.get(f"{table}/{name}/{size}", {"seconds": {}}) for size in SIZES]
        for i, row in enumerate(measured):
            title = f"**{name}**: " if i == 0 else ""
            what = row.get("what", f"{SIZES[i]}: {row.get('why', 'not measured')}")
            growth = exponent(measured[1], row) if i == 2 else None
            cells = [
                title + what,
                cell(row, REFERENCE),
                cell(row, FAST_1),
                cell(row, FAST_2),
                best_peer(row),
                "" if growth is None else f"{growth:.2f}",
                limit(row),
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def first_table(rows: dict[str, Any]) -> str:
    """Return the table of the estimators' first fits."""
    lines = [
        "`Thing().fit(X, y)` on two thirds of the set with the fast kernels; medians of five.",
        "",
        "| estimator | " + " | ".join(first_try.SETS) + " |",
        "|---|" + "---|" * len(first_try.SETS),
    ]
    for name in first_try.ESTIMATORS:
        cells = [first_cell(rows.get(f"first/{name}/{data}")) for data in first_try.SETS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def first_cell(row: dict[str, Any] | None) -> str:
    """Return the seconds of a first fit."""
    if row is None:
        return "-"
    if row.get("stopped"):
        return f"> {max(row['stopped'].values()):.0f} s"
    return "; ".join(
        duration(row["seconds"][what]) + ("" if what == "fit" else f" ({what})")
        for what in sorted(row["seconds"], key=lambda what: what != "fit")
    )


def cell(row: dict[str, Any], name: str) -> str:
    """Return the seconds of an implementation, and how many times the fast kernel's they are."""
    if name in row.get("stopped", {}):
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
    """Return the fastest peer, with its time over ours on as many threads."""
    theirs = {name: s for name, s in row["seconds"].items() if name not in OURS}
    if not theirs:
        return "-"
    name = min(theirs, key=lambda one: theirs[one])
    ours = row["seconds"].get(FAST_2)
    ratio = f" ({times(theirs[name] / ours)} x)" if ours else ""
    return f"{name} {duration(theirs[name])}{ratio}"


def limit(row: dict[str, Any]) -> str:
    """Return the fast kernel's seconds over the machine's least."""
    seconds = row["seconds"].get(FAST_1)
    least = row.get("least")
    return f"{seconds / least:.1f}" if seconds and least else ""


def exponent(small: dict[str, Any], large: dict[str, Any]) -> float | None:
    """Return b of seconds ~ n**b between two rows."""
    seconds = [row["seconds"].get(FAST_1) for row in (small, large)]
    if not all(seconds) or small["n"] == large["n"]:
        return None
    return math.log(seconds[1] / seconds[0]) / math.log(large["n"] / small["n"])


def duration(seconds: float) -> str:
    """Return seconds with a unit, two digits."""
    scales = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
    unit, scale = next(
        (pair for pair in scales.items() if seconds >= pair[1]), ("us", scales["us"])
    )
    value = seconds / scale
    return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.1f} {unit}"


def times(ratio: float) -> str:
    """Return a ratio in two digits, larger ones in whole numbers."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}"


def slower_than_the_reference(rows: dict[str, Any], table: str) -> list[str]:
    """Return the rows at which the fast twin, on one thread, takes longer than the reference."""
    slower = []
    for name, row in rows.items():
        seconds = row["seconds"]
        if name.startswith(table + "/") and FAST_1 in seconds and REFERENCE in seconds:
            ratio = seconds[REFERENCE] / seconds[FAST_1]
            if ratio < 1:
                slower.append(f"{name.removeprefix(table + '/')} ({ratio:.2f})")
    return slower


def draw(rows: dict[str, Any], target: Path) -> None:
    """Draw how many times as long the reference and the best peer take, at each size."""
    from matplotlib.figure import Figure

    groups = [(table, name) for table, cases in TABLES for name in cases]
    figure = Figure(figsize=(8, 0.24 * len(groups) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    colours = {"hundreds": "#56b4e9", "thousands": "#0072b2", "paper": "#000000"}
    for place, (table, name) in enumerate(groups):
        for size in SIZES:
            row = rows.get(f"{table}/{name}/{size}")
            if row is None or FAST_1 not in row["seconds"]:
                continue
            points = ((REFERENCE, FAST_1, "o", True), (None, FAST_2, "D", False))
            for other, ours, marker, filled in points:
                ratio = ratio_of(row, other, ours)
                if ratio is not None:
                    axes.plot(
                        ratio,
                        place,
                        marker,
                        color=colours[size],
                        markersize=5,
                        fillstyle="full" if filled else "none",
                    )
    finish(axes, groups, colours)
    figure.savefig(target, dpi=110)


def ratio_of(row: dict[str, Any], other: str | None, ours: str) -> float | None:
    """Return the seconds of the reference, or of the best peer (None), over ours."""
    seconds = row["seconds"]
    if other is None:
        theirs = min((s for name, s in seconds.items() if name not in OURS), default=None)
    else:
        theirs = seconds.get(other)
    return theirs / seconds[ours] if theirs is not None and ours in seconds else None


def finish(axes: Any, groups: list[tuple[str, str]], colours: dict[str, str]) -> None:
    """Name the axes and the marks."""
    from matplotlib.lines import Line2D

    axes.axvline(1, color="0.5", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(groups)), [name for _, name in groups], fontsize=8)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.set_xlabel("seconds over those of the fast kernels (times; right of 1: ours is faster)")
    marks = [
        Line2D([], [], color=colour, marker="s", linestyle="", label=size_name(size))
        for size, colour in colours.items()
    ]
    marks += [
        Line2D([], [], color="0.4", marker="o", linestyle="", label="reference, one thread"),
        Line2D(
            [],
            [],
            color="0.4",
            marker="D",
            fillstyle="none",
            linestyle="",
            label="best peer, two threads",
        ),
    ]
    axes.figure.legend(
        handles=marks, loc="outside upper center", ncols=5, fontsize=8, frameon=False
    )


def size_name(size: str) -> str:
    """Return what the legend calls a size."""
    return {"hundreds": "hundreds", "thousands": "thousands", "paper": "the paper's size"}[size]
