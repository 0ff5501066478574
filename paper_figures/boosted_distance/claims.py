"""Amores, Sebe & Radeva (2006): the rules that decide their claims, `published/.../claims.toml`.

Where a record holds the paired difference of two methods, its error decides; otherwise the two are
taken as independent, which makes the error too large, for they share their splits. The sets
`gender` (licensed, not here) and `ad` (a substitute for the original) decide no claim; the counts
are over the other 13. Boosted Distance has the similarity divided by the sum of its weights
(ERRATUM BD-2).
"""

import math
from collections.abc import Iterable
from dataclasses import replace

from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    FAILS,
    HOLDS,
    NOT_TESTABLE,
    OPEN,
    SURE,
    Decision,
    Missing,
    Number,
    Records,
    above,
    as_number,
    at_least,
    average,
    below,
    difference,
    every,
    less,
    more,
    most,
    near,
    number,
    row,
    rows,
)
from paper_figures.store import NOT_AVAILABLE, Row

NOT_HERE = {
    "ad": "a substitute stands in for the set",
    "gender": "the set is licensed and not here",
}
HIGH = ("ad", "gender", "MNIST", "arrhythmia")
LOW = (
    *("splice", "sonar", "spectf", "ionosphere", "wdbc", "german", "vote1", "credit", "wbc"),
    *("pima", "liver"),
)
SETS = HIGH + LOW
ADABOOST_WINS = ("vote1", "credit")
BEST = "NN, best of eight distances"
STUMPS = "AdaBoost, stumps"
TREES = "AdaBoost, C4.5-like trees"
BOOSTED = "Boosted Distance"
THE_TREES = "the trees are scikit-learn's, pruned by cost and complexity, not C4.5's"
SMALL_TRAINING = "as in table 2"
MUCH_TRAINING = "80% of the data"
MANY_ROUNDS = 100


def _is_here(name: str) -> bool:
    return name not in NOT_HERE


def _not_here(name: str) -> Decision:
    return Decision(NOT_TESTABLE, (), NOT_HERE[name])


def _with_absent(names: Iterable[str], cells: dict[str, Decision]) -> dict[str, Decision]:
    """Return the cells in the order of the sets, and a cell for each set that is not here."""
    return {name: cells[name] if _is_here(name) else _not_here(name) for name in names}


def _table2(records: Records, data_set: str, method: str) -> Number:
    return number(records, "table2", f"{data_set}, {method}", data_set=data_set, method=method)


def _lead(records: Records, data_set: str) -> Number:
    """Return AdaBoost's error minus Boosted Distance's, paired over the splits."""
    lead = row(records, "table2", data_set=data_set, method="difference")
    return as_number(records, "table2", lead, f"{data_set}, AdaBoost minus Boosted Distance")


def _beside_nearest(records: Records, data_set: str) -> Decision:
    """Decide whether Boosted Distance errs less than NN under the best of eight distances."""
    return less(_table2(records, data_set, BOOSTED), _table2(records, data_set, BEST))


def small_training_sets(records: Records) -> Decision:
    """Decide by the mean of the paired differences."""
    leads = [_lead(records, name) for name in SETS if _is_here(name)]
    return above(average(leads, f"mean of {len(leads)} sets, AdaBoost minus Boosted Distance"))


def thirteen_of_fifteen(records: Records) -> Decision:
    """Count the sets set by set; vote1 and credit are those that the paper leaves out."""
    cells = {name: above(_lead(records, name)) for name in SETS if _is_here(name)}
    return at_least(_with_absent(SETS, cells), len(cells) - len(ADABOOST_WINS), "sets")


def adaboost_wins_two(records: Records) -> Decision:
    """Compare AdaBoost with both others on the two sets."""
    cells = {}
    for name in ADABOOST_WINS:
        cells[f"{name} beside Boosted Distance"] = below(_lead(records, name))
        cells[f"{name} beside NN"] = less(
            _table2(records, name, STUMPS), _table2(records, name, BEST)
        )
    return every(cells, "comparisons")


