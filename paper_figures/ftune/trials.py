"""The tables of Kar & Jain's open points, and differences taken split by split."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paper_figures.ftune.factorial import OF_RANDOM, READINGS
from paper_figures.ftune.results import (
    PRINTED,
    Accuracies,
    Row,
    absent,
    accuracy_row,
    printed_lines,
)
from paper_figures.registry import Context, Gathered, Result
from paper_figures.rows import number_row

# readings are chosen on the first sets, and checked on the others
CHOOSING = {
    "small": ("wine",),
    "paper": ("faults", "mfeat-pixel", "mfeat-zernike", "opt-digits", "satellite", "segment"),
}
CHECKING = {
    "small": ("wdbc-small",),
    "paper": ("cod-rna", "isolet", "letters", "magic", "pen-digits", "nursery"),
}
KEYS = ("data_set", "landmarks", "method", "pairs", "bias", "divided by", "stop")
READING = KEYS[3:]
Reading: TypeAlias = tuple[str, ...]
"""Pairs, bias, divisor and stop."""
OURS: Reading = tuple(READINGS[0][name] for name in ("pairs", "bias", "divided", "stop"))
DISTANCE = "distance from the print"
CHOSEN_ON, CHECKED_ON = "six sets that choose", "six sets that check"
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


def factorial(context: Context, results: Sequence[Result]) -> Gathered:
    """Return accuracies by the combination of four readings, and how far each is from table 2."""
    rows = _of_readings(context, results)
    means = distances(rows)
    told = [
        f"Pairs {reading[0]}, {words_of(reading)}: {mean:.4f} from the printed accuracies of BBS "
        "and FTUNE-S on average."
        for reading, mean in means.items()
    ]
    return Gathered(rows, [_readings_note(rows), *told])


def _of_readings(context: Context, results: Sequence[Result]) -> list[Row]:
    """Return the accuracies of each reading, with the printed ones of table 2."""
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
    return rows


def _readings_note(rows: Sequence[Row]) -> str:
    runs = max((row.get("repetitions", 1) for row in rows if row["ours"] is not None), default=0)
    return (
        "Every combination of four readings: FTUNE's pairs, a bias, features divided by d, and the "
        "end of the training. LIBLINEAR's end: tolerance 0.1, at most 1,000 passes of its dual "
        f"coordinate descent. Means of {runs} splits."
    )


def words_of(reading: Reading) -> str:
    """Return how machines are trained by a reading, in words; the pairs are FTUNE's alone."""
    _, bias, divisor, stop = reading
    return f"bias: {bias}, divided by {divisor}, {stop} end"


def distances(rows: Sequence[Row]) -> dict[Reading, float]:
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
    gaps: dict[Reading, dict[Any, float]] = {}
    shared: dict[Reading, dict[Any, float]] = {}
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


@dataclass(frozen=True)
class Choice:
    """The reading that is nearest to the print on some sets, and how far it is on the others.

    Attributes
    ----------
    reading : tuple of str
        (pairs, bias, divisor, stop).
    choosing, checking : dict
        :func:`distances` on the sets that choose, and on those that check.
    in_order : dict
        For this reading and ours, in how many cells of the sets that check FTUNE-S and BBS stand in
        the printed order.
    told_apart : int
        The cells of these sets in which the print tells FTUNE-S from BBS.
    chosen_on, checked_on : tuple of str
        The sets of both groups that have numbers.
    """

    reading: Reading
    choosing: Mapping[Reading, float]
    checking: Mapping[Reading, float]
    in_order: Mapping[Reading, int]
    told_apart: int
    chosen_on: tuple[str, ...]
    checked_on: tuple[str, ...]

    def rank(self, reading: Reading) -> int:
        """Return the place of a reading on the sets that check, 1 for the nearest."""
        return 1 + list(self.checking).index(reading)


