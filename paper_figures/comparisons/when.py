"""When a paper's method pays: the rows and sentences of the entries ``when``.

Every paper's room has an entry ``when``. Its task hands its own method to :func:`compare`, beside
learners of today (`paper_figures.comparisons.learners`); its ``reduce`` is :func:`gathered`. The
sentence "take it when" is made from the rows.

Not handled here: retrieval (the rooms of indexes ask for neighbours, not for classes).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paper_figures.comparisons.learners import (
    LEARNERS,
    OTHERS,
    Learner,
    compare,
    described,
    measure,
    spent,
    split,
)
from paper_figures.registry import Gathered, Grid, Result
from paper_figures.rows import absent_rows, number_row
from paper_figures.store import Row
from refimpl.typing import FloatArray

__all__ = [
    "BALANCED", "ERROR", "LAYOUT", "LEARNERS", "LESS", "LOSSES", "OTHERS", "WINS", "Learner",
    "Standing", "Words", "ahead", "beyond_chance", "border", "compare", "described", "gathered",
    "less_than", "listed", "measure", "parted", "spent", "split", "take_it_when",
]  # fmt: skip

ERROR, BALANCED = "error (%)", "error, mean of the classes (%)"
FIT, ASK = "CPU seconds to fit", "CPU milliseconds a query"
MODEL, PEAK = "MB of the fitted model", "MB that fitting adds"
LESS = "error less the method's, paired (points)"
QUANTITIES = {"error": ERROR, "balanced": BALANCED, "fit": FIT, "ask": ASK}
QUANTITIES |= {"model": MODEL, "peak": PEAK}
WINS = "sets on which the method errs less, beyond chance"
LOSSES = "sets on which the method errs more, beyond chance"
COSTS = {"fit": "fits fastest", "ask": "answers fastest", "model": "has the smallest model"}
LAYOUT = (
    Grid(
        ("learner",),
        ("data_set",),
        where={"data_set": ("all sets",)},
        tables=("quantity",),
        title="Wins and losses",
        headings={"data_set": ""},
        once="from the means of all runs",
    ),
    Grid(("data_set",), ("learner",), tables=("quantity",), headings={"data_set": "data set"}),
)


@dataclass(frozen=True)
class Standing:
    """How the method stands on a set.

    Attributes
    ----------
    signs : mapping of str to int
        For each other learner 1 if the method errs less beyond chance, -1 if it errs more, else 0.
    cheapest : collection of str
        Of :data:`COSTS`: in which the method takes the least of those that do not err more.
    about : mapping of str to int
        What is known of the set, such as its number of classes.
    forms : mapping of str to int
        As `signs`, for other forms of the method, which are no rivals.
    """

    signs: Mapping[str, int]
    cheapest: Collection[str] = ()
    about: Mapping[str, int] = field(default_factory=dict)
    forms: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Words:
    """What the sentence says of errors, or of what else the methods are judged by.

    Attributes
    ----------
    best : str
        What the method does where it is ahead of all others.
    same : str
        What others do where none is ahead.
    does : str
        What another does that is ahead.
    costs : mapping of str to str
        What having the least of a cost is called.
    """

    best: str = "it errs less than every rival"
    same: str = "others err as little"
    does: str = "errs less"
    costs: Mapping[str, str] = field(default_factory=lambda: COSTS)


def gathered(results: Sequence[Result], method: str, forms: Sequence[str] = ()) -> Gathered:
    """Return the rows of an entry, and its sentences.

    Parameters
    ----------
    results : sequence of Result
        Tasks with the parameter ``data_set``, whose value is ``{"runs": [compare(...), ...]}`` and
        may have :func:`described` as ``about``.
    method : str
        The paper's own method, which the others are compared with.
    forms : sequence of str
        Other forms of the method, each of which is compared with the rivals as the method is.
    """
    rows: list[Row] = []
    runs_of: dict[str, list[Any]] = {}
    about: dict[str, Mapping[str, int]] = {}
    for name in dict.fromkeys(result.params["data_set"] for result in results):
        mine = [result for result in results if result.params["data_set"] == name]
        runs = [run for result in mine if result.value for run in result.value["runs"]]
        if not runs:
            keys = {"data_set": name, "learner": "all", "quantity": ERROR}
            rows += absent_rows(mine, keys)
            continue
        runs_of[name] = runs
        about[name] = next(result.value for result in mine if result.value).get("about", {})
        rows += _measured(name, runs)
    notes: list[str] = []
    for own in (method, *forms):
        standings: dict[str, Standing] = {}
        for name, runs in runs_of.items():
            leads = _leads(runs, own)
            for learner, lead in leads.items():
                keys = {"data_set": name, "learner": learner, "quantity": less_than(own, method)}
                rows.append(_row(keys, lead))
            beyond = {learner: beyond_chance(lead) for learner, lead in leads.items()}
            kin = {form: beyond[form] for form in (method, *forms) if form in beyond}
            signs = {rival: sign for rival, sign in beyond.items() if rival not in kin}
            standings[name] = Standing(signs, _cheapest(runs, own, signs), about[name], kin)
        rows += _counts(standings, own, method)
        notes += [_conclusion(standings, own), take_it_when(standings, own)]
    return Gathered(rows, notes)


def _measured(name: str, runs: Sequence[Any]) -> list[Row]:
    rows = []
    for learner in runs[0]:
        for of_run, quantity in QUANTITIES.items():
            values = [run[learner][of_run] for run in runs]
            if None not in values:
                keys = {"data_set": name, "learner": learner, "quantity": quantity}
                rows.append(_row(keys, np.array(values, dtype=np.float64)))
    return rows


def _row(keys: Row, values: FloatArray) -> Row:
    if len(values) < 2:
        return number_row(keys, None, float(values.mean()))
    return keys | {
        "published": None,
        "ours": float(values.mean()),
        "std": float(values.std(ddof=1)),
        "repetitions": len(values),
    }


def less_than(own: str, method: str) -> str:
    """Return the quantity of the differences to one of the paper's own learners."""
    return LESS if own == method else LESS.replace("the method's", f"that of {own}")