def _gain(records: Records, name: str) -> Number:
    """Return AdaBoost's error minus Boosted Distance's in per cent of AdaBoost's."""
    lead, stumps = _lead(records, name), _table2(records, name, STUMPS)
    if stumps.ours == 0.0:
        raise Missing(f"{stumps.name} is 0, so that no part of it can be lowered")
    error = None if lead.std_error is None else 100.0 * lead.std_error / stumps.ours
    printed = None
    if lead.published is not None and stumps.published:
        printed = 100.0 * lead.published / stumps.published
    percent = 100.0 * lead.ours / stumps.ours
    return replace(lead, name=f"{name}, %", ours=percent, std_error=error, published=printed)


def mean_improvement(records: Records) -> Decision:
    """Compare the mean over our sets with the mean of the paper's own lines for these sets.

    The paper's error is taken as ours: the difference has sqrt(2) times our error.
    """
    gains = [_gain(records, name) for name in SETS if _is_here(name)]
    ours = average(gains, f"mean relative improvement of {len(gains)} sets, %")
    if ours.published is None or ours.std_error is None:
        return Decision(OPEN, (ours, *gains), "a printed line or a standard error is missing")
    gap = abs(ours.ours - ours.published)
    state = HOLDS if gap <= SURE * math.sqrt(2.0) * ours.std_error else FAILS
    words = "within" if state == HOLDS else "beyond"
    because = f"the paper's own lines for these sets give {ours.published:.2f} %, {words} two "
    return Decision(state, (ours, *gains), because + "standard errors of the difference")


def other_distances(records: Records) -> Decision:
    """Compare with the best of eight distances, chosen on the test parts as the paper chose it."""
    cells = {
        name: _beside_nearest(records, name)
        for name in SETS
        if _is_here(name) and name != "ionosphere"
    }
    return every(_with_absent([n for n in SETS if n != "ionosphere"], cells), "sets")


def _distance(records: Records, data_set: str, distance: str) -> Number:
    name = f"{data_set}, NN, {distance}"
    return number(records, "distances", name, data_set=data_set, distance=distance)


def ionosphere_exception(records: Records) -> Decision:
    """Compare Mah-CD with both boosted methods on ionosphere."""
    nearest = _distance(records, "ionosphere", "Mah-CD")
    return every(
        {
            method: less(nearest, _table2(records, "ionosphere", method))
            for method in (STUMPS, BOOSTED)
        },
        "comparisons",
    )


def lowest_on_twelve(records: Records) -> Decision:
    """Count the sets on which Boosted Distance is below both others."""
    cells = {}
    for name in SETS:
        if _is_here(name):
            nearest = _beside_nearest(records, name)
            cells[name] = every({"AdaBoost": above(_lead(records, name)), "NN": nearest})
    exceptions = 1 + len(ADABOOST_WINS)
    return at_least(_with_absent(SETS, cells), len(cells) - exceptions, "sets")


def better_than_rca(records: Records) -> Decision:
    """Compare with RCA set by set."""
    cells = {
        name: less(_table2(records, name, BOOSTED), _distance(records, name, "RCA"))
        for name in SETS
        if _is_here(name)
    }
    return every(_with_absent(SETS, cells), "sets")


def best_distances_named(records: Records) -> Decision:
    """Compare the distance that the paper names for a set with the best of the seven others."""
    cells = {}
    for name in SETS:
        if _is_here(name):
            of_set = [r for r in rows(records, "distances", data_set=name) if "status" not in r]
            named = next((r["distance"] for r in of_set if r["published"] is not None), None)
            others = [r for r in of_set if r["distance"] != named]
            if named is None or not others:
                raise Missing(f"distances has no number for the named distance of {name}")
            rival = min(others, key=lambda other: float(other["ours"]))
            cells[f"{name} ({named})"] = less(
                _distance(records, name, named), _distance(records, name, rival["distance"])
            )
        else:
            cells[name] = _not_here(name)
    return every(cells, "sets")


def _accuracy(records: Records, data_set: str, method: str, rounds: int) -> Number:
    name = f"{data_set}, {method}" + (f", T = {rounds}" if rounds else "")
    return number(records, "figure2", name, data_set=data_set, method=method, rounds=rounds)


def _large_rounds(records: Records, data_set: str) -> list[int]:
    curve = rows(records, "figure2", data_set=data_set, method=BOOSTED)
    return [row["rounds"] for row in curve if row["rounds"] >= MANY_ROUNDS]


