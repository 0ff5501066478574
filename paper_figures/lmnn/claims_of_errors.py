"""The rules of the claims about errors in low rank (figure 2) and with clusters (figure 4).

Two methods of figure 2 are compared digit by digit, each with the same solver: the printed steps
first. What the optimum gives stands in the reason. An earlier record of figure 2 has errors alone,
with the optimum; an earlier one of figure 4 does not say who votes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    Decision,
    Number,
    Records,
    below,
    difference,
    every,
    less,
    most,
    number,
    rows,
)
from paper_figures.lmnn.clusters_results import BY_CLASS, VOTERS
from paper_figures.lmnn.low_rank_results import COMPARED

TEST_DIGITS = 10_000
RANKS = (15, 20, 25, 30, 35, 40)
MOST_CLUSTERS = 30
BY_EARLIER = "; several metrics are by the earlier solver of steps"


def of_new_form(records: Records, figure: str, key: str) -> bool:
    """Return whether a figure's record is of the form whose rows have this key."""
    return any(key in row for row in rows(records, figure))


def _less_than(records: Records, rank: int, rival: str, solver: str) -> Number:
    """Return the errors of LMNN-RECT less those of a rival, on the same digits."""
    return number(
        records,
        "figure2",
        f"{rank} dimensions, RECT less {rival}, {solver} (%)",
        method=f"LMNN-RECT, {solver}",
        dimensions=rank,
        measure=COMPARED.format(rival),
    )


def _earlier(records: Records, method: str, rank: int) -> Number:
    name = f"{method}, {rank} dimensions (%)"
    keys: dict[str, Any] = {"method": method, "dimensions": rank}
    return number(records, "figure2", name, points=TEST_DIGITS, **keys)


def rect_is_best(records: Records) -> Decision:
    """Figure 2: LMNN-RECT has fewer errors than both others in each number of dimensions."""
    rivals = ("PCA", "LMNN-SVD")
    if not of_new_form(records, "figure2", "measure"):
        cells = {
            f"{rank} ({rival})": below(
                difference(_earlier(records, "LMNN-RECT", rank), _earlier(records, rival, rank))
            )
            for rank in RANKS
            for rival in rivals
        }
        decision = every(cells, "comparisons")
        because = f"{decision.because}. Both are of the optimum; the printed steps are to come"
        return replace(decision, because=because)
    by_solver = {
        solver: every(
            {
                f"{rank} ({rival})": below(_less_than(records, rank, rival, solver))
                for rank in RANKS
                for rival in rivals
            },
            "comparisons",
        )
        for solver in ("printed steps", "optimum")
    }
    return _first_with_other(by_solver)


def rect_over_baseline(records: Records) -> Decision:
    """Figure 2: in most numbers of dimensions LMNN-RECT has fewer errors than k-NN on all."""
    if not of_new_form(records, "figure2", "measure"):
        name = "all components, Euclidean"
        full = number(records, "figure2", f"{name} (%)", points=TEST_DIGITS, method=name)
        cells = {str(rank): less(_earlier(records, "LMNN-RECT", rank), full) for rank in RANKS}
        return most(cells, "numbers of dimensions")
    by_solver = {
        solver: most(
            {
                str(rank): below(_less_than(records, rank, "all components", solver))
                for rank in RANKS
            },
            "numbers of dimensions",
        )
        for solver in ("printed steps", "optimum")
    }
    return _first_with_other(by_solver)


def _first_with_other(by_solver: Mapping[str, Decision]) -> Decision:
    """Return the decision of the first solver; its reason says what the other one gives."""
    (name, first), (other, second) = by_solver.items()
    because = f"{name}: {first.because}. {other.capitalize()}: {second.because}"
    return replace(first, because=because)


def _figure4(records: Records, data_set: str, metrics: int | str, voters: str | None) -> Number:
    keys: dict[str, Any] = {"data set": data_set, "metrics": metrics}
    name = f"{data_set}, metrics: {metrics} (%)"
    if voters is not None:
        keys["voters"] = voters
        name = f"{data_set}, metrics: {metrics}, {voters} vote (%)"
    return number(records, "figure4", name, **keys)


def _voters(records: Records) -> tuple[str | None, ...]:
    """Return both readings of who votes; an earlier record has one that it does not name."""
    return tuple(VOTERS.values()) if of_new_form(records, "figure4", "voters") else (None,)


def _cases(records: Records) -> list[tuple[str, str | None, str]]:
    """Return each set with each reading, and what it is called."""
    sets = sorted({row["data set"] for row in rows(records, "figure4")})
    return [
        (name, voters, name if voters is None else f"{name}, {voters} vote")
        for name in sets
        for voters in _voters(records)
    ]


def more_metrics_fewer_errors(records: Records) -> Decision:
    """Figure 4: 30 clusters, and a metric for each class, have fewer errors than one metric."""
    cells = {
        f"{words}, {kind}": less(
            _figure4(records, name, metrics, voters), _figure4(records, name, 1, voters)
        )
        for name, voters, words in _cases(records)
        for kind, metrics in ((f"{MOST_CLUSTERS} clusters", MOST_CLUSTERS), ("classes", BY_CLASS))
    }
    return _by_solver(records, every(cells, "cases"))


def classes_over_clusters(records: Records) -> Decision:
    """Figure 4: a metric for each class has fewer errors than each number of clusters."""
    cells = {
        f"{words}, {clusters} clusters": less(
            _figure4(records, name, BY_CLASS, voters), _figure4(records, name, clusters, voters)
        )
        for name, voters, words in _cases(records)
        for clusters in _clusters(records, name)
    }
    return _by_solver(records, every(cells, "cases"))


def _clusters(records: Records, data_set: str) -> list[int]:
    """Return the numbers of clusters of a set: two at least."""
    listed = {row["metrics"] for row in rows(records, "figure4", **{"data set": data_set})}
    return sorted(p for p in listed if isinstance(p, int) and p > 1)


def _by_solver(records: Records, decision: Decision) -> Decision:
    because = "" if of_new_form(records, "figure4", "voters") else BY_EARLIER
    return replace(decision, because=decision.because + because)


RULES: Mapping[str, Rule] = {
    "rect-is-best": rect_is_best,
    "rect-over-baseline": rect_over_baseline,
    "more-metrics-fewer-errors": more_metrics_fewer_errors,
    "classes-over-clusters": classes_over_clusters,
}