def _leads(runs: Sequence[Any], own: str) -> dict[str, FloatArray]:
    """Return by how much each other learner errs more than `own`, split by split."""
    return {
        learner: np.array([run[learner]["error"] - run[own]["error"] for run in runs])
        for learner in runs[0]
        if learner != own
    }


def beyond_chance(values: FloatArray) -> int:
    """Return 1 or -1 if the mean is so many standard errors above or below zero: two; else 0."""
    if len(values) < 2:
        return 0
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    mean = float(values.mean())
    return int(mean > 2.0 * error) - int(mean < -2.0 * error)


def _cheapest(runs: Sequence[Any], own: str, signs: Mapping[str, int]) -> list[str]:
    """Return in which costs `own` takes the least of the learners that do not err more."""
    equals = [learner for learner, sign in signs.items() if sign < 1]

    def mean(learner: str, cost: str) -> float:
        return float(np.mean([run[learner][cost] for run in runs]))

    return [
        cost
        for cost in COSTS
        if equals and all(mean(own, cost) < mean(learner, cost) for learner in equals)
    ]


# --------------------------------------------------------------------------------------- sentences


def _counts(standings: Mapping[str, Standing], own: str, method: str) -> list[Row]:
    rows = []
    rivals = next(iter(standings.values())).signs if standings else {}
    for learner in rivals:
        signs = [standing.signs[learner] for standing in standings.values()]
        for quantity, sign in ((WINS, 1), (LOSSES, -1)):
            named = quantity if own == method else quantity.replace("the method", own)
            keys = {"data_set": "all sets", "learner": learner, "quantity": named}
            rows.append(number_row(keys, None, signs.count(sign)))
    return rows


def parted(standings: Mapping[str, Standing]) -> tuple[list[str], list[str], list[str]]:
    """Return the sets where the method is best, where no other errs less, and where one does."""
    best = [name for name, at in standings.items() if set(at.signs.values()) == {1}]
    beaten = [name for name, at in standings.items() if -1 in at.signs.values()]
    even = [name for name in standings if name not in (*best, *beaten)]
    return best, even, beaten


