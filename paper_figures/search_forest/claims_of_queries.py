"""Li et al. (2011): rules of claims that a share decides: of the queries, or of what they return.

The other rules are in `claims.py`, which lists all.
"""

import math
from dataclasses import replace

from paper_figures.claims.evidence import (
    HOLDS,
    OPEN,
    Decision,
    Number,
    Records,
    above,
    as_number,
    below,
    binomial_error,
    every,
    more,
    number,
    row,
    rows,
)
from paper_figures.search_forest.lookup import FAILED
from paper_figures.search_forest.results_curves import FOREST

QUERIES = 1000
BY_CLASS = f"{FOREST}, learnt from classes"
SHORT_CODE, LONG_CODE = 16, 48  # of the lookup; "a few dozen" is taken as four

# ---------------------------------------------------------------------------------- hash tables


def hash_lookup_fails(records: Records) -> Decision:
    """Lookup: most queries find something by short codes, and most find nothing by long ones.

    The more items there are, the more a lookup finds. § 4.3 speaks of half a billion, our sets have
    tens of thousands: what holds on them leaves the claim open.
    """
    sets = dict.fromkeys(item["data_set"] for item in rows(records, "lookup", bits=SHORT_CODE))
    short = {f"{s}, {SHORT_CODE} bits": below(_failed(records, s, SHORT_CODE), 50.0) for s in sets}
    long = {f"{s}, {LONG_CODE} bits": above(_failed(records, s, LONG_CODE), 50.0) for s in sets}
    decision = every(short | long, "cells")
    because = (
        f"{FAILED}: fewer than half with {SHORT_CODE} bits, more with {LONG_CODE}: "
        f"{decision.because}"
    )
    if decision.state == HOLDS:
        because += ". These sets have 50,000 and 60,000 items; with more, a lookup finds more"
        decision = replace(decision, state=OPEN)
    return replace(decision, because=because)


def _failed(records: Records, data_set: str, bits: int) -> Number:
    name = f"{data_set}, {bits} bits, {FAILED}"
    return number(
        records, "lookup", name, points=QUERIES, data_set=data_set, bits=bits, quantity=FAILED
    )


# --------------------------------------------------------------------------- similarity by class


def other_similarities(records: Records) -> Decision:
    """Classes: among the most returned items more are of the query's class than among neighbours.

    The neighbours are the exact Euclidean ones, which no Euclidean index can better.
    """
    listed = rows(records, "classes", method=BY_CLASS)
    count = max(item["returned"] for item in listed)
    sets = dict.fromkeys(item["data set"] for item in listed)
    cells = {
        data_set: more(
            _share(records, data_set, BY_CLASS, count),
            _share(records, data_set, "exact Euclidean neighbours", count),
        )
        for data_set in sets
    }
    decision = every(cells, "sets")
    because = f"share of the query's class among {count:,} returned, beside exact Euclidean "
    return replace(decision, because=f"{because}neighbours: {decision.because}")


def _share(records: Records, data_set: str, method: str, count: int) -> Number:
    """Return a share with its error over the draws and the binomial one of the queries."""
    keys = {"data set": data_set, "method": method, "returned": count}
    item = row(records, "classes", **keys)
    name = f"{data_set}, {method}, {count:,} returned (%)"
    share = as_number(records, "classes", item, name)
    of_queries = binomial_error(share.ours, QUERIES)
    return replace(share, std_error=math.hypot(share.std_error or 0.0, of_queries))
