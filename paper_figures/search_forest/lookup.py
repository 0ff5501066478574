"""What a hash table finds that is looked up at a query's code and at all codes one bit away.

Li et al. (2011) say in § 4.3, of another paper, that such a search is likely to fail as codes grow.
The codes are those of spectral hashing on the points of Figures 1 and 2. More items make a failure
rarer, so that the share of failures is taken for more and more of the items and extrapolated to the
paper's half billion: a line through its logit by the logarithm of the number of items.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit, logit

from paper_figures.rows import by
from paper_figures.search_forest.curves import FIGURES, SETTINGS
from paper_figures.search_forest.points import whole
from paper_figures.search_forest.table1 import HALF_BILLION
from paper_figures.store import Row
from paper_figures.study import Cell, Gathered, Grid, Job, Observation, Seen, Study, View
from refimpl.rivals.spectral_hashing import spectral_hashing

FAILED = "queries that find nothing (%)"
RECALL = "recall (%)"
RETURNED = "items found by a query"
EXTRAPOLATED = f"{FAILED}, extrapolated"
RADIUS = 1
NOTE = (
    "{} queries that are not in the database; recall of the {} nearest. A code of b bits has b + 1 "
    "places to look at. Spectral hashing draws nothing at random; the error is over the queries, "
    "for fewer items than all of one random part. Half a billion items are extrapolated: a line "
    "through the logit of the share of failures by the logarithm of the number of items, with the "
    "error of its prediction. A share that is 0 or 100 per cent of the queries counts as half a "
    "query less, and a line needs two shares in between."
)


def lookup(
    job: Job, *, data_set: str, d: int, queries: int, K: int, bits: int, smallest: int
) -> Iterator[Observation]:
    """Yield what a lookup within one bit finds among `smallest` items, its doubles, and all."""
    # the functions are those of the whole database
    X, Q, near, _, _ = whole(job, data_set=data_set, d=d, queries=queries, K=K)
    model = spectral_hashing(X, bits, kernels=job.kernels)
    codes, of_queries = (model.encode(part, kernels=job.kernels) for part in (X, Q))
    order = job.rng_for("lookup", data_set).permutation(len(X))
    radii = np.full(len(Q), RADIUS, dtype=np.int64)
    n = smallest
    while n < len(X):
        part = np.ascontiguousarray(codes[order[:n]])
        starts, _, _ = job.kernels.hamming_within(of_queries, part, radii)
        yield {"items": n, FAILED: _mean(100.0 * (np.diff(starts) == 0))}
        n *= 2
    starts, indices, _ = job.kernels.hamming_within(of_queries, codes, radii)
    found = np.diff(starts)
    hits = [np.isin(near[i], indices[starts[i] : starts[i + 1]]).mean() for i in range(len(Q))]
    yield {
        "items": len(X),
        FAILED: _mean(100.0 * (found == 0)),
        RECALL: _mean(100.0 * np.array(hits)),
        RETURNED: _mean(found),
    }


def _mean(values: Any) -> tuple[float, float]:
    """Return a mean over the queries with its standard error."""
    return float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5


def extrapolated(items: list[int], failed: list[float], queries: int) -> Row | None:
    """Return the failures (%) among half a billion items with the line's error and n, or None."""
    least = 0.5 / queries
    share = np.clip(np.array(failed) / 100, least, 1 - least)
    inside = (share > least) & (share < 1 - least)
    if len(items) < 3 or inside.sum() < 2:
        return None
    x, y = np.log(items), logit(share)
    slope, intercept = np.polyfit(x, y, 1)
    freedom = len(x) - 2
    spread = float(((x - x.mean()) ** 2).sum())
    variance = float(((y - intercept - slope * x) ** 2).sum()) / freedom
    far = np.log(HALF_BILLION) - x.mean()
    error = (variance * (1 / len(x) + far**2 / spread)) ** 0.5
    value = float(expit(intercept + slope * np.log(HALF_BILLION)))
    return {"ours": 100 * value, "error": 100 * error * value * (1 - value), "n": freedom + 1}


def gather(seen: Seen) -> Gathered:
    """Return shares of failures by bits and items, and what a lookup in all items finds."""
    rows = seen.absent({"data_set": None, "bits": None, "items": None, "quantity": None})
    for (data_set, bits), items in by(seen.items, "data_set", "bits").items():
        for item in items:
            for quantity in (FAILED, RECALL, RETURNED):
                if quantity in item:
                    keys = {"data_set": data_set, "bits": bits, "items": item["items"]}
                    mean, error = item[quantity]
                    numbers = {"ours": mean, "error": error, "n": item["queries"]}
                    rows.append(keys | {"quantity": quantity, "published": None} | numbers)
        failed = [item[FAILED][0] for item in items]
        beyond = extrapolated([item["items"] for item in items], failed, items[0]["queries"])
        if beyond is not None:
            keys = {"data_set": data_set, "bits": bits, "items": HALF_BILLION}
            rows.append(keys | {"quantity": EXTRAPOLATED, "published": None} | beyond)
    at = next(iter([*seen.items, *seen.missing]))
    return Gathered(rows, [NOTE.format(at["queries"], at["K"])])


def cells(scale: str, bits: tuple[int, ...], smallest: int) -> list[Cell]:
    """Return a cell for each number of bits on the points of Figures 1 and 2."""
    listed = []
    for sets in FIGURES.values():
        of = SETTINGS[sets[scale]]["at"]
        at = {"data_set": sets[scale], **{key: of[key] for key in ("d", "queries", "K")}}
        listed += [at | {"bits": b, "smallest": smallest} for b in bits]
    return listed


STUDY = Study(
    "lookup",
    lookup,
    {
        "small": cells("small", (8, 16, 32), 500),
        "paper": cells("paper", (8, 16, 24, 32, 48, 64, 96), 1000),
    },
    (
        View(
            "lookup",
            "Beyond the paper: codes within one bit of the query's, found in a hash table",
            gather,
            layout=(
                Grid(
                    ("data_set", "quantity", "items"),
                    ("bits",),
                    headings={"bits": "bits of a code"},
                ),
            ),
        ),
    ),
)
