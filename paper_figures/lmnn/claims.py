"""Weinberger & Saul (2008): the rules that decide their claims, `published/lmnn/claims.toml`.

A test error is a share of the test points, and has its binomial error; a training error likewise.
A mean over splits of the points held out has both its error over the splits and the binomial one:
all splits share their test points. Two errors on the same points are taken as independent, which
makes the error of their difference too large rather than too small. The optimum of eq. 3 has no
chance in it, unless the training points are a sample, drawn once: then the number decides nothing.

A record of Figure 5 that does not say what ends a training comes from an earlier solver of steps,
which took back a step that raised the objective. The paper does not print its step rule, so it
decides; `because` says so. Table 1's rules stand in `claims_of_samples.py`.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    FAILS,
    Decision,
    Missing,
    Number,
    Records,
    below,
    binomial_error,
    both,
    difference,
    every,
    less,
    most,
    number,
    row,
    rows,
)
from paper_figures.lmnn import claims_of_errors, claims_of_samples, claims_of_trees
from paper_figures.lmnn.claims_of_samples import same
from paper_figures.lmnn.figure5_rows import ALL, EARLY, PAST

TEST_DIGITS = 10_000
ALL_DIGITS = 60_000
# a set's components, with 95 % of the variance of its points as they are; test, training points
SETS = {
    "letters": (12, 6000, 14_000),
    "isolet": (170, 1559, 6238),
    "yalefaces": (60, 719, 1695),
    "20news": (200, 5654, 13_192),
    "MNIST-10": (161, TEST_DIGITS, ALL_DIGITS),
}
OVERFITTED = ("20news", "yalefaces")
VANISHING = ("MNIST-10", "isolet")
GONE = 0.5  # per cent
BY_EARLIER = "; several metrics are by the earlier solver of steps"

# --------------------------------------------------------------------------- Figures 1 and 3


def bound_of_a_ball(records: Records) -> Decision:
    """Figure 1: the bound is not above the least distance to a point of the ball."""
    names = ("bound of eq. 7", "least distance to a point of the ball")
    bound, least = (number(records, "figure1", deterministic=True, quantity=name) for name in names)
    return less(bound, least)


def metrics_cut_across(records: Records) -> Decision:
    """Figure 3: the direction that a digit's metric amplifies most, beside the nearest centre's."""
    if "figure3" not in records or "metrics" not in (records["figure3"].get("drawing") or {}):
        raise Missing("there is no record of figure3 with its metrics")
    drawing = records["figure3"]["drawing"]
    cells = {}
    for digit, angle in zip(drawing["digits"], _angles(drawing), strict=True):
        name = f"digit {digit}, degrees"
        cells[str(digit)] = below(Number(name, angle, 0.0, None, ("lmnn.figure3",)), 45.0)
    decision = every(cells, "digits")
    because = (
        f"{decision.because}. Less than 45 degrees from the line between the centres is taken "
    )
    return replace(decision, because=because + "as across")


def _angles(drawing: Mapping[str, Any]) -> list[float]:
    """Return the angle of each metric's main direction with the line to the nearest centre."""
    angles = []
    centres = drawing["centres"]
    for i, ((a, b), (_, c)) in enumerate(drawing["metrics"]):
        main = 0.5 * math.atan2(2 * b, a - c)  # of a symmetric 2 x 2 matrix
        x, y = centres[i]
        others = [other for j, other in enumerate(centres) if j != i]
        to_x, to_y = min(others, key=lambda other: math.dist(other, centres[i]))
        apart = abs(main - math.atan2(to_y - y, to_x - x)) % math.pi
        angles.append(math.degrees(min(apart, math.pi - apart)))
    return angles


# --------------------------------------------------------------------------- Figure 5


def _is_earlier(records: Records) -> bool:
    """Return whether Figure 5's record is by the earlier solver: it does not say what ends it."""
    return not any("training" in row for row in rows(records, "figure5"))


def _by_solver(records: Records, decision: Decision) -> Decision:
    because = decision.because + (BY_EARLIER if _is_earlier(records) else "")
    return replace(decision, because=because)


def _figure5(
    records: Records, data_set: str, measure: str, method: str, training: str = EARLY
) -> Number:
    d, test, train = SETS[data_set]
    keys: dict[str, Any] = {"data set": data_set, "measure": measure, "method": method, "d": d}
    words = f"{measure} error"
    if not _is_earlier(records):
        keys["training"] = training
        words += "" if training == EARLY else f", {training}"
    points = test if measure == "test" else train
    name = f"{data_set}, {method}, {words} (%)"
    error = number(records, "figure5", name, points=points, **keys)
    if row(records, "figure5", **keys)["std"] is None:
        return error
    of_points = binomial_error(error.ours, points)
    return replace(error, std_error=math.hypot(error.std_error or 0.0, of_points))


