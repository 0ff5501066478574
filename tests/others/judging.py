"""Ask a library the cases of a subject, and say whether it gives the same.

* **same**: every case agrees, up to last bits, ties broken otherwise and choices of equal worth;
* **stops early**: every answer is where the library's own steps, computed here, end, short of the
  optimum;
* **approximate**: every answer is one of the library's search that is documented as approximate;
* **other convention**: every answer is right by the library's documented objective, which
  :mod:`tests.others.conventions` computes from the arguments; or a check of the project names the
  same convention for every answer;
* **differs**: an answer that neither explains;
* **not available**: the library cannot be installed, or answers no case.

Not handled here: how answers are compared (:mod:`refimpl.check`).
"""

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refimpl.check.answers import judge_metric, name_faults, true_neighbors
from refimpl.check.comparing import difference_of
from refimpl.check.judging import squares
from refimpl.check.programs import ProgramError
from refimpl.check.reports import Report
from refimpl.check.subject import Case, Kind, States
from refimpl.check.subjects.lmnn import factor
from refimpl.lmnn import target_neighbors

from . import large_margin

SAME = "same"
OTHER_CONVENTION = "other convention"
STOPS_EARLY = "stops early"
APPROXIMATE = "approximate"
BY_CONVENTION = (OTHER_CONVENTION, STOPS_EARLY, APPROXIMATE)
DIFFERS = "differs"
NOT_AVAILABLE = "not available"
NAMED = "a convention that the check names"
REAL = (NAMED, Kind.NOT_COMPARED, Kind.WRONG, Kind.NOT_RUN)
BY_CHANCE = "agrees; by the convention that is given for other cases it would not"
TOL = 1e-3


@dataclass(frozen=True)
class Answer:
    """What a library said to a case: the kind of the difference, "" for none."""

    case: Case
    got: States | None  # a kernel has one state
    kind: str = ""
    words: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """The outcome of an item."""

    outcome: str
    asked: int  # cases that were answered
    skipped: int  # cases that the library has nothing for
    kinds: dict[str, int]  # how many answers differ in which way
    first: Answer | None  # the shortest case that decides
    facts: dict[str, Any] = field(default_factory=dict)


def ask(program, item, listed):
    """Yield an :class:`Answer` for each of the cases; None for one that the library skips."""
    for case in listed:
        try:
            answer = program.ask(case.question())
        except ProgramError as error:
            yield Answer(case, None, Kind.NOT_RUN, str(error))
            continue
        yield None if answer is None else judged(item, case, answer.states)


def judged(item, case, got):
    """Return the answer with what the checks of the project say of it."""
    judges = {"lmnn": _metric, "neighbors": _neighbors, "lda": _direction}
    kind, words, facts = judges.get(item.subject, _subject)(case, got)
    if kind and not facts:
        facts = size_of(item.subject, case, got)
    return Answer(case, got, kind, words, facts)


def _subject(case, got):
    """Judge results as ``python -m refimpl.check`` does; how much was looked at is of no matter."""
    outputs = tuple(output for output in case.subject.outputs if output.agreement != "count")
    subject = dataclasses.replace(case.subject, outputs=outputs)
    found = difference_of(dataclasses.replace(case, subject=subject), got)
    return ("", "", {}) if found is None else (found.kind, found.words, {})


def _metric(case, got):
    """Judge a metric as ``python -m refimpl.check metric --squared`` does."""
    (state,) = got
    given, report = case.arguments, Report("M")
    try:
        judge_metric(report, factor(np.asarray(state["M"])), **given, tol=TOL, squared=True)
    except ValueError as error:
        return Kind.NOT_RUN, f"M {error}", {}
    facts = {name: dict(report.facts)[name] for name in ("eq. 3", "no metric is below", "gap")}
    facts["largest entry of the metric"] = round(float(np.abs(state["M"]).max()), 6)
    if not report.differences:
        return "", "", facts
    targets = large_margin.chosen(Answer(case, got))
    if (
        targets is not None
        and (targets != target_neighbors(given["X"], given["y"], given["k"])).any()
    ):
        value, bound = large_margin.eq_3_with(state["M"], targets, **given)
        facts["gap with its own target neighbours"] = gap = (value - bound) / value
        if gap <= TOL:
            return Kind.TIE, "eq. 3 is at its bound with the library's own target neighbours", facts
    (difference,) = report.differences
    named = "is optimal" in difference.words  # under a convention that the check knows
    return NAMED if named else Kind.WRONG, difference.words, facts


def _neighbors(case, got):
    """Judge neighbours as ``python -m refimpl.check neighbors --data`` does."""
    Q, X, k = (case.arguments[name] for name in ("Q", "X", "k"))
    report = Report("")
    name_faults(report, np.asarray(got[0]["indices"]), true_neighbors(Q, X, k))
    facts = dict(report.facts)
    shown = {"true neighbours found": facts["share"]}
    shown |= {name: facts[name] for name in ("duplicates", "-1 as padding") if facts[name]}
    worst = [difference for difference in report.differences if difference.kind == Kind.WRONG]
    for difference in worst or report.differences:
        return difference.kind, difference.words, shown
    return "", "", shown


