"""What a hash table finds that is looked up at a query's code and at all codes one bit away.

§ 4.3 of the paper says that such a search is likely to fail as codes grow. The codes are those of
spectral hashing. :func:`lookup` is a task: it gets a :class:`paper_figures.registry.Job` and its
parameters; :func:`reduce` makes its rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.search_forest.points import load_problem
from paper_figures.search_forest.results import computed
from paper_figures.search_forest.sizes import SETS
from paper_figures.tasks import Context, Gathered, Job, Result, Task, absent_rows, number_row
from refimpl.rivals.spectral_hashing import spectral_hashing

FAILED = "queries that find nothing (%)"
RECALL = "recall (%)"
RETURNED = "items found by a query"
QUANTITIES = {"failed": FAILED, "recall": RECALL, "returned": RETURNED}
RADIUS = 1
KERNELS = ("hamming", "hashing", "trees")
BITS = {"small": (8, 16, 32), "paper": (8, 16, 24, 32, 48, 64, 96)}


def lookup(job: Job, *, bits: int, **at: Any) -> dict[str, float]:
    """Return what a lookup within one bit finds: percentages, and items of a query."""
    X, Q, near = load_problem(job, at)
    model = spectral_hashing(X, bits, kernels=job.kernels)
    codes, of_queries = (model.encode(part, kernels=job.kernels) for part in (X, Q))
    radii = np.full(len(Q), RADIUS, dtype=np.int64)
    starts, indices, _ = job.kernels.hamming_within(of_queries, codes, radii)
    sizes = np.diff(starts)
    hits = [np.isin(near[i], indices[starts[i] : starts[i + 1]]).mean() for i in range(len(Q))]
    return {
        "failed": 100.0 * float((sizes == 0).mean()),
        "recall": 100.0 * float(np.mean(hits)),
        "returned": float(sizes.mean()),
    }


def tasks(context: Context) -> list[Task]:
    """Return the lookups on the points of Figures 1 and 2, by the number of bits."""
    listed = []
    for figure in ("figure1", "figure2"):
        of_set = SETS[figure, context.scale]
        at = {key: of_set[key] for key in ("data_set", "d", "queries", "K")}
        listed += [
            Task("lookup", lookup, at | {"bits": bits}, (at["data_set"],), KERNELS)
            for bits in BITS[context.scale]
        ]
    return listed


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the entry: nothing in it is drawn, so that a run gives no deviation."""
    rows = absent_rows(results, {"data_set": None, "bits": None, "quantity": None})
    for r in computed(results):
        for name, quantity in QUANTITIES.items():
            keys = {"data_set": r.params["data_set"], "bits": r.params["bits"]}
            rows.append(number_row(keys | {"quantity": quantity}, None, r.value[name]))
    at = results[0].params
    note = (
        f"{at['queries']} queries that are not in the database; recall of the {at['K']} nearest. "
        "A code of b bits has b + 1 places to look at. The more items there are, the more is "
        "found. Spectral hashing draws nothing at random."
    )
    return Gathered(rows, [note])