def _conclusion(standings: Mapping[str, Standing], method: str) -> str:
    """Say on which sets the method errs less than every rival, or more than one of them."""
    best, even, beaten = parted(standings)
    return (
        f"{method} errs less than every rival, beyond chance, on {listed(best)}; no rival errs "
        f"less on {listed(even)}; at least one errs less on {listed(beaten)}."
    )


def take_it_when(standings: Mapping[str, Standing], method: str, words: Words | None = None) -> str:
    """Return the sentence "take it when", as the rows decide it.

    Where the method is ahead of all others, its cost is no question. Where others are as good, it
    must be cheaper than they are.

    Parameters
    ----------
    standings : mapping of str to Standing
        By the set's name.
    method : str
    words : Words, optional
        By default those of errors.

    Returns
    -------
    str
    """
    if not standings:
        return f"Nothing is measured that says when to take {method}."
    words = words or Words()
    best, even, beaten = parted(standings)
    cheap = [name for name in even if standings[name].cheapest]
    parts = _reasons(standings, best, cheap, words)
    said = [f"Take {method} when the {'; or when the '.join(parts)}."] if parts else []
    if not parts:
        said = [f"Take {method} on none of these sets."]
    same = [name for name in even if name not in cheap]
    if same:
        said.append(f"On {listed(same)} {words.same}, and none of its costs is the least.")
    if beaten:
        said.append(f"Take another on {listed(beaten)}: {ahead(standings, beaten, words.does)}.")
    said += border(standings, [*best, *even], beaten)
    return " ".join([*said, *_own_forms(standings, words)])


def _own_forms(standings: Mapping[str, Standing], words: Words) -> list[str]:
    """Say where another form of the method, which is no rival, is ahead of it."""
    sets: dict[str, list[str]] = {}
    for name, standing in standings.items():
        for form, sign in standing.forms.items():
            if sign == -1:
                sets.setdefault(form, []).append(name)
    return [
        f"Its other form ({form}) {words.does} on {listed(names)}." for form, names in sets.items()
    ]


def _reasons(
    standings: Mapping[str, Standing], best: Sequence[str], cheap: Sequence[str], words: Words
) -> list[str]:
    """Return what the data must be like, with the reason, where the method is best or cheap."""
    parts = [f"data are like {listed(best)}: {words.best}"] if best else []
    by_costs: dict[str, list[str]] = {}
    for name in cheap:
        said_of = " and ".join(words.costs[cost] for cost in standings[name].cheapest)
        by_costs.setdefault(said_of, []).append(name)
    return parts + [
        f"data are like {listed(names)}: {words.same}, but it {said_of}"
        for said_of, names in by_costs.items()
    ]


def ahead(standings: Mapping[str, Standing], beaten: Sequence[str], does: str) -> str:
    """Say on how many of the sets that the method loses the most successful learner is ahead.

    Parameters
    ----------
    standings : mapping of str to Standing
    beaten : sequence of str
        The sets; at least one.
    does : str
        What being ahead is, such as "errs less".

    Returns
    -------
    str
    """
    wins = {
        learner: sum(standings[name].signs[learner] == -1 for name in beaten)
        for learner in standings[beaten[0]].signs
    }
    learner = max(wins, key=lambda name: wins[name])
    return f"{learner} {does} on {wins[learner]} of {len(beaten)}"


def border(
    standings: Mapping[str, Standing], good: Sequence[str], beaten: Sequence[str]
) -> list[str]:
    """Say which property of the sets parts them, if one does and there are two of each.

    Parameters
    ----------
    standings : mapping of str to Standing
    good, beaten : sequence of str
        The sets where no other is ahead, and those where one is.

    Returns
    -------
    list of str
        One sentence, or none.
    """
    if min(len(good), len(beaten)) < 2:
        return []
    said = []
    for key in standings[good[0]].about:
        first, second = ([standings[name].about[key] for name in names] for names in (good, beaten))
        if min(first) > max(second):
            said.append(f"those where no other is ahead have {min(first):,} {key} or more")
        elif max(first) < min(second):
            said.append(f"those where no other is ahead have {max(first):,} {key} or fewer")
    return [f"Of these sets, {' and '.join(said)}; the others do not."] if said else []


def listed(names: Sequence[str]) -> str:
    """Return names in a row, or "no set"."""
    return ", ".join(names) if names else "no set"
