"""The tables of Kar & Jain's figures: means over runs beside the printed numbers."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import stats

from paper_figures.tasks import Context, Gathered, Result, absent_row, absent_rows

Row: TypeAlias = dict[str, Any]
Accuracies: TypeAlias = dict[Any, list[float]]
"""Accuracies over runs by data set, number of landmarks and method."""

ROUNDING = 0.005  # the paper prints two decimals
PRINTED = {
    "aural-sonar": "AuralSonar",
    "protein": "Protein",
    "voting-similarity": "Voting",
    "cod-rna": "Cod-rna",
    "isolet": "Isolet",
    "letters": "Letters",
    "magic": "Magic",
    "pen-digits": "Pen-digits",
    "nursery": "Nursery",
    "faults": "Faults",
    "mfeat-pixel": "Mfeat-pixel",
    "mfeat-zernike": "Mfeat-zernike",
    "opt-digits": "Opt-digits",
    "satellite": "Satellite",
    "segment": "Segment",
}
NOWHERE = "the matrix of Chen et al. (2009) was on a page that is gone, and no copy was found"
BEST = "`best`: the two sample t-test at 95 % does not tell it from the method of the highest mean."
FRESH_PAIRS = "FTUNE's pairs are fresh ones for each class (Algorithm 2, line 1)."


def absent(results: Sequence[Result], keys: Row) -> list[Row]:
    """Return rows that say why nothing could be computed."""
    return [] if any(r.value is not None for r in results) else absent_rows(results, keys)


def by_set(results: Sequence[Result]) -> Accuracies:
    """Return accuracies over runs by data set, number of landmarks and method."""
    by_key: Accuracies = {}
    for r in results:
        for method, accuracy in (r.value or {"accuracies": {}})["accuracies"].items():
            key = r.params["data_set"], r.params["d"], method
            by_key.setdefault(key, []).append(accuracy)
    return by_key


def best_methods(by_key: Accuracies, data_set: str, d: int) -> set[Any]:
    """Return the methods that the t-test at 95 % does not tell from the one of the highest mean."""
    here = {
        method: values
        for (name, size, method), values in by_key.items()
        if (name, size) == (data_set, d)
    }
    top = max(here, key=lambda method: np.mean(here[method]))
    chosen = set()
    for method, values in here.items():
        if method == top or len(values) < 2 or _alike(values, here[top]):
            chosen.add(method)
    return chosen


def _alike(a: list[float], b: list[float]) -> bool:
    """Return whether the two sample t-test at 95 % does not tell the means apart."""
    if np.ptp(a) == np.ptp(b) == 0:
        return a[0] == b[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one of them may be constant
        return not stats.ttest_ind(a, b).pvalue < 0.05


def accuracy_row(keys: Row, published: float | None, values: list[float]) -> Row:
    std = float(np.std(values, ddof=1)) if len(values) > 1 else None
    row = keys | {"published": published, "ours": round(float(np.mean(values)), 4), "std": std}
    row |= {"tolerance": ROUNDING} if published is not None else {}
    return row | ({"repetitions": len(values)} if std is not None else {})


def _table(
    context: Context,
    results: Sequence[Result],
    file: str,
    methods: Sequence[str],
    missing: Sequence[str] = (),
) -> tuple[list[Row], Accuracies]:
    by_key = by_set(results)
    rows = absent(results, {"data_set": "all", "landmarks": None, "method": None, "best": None})
    printed = printed_lines(context, file)
    lost = {}
    for r in results:
        if r.value is None and not rows:
            lost[r.params["data_set"]] = r.why or ""
    # `best` is one of the printed
    by_key = {key: values for key, values in by_key.items() if key[2] in methods}
    for name, d in dict.fromkeys((name, d) for name, d, _ in by_key):
        winners = best_methods(by_key, name, d)
        line = printed.get(PRINTED.get(name), {})
        for method in methods:
            if (name, d, method) in by_key:
                keys = {
                    "data_set": name,
                    "landmarks": d,
                    "method": method,
                    "best": "yes" if method in winners else "",
                }
                published = line.get(f"{method}_{d}")
                rows.append(accuracy_row(keys, published, by_key[name, d, method]))
    computed = {name for name, _, _ in by_key}
    for name, why in list(lost.items()) + [(name, NOWHERE) for name in missing]:
        if name not in computed:
            line = printed.get(PRINTED.get(name, name), {})
            rows += _rows_without_result(name, why, line, methods)
    return rows, by_key


def printed_lines(context: Context, file: str) -> dict[Any, Row]:
    """Return a published table's lines by data set; none at the small scale."""
    if context.scale != "paper":
        return {}
    return {line["data_set"]: line for line in context.published(file)}


