"""The tables of Kar & Jain's open points, and differences taken split by split."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from paper_figures.ftune.results import (
    PRINTED,
    Accuracies,
    Row,
    absent,
    accuracy_row,
    printed_lines,
)
from paper_figures.registry import Context, Gathered, Result

# readings are chosen on the first sets, and checked on the others
CHOOSING = {
    "small": ("wine",),
    "paper": ("faults", "mfeat-pixel", "mfeat-zernike", "opt-digits", "satellite", "segment"),
}
CHECKING = {
    "small": ("digits",),
    "paper": ("cod-rna", "isolet", "letters", "magic", "pen-digits", "nursery"),
}
KEYS = ("data_set", "landmarks", "method", "pairs", "bias", "divided by", "stop")
READING = KEYS[3:]
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
)


def factorial(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies by the combination of four readings, and how far each is from table 2."""
    rows = absent(results, dict.fromkeys((*KEYS, "printed")) | {"data_set": "all"})
    printed = printed_lines(context, "ftune/table2.csv")
    by_key: Accuracies = {}
    for r in results:
        for method, accuracy in (r.value or {"accuracies": {}})["accuracies"].items():
            reading = [r.params[name] for name in ("pairs", "bias", "divided", "stop")]
            if method == "BBS":
                reading[0] = "-"
            key = (r.params["data_set"], r.params["d"], method, *reading)
            by_key.setdefault(key, []).append(accuracy)
    for key, values in by_key.items():
        known = printed.get(PRINTED.get(key[0]), {}).get(f"{key[2]}_{key[1]}")
        rows.append(
            accuracy_row(dict(zip(KEYS, key, strict=True)) | {"printed": known}, None, values)
        )
    notes = [
        "Every combination of four readings: FTUNE's pairs, a bias, features divided by d, and the "
        "end of the training. LIBLINEAR's end: tolerance 0.1, at most 1,000 passes of its dual "
        f"coordinate descent. Means of {max(map(len, by_key.values()), default=0)} splits.",
        *_told(distances(rows)),
    ]
    return Gathered(rows, notes)


def distances(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], float]:
    """Return how far each reading is from the printed accuracies, the nearest first.

    Parameters
    ----------
    rows : sequence of Mapping
        Those of :func:`factorial`.

    Returns
    -------
    dict
        By (pairs, bias, divisor, stop) the mean distance over sets, numbers of landmarks, and BBS
        and FTUNE-S. Readings that lack a number that another reading has are left out.
    """
    gaps: dict[tuple[str, ...], dict[Any, float]] = {}
    shared: dict[tuple[str, ...], dict[Any, float]] = {}
    for row in rows:
        if row["printed"] is None or row["ours"] is None:
            continue
        reading = tuple(row[key] for key in READING)
        cell = row["data_set"], row["landmarks"], row["method"]
        of = shared if row["method"] == "BBS" else gaps
        of.setdefault(reading, {})[cell] = abs(row["ours"] - row["printed"])
    for reading, cells in gaps.items():
        cells |= shared.get(("-", *reading[1:]), {})
    most = max(map(len, gaps.values()), default=0)
    means = {
        reading: float(np.mean(list(cells.values())))
        for reading, cells in gaps.items()
        if len(cells) == most
    }
    return dict(sorted(means.items(), key=lambda item: item[1]))


def _told(means: Mapping[tuple[str, ...], float]) -> Iterator[str]:
    for (pairs, bias, divisor, stop), mean in means.items():
        yield (
            f"Pairs {pairs}, bias: {bias}, divided by {divisor}, {stop} end: {mean:.4f} from the "
            "printed accuracies of BBS and FTUNE-S on average."
        )


