"""Hold our numbers against the published ones: a verdict for a row, and one for a figure.

A row agrees if ours is within two standard errors of the published number; without a standard deviation, if
the two are equal but for the stated rounding. A difference counts as explained if its row says why.
"""

import math

AGREES, DIFFERS, OURS_ONLY, ABSENT = "agrees", "differs", "ours only", "not available"
REPRODUCED = "reproduced"
EXPLAINED = "differs (explained)"
UNEXPLAINED = "differs (not explained)"
ONLY_OURS = "no published numbers"
FAILED = "failed"
NOT_RUN = "not yet run"
FIGURE_STATES = (REPRODUCED, EXPLAINED, UNEXPLAINED, ONLY_OURS, ABSENT, FAILED, NOT_RUN)


def standard_error(row):
    """Give the standard error of a row's mean, or None if it has no standard deviation."""
    return None if row["std"] is None else row["std"] / math.sqrt(row["repetitions"])


def row_verdict(row):
    """Give ``"agrees"``, ``"differs"``, ``"ours only"`` or ``"not available"``.

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


def figure_verdict(record):
    """Give one of :data:`FIGURE_STATES` for a record; those without a record are the caller's business.

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


def score(record):
    """Give ``(agreeing, compared)``, the counts of rows."""
    verdicts = [row_verdict(row) for row in record["rows"]]
    agreeing = verdicts.count(AGREES)
    return agreeing, agreeing + verdicts.count(DIFFERS)
