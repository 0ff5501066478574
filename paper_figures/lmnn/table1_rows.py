"""Table 1 and its active set: their rows beside the print."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from paper_figures.lmnn.samples import TIES
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows, number_row

PRINTED = "printed steps"
OPTIMUM = "proven optimum"
NAMES = {
    "as they are": "as they are",
    "raw": "raw pixels",
    "unit length": "length 1",
    "normalised": "mean 0, length 1",
    "deskewed": "deskewed images",
}
FIRST, NEAREST = TIES
# the number of a training, and the column of the paper's table beside it
MEASURES: dict[str, tuple[Callable[[Mapping[str, Any]], float], str | None]] = {
    "seconds": (lambda v: v["seconds"], "seconds"),
    "eq. 3": (lambda v: v["objective"], None),
    "active triples": (lambda v: v["active"], "active"),
    "pairs of classes": (lambda v: v["total"], "total"),
    "train error (%)": (lambda v: v["left_out"][FIRST], "train_error"),
    "train error, each point votes for itself (%)": (lambda v: v["own"][FIRST], None),
    "test error (%)": (lambda v: v["test"][FIRST], "test_error"),
    "test error, ties to the nearest (%)": (lambda v: v["test"][NEAREST], None),
}


def mean_row(keys: Row, published: float | None, numbers: Sequence[float], digits: int = 2) -> Row:
    """Return the row of a mean over samples, with their standard deviation if there are several.

    Parameters
    ----------
    keys : dict
    published : float or None
    numbers : sequence of float
        At least one.
    digits : int
        The decimals that the row keeps.

    Returns
    -------
    dict
    """
    mean = round(float(np.mean(numbers)), digits)
    if len(numbers) == 1:
        return number_row(keys, published, mean)
    std = round(float(np.std(numbers, ddof=1)), digits + 2)
    return keys | {"published": published, "ours": mean, "std": std, "repetitions": len(numbers)}


def grouped(results: Iterable[Result], *names: str) -> dict[tuple[Any, ...], list[Result]]:
    """Return the results that have a value by some of their parameters, in their order."""
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        if result.value is not None:
            key = tuple(result.params.get(name) for name in names)
            groups.setdefault(key, []).append(result)
    return groups


def _euclidean_error(context: Context) -> dict[int, float]:
    """Return the Euclidean test errors that the text prints, by the number of training points."""
    if context.scale != "paper":
        return {}
    return {
        int(line["n"]): line["value"]
        for line in context.published("lmnn/text.csv")
        if line["measure"] == "Euclidean test error (%)"
    }


def _table1(context: Context) -> dict[int, dict[str, Any]]:
    lines = context.published("lmnn/table1.csv") if context.scale == "paper" else []
    return {int(line["n"]): line for line in lines}


def trained(result: Result) -> dict[str, Any]:
    """Return what a training measured at its end."""
    value: dict[str, Any] = result.value
    return value if result.name == "certified" else value | value["checks"][-1] | value["end"]


def table1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return means over samples of what each solver's trainings have.

    The printed numbers stand beside those of the printed steps.
    """
    rows = absent_rows(results, {"N": None, "images": "all", "by": None, "measure": None})
    printed = _table1(context)
    euclidean = _euclidean_error(context)
    usual = [r for r in results if not r.params.get("shuffled")]
    for (kind, n), group in grouped(usual, "preparation", "n").items():
        line = printed.get(n, {})
        keys = {"N": n, "images": NAMES[kind]}
        for name, by in (("printed", PRINTED), ("certified", OPTIMUM)):
            values = [trained(r) for r in group if r.name == name]
            for measure, (number, column) in MEASURES.items() if values else ():
                numbers = [number(value) for value in values]
                same = keys | {"by": by, "measure": measure}
                wanted = line.get(column or "") if by == PRINTED else None
                rows.append(mean_row(same, wanted, numbers))
        for ties, words in ((FIRST, ""), (NEAREST, ", ties to the nearest")):
            errors = [r.value["euclidean"]["test"][ties] for r in group if r.name == "certified"]
            if errors:
                measure = f"Euclidean test error{words} (%)"
                same = keys | {"by": "no training", "measure": measure}
                rows.append(mean_row(same, euclidean.get(n) if ties == FIRST else None, errors))
    return Gathered(rows, _notes(results))


def _notes(results: Sequence[Result]) -> list[str]:
    """Say how samples are drawn and trained, what is done without a unique optimum, and orders."""
    certified = [r for r in results if r.name == "certified" and r.value is not None]
    notes = [
        "Means over random samples, the same for each preparation and solver; all 60,000 digits "
        "are one sample. 60 digits are six of each class. The printed "
        "steps start from the Euclidean metric, on the points as given, and number 191; their "
        "numbers are those of the least eq. 3 of all full checks. Seconds are of one processor. "
        "Errors are of k = 3; among classes with equally many votes the lowest digit wins, or the "
        "nearest neighbour's where the row says so. The paper's total is one constraint for each "
        "point and each point of another class; times k = 3 they are triples."
    ]
    many = [r for r in certified if not (r.value["unique"] or r.params["shuffled"])]
    if many:
        sizes = sorted({r.params["n"] for r in many})
        notes.append(
            f"In {len(many)} trainings (N = {', '.join(map(str, sizes))}) eq. 3 is 0 at many "
            "metrics. The proven optimum is that of least trace among them."
        )
    gaps = [r.value["gap"] for r in certified]
    if gaps:
        notes.append(f"The largest gap to the bound is {100 * max(gaps):.2f} % of eq. 3.")
    moved = _moved(certified)
    if moved:
        notes.append(
            "One sample of each size was trained by the certified solver in another order, too. It "
            "decides between equally near points. Where all points are trained it is the only "
            f"chance. It moves the test error by {moved}."
        )
    return notes


def _moved(certified: Sequence[Result]) -> str:
    """Return by how much another order of the points moves the test error, for each size."""
    words = []
    for (n,), group in grouped(certified, "n").items():
        shuffled = [r for r in group if r.params["shuffled"]]
        for other in shuffled:
            same = dict(other.params) | {"shuffled": False}
            for r in group:
                if dict(r.params) == same:
                    apart = abs(other.value["test"][FIRST] - r.value["test"][FIRST])
                    words.append(f"{apart:.2f} points (N = {n:,})")
    return ", ".join(words)


def active_set(context: Context, results: Sequence[Result]) -> Gathered:
    """Return how many triples are active at the start, and ever, along the steps."""
    rows = absent_rows(results, {"N": None, "images": "all", "measure": None})
    printed = {n: line["active"] for n, line in _table1(context).items()}
    for (kind, n), group in grouped(results, "preparation", "n").items():
        checks = [r.value["checks"] for r in group]
        last = checks[0][-1]["steps"]
        counts = {
            "active at the start": [c[0]["active"] for c in checks],
            f"ever active, {last} steps": [c[-1]["ever"] for c in checks],
            f"active after {last} steps": [c[-1]["active"] for c in checks],
        }
        for measure, numbers in counts.items():
            wanted = printed.get(n) if measure.startswith("ever") else None
            keys = {"N": n, "images": NAMES[kind], "measure": measure}
            rows.append(mean_row(keys, wanted, numbers))
    return Gathered(
        rows,
        [
            "Triples, means over the samples of Table 1. The steps start from the identity, so the "
            "scale of the points decides how many triples break a margin of 1. Pixels of MNIST go "
            "from 0 to 255 as they are. Section 3 calls the triples that ever broke the margin the "
            "active set."
        ],
    )
