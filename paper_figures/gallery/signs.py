"""The sign and the words of each state, so that no reader depends on colours."""

from collections import Counter

from paper_figures.gallery.entries import DAMAGED, FAILED, NOT_RUN
from paper_figures.judge import cells, verdicts

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
    cells.HOLDS: ("✓", "our numbers bear it out"),
    cells.FAILS: ("✗", "our numbers contradict it"),
    cells.OPEN: ("?", "our numbers do not decide it"),
    cells.NOT_TESTABLE: ("∅", "cannot be tried here; the claim says why"),
}
PLURALS = {cells.HOLDS: "hold", cells.FAILS: "fail"}
OPEN_SIGN = "!"
OPEN = "the numbers differ, and no experiment explains it"
MEANINGS = {state: words for part in (VERDICTS, ENTRIES) for state, (_, words) in part.items()}
SIGNS = {state: sign for part in (VERDICTS, ENTRIES) for state, (sign, _) in part.items()}


def slug(state: str) -> str:
    """Return a state as the name of a class."""
    return state.replace(" ", "-")


def claim_states(counts: Counter[str]) -> list[tuple[str, str, int, str]]:
    """Return the states that some claims have: class, sign, how many, and their verb."""
    return [
        (f"claim-{slug(state)}", sign, n, state if n == 1 else PLURALS.get(state, state))
        for state, (sign, _) in CLAIMS.items()
        if (n := counts[state])
    ]