def figure2_adaboost(records: Records) -> Decision:
    """Compare at each T from 100 on."""
    cells = {
        f"{name} T = {t}": more(
            _accuracy(records, name, BOOSTED, t), _accuracy(records, name, STUMPS, t)
        )
        for name in HIGH
        if _is_here(name)
        for t in _large_rounds(records, name)
    }
    return _from_100_rounds(cells)


def figure2_euclidean(records: Records) -> Decision:
    """Compare at each T from 100 on."""
    cells = {
        f"{name} T = {t}": more(
            _accuracy(records, name, BOOSTED, t), _accuracy(records, name, "NN (L2)", 0)
        )
        for name in HIGH
        if _is_here(name)
        for t in _large_rounds(records, name)
    }
    return _from_100_rounds(cells)


def _from_100_rounds(cells: dict[str, Decision]) -> Decision:
    """Decide every point, and say that those before 100 rounds are not counted."""
    decision = every(cells | {n: _not_here(n) for n in HIGH if not _is_here(n)}, "points")
    because = (
        f"{decision.because}. The text names no number of rounds; from {MANY_ROUNDS} on counts"
    )
    return replace(decision, because=because)


def _curve(records: Records, data_set: str, method: str, training: str) -> list[Row]:
    """Return a curve's rows that have a number: one at least."""
    listed = rows(records, "figure3", data_set=data_set, method=method, training=training)
    curve = [row for row in listed if row.get("status") != NOT_AVAILABLE]
    if not curve:
        raise Missing(f"figure3 has no number for {data_set}, {method}, {training}")
    return curve


def _peak(records: Records, data_set: str, method: str, training: str) -> Number:
    """Return the best accuracy of a method over its numbers of dimensions."""
    curve = _curve(records, data_set, method, training)
    top = max(curve, key=lambda r: float(r["ours"]))
    at = f", {top['dimensions']} dimensions" if top["dimensions"] else ""
    return as_number(records, "figure3", top, f"{data_set}, {method}{at}, {training}")


def figure3_reductions(records: Records) -> Decision:
    """Compare the best accuracies over the numbers of dimensions."""
    cells = {
        f"{name} {method}": more(
            _peak(records, name, BOOSTED, SMALL_TRAINING),
            _peak(records, name, method, SMALL_TRAINING),
        )
        for name in HIGH
        if _is_here(name)
        for method in ("PCA", "LDA", "NDA")
    }
    return every(cells | {n: _not_here(n) for n in HIGH if not _is_here(n)}, "comparisons")


def reductions_with_more_data(records: Records) -> Decision:
    """Compare the best accuracies with that of NN on all dimensions."""
    cells = {
        f"{name} {method}": more(
            _peak(records, name, method, MUCH_TRAINING),
            _peak(records, name, "NN (L2)", MUCH_TRAINING),
        )
        for name in HIGH
        if _is_here(name)
        for method in ("PCA", "LDA", "NDA")
    }
    return every(cells | {n: _not_here(n) for n in HIGH if not _is_here(n)}, "comparisons")


def lda_near_chance(records: Records) -> Decision:
    """Look at each way to solve LDA; the claim is open where they disagree."""
    guess = Number("guessing, two classes", 50.0, 0.0)
    ways = {
        "pseudo-inverse": _peak(records, "MNIST", "LDA", SMALL_TRAINING),
        "eigenproblem with the singular matrix": _peak(
            records, "MNIST", "LDA by S_b v = lambda S_w v", SMALL_TRAINING
        ),
    }
    cells = {way: near(accuracy, guess, 1.0) for way, accuracy in ways.items()}
    counted = every(cells, "ways to solve LDA")
    states = {cell.state for cell in cells.values()}
    state = counted.state if len(states) == 1 else OPEN
    return Decision(state, counted.numbers, counted.because + "; the paper names no solver")


def few_dimensions(records: Records) -> Decision:
    """Take the most dimensions that are at most a tenth of all, by the mean number looked at."""
    cells = {}
    for name in HIGH:
        if not _is_here(name):
            cells[name] = _not_here(name)
            continue
        most_used = 0.1 * row(records, "table1", data_set=name, quantity="dimensions")["ours"]
        curve = _curve(records, name, BOOSTED, SMALL_TRAINING)
        low = [r for r in curve if r["used"] <= most_used]
        if not low:
            raise Missing(f"figure3 has no number for a tenth of the dimensions of {name}")
        last = max(low, key=lambda r: float(r["used"]))
        few = as_number(records, "figure3", last, f"{name}, {last['used']} dimensions")
        cells[name] = more(few, _peak(records, name, "NN (L2)", SMALL_TRAINING))
    decision = every(cells, "sets")
    return replace(decision, because=f"{decision.because}. A tenth is taken as few dimensions")


