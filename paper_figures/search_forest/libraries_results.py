"""The rows of the figure beside libraries: by method and setting, and which method to use when."""

from collections.abc import Mapping, Sequence
from typing import Any

from paper_figures.registry import Context, Gathered, Result
from paper_figures.rows import absent_row, absent_rows
from paper_figures.search_forest.libraries import missing
from paper_figures.search_forest.results import set_note
from paper_figures.store import Row

LEVELS = (90, 99)  # per cent of the K nearest
NOT_COUNTED = (
    "Compared are points with a query. Not counted are hyperplanes (forest, "
    "annoy) and FAISS's centroids; hnswlib does not say what its walk through a graph compares. "
    "All are asked on one thread, one query a call from Python, and built on one thread; "
    "a time is that of the fastest pass over the queries. The forest's planes are moved, "
    "which goes beyond the paper (splits)."
)


def libraries(context: Context, results: Sequence[Result]) -> Gathered:
    """Return recall, points compared and milliseconds a query of all that is installed."""
    keys = {
        "method": "all",
        "setting": None,
        "compared": None,
        "recall@10": None,
        "ms a query": None,
    }
    rows = absent_rows(results, keys)
    drawing = []
    notes = [set_note(results)]
    for r in results:
        if r.value is not None:
            rows += [
                keys | _missing(name, package)
                for name, method in r.params["methods"].items()
                if (package := missing(method["kind"], r.params["versions"]))
            ]
            rows += [_row(line) for line in r.value["lines"]]
            drawing += _curves(r.value["lines"])
            notes += [_settings_note(r.params), NOT_COUNTED, *_advice(drawing, r.value["built"])]
    return Gathered(rows, notes, drawing)


def _missing(name: str, package: str | None) -> Row:
    why = f"{package} is not installed: pip install 'refimpl[libraries]' installs it"
    return absent_row({"method": name}, why)


def _row(line: dict[str, Any]) -> Row:
    compared = None if line["compared"] is None else round(line["compared"])
    setting = "all" if line["setting"] is None else str(line["setting"])
    return {
        "method": line["method"],
        "setting": setting,
        "compared": compared,
        "recall@10": round(line["recall@10"], 2),
        "ms a query": float(f"{line['ms']:.3g}"),
        "published": None,
        "ours": round(line["recall"], 2),
        "std": None,
    }


def _curves(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of each method together, as columns."""
    names = dict.fromkeys(line["method"] for line in lines)
    return [
        {"method": name}
        | {
            key: [line[key] for line in lines if line["method"] == name]
            for key in ("recall", "compared", "ms")
        }
        for name in names
    ]


def _settings_note(params: Mapping[str, Any]) -> str:
    """Return the packages' versions, and what the indexes are built with."""
    present = [f"{package} {version}" for package, version in params["versions"].items() if version]
    built = "; ".join(
        f"{name}: " + ", ".join(f"{key} {value}" for key, value in method["with"].items())
        for name, method in params["methods"].items()
        if method["with"]
    )
    return f"Installed: {', '.join(present) or 'none of the libraries'}. Built with: {built}."


# ---------------------------------------------------------------------------------- which, and when


def _advice(curves: list[dict[str, Any]], built: dict[str, Any]) -> list[str]:
    """Return sentences that are read off the numbers."""
    levels = [_at_level(curves, level) for level in LEVELS]
    text = "; ".join(
        f"{name} {seconds:.3g} s"
        for name, seconds in sorted(built.items(), key=lambda item: item[1])
        if name != "linear scan"
    )
    return [*levels, f"Built in: {text}.", _choice(curves, built)]


def _least(curves: list[dict[str, Any]], level: float, key: str) -> list[tuple[Any, ...]]:
    """Return (least value of `key` among settings of at least this recall, method), sorted."""
    least = []
    for curve in curves:
        values = [
            value
            for value, recall in zip(curve[key], curve["recall"], strict=True)
            if recall >= level
        ]
        if values and values[0] is not None:
            least.append((min(values), curve["method"]))
    return sorted(least)


def _at_level(curves: list[dict[str, Any]], level: float) -> str:
    times = ", ".join(f"{name} {ms:.3g} ms" for ms, name in _least(curves, level, "ms"))
    counts = ", ".join(f"{name} {count:.0f}" for count, name in _least(curves, level, "compared"))
    reached = {name for _, name in _least(curves, level, "ms")}
    missed = ", ".join(curve["method"] for curve in curves if curve["method"] not in reached)
    return (
        f"At least {level} per cent of the nearest: {times} a query; points compared: {counts}."
        + (f" Not reached by {missed} with these settings." if missed else "")
    )


def _choice(curves: list[dict[str, Any]], built: dict[str, Any]) -> str:
    """Say when to use which method: by time, by comparisons, by the time of building."""
    parts = []
    for key, words in (
        ("ms", "where a query's time counts"),
        ("compared", "where a comparison is what costs"),
    ):
        best = [
            f"{least[0][1]} (at {level} per cent)"
            for level in LEVELS
            if (least := _least(curves, level, key))
        ]
        parts.append(f"{words}: {', '.join(best)}")
    shortest = min((name for name in built if name != "linear scan"), key=lambda name: built[name])
    scan = next(
        (curve["ms"][0] for curve in curves if curve["method"] == "linear scan"), float("inf")
    )
    slower = [name for ms, name in _least(curves, LEVELS[-1], "ms") if ms > scan]
    warning = (
        f" Slower than the linear scan at {LEVELS[-1]} per cent: {', '.join(slower)}."
        if slower
        else ""
    )
    return (
        f"By these numbers, {'; '.join(parts)}; "
        f"where an index is often built anew: {shortest}.{warning}"
    )
