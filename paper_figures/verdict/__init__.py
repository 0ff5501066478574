"""What our numbers say of the printed numbers (judging.py), by rules (rules.py) that a test holds
against the stored records (check.py).
"""

from paper_figures.verdict.judging import (
    BETTER,
    DIFFERENT,
    DIFFERING,
    NO_ERROR,
    NOT_AVAILABLE,
    SAME,
    SMALL,
    STATES,
    WORSE,
    Verdict,
    allowed,
    count,
    error_of_difference,
    is_open,
    judge,
    notes,
)
from paper_figures.verdict.rules import BEYOND, NO_CURVE, NOT_COMPARABLE, READ_OFF, Explanation

__all__ = [
    "BETTER",
    "BEYOND",
    "DIFFERENT",
    "DIFFERING",
    "NOT_AVAILABLE",
    "NOT_COMPARABLE",
    "NO_CURVE",
    "NO_ERROR",
    "READ_OFF",
    "SAME",
    "SMALL",
    "STATES",
    "WORSE",
    "Explanation",
    "Verdict",
    "allowed",
    "count",
    "error_of_difference",
    "is_open",
    "judge",
    "notes",
]
