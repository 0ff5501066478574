"""Amores, Sebe & Radeva (2006): what the trials beyond the paper say of its claims.

`by_rounds`, `covariances`, `trees` and `reductions` vary what the paper leaves open. A folder may
lack their records, or sets of them; then the functions here return nothing, and the paper's own
figures decide alone. A reading is chosen on one part of the cells, and judged on the others: on one
half of the sets, or in `reductions` on the other sets. Substitutes choose nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from paper_figures.boosted_distance.protocol import FIRST_HALF, SECOND_HALF, SUBSTITUTES, halves
from paper_figures.boosted_distance.reductions import FOUR_FIFTHS, LESS_NONE
from paper_figures.boosted_distance.trees import (
    MINUS_BOOSTED,
    MINUS_STUMPS,
    WEKA,
    best_variant,
    variant_of,
)
from paper_figures.claims.evidence import (
    OPEN,
    Decision,
    Number,
    Records,
    above,
    as_number,
    below,
    every,
    less,
)
from paper_figures.store import Row

LEAD = "AdaBoost minus Boosted Distance"
TABLE2_RULE = "as in table 2"


def listed(records: Records, figure: str, **keys: object) -> list[Row]:
    """Return the rows of a figure that have these keys and a number; none without a record."""
    if figure not in records:
        return []
    return [
        row
        for row in records[figure]["rows"]
        if row["ours"] is not None and all(row.get(key) == value for key, value in keys.items())
    ]


# ------------------------------------------------------------------------------------------ rounds


def of_rounds(records: Records, data_set: str, method: str, t: int) -> Number | None:
    """Return a number of `by_rounds` on test parts, or None."""
    keys = {"data_set": data_set, "method": method, "rounds": t, "part": "test"}
    found = [row for row in listed(records, "by_rounds", **keys) if row["std"] is not None]
    return as_number(records, "by_rounds", found[0], f"{data_set}, {method}") if found else None


def splits_of_rounds(records: Records, data_set: str) -> int:
    """Return the number of splits that `by_rounds` has of a set."""
    found = listed(records, "by_rounds", data_set=data_set, method=LEAD)
    return int(found[0]["repetitions"]) if found else 0


def all_rounds(records: Records) -> list[int]:
    """Return the numbers of rounds of `by_rounds`."""
    return sorted({int(row["rounds"]) for row in listed(records, "by_rounds")})


# ------------------------------------------------------------------------------------- covariances


def distances_by_rule(records: Records, data_set: str, choice: str) -> dict[str, Number]:
    """Return the errors of NN under the eight distances by a rule of `covariances`."""
    rows = listed(records, "covariances", data_set=data_set, choice=choice)
    return {
        row["distance"]: as_number(
            records, "covariances", row, f"{data_set}, NN, {row['distance']}, {choice}"
        )
        for row in rows
    }


def nearest_by_rules(records: Records, data_set: str, least_splits: int) -> dict[str, Number]:
    """Return NN's least error by table 2's rule, and by the rule that the other half chose.

    Nothing if `covariances` has no more splits than `least_splits`.
    """
    rows = listed(records, "covariances", data_set=data_set, choice=TABLE2_RULE)
    if not rows or rows[0]["repetitions"] <= least_splits:
        return {}
    choices = {TABLE2_RULE: TABLE2_RULE, "by a chosen rule": _of_other_half(records, data_set)}
    least = {}
    for words, choice in choices.items():
        errors = distances_by_rule(records, data_set, choice) if choice else {}
        if errors:
            least[words] = min(errors.values(), key=lambda number: number.ours)
    return least


def _of_other_half(records: Records, data_set: str) -> str | None:
    """Return the name of the rule of `covariances` that the half without this set chose."""
    rows = listed(records, "covariances", choice=TABLE2_RULE)
    judged = dict.fromkeys(  # the sets that were halved there
        row["data_set"]
        for row in rows
        if row["ours"] is not None and row["data_set"] not in SUBSTITUTES
    )
    own = next((half for half, names in halves(judged).items() if data_set in names), None)
    return own and f"by the {SECOND_HALF if own == FIRST_HALF else FIRST_HALF}"


def winner_by_the_other_half(records: Records, data_set: str) -> Decision | None:
    """Decide whether the named distance serves NN best, by the rule that the other half chose."""
    choice = _of_other_half(records, data_set)
    if choice is None:
        return None
    rows = listed(records, "covariances", choice=TABLE2_RULE)
    errors = distances_by_rule(records, data_set, choice)
    named = next(
        (row["distance"] for row in rows if row["data_set"] == data_set and row["printed"]), None
    )
    if named not in errors or len(errors) < 2:
        return None
    others = [error for distance, error in errors.items() if distance != named]
    return less(errors[named], min(others, key=lambda number: number.ours))


# -------------------------------------------------------------------------------------- reductions


def best_leads(
    records: Records, data_set: str, method: str, training: str, quantity: str
) -> dict[str, Number]:
    """Return by reading of a method its best number over the dimensions, from `reductions`."""
    keys = {"data_set": data_set, "training": training, "quantity": quantity}
    best: dict[str, Number] = {}
    for row in listed(records, "reductions", **keys):
        reading = row["reading"]
        if reading.split(",")[0] != method:
            continue
        name = f"{data_set}, {reading}, {row['dimensions']} dimensions, {training}: {quantity}"
        number = as_number(records, "reductions", row, name)
        if reading not in best or number.ours > best[reading].ours:
            best[reading] = number
    return best


def reduction_of_other_sets(
    records: Records, method: str, names: Iterable[str], without: str = ""
) -> str | None:
    """Return the reading of a method that compares best with NN on some sets, on average.

    The method as it is counts as a reading, unless `without` names it.
    The training set is four fifths of the data, where the paper says that a reduction compares well
    with none.
    """
    leads = [best_leads(records, name, method, FOUR_FIFTHS, LESS_NONE) for name in names]
    common = (
        [reading for reading in leads[0] if all(reading in of for of in leads)] if leads else []
    )
    common = [reading for reading in common if reading != without]
    means = {reading: sum(of[reading].ours for of in leads) / len(leads) for reading in common}
    return max(means, key=lambda reading: means[reading]) if means else None


def chosen_reductions(
    records: Records, names: Sequence[str], methods: Iterable[str]
) -> Decision | None:
    """Judge on each set the readings that the other sets chose; None where a number is missing.

    A reading's lead over NN is paired over the splits.
    """
    cells = {}
    for name, method in product(names, methods):
        others = [other for other in names if other != name]
        leads = best_leads(records, name, method, FOUR_FIFTHS, LESS_NONE)
        reading = reduction_of_other_sets(records, method, others)
        if reading not in leads:
            return None
        cells[f"{name} {reading}"] = above(leads[reading])
    return every(cells, "comparisons")


# ------------------------------------------------------------------------------------------- trees


def tree_readings(records: Records) -> dict[str, dict[str, tuple[str, ...] | None]]:
    """Return the variants of AdaBoost with trees that decide, by set.

    The variant that serves AdaBoost best is chosen on the half of the sets that a set is not in.
    J48 is C4.5 itself, with each way to hand it the weights.
    """
    rows = listed(records, "trees")
    shown = dict.fromkeys(r["data_set"] for r in rows if r["quantity"] == MINUS_STUMPS)
    sets = [name for name in shown if name not in SUBSTITUTES]
    if not sets:
        return {}
    chosen = {half: best_variant(rows, half) for half in (FIRST_HALF, SECOND_HALF)}
    other = {FIRST_HALF: SECOND_HALF, SECOND_HALF: FIRST_HALF}
    readings: dict[str, dict[str, tuple[str, ...] | None]] = {
        "the variant that the other half chose": {
            name: chosen[other[half]] for half, names in halves(sets).items() for name in names
        }
    }
    for way in dict.fromkeys(variant_of(row) for row in rows if row["learner"] == WEKA):
        words = f"{WEKA}, {way[2]} starting weights, {way[3]}"
        readings[words] = dict.fromkeys(sets, way)
    return readings


def trees_beside(records: Records, data_set: str, variant: tuple[str, ...] | None) -> Decision:
    """Decide whether trees err less than stumps on a set."""
    number = _of_variant(records, data_set, variant, MINUS_STUMPS)
    return _missing(data_set) if number is None else below(number)


def boosted_beside(records: Records, data_set: str, variant: tuple[str, ...] | None) -> Decision:
    """Decide whether Boosted Distance errs less than trees on a set."""
    number = _of_variant(records, data_set, variant, MINUS_BOOSTED)
    if number is None:
        return _missing(data_set)
    name = f"{number.name}, sign changed"
    return below(replace(number, name=name, ours=-number.ours, published=None))


def _missing(data_set: str) -> Decision:
    return Decision(OPEN, (), f"trees has no number for {data_set}")


def _of_variant(
    records: Records, data_set: str, variant: tuple[str, ...] | None, quantity: str
) -> Number | None:
    rows = listed(records, "trees", data_set=data_set, quantity=quantity)
    found = [row for row in rows if variant is not None and variant_of(row) == variant]
    if not found:
        return None
    return as_number(records, "trees", found[0], f"{data_set}, trees {quantity}")


def complete(records: Records, names: Iterable[str]) -> bool:
    """Return whether `trees` has a number for each of these sets."""
    there = {row["data_set"] for row in listed(records, "trees")}
    return set(names) <= there


def saying_splits(records: Records, decision: Decision) -> Decision:
    """Say over how many splits `trees` decides, beside those of figure 4 if it is here."""
    ours, theirs = (
        sorted({int(row["repetitions"]) for row in listed(records, name) if "repetitions" in row})
        for name in ("trees", "figure4")
    )
    beside = f", figure 4 has {theirs[-1]}" if theirs else ""
    if not ours:
        return decision
    splits = f"{ours[0]} to {ours[-1]}" if len(ours) > 1 else f"{ours[0]}"
    because = f"{decision.because}; over {splits} random splits{beside}"
    return replace(decision, because=because)
