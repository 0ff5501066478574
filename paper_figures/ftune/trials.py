"""Differences between methods of Kar & Jain (2011), taken split by split."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from paper_figures.ftune.results import Row, absent, accuracy_row
from paper_figures.ftune.tasks import OF_RANDOM
from paper_figures.tasks import Context, Gathered, Result

Pair: TypeAlias = tuple[str, str]
COMPARED: tuple[Pair, ...] = (
    *(
        (method, rival)
        for method in ("FTUNE-S", "FTUNE-M", "FTUNE+D-S")
        for rival in ("BBS", "DBOOST")
    ),
    ("BBS", "DBOOST"),
    ("BBS+D", "BBS"),
    ("FTUNE+D-S", "FTUNE-S"),
    ("FTUNE-M", "FTUNE-S"),
    ("FTUNE+D-M", "FTUNE+D-S"),
    ("FTUNE+DP-S", "FTUNE+D-S"),
)
TRANSFERRED: tuple[Pair, ...] = (
    ("FTUNE-S", "FTUNE-S, slope 1 alone"),
    ("FTUNE-S", "FTUNE-S, slope 1,000 alone"),
    ("FTUNE+D-S", "FTUNE-S"),
    ("FTUNE+DP-S", "FTUNE+D-S"),
)
EQUAL: tuple[Pair, ...] = (("BBS+D", "BBS"), ("FTUNE+D-S", OF_RANDOM))
"""DSELECT beside random landmarks; a new object costs both the same."""


def transfer(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies of FTUNE-S with six slopes or one, and with DSELECT, and differences."""
    slopes: dict[int, list[float]] = {}
    for r in results:
        for slope in (r.value or {}).get("chosen", {}).get("FTUNE-S", [])[:1]:
            slopes.setdefault(r.params["d"], []).append(slope)
    notes = [
        "The same splits and pairs for all. FTUNE+D-S has d landmarks in all, so a new object "
        "costs fewer similarities. FTUNE+DP-S has d landmarks for each one-vs-all problem; "
        "two classes make one problem, for which it is FTUNE+D-S. Differences are taken split by "
        "split.",
        *(
            f"FTUNE-S with {d} landmarks chooses "
            + ", ".join(f"the slope {s:g} in {chosen.count(s)}" for s in sorted(set(chosen)))
            + f" of {len(chosen)} runs."
            for d, chosen in sorted(slopes.items())
        ),
    ]
    return Gathered(_means_and_differences(results, TRANSFERRED), notes)


def equal(context: Context, results: Sequence[Result]) -> Gathered:
    """Return DSELECT beside as many random landmarks, for BBS and FTUNE-S, and differences."""
    methods = {method for pair in EQUAL for method in pair}
    rows = [
        row
        for row in _means_and_differences(results, EQUAL)
        if row["method"] in methods or row["ours"] is None
    ]
    note = (
        "With few landmarks, on the splits of figure 1. Both sides of a difference have d "
        "landmarks in all, so a new object costs both the same. Figure 1 draws the pairs of "
        "FTUNE-S from all objects, which costs up to twice as much for each class. Differences "
        "are taken split by split."
    )
    return Gathered(rows, [note])


def _means_and_differences(results: Sequence[Result], pairs: Sequence[Pair]) -> list[Row]:
    """Return the accuracies of each method, whose `minus` is "-", then differences of pairs."""
    rows = absent(results, {"data_set": "all", "landmarks": None, "method": None, "minus": None})
    by_run = _by_run(results)
    for (name, d), runs in by_run.items():
        for method in dict.fromkeys(method for of_run in runs.values() for method in of_run):
            values = [of_run[method] for of_run in runs.values() if method in of_run]
            keys = {"data_set": name, "landmarks": d, "method": method, "minus": "-"}
            rows.append(accuracy_row(keys, None, values))
    return [*rows, *_differences(by_run, pairs)]


def differences(context: Context, results: Sequence[Result]) -> Gathered:
    """Return differences between methods, taken split by split."""
    rows = absent(results, {"data_set": "all", "landmarks": None, "method": None, "minus": None})
    rows += _differences(_by_run(results), COMPARED)
    note = (
        "Both methods have the same splits, so the error of a difference is that of its mean over "
        "splits. The splits of one set share their objects, which this error does not count."
    )
    return Gathered(rows, [note])


def _by_run(results: Sequence[Result]) -> dict[Any, dict[int, dict[str, float]]]:
    """Return accuracies by method of each run, by data set and number of landmarks.

    If results have a data set in several preparations, its name says which one.
    """
    prepared: dict[str, set[str]] = {}
    for r in results:
        prepared.setdefault(r.params["data_set"], set()).add(r.params.get("preparation", ""))
    by_run: dict[Any, dict[int, dict[str, float]]] = {}
    for r in results:
        if r.value is not None:
            name = r.params["data_set"]
            if len(prepared[name]) > 1:
                name = f"{name} ({r.params['preparation']})"
            runs = by_run.setdefault((name, r.params["d"]), {})
            runs.setdefault(r.params["run"], {}).update(r.value["accuracies"])
    return by_run


def _differences(by_run: Mapping[Any, Mapping[int, Row]], pairs: Sequence[Pair]) -> Iterator[Row]:
    for (name, d), runs in by_run.items():
        for method, other in pairs:
            both = [of for of in runs.values() if method in of and other in of]
            if both:
                keys = {"data_set": name, "landmarks": d, "method": method, "minus": other}
                yield accuracy_row(keys, None, [of[method] - of[other] for of in both])
