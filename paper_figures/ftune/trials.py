"""The tables of Kar & Jain's open points: combinations of readings, DBOOST's pairs, one slope."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from paper_figures.ftune.results import (
    PRINTED,
    Accuracies,
    absent,
    accuracy_row,
    by_set,
    printed_lines,
)
from paper_figures.registry import Context, Gathered, Result

KEYS = ("data_set", "landmarks", "method", "pairs", "bias", "divided by", "stop")
READING = KEYS[3:]


def factorial(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies by the combination of four readings, and how far each is from table 2."""
    rows = absent(results, dict.fromkeys(KEYS) | {"data_set": "all"})
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
        published = printed.get(PRINTED.get(key[0]), {}).get(f"{key[2]}_{key[1]}")
        rows.append(accuracy_row(dict(zip(KEYS, key, strict=True)), published, values))
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
        Those of :func:`factorial`. The number is ``published`` before verdicts, ``printed`` after.

    Returns
    -------
    dict
        By (pairs, bias, divisor, stop) the mean distance over sets, numbers of landmarks, and BBS
        and FTUNE-S. Readings that lack a number that another reading has are left out.
    """
    gaps: dict[tuple[str, ...], dict[Any, float]] = {}
    shared: dict[tuple[str, ...], dict[Any, float]] = {}
    for row in rows:
        published = row.get("published", row.get("printed"))
        if published is None or row["ours"] is None:
            continue
        reading = tuple(row[key] for key in READING)
        cell = row["data_set"], row["landmarks"], row["method"]
        of = shared if row["method"] == "BBS" else gaps
        of.setdefault(reading, {})[cell] = abs(row["ours"] - published)
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
    keys = ("data_set", "landmarks", "method", "pairs a round")
    rows = absent(results, dict.fromkeys(keys) | {"data_set": "all"})
    printed = printed_lines(context, "ftune/table2.csv")
    by_key: Accuracies = {}
    classes: dict[str, int] = {}
    for r in results:
        if r.value is not None:
            key = r.params["data_set"], r.params["d"], "DBOOST", r.params["pairs"]
            by_key.setdefault(key, []).append(r.value["accuracy"])
            classes[r.params["data_set"]] = r.value["classes"]
    far: dict[tuple[str, int], list[float]] = {}
    for key, values in by_key.items():
        published = printed.get(PRINTED.get(key[0]), {}).get(f"DBOOST_{key[1]}")
        rows.append(accuracy_row(dict(zip(keys, key, strict=True)), published, values))
        if published is not None:
            few = "up to 7 classes" if classes[key[0]] <= 7 else "10 classes or more"
            far.setdefault((few, key[3]), []).append(float(np.mean(values)) - published)
    notes = [
        "Each round draws so many pairs by its weights and takes the best stump on any of them.",
        *(
            f"{few}, {m} {'pair' if m == 1 else 'pairs'} a round: "
            f"{np.mean(np.abs(gaps)):.3f} from the printed accuracies on average, "
            f"{np.mean(gaps):+.3f} with its sign."
            for (few, m), gaps in sorted(far.items())
        ),
    ]
    return Gathered(rows, notes)


def transfer(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies of FTUNE-S with six slopes or one, and of FTUNE+D-S."""
    rows = absent(results, {"data_set": "all", "landmarks": None, "method": None})
    printed = printed_lines(context, "ftune/table2.csv")
    by_key = by_set(results)
    for (name, d, method), values in by_key.items():
        published = printed.get(PRINTED.get(name), {}).get(f"{method}_{d}")
        keys = {"data_set": name, "landmarks": d, "method": method}
        rows.append(accuracy_row(keys, published, values))
    slopes: dict[int, list[float]] = {}
    for r in results:
        for slope in (r.value or {}).get("chosen", {}).get("FTUNE-S", [])[:1]:
            slopes.setdefault(r.params["d"], []).append(slope)
    notes = [
        "The same splits and pairs for all. FTUNE+D-S has d landmarks in all, so a new object "
        "costs fewer similarities.",
        *(
            f"FTUNE-S with {d} landmarks chooses the slope "
            + ", ".join(f"{s:g} {chosen.count(s)} times" for s in sorted(set(chosen)))
            + "."
            for d, chosen in sorted(slopes.items())
        ),
    ]
    return Gathered(rows, notes)