def class_metrics_help(records: Records) -> Decision:
    """Figure 5: both errors fall on most sets, and rise on none."""
    halves = []
    for measure, words in (("test", "test"), ("train", "training")):
        cells = {f"{name} ({measure})": _class_metrics(records, name, measure) for name in SETS}
        half = most(cells, "sets")
        half = replace(half, because=f"{words} errors: {half.because}")
        risen = any(cell.state == FAILS for cell in cells.values())
        halves.append(replace(half, state=FAILS) if risen else half)
    return _by_solver(records, both(*halves))


def _class_metrics(records: Records, data_set: str, measure: str) -> Decision:
    several, single = (
        _figure5(records, data_set, measure, method) for method in ("several metrics", "one metric")
    )
    return below(
        difference(several, single, f"{data_set}, several metrics minus one, {measure} (%)")
    )


def class_metrics_on_mnist(records: Records) -> Decision:
    """Figure 5: on MNIST a metric for each class has fewer test errors."""
    methods = ("several metrics", "one metric")
    decision = less(*(_figure5(records, "MNIST-10", "test", method) for method in methods))
    return _by_solver(records, decision)


def error_of_ten_metrics(records: Records) -> Decision:
    """Figure 5: the test error of ten metrics on MNIST is the printed one."""
    error = _figure5(records, "MNIST-10", "test", "several metrics")
    return _by_solver(records, same(error, TEST_DIGITS))


def errors_of_sets(records: Records) -> Decision:
    """Figure 5: the test errors of all sets are the printed ones."""
    cells = {
        f"{name}, {method}": same(_figure5(records, name, "test", method), SETS[name][1])
        for name in SETS
        for method in ("one metric", "several metrics")
    }
    return _by_solver(records, every(cells, "test errors"))


def training_errors_vanish(records: Records) -> Decision:
    """Figure 5: two training errors are the printed ones, where a validation set ends the training.

    To the end of the steps with all points they may be the printed ones too; the sentence says what
    the test errors are there.
    """
    cells = {
        name: same(_figure5(records, name, "train", "several metrics"), SETS[name][2])
        for name in VANISHING
    }
    decision = every(cells, "sets")
    if _is_earlier(records):
        return _by_solver(records, decision)
    words = []
    more = []
    for name in VANISHING:
        try:
            train, test = (
                _figure5(records, name, measure, "several metrics", ALL)
                for measure in ("train", "test")
            )
        except Missing:
            continue
        more += [train, test]
        words.append(f"{name} {train.ours:g} % training and {test.ours:g} % test error")
    because = decision.because
    because += f". With all points, to the end of the steps: {'; '.join(words)}" if words else ""
    return replace(decision, numbers=(*decision.numbers, *more), because=because)


def validation_is_needed(records: Records) -> Decision:
    """Figure 5: without early stopping the training error is 0 and the test error rises."""
    cells = {}
    for name in OVERFITTED:
        learnt, test = (
            _figure5(records, name, measure, "several metrics", PAST)
            for measure in ("train, points learnt from", "test")
        )
        stopped = _figure5(records, name, "test", "several metrics")
        cells[name] = both(below(learnt, GONE), below(difference(stopped, test)))
    decision = every(cells, "sets")
    because = f"{decision.because}. Less than {GONE} % of the points learnt from is taken as gone"
    return replace(decision, because=because)


def overfitting_where(records: Records) -> Decision:
    """Figure 5: test less training error, of both named sets, is above that of the other sets."""
    gaps = {name: _gap(records, name) for name in SETS}
    others = [name for name in SETS if name not in OVERFITTED]
    cells = {
        f"{name} over {other}": less(gaps[other], gaps[name])
        for name in OVERFITTED
        for other in others
    }
    return _by_solver(records, every(cells, "pairs of sets"))


def _gap(records: Records, data_set: str) -> Number:
    test = _figure5(records, data_set, "test", "several metrics")
    train = _figure5(records, data_set, "train", "several metrics")
    return difference(test, train, f"{data_set}, test less training error (%)")


RULES: Mapping[str, Rule] = {
    **claims_of_errors.RULES,
    **claims_of_samples.RULES,
    **claims_of_trees.RULES,
    "bound-of-a-ball": bound_of_a_ball,
    "metrics-cut-across": metrics_cut_across,
    "class-metrics-help": class_metrics_help,
    "class-metrics-on-mnist": class_metrics_on_mnist,
    "error-of-ten-metrics": error_of_ten_metrics,
    "errors-of-sets": errors_of_sets,
    "training-errors-vanish": training_errors_vanish,
    "validation-is-needed": validation_is_needed,
    "overfitting-where": overfitting_where,
}
