"""The sign and the words of each state, so that no reader depends on colours."""

from collections.abc import Iterable, Mapping
from html import escape

from paper_figures import judge
from paper_figures.gallery.entries import DAMAGED, FAILED, NOT_RUN
from paper_figures.judge import verdicts

VERDICTS = {
    verdicts.SAME: ("=", "no farther apart than chance allows (95 %)"),
    verdicts.BETTER: ("▲", "better than published"),
    verdicts.WORSE: ("▼", "worse than published"),
    verdicts.DIFFERENT: ("≠", "differs; no side is better"),
    verdicts.NOT_COMPARABLE: ("◇", "not comparable: a stand-in for the paper's data, or its size"),
    verdicts.READ_OFF: ("~", "the published number is read off a curve, or given roughly"),
    verdicts.NO_CURVE: ("∿", "the paper has a curve, but not as numbers"),
    verdicts.BEYOND: ("+", "the paper has no such number; a published one beside it is to compare"),
    verdicts.NOT_AVAILABLE: ("∅", "no data, or too large a computation; a note says which"),
}
ENTRIES = {
    FAILED: ("✗", "the computation failed"),
    DAMAGED: ("✗", "its record cannot be read"),
    NOT_RUN: ("…", "not yet run"),
}
CLAIMS = {
    judge.HOLDS: ("✓", "our numbers bear it out"),
    judge.FAILS: ("✗", "our numbers contradict it"),
    judge.OPEN: ("?", "our numbers do not decide it"),
    judge.NOT_TESTABLE: ("∅", "cannot be tried here; the claim says why"),
}
OPEN_SIGN = "!"
SIGNS = {state: sign for part in (VERDICTS, ENTRIES) for state, (sign, _) in part.items()}


def slug(state: str) -> str:
    """Return a state as the name of a class."""
    return state.replace(" ", "-")


def sign_of(state: str, is_open: bool = False) -> str:
    """Return the sign of a verdict, and its words for those who hear the page."""
    marks = SIGNS.get(state, "·") + (OPEN_SIGN if is_open else "")
    words = f"{state}, open" if is_open else state
    return (
        f'<span class="sign" aria-hidden="true">{escape(marks)}</span>'
        f'<span class="heard">{escape(words)}</span>'
    )


def verdict_chips(states: Mapping[str, int], n_open: int) -> str:
    """Return chips with the number of rows in each state, in the order of the states."""
    chips = []
    for state, sign in SIGNS.items():
        if count := states.get(state, 0):
            number = "" if state in ENTRIES else f"{count:,} "
            chips.append(_chip(slug(state), sign, f"{number}{state}"))
    if n_open:
        chips.append(_chip("open", OPEN_SIGN, f"{n_open:,} of them open"))
    return f'<ul class="chips">{"".join(chips)}</ul>' if chips else ""


def claim_chips(states: Mapping[str, int]) -> str:
    """Return chips with the number of claims in each state."""
    chips = [
        _chip(f"claim-{slug(state)}", sign, f"{states[state]} {_plural(state, states[state])}")
        for state, (sign, _) in CLAIMS.items()
        if states.get(state)
    ]
    return f'<ul class="chips">{"".join(chips)}</ul>' if chips else ""


def _plural(state: str, count: int) -> str:
    verbs = {judge.HOLDS: "hold", judge.FAILS: "fail"}
    return state if count == 1 else verbs.get(state, state)


def _chip(css: str, sign: str, text: str) -> str:
    return (
        f'<li class="chip {escape(css)}"><span aria-hidden="true">{escape(sign)}</span> '
        f"{escape(text)}</li>"
    )


def claim_badge(state: str) -> str:
    """Return the state of a claim as a chip."""
    sign, _ = CLAIMS[state]
    return (
        f'<span class="chip claim-{slug(state)}"><span aria-hidden="true">{escape(sign)}</span> '
        f"{escape(state)}</span>"
    )


def legend(states: Iterable[str]) -> str:
    """Return a list of the signs of these states, and what each means."""
    used = set(states)
    items = [
        f'<li><span class="chip {slug(state)}">{escape(sign)} {escape(state)}</span> '
        f"{escape(words)}</li>"
        for state, (sign, words) in VERDICTS.items()
        if state in used
    ]
    if used & set(verdicts.DIFFERING):
        items.append(
            f'<li><span class="chip open">{OPEN_SIGN} open</span> '
            "the numbers differ, and no experiment explains it</li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>'
