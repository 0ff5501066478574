"""What our numbers say of the printed numbers: a verdict for each row of a record.

A row is *same* if the two numbers differ by at most two standard errors of their difference, and
the rounding of the print. Otherwise it is *better*, *worse* or, where no side is better,
*different*; such a row is open unless an experiment explains it. How rows are judged, and what
explains them, stands in ``published/<paper>/verdicts.toml`` (rules.py). A record holds
numbers alone.

The standard error of a difference:

- a mean over n runs has std / sqrt(n); if the paper ran the same protocol, its mean over m runs has
  our std / sqrt(m);
- a share p of n points has sqrt(p (1 - p) / n), ours and the printed one;
- otherwise no error is known, and only equal numbers are the same.

"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from paper_figures.store import Record, Row
from paper_figures.verdict.rules import (
    BEYOND,
    NO_CURVE,
    NOT_COMPARABLE,
    READ_OFF,
    Explanation,
    Rule,
    Rules,
    load,
)

SAME = "same"
BETTER = "better"
WORSE = "worse"
DIFFERENT = "different"
NOT_AVAILABLE = "not available"
STATES = (SAME, BETTER, WORSE, DIFFERENT, NOT_COMPARABLE, READ_OFF, NO_CURVE, BEYOND, NOT_AVAILABLE)
DIFFERING = (BETTER, WORSE, DIFFERENT)
NO_ERROR = "no standard error is known: only equal numbers are the same"
SMALL = "the small scale: other data or other sizes than the paper's"


@dataclass(frozen=True)
class Verdict:
    """What a row says.

    Attributes
    ----------
    state : str
        One of :data:`STATES`.
    difference : float or None
        Ours less the printed number; None without one of them.
    error : float or None
        The standard error of the difference; None if it is not known.
    explanation : Explanation or None
        Why the numbers differ, if an experiment shows it.
    note : str
        What else a reader must know: why the row is not comparable, or :data:`NO_ERROR`.

    See Also
    --------
    judge : The verdicts of a record.

    Examples
    --------
    >>> Verdict("worse", 0.5, 0.1).open, Verdict("same", 0.1, 0.1).open
    (True, False)
    """

    state: str
    difference: float | None = None
    error: float | None = None
    explanation: Explanation | None = None
    note: str = ""

    @property
    def open(self) -> bool:
        """Whether the numbers differ and no experiment explains it."""
        return self.state in DIFFERING and self.explanation is None


def is_open(verdict: Verdict) -> bool:
    """Return whether the numbers differ and no experiment explains it.

    Parameters
    ----------
    verdict : Verdict

    Returns
    -------
    bool

    See Also
    --------
    Verdict.open : The same.

    Examples
    --------
    >>> is_open(Verdict(WORSE)), is_open(Verdict(SAME))
    (True, False)
    """
    return verdict.open


def count(verdicts: Iterable[Verdict]) -> Counter[str]:
    """Return how many verdicts have each state.

    Parameters
    ----------
    verdicts : iterable of Verdict

    Returns
    -------
    Counter

    See Also
    --------
    judge : Makes verdicts.

    Examples
    --------
    >>> count([Verdict(SAME), Verdict(SAME), Verdict(WORSE)])["same"]
    2
    """
    return Counter(verdict.state for verdict in verdicts)


def judge(record: Record, rules: Rules | None = None) -> list[Verdict]:
    """Return the verdict of each row of a record, in order.

    Parameters
    ----------
    record : dict
        A valid record.
    rules : Rules, optional
        By default those of the record's paper.

    Returns
    -------
    list of Verdict

    Raises
    ------
    ValueError
        If `rules` is not given and the paper's verdicts.toml does not have its form.

    See Also
    --------
    allowed : How far numbers may lie apart.
    notes : The notes of a record.

    Examples
    --------
    >>> row = {"published": 2.0, "ours": 2.3, "error": 0.1, "n": 25}
    >>> record = {"paper": "none", "figure": "table1", "scale": "paper", "rows": [row]}
    >>> judge(record, Rules())[0].state  # within two standard errors: 2 * 0.5 / 5
    'different'
    """
    known = load(record["paper"]) if rules is None else rules
    figure = record["figure"]
    small = record["scale"] == "small"
    return [_judged(row, figure, known, small) for row in record["rows"]]


def notes(record: Record, rules: Rules | None = None) -> list[str]:
    """Return the notes of a record, and at the paper's scale those of verdicts.toml.

    Parameters
    ----------
    record : dict
    rules : Rules, optional
        By default those of the record's paper.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If `rules` is not given and the paper's verdicts.toml does not have its form.

    See Also
    --------
    judge : The verdicts.

    Examples
    --------
    >>> record = {"paper": "none", "figure": "table1", "scale": "paper", "notes": ["ten runs"]}
    >>> notes(record, Rules())
    ['ten runs']
    """
    if record["scale"] != "paper":
        return list(record["notes"])
    known = load(record["paper"]) if rules is None else rules
    return known.notes_of(record["figure"], record["notes"])


def _judged(row: Row, figure: str, rules: Rules, small: bool) -> Verdict:
    rule = rules.of(figure, row)
    because = rule.because or ""
    if row["ours"] is None:
        return Verdict(NOT_AVAILABLE, note=row.get("why", ""))
    if row["published"] is None:
        if small and rule.unprinted != BEYOND:
            return Verdict(NOT_COMPARABLE, note=SMALL)
        return Verdict(rule.unprinted or BEYOND, note=because)
    difference = float(row["ours"] - row["published"])
    error = error_of_difference(row, rule)
    if rule.state is not None:
        return Verdict(rule.state, difference, error, note=because)
    state = _state(difference, allowed(row, rule, error), rule)
    note = because or ("" if error is not None else NO_ERROR)
    if state == SAME:
        return Verdict(state, difference, error, note=note)
    covering = [] if small else rules.explanations_of(figure, row)  # experiments are the paper's
    return Verdict(state, difference, error, covering[0] if covering else None, note)


def _state(difference: float, limit: float, rule: Rule) -> str:
    if abs(difference) <= limit:
        return SAME
    if rule.better in (None, "neither"):
        return DIFFERENT
    return BETTER if (difference < 0) == (rule.better == "lower") else WORSE


def allowed(row: Row, rule: Rule, error: float | None) -> float:
    """Return by how much the numbers of a row may differ and still be the same.

    Parameters
    ----------
    row : dict
        A row with a printed number.
    rule : Rule
        Its rounding counts where the row has no ``tolerance``.
    error : float or None
        Of :func:`error_of_difference`.

    Returns
    -------
    float

    See Also
    --------
    judge : Compares with it.

    Examples
    --------
    >>> rule = Rule(("table1",), {}, rounding=0.05)
    >>> round(allowed({"published": 2.0}, rule, 0.1), 6)  # two errors and half a printed digit
    0.25
    """
    rounding = row.get("tolerance", rule.rounding or 0.0)
    slack = 1e-9 * max(1.0, abs(row["published"]))  # decimals that binary numbers cannot hold
    return float(2.0 * (error or 0.0) + rounding + slack)


def error_of_difference(row: Row, rule: Rule) -> float | None:
    """Return the standard error of ours less the printed number, or None if it is not known.

    The error of ours comes from its runs, or else from the number of test points of a share. The
    printed number ran the same protocol, or it is a share of as many test points, or its error is
    unknown and counts as 0.

    Parameters
    ----------
    row : dict
    rule : Rule

    Returns
    -------
    float or None

    Raises
    ------
    ValueError
        If a share is below 0 or above the whole.

    See Also
    --------
    allowed : Twice this, and rounding.

    Examples
    --------
    >>> row = {"published": 2.0, "ours": 2.3, "error": 0.1, "n": 25}
    >>> error_of_difference(row, Rule(("table1",), {}))
    0.1
    """
    if row["error"] is not None:
        own = row["error"] ** 2
    elif rule.points is not None:
        own = _binomial_variance(row["ours"], row, rule)
    else:
        return None
    if row["error"] is not None and rule.runs:
        return math.sqrt(own + own * row["n"] / rule.runs)
    if rule.points is not None:
        own += _binomial_variance(row["published"], row, rule)
    return float(math.sqrt(own))


def _binomial_variance(number: float, row: Row, rule: Rule) -> float:
    """Return the variance of a share of ``rule.points`` test points."""
    if rule.points is None:
        return 0.0
    whole = 100.0 if rule.per_cent else 1.0
    share = number / whole
    if not 0 <= share <= 1:
        raise ValueError(f"shares must be from 0 to {whole:g}; got {row}")
    return whole**2 * share * (1 - share) / rule.points