def shared_dimensions(records: Records) -> Decision:
    """Compare the dimensions looked at with 2 T, which bounds them, at the largest T."""
    cells = {}
    for name in HIGH:
        if not _is_here(name):
            cells[name] = _not_here(name)
            continue
        last = max(_curve(records, name, BOOSTED, SMALL_TRAINING), key=lambda r: r["dimensions"])
        entries = ("boosted_distance.figure3",)
        used = Number(f"{name}, dimensions looked at", float(last["used"]), 0.0, None, entries)
        bound = Number(f"{name}, weak classifiers", float(last["dimensions"]), 0.0, None, entries)
        cells[name] = less(used, bound)
    return every(cells, "sets")


def _rise(records: Records, method: str) -> Number:
    """Return the rise of the mean test error over all sets from T = 100 to T = 500."""
    late, early = (
        number(
            records, "rounds", f"{method}, T = {t}", rounds=t, quantity=f"{method}: mean test error"
        )
        for t in (500, 100)
    )
    return difference(late, early, f"{method}, rise of the mean test error from T = 100 to 500")


def overfitting(records: Records) -> Decision:
    """Compare the rises of the mean test errors."""
    decision = less(_rise(records, BOOSTED), _rise(records, STUMPS))
    if decision.state != OPEN:
        return decision
    because = (
        "the rises of these means, to which a substitute of ad belongs, have no standard error"
    )
    return replace(decision, because=because)


def _figure4(records: Records, data_set: str, method: str) -> Number:
    return number(records, "figure4", f"{data_set}, {method}", data_set=data_set, method=method)


def _of_trees(decision: Decision) -> Decision:
    return replace(decision, because=f"{decision.because}; {THE_TREES}")


def trees_improve_adaboost(records: Records) -> Decision:
    """Count the sets."""
    cells = {
        name: less(_figure4(records, name, TREES), _figure4(records, name, STUMPS))
        for name in SETS
        if _is_here(name)
    }
    return _of_trees(most(_with_absent(SETS, cells), "sets"))


def _against_trees(records: Records, listed: Iterable[str]) -> Decision:
    """Compare Boosted Distance with trees on some sets."""
    sets = list(listed)
    cells = {
        name: less(_figure4(records, name, BOOSTED), _figure4(records, name, TREES))
        for name in sets
        if _is_here(name)
    }
    return _of_trees(every(_with_absent(sets, cells), "sets"))


def beats_trees_on_the_same_sets(records: Records) -> Decision:
    """Compare on the sets on which the paper's Table 2 has Boosted Distance ahead of AdaBoost."""
    return _against_trees(records, [name for name in SETS if name not in ADABOOST_WINS])


def significant_against_trees(records: Records) -> Decision:
    """Compare on the four sets that the paper names."""
    return _against_trees(records, ("ad", "gender", "arrhythmia", "ionosphere"))


RULES: dict[str, Rule] = {
    "adaboost-small-training-sets": small_training_sets,
    "adaboost-13-of-15": thirteen_of_fifteen,
    "adaboost-wins-two": adaboost_wins_two,
    "mean-improvement": mean_improvement,
    "nn-other-distances": other_distances,
    "ionosphere-exception": ionosphere_exception,
    "lowest-on-twelve": lowest_on_twelve,
    "better-than-rca": better_than_rca,
    "best-distances-named": best_distances_named,
    "figure2-adaboost": figure2_adaboost,
    "figure2-euclidean": figure2_euclidean,
    "figure3-reductions": figure3_reductions,
    "reductions-with-more-data": reductions_with_more_data,
    "lda-near-chance": lda_near_chance,
    "few-dimensions": few_dimensions,
    "shared-dimensions": shared_dimensions,
    "overfitting": overfitting,
    "trees-improve-adaboost": trees_improve_adaboost,
    "beats-trees-on-the-same-sets": beats_trees_on_the_same_sets,
    "significant-against-trees": significant_against_trees,
}
