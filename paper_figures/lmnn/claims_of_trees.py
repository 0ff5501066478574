"""The rules of the claims about ball trees: in testing (figure 2) and in training (§ 4.2).

Seconds are those of one run, in which the ways to search take turns; counts have no chance in them.
The trees prune by eq. 7 alone. The scan ends each sum early, as the paper's does.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    HOLDS,
    OPEN,
    Decision,
    Missing,
    Number,
    Records,
    above,
    below,
    both,
    every,
    less,
    more,
    number,
    rows,
)
from paper_figures.lmnn import gain_results as gain
from paper_figures.lmnn.claims_of_errors import RANKS, of_new_form
from paper_figures.lmnn.low_rank_results import COUNTS, EUCLIDEAN, SEARCHES

BALLS = SEARCHES[0][0]
OVER_LEAF = SEARCHES[2][0]
COMPARED = COUNTS[0][0]
METHODS = ("PCA", "LMNN-SVD, printed steps", "LMNN-RECT, printed steps")
TESTING = {15: 15.0, 40: 3.0}  # printed
DIMENSIONS = (10, 15, 20, 25, 30, 35, 40, 60, 100)
ALL = 350
TRAINING = {10: 1.9, 100: 1.2}  # printed
WAY = gain.NAMES["balls"]


def _searched(records: Records, method: str, d: int, measure: str, counted: bool) -> Number:
    if not of_new_form(records, "figure2", "measure"):
        raise Missing("the record of figure2 has no trees that prune by equation 7 alone")
    keys: dict[str, Any] = {"method": method, "dimensions": d, "measure": measure}
    name = f"{method}, {d} dimensions: {measure}"
    return number(records, "figure2", name, deterministic=counted, **keys)


def balls_in_testing(records: Records) -> Decision:
    """Figure 2: balls are as many times as fast as the scan as printed, or more, with PCA.

    Our trees compare sixteen points at once, the scan one. A gain over the scan is the trees' own
    only if they gain as much over one leaf, which the same loop searches.
    """
    over: dict[str, dict[str, Decision]] = {"the scan": {}, "one leaf": {}}
    for d, printed in TESTING.items():
        for baseline, measure in (("the scan", BALLS), ("one leaf", OVER_LEAF)):
            gained = replace(_searched(records, "PCA", d, measure, False), published=printed)
            over[baseline][f"{d} dimensions"] = above(gained, printed)
    decision, own = (every(cells, "printed gains") for cells in over.values())
    counts = [_searched(records, "PCA", d, COMPARED, True) for d in TESTING]
    said = " and ".join(f"{item.ours:g} % in {d}" for d, item in zip(TESTING, counts, strict=True))
    because = (
        f"over the scan: {decision.because}. Over one leaf, by the same loop: {own.because}. Balls "
        f"compare {said} dimensions of all points"
    )
    state = OPEN if decision.state == HOLDS and own.state != HOLDS else decision.state
    return Decision(state, (*decision.numbers, *own.numbers, *counts), because, decision.cells)


def speedup_by_dimension_only(records: Records) -> Decision:
    """Figure 2: the share of points compared differs less between methods than from 15 to 40."""
    shares = {
        method: [_searched(records, method, rank, COMPARED, True) for rank in RANKS]
        for method in METHODS
    }
    by_method = max(
        max(item.ours for item in column) / min(item.ours for item in column)
        for column in zip(*shares.values(), strict=True)
    )
    by_rank = min(row[-1].ours / row[0].ours for row in shares.values())
    entries = shares["PCA"][0].entries
    return less(
        Number("largest ratio between methods", by_method, 0.0, None, entries),
        Number("least ratio from 15 to 40 dimensions", by_rank, 0.0, None, entries),
    )


def gains_fall_with_dimension(records: Records) -> Decision:
    """Figure 2: with PCA, balls compare a larger share of the points in each larger dimension."""
    shares = [_searched(records, "PCA", d, COMPARED, True) for d in DIMENSIONS]
    pairs = zip(DIMENSIONS[1:], shares[:-1], shares[1:], strict=True)
    return every({f"to {d}": less(before, after) for d, before, after in pairs}, "steps")


def low_rank_magnifies(records: Records) -> Decision:
    """Figure 2: RECT's balls compare a smaller share of the points than those of all inputs."""
    whole = _searched(records, EUCLIDEAN, ALL, COMPARED, True)
    cells = {
        str(rank): less(_searched(records, METHODS[2], rank, COMPARED, True), whole)
        for rank in RANKS
    }
    return every(cells, "numbers of dimensions")


def _trained(records: Records, d: int, measure: str, way: str = WAY) -> Number:
    """Return what all 60,000 digits give."""
    keys: dict[str, Any] = {"N": gain.ALL_DIGITS, "way": way, "dimensions": d, "measure": measure}
    return number(records, "training_gain", f"{d} dimensions, {way}: {measure}", **keys)


def balls_in_training(records: Records) -> Decision:
    """§ 4.2: balls make a training as many times as fast as printed, or more."""
    cells = {
        f"{d} dimensions": above(_trained(records, d, gain.TRAINING), printed)
        for d, printed in TRAINING.items()
    }
    counts = [_trained(records, d, gain.COUNTED) for d in TRAINING]
    decision = every(cells, "printed gains")
    said = " and ".join(f"{item.ours:.2f} in {d}" for d, item in zip(TRAINING, counts, strict=True))
    because = f"{decision.because}. Counted, the search computes {said} dimensions times fewer "
    return replace(
        decision, numbers=(*decision.numbers, *counts), because=because + "distances than the scan"
    )


def impostors_dominate(records: Records) -> Decision:
    """§ 4.2: by the scan the search takes most of the training; trees take little of theirs.

    All 60,000 digits decide; what fewer digits give stands in the reason.
    """
    scan = gain.NAMES["scan"]
    shares = {
        f"{d} dimensions": more(
            _trained(records, d, gain.SHARE, scan), Number("half of the training", 50.0, 0.0)
        )
        for d in TRAINING
    }
    built = {
        f"trees, {d} dimensions": below(_trained(records, d, gain.BUILT), 5.0) for d in TRAINING
    }
    decision = both(every(shares, "trainings"), every(built, "trainings"))
    fewer = [
        f"{row['ours']:.0f} % with {row['N']:,} digits in {row['dimensions']} dimensions"
        for row in rows(records, "training_gain", way=scan, measure=gain.SHARE)
        if row["N"] < gain.ALL_DIGITS and row["dimensions"] in TRAINING
    ]
    because = f"{decision.because}. 5 % of a search is taken as next to nothing"
    because += f". By the scan the search takes {', '.join(fewer)}" if fewer else ""
    return replace(decision, because=because)


RULES: Mapping[str, Rule] = {
    "balls-in-testing": balls_in_testing,
    "speedup-by-dimension-only": speedup_by_dimension_only,
    "gains-fall-with-dimension": gains_fall_with_dimension,
    "low-rank-magnifies": low_rank_magnifies,
    "balls-in-training": balls_in_training,
    "impostors-dominate": impostors_dominate,
}