def _rows_without_result(name: str, why: str, line: Row, methods: Sequence[str]) -> list[Row]:
    """Return a row for each printed number of a data set that could not be computed."""
    columns = [column for column in line if "_" in column and column != "data_set"]
    sizes = sorted({int(column.rsplit("_", 1)[1]) for column in columns})
    return [
        absent_row(
            {"data_set": name, "landmarks": d, "method": method, "best": ""},
            why,
            line.get(f"{method}_{d}"),
        )
        for d in sizes
        for method in methods
    ]


def _runs(by_key: Accuracies) -> int:
    return max(map(len, by_key.values()), default=0)


def table1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of similarity matrices: BBS, DBOOST, FTUNE+D-S."""
    missing = (
        ("AmazonBinary", "Patrol", "Mirex07", "Amazon47", "FaceRec")
        if context.scale == "paper"
        else ()
    )
    rows, by_key = _table(
        context, results, "ftune/table1.csv", ("BBS", "DBOOST", "FTUNE+D-S"), missing
    )
    notes = [
        f"Means of {_runs(by_key)} random splits: 70 % for training, 10 % for validation, "
        "the rest tests. With fewer training objects than landmarks all of them are landmarks.",
        BEST,
    ]
    return Gathered(rows, notes)


def table2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of Gaussian similarities of vectors: BBS, DBOOST, FTUNE-S, FTUNE-M."""
    rows, by_key = _table(
        context, results, "ftune/table2.csv", ("BBS", "DBOOST", "FTUNE-S", "FTUNE-M")
    )
    notes = [
        f"Means of {_runs(by_key)} random splits: 50 % for training, 20 % for validation, "
        "the rest tests. Features have mean 0 and variance 1, which the paper does not say. "
        "The width is the mean distance of the training points, without a 2. " + FRESH_PAIRS,
        BEST,
        *_among_the_best(by_key),
        *_compared(results),
    ]
    return Gathered(rows, notes)


def _among_the_best(by_key: Accuracies) -> Iterator[str]:
    """Say how often each method of table 2 is among the best."""
    for d in sorted({d for _, d, _ in by_key}):
        names = [
            name for name, size in dict.fromkeys((name, d) for name, d, _ in by_key) if size == d
        ]
        best = [best_methods(by_key, name, d) for name in names]
        counts = {
            way: sum(bool(set(ways) & winners) for winners in map(set, best))
            for way, ways in (
                ("FTUNE", ("FTUNE-S", "FTUNE-M")),
                ("BBS", ("BBS",)),
                ("DBOOST", ("DBOOST",)),
            )
        }
        yield (
            f"With {d} landmarks FTUNE is among the best on {counts['FTUNE']} of {len(names)} "
            f"sets, BBS on {counts['BBS']}, DBOOST on {counts['DBOOST']}."
        )