def _direction(case, got):
    """Judge a direction up to its length and sign."""
    want, direction = (np.asarray(one[0]["direction"]) for one in (case.expected, got))
    cosine = abs(want @ direction) / np.sqrt((want @ want) * (direction @ direction))
    facts = {"1 - cosine": float(max(0.0, 1 - cosine))}
    words = f"direction: {want} expected, of any length; got {direction}"
    return ("", "", facts) if 1 - cosine <= 1e-9 else (Kind.WRONG, words, facts)


def size_of(subject, case, got):
    """Return names and numbers for the answer to a case; {} where nothing fits."""
    if got is None or subject == "adaboost":  # the words name the round
        return {}
    if len(got) != len(case.expected):
        return {}
    if subject in ("scan_nearest", "tree_nearest"):
        return _neighbour_sizes(case, *case.expected, *got)
    if subject == "best_stump":
        epsilon, least = (float(one[0]["epsilon"]) for one in (got, case.expected))
        return {"weighted error above the least": epsilon - least}
    listed = [_largest_error(want, state) for want, state in zip(case.expected, got, strict=True)]
    return max(listed, key=lambda size: max(size.values(), default=0.0))


def _neighbour_sizes(case, want, got):
    D = squares(case.arguments["Q"], case.arguments["X"])
    wanted, places = want["indices"], np.asarray(got["indices"])
    size = {}
    if places.shape == wanted.shape and wanted.size and (places >= 0).all():
        rows = zip(wanted.tolist(), places.tolist(), strict=True)
        found = sum(len(set(true) & set(row)) for true, row in rows)
        size["true neighbours found"] = found / wanted.size
        true = np.take_along_axis(D, wanted, axis=1)
        excess = (np.take_along_axis(D, places, axis=1) - true)[true > 0] / true[true > 0]
        size["squared distance above the true, relative"] = float(excess.max(initial=0.0))
        error = np.abs(np.asarray(got["squares"]) - true)[true > 0] / true[true > 0]
        size["error of a squared distance, relative"] = float(error.max(initial=0.0))
    return size


def _largest_error(want, got):
    largest = 0.0
    for name, value in want.items():
        a, b = np.asarray(value), np.asarray(got.get(name))
        if a.dtype.kind == "f" and b.shape == a.shape and b.dtype.kind in "fiu" and a.size:
            with np.errstate(invalid="ignore"):
                error = np.abs(a - b)
            scale = np.abs(a[np.isfinite(a)]).max(initial=0.0) or 1.0
            largest = max(largest, float(error[np.isfinite(error)].max(initial=0.0) / scale))
    return {"largest error, relative": largest} if largest else {}


def verdict(answers, convention, shows=""):
    """Return the verdict of an item from its answers.

    `convention` may be None; `shows` is the id of the case to show where it is one that decides.
    """
    given = [answer for answer in answers if answer is not None]
    skipped = len(answers) - len(given)
    kinds = dict(sorted(Counter(answer.kind for answer in given if answer.kind).items()))
    real = [answer for answer in given if answer.kind in REAL]
    if not given:
        return Verdict(NOT_AVAILABLE, 0, skipped, {}, None)
    facts = given[0].facts if len(given) == 1 else {}
    if not real:
        return Verdict(SAME, len(given), skipped, kinds, None, facts)
    unexplained = _unexplained(given, convention)
    open_ = [answer for answer in unexplained if answer.kind in REAL] or unexplained
    first = min(
        open_ or real, key=lambda answer: (answer.case.id != shows, len(str(answer.case.encoded)))
    )
    if first.kind not in REAL:
        first = dataclasses.replace(first, words=BY_CHANCE)
    explained = OTHER_CONVENTION if convention is None else convention.outcome
    outcome = DIFFERS if open_ else explained
    facts = dict(first.facts)
    if "gap" in facts:
        gap = max(answer.facts.get("gap", 0.0) for answer in given)
        if gap < 1.0:  # the bound is above 0
            facts["eq. 3 at worst, times the proven bound"] = 1.0 / (1.0 - gap)
    return Verdict(outcome, len(given), skipped, kinds, first, facts)


def _unexplained(given, convention):
    """Return the answers that are not right by the convention; without one, by one that is named.

    A name that a check gives to some answers alone is a coincidence.
    """
    if convention is not None:
        return [one for one in given if one.got is None or not convention.holds(one)]
    names = {answer.words.rpartition("; ")[2] for answer in given}
    if all(answer.kind == NAMED for answer in given) and len(names) == 1:
        return []
    return [answer for answer in given if answer.kind in REAL]
