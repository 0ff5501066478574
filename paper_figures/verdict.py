"""Compare our numbers with the published numbers: a verdict for each row and for each figure.

A row agrees if ours is within two standard errors of the published number. Without a standard
deviation it agrees if the two are equal but for the stated rounding. A difference counts as
explained if its row says why.
"""

import math

from paper_figures.store import Record, Row

AGREES = "agrees"
DIFFERS = "differs"
OURS_ONLY = "ours only"
ABSENT = "not available"
REPRODUCED = "reproduced"
EXPLAINED = "differs (explained)"
UNEXPLAINED = "differs (not explained)"
ONLY_OURS = "no published numbers"
FAILED = "failed"
NOT_RUN = "not yet run"
FIGURE_STATES = (REPRODUCED, EXPLAINED, UNEXPLAINED, ONLY_OURS, ABSENT, FAILED, NOT_RUN)


def standard_error(row: Row) -> float | None:
    """Return the standard error of a row's mean, or None if it has no standard deviation."""
    return None if row["std"] is None else float(row["std"] / math.sqrt(row["repetitions"]))


def row_verdict(row: Row) -> str:
    """Return ``"agrees"``, ``"differs"``, ``"ours only"`` or ``"not available"``.

    Parameters
    ----------
    row : dict
        A row of a valid record.

    Returns
    -------
    str
    """
    if row["ours"] is None:
        return ABSENT
    if row["published"] is None:
        return OURS_ONLY
    allowed = 2.0 * (standard_error(row) or 0.0) + row.get("tolerance", 0.0)
    slack = 1e-9 * max(1.0, abs(row["published"]))  # decimals that binary numbers cannot hold
    return AGREES if abs(row["ours"] - row["published"]) <= allowed + slack else DIFFERS


def figure_verdict(record: Record) -> str:
    """Return the verdict of a stored record, one of :data:`FIGURE_STATES`.

    Parameters
    ----------
    record : dict

    Returns
    -------
    str
    """
    rows = [(row, row_verdict(row)) for row in record["rows"]]
    differing = [row for row, verdict in rows if verdict == DIFFERS]
    if differing:
        return EXPLAINED if all(row.get("why") for row in differing) else UNEXPLAINED
    if any(verdict == AGREES for _, verdict in rows):
        return REPRODUCED
    if rows and all(verdict == ABSENT for _, verdict in rows):
        return ABSENT
    return ONLY_OURS


def score(record: Record) -> tuple[int, int]:
    """Return ``(agreeing, compared)``, two counts of rows."""
    verdicts = [row_verdict(row) for row in record["rows"]]
    agreeing = verdicts.count(AGREES)
    return agreeing, agreeing + verdicts.count(DIFFERS)