def choose(rows: Sequence[Row]) -> Choice | None:
    """Choose a reading on one half of the paper's sets, and check it on the other.

    Parameters
    ----------
    rows : sequence of dict
        Those of :func:`factorial`, for both halves of the sets.

    Returns
    -------
    Choice or None
        None if a group of sets lacks numbers of the nearest reading, or of ours.
    """
    choosing_rows, checking_rows = (
        [row for row in rows if row["data_set"] in group["paper"]] for group in (CHOOSING, CHECKING)
    )
    choosing = distances(choosing_rows)
    checking = distances(checking_rows)
    if not choosing:
        return None
    nearest = next(iter(choosing))
    if not {nearest, OURS} <= choosing.keys() & checking.keys():
        return None
    orders = {reading: _orders(checking_rows, reading) for reading in (nearest, OURS)}
    in_order = {reading: sum(kept) for reading, kept in orders.items()}
    chosen_on, checked_on = (
        tuple(dict.fromkeys(row["data_set"] for row in of if row["ours"] is not None))
        for of in (choosing_rows, checking_rows)
    )
    told = len(orders[OURS])
    return Choice(nearest, choosing, checking, in_order, told, chosen_on, checked_on)


def _orders(rows: Sequence[Row], reading: Reading) -> list[bool]:
    """Return whether FTUNE-S and BBS stand in the printed order, where the print parts them."""
    leads: dict[Any, dict[str, tuple[float, float]]] = {}
    for row in rows:
        pairs = "-" if row["method"] == "BBS" else reading[0]
        if tuple(row[key] for key in READING) == (pairs, *reading[1:]) and row["ours"] is not None:
            of_cell = leads.setdefault((row["data_set"], row["landmarks"]), {})
            of_cell[row["method"]] = (row["ours"], row["printed"])
    both = [of_cell for of_cell in leads.values() if len(of_cell) == 2]
    parted = [
        tuple(a - b for a, b in zip(of_cell["FTUNE-S"], of_cell["BBS"], strict=True))
        for of_cell in both
        if of_cell["FTUNE-S"][1] != of_cell["BBS"][1]
    ]
    return [ours * printed > 0 for ours, printed in parted]


def check(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the sets that check, and the reading that the other sets choose.

    `results` are those of all sets; the accuracies of the sets that choose stand in `factorial`.
    """
    every = _of_readings(context, results)
    rows = [row for row in every if row["data_set"] not in CHOOSING[context.scale]]
    notes = [_readings_note(every)]
    choice = choose(every)
    if choice is not None:
        rows += _distance_rows(choice)
        notes += _chosen(choice)
    return Gathered(rows, notes)


def _distance_rows(choice: Choice) -> Iterator[Row]:
    for group, means in ((CHOSEN_ON, choice.choosing), (CHECKED_ON, choice.checking)):
        for reading, mean in means.items():
            keys = {"data_set": group, "landmarks": None, "method": DISTANCE}
            keys |= dict(zip(READING, reading, strict=True)) | {"printed": None}
            yield number_row(keys, None, round(mean, 4))


def chosen_reading(rows: Sequence[Row]) -> Reading | None:
    """Return the reading that one half of the sets chooses, from the rows of :func:`check`.

    None without one.
    """
    means = [row for row in rows if row["data_set"] == CHOSEN_ON]
    if not means:
        return None
    nearest = min(means, key=lambda row: row["ours"])
    return tuple(nearest[key] for key in READING)


def _chosen(choice: Choice) -> Iterator[str]:
    """Say which reading is chosen, whether it is the nearest elsewhere, and how methods order."""
    reading, choosing, checking = choice.reading, choice.choosing, choice.checking
    readings = len(checking)
    yield (
        f"A reading is chosen on {', '.join(choice.chosen_on)}, and checked on "
        f"{', '.join(choice.checked_on)}. Distances are from the printed accuracies of BBS and "
        "FTUNE-S with both numbers of landmarks, on average."
    )
    ours = "it is the one of table 2" if reading == OURS else f"table 2's has {choosing[OURS]:.4f}"
    yield f"Chosen: pairs {reading[0]}, {words_of(reading)}, with {choosing[reading]:.4f}; {ours}."
    nearest = next(iter(checking))
    also = (
        "The chosen reading is the nearest there too."
        if nearest == reading
        else "The chosen reading is not the nearest there: that is "
        f"pairs {nearest[0]}, {words_of(nearest)}, with {checking[nearest]:.4f}."
    )
    yield (
        f"On the sets that check it is number {choice.rank(reading)} of {readings}, with "
        f"{checking[reading]:.4f}; table 2's reading is number {choice.rank(OURS)}, with "
        f"{checking[OURS]:.4f}. {also}"
    )
    yield (
        f"The print tells FTUNE-S from BBS in {choice.told_apart} cells of these sets. Their means "
        f"stand in the printed order in {choice.in_order[reading]} of them by the chosen reading, "
        f"and in {choice.in_order[OURS]} by table 2's."
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