def dboost(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies of DBOOST by the pairs of a round, beside table 2's."""
    keys = ("classes", "data_set", "landmarks", "method", "pairs a round")
    rows = absent(results, dict.fromkeys((*keys, "printed")) | {"data_set": "all"})
    printed = printed_lines(context, "ftune/table2.csv")
    by_key: Accuracies = {}
    for r in results:
        if r.value is not None:
            classes = "up to 7" if r.value["classes"] <= 7 else "10 or more"
            name, d = r.params["data_set"], r.params["d"]
            key = classes, name, d, "DBOOST", r.params["pairs"]
            by_key.setdefault(key, []).append(r.value["accuracy"])
    far: dict[tuple[str, int], list[float]] = {}
    for key, values in by_key.items():
        known = printed.get(PRINTED.get(key[1]), {}).get(f"DBOOST_{key[2]}")
        named = dict(zip(keys, key, strict=True)) | {"printed": known}
        rows.append(accuracy_row(named, None, values))
        if known is not None:
            far.setdefault((key[0], key[4]), []).append(float(np.mean(values)) - known)
    notes = [
        "Each round draws so many pairs by its weights and takes the best stump on any of them.",
        *(
            f"Sets of {classes} classes, {m} {'pair' if m == 1 else 'pairs'} a round: "
            f"{np.mean(np.abs(gaps)):.3f} from the printed accuracies on average, "
            f"{np.mean(gaps):+.3f} with its sign."
            for (classes, m), gaps in sorted(far.items())
        ),
    ]
    return Gathered(rows, notes)


def pairs_of_a_round(rows: Sequence[Row]) -> dict[str, int]:
    """Return DBOOST's pairs a round by group of classes, chosen on the sets that choose.

    Parameters
    ----------
    rows : sequence of dict
        Those of :func:`dboost` at the paper's scale.

    Returns
    -------
    dict
        The number whose accuracies are nearest to the printed ones on average; among equals the
        least.
    """
    gaps: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if row["data_set"] in CHOOSING["paper"] and row["printed"] is not None:
            of = gaps.setdefault(row["classes"], {}).setdefault(row["pairs a round"], [])
            of.append(abs(row["ours"] - row["printed"]))
    return {
        classes: min(sorted(of), key=lambda m: round(float(np.mean(of[m])), 6))
        for classes, of in gaps.items()
    }


def transfer(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies of FTUNE-S with six slopes or one, and of FTUNE+D-S, and differences."""
    rows = absent(results, {"data_set": "all", "landmarks": None, "method": None, "minus": None})
    by_run = _by_run(results)
    for (name, d), runs in by_run.items():
        for method in dict.fromkeys(method for of_run in runs.values() for method in of_run):
            values = [of_run[method] for of_run in runs.values() if method in of_run]
            keys = {"data_set": name, "landmarks": d, "method": method, "minus": "-"}
            rows.append(accuracy_row(keys, None, values))
    rows += _differences(by_run, TRANSFERRED)
    slopes: dict[int, list[float]] = {}
    for r in results:
        for slope in (r.value or {}).get("chosen", {}).get("FTUNE-S", [])[:1]:
            slopes.setdefault(r.params["d"], []).append(slope)
    notes = [
        "The same splits and pairs for all. FTUNE+D-S has d landmarks in all, so a new object "
        "costs fewer similarities. Differences are taken split by split.",
        *(
            f"FTUNE-S with {d} landmarks chooses "
            + ", ".join(f"the slope {s:g} in {chosen.count(s)}" for s in sorted(set(chosen)))
            + f" of {len(chosen)} runs."
            for d, chosen in sorted(slopes.items())
        ),
    ]
    return Gathered(rows, notes)


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
    """Return accuracies by method of each run, by data set and number of landmarks."""
    by_run: dict[Any, dict[int, dict[str, float]]] = {}
    for r in results:
        if r.value is not None:
            runs = by_run.setdefault((r.params["data_set"], r.params["d"]), {})
            runs.setdefault(r.params["run"], {}).update(r.value["accuracies"])
    return by_run


def _differences(by_run: Mapping[Any, Mapping[int, Row]], pairs: Sequence[Pair]) -> Iterator[Row]:
    for (name, d), runs in by_run.items():
        for method, other in pairs:
            both = [of for of in runs.values() if method in of and other in of]
            if both:
                keys = {"data_set": name, "landmarks": d, "method": method, "minus": other}
                yield accuracy_row(keys, None, [of[method] - of[other] for of in both])