def _compared(results: Sequence[Result]) -> Iterator[str]:
    """Say what a new object costs, by method and number of landmarks."""
    costs: dict[tuple[int, str], list[int]] = {}
    for r in results:
        for method, count in (r.value or {}).get("compared", {}).items():
            costs.setdefault((r.params["d"], method), []).append(count)
    for (d, method), counts in sorted(costs.items()):
        several = f" to {max(counts)}" if max(counts) > min(counts) else ""
        yield f"Similarities for a new object, {method} with {d} landmarks: {min(counts)}{several}."


def curves(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies by the number of landmarks."""
    by_key = by_set(results)
    rows = absent(results, {"data_set": "all", "landmarks": None, "method": None})
    drawing = []
    for (name, d, method), values in by_key.items():
        rows.append(
            accuracy_row({"data_set": name, "landmarks": d, "method": method}, None, values)
        )
        drawing.append(
            {
                "set": name,
                "d": d,
                "method": method,
                "mean": float(np.mean(values)),
                "std": rows[-1]["std"] or 0.0,
            }
        )
    note = (
        f"Means of {_runs(by_key)} random splits. {FRESH_PAIRS} The paper prints these as pictures "
        "only, so there are no numbers."
    )
    return Gathered(rows, [note], drawing)


def pairs(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies by the pairs and by the divisor of the features, beside table 2's."""
    rows = absent(
        results,
        {"data_set": "all", "landmarks": None, "method": None, "pairs": None, "divided by": None},
    )
    printed = printed_lines(context, "ftune/table2.csv")
    by_key: dict[Any, dict[Any, list[float]]] = {}
    far: Accuracies = {}
    best: dict[Any, list[bool]] = {}
    compared: dict[tuple[str, int], list[int]] = {}
    for r in results:
        for method, of, divided, accuracy in (r.value or {"accuracies": []})["accuracies"]:
            of_set = by_key.setdefault((r.params["data_set"], r.params["d"], divided), {})
            of_set.setdefault((method, of), []).append(accuracy)
        for of, count in (r.value or {"compared": {}})["compared"].items():
            compared.setdefault((of, r.params["d"]), []).append(count)
    for (name, d, divided), methods in sorted(by_key.items()):
        winners = best_methods({(name, d, key): values for key, values in methods.items()}, name, d)
        for (method, of), values in methods.items():
            published = printed.get(PRINTED.get(name), {}).get(f"{method}_{d}")
            keys = {
                "data_set": name,
                "landmarks": d,
                "method": method,
                "pairs": of,
                "divided by": divided,
                "best": "yes" if (method, of) in winners else "",
            }
            rows.append(accuracy_row(keys, published, values))
            best.setdefault((method, of, divided, d), []).append((method, of) in winners)
            if published is not None:
                far.setdefault((method, of, divided, d), []).append(
                    abs(np.mean(values) - published)
                )
    return Gathered(rows, _pairs_notes(compared, best, far))


def _pairs_notes(
    compared: dict[tuple[str, int], list[int]], best: dict[Any, list[bool]], far: Accuracies
) -> list[str]:
    """Return what the pairs cost, how often each way is among the best, and how far it is off."""
    notes = [
        "Each class draws d pairs from all objects, and a new object costs all of theirs (as in "
        "table 2); or each draws d pairs out of d landmarks, "
        "so that a new object costs d similarities. Features divided by d: g of Theorem 2. "
        f"{BEST} The three of one scale and number of landmarks are compared with each other."
    ]
    notes += [
        f"Similarities for a new object, pairs {of}, {d} landmarks: {min(counts)} to {max(counts)}."
        for (of, d), counts in sorted(compared.items(), key=lambda item: item[0][1])
    ]
    for key, wins in sorted(best.items(), key=lambda item: (item[0][3], item[0])):
        method, of, divided, d = key
        gaps = far.get(key)
        notes.append(
            f"{method} with {d} landmarks, pairs {of}, divided by {divided}: among the best on "
            f"{sum(wins)} of {len(wins)} sets"
            + (f", {np.mean(gaps):.3f} from the printed accuracies on average." if gaps else ".")
        )
    return notes
