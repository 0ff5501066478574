"""The rows of similarity by class: the share of the query's class among what is returned."""

from collections.abc import Sequence
from typing import Any

from paper_figures.search_forest.results import computed
from paper_figures.search_forest.results_curves import FOREST, spread
from paper_figures.tasks import Context, Gathered, Result, absent_row, absent_rows

SEARCHES = {
    "exact": "exact Euclidean neighbours",
    "hnswlib": "hnswlib",
    "LMNN": "exact neighbours in LMNN's metric",
}


def classes(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the share of the query's class by data set, method and number of returned items."""
    rows = absent_rows(results, {"data set": None, "method": "all", "returned": None})
    together: dict[tuple[str, str], list[Result]] = {}
    for r in computed(results):
        together.setdefault((r.params["data_set"], _method(r)), []).append(r)
    drawing: list[dict[str, Any]] = []
    for (data_set, method), of_method in together.items():
        keys = {"data set": data_set, "method": method}
        if "missing" in of_method[0].value:
            package = of_method[0].value["missing"]
            why = f"{package} is not installed: pip install 'refimpl[libraries]' installs it"
            rows.append(absent_row(keys | {"returned": None}, why))
            continue
        counts = of_method[0].params["counts"]
        for place, count in enumerate(counts):
            numbers = spread([r.value["shares"][place] for r in of_method])
            rows.append(keys | {"returned": count, "published": None} | numbers)
            drawing.append(keys | {"returned": count, "share": numbers["ours"]})
    return Gathered(rows, [_note(results), CLASSES, *_forest_notes(results)], drawing)


def _method(r: Result) -> str:
    if r.name == "forest_by_class":
        return f"{FOREST}, learnt from classes"
    return SEARCHES[r.params["search"]]


def _note(results: Sequence[Result]) -> str:
    sets = dict.fromkeys(
        f"{r.params['data_set']} on {r.params['d']} components (forest and LMNN learn from "
        f"{r.params['n_train']} points)"
        for r in results
    )
    queries = results[0].params["queries"]
    return f"{'; '.join(sets)}. {queries} queries that are not in the database."


def _forest_notes(results: Sequence[Result]) -> list[str]:
    return [
        f"{r.params['data_set']}: forest of {r.value['trees']} trees, {r.value['leaves']:.0f} "
        f"leaves on average, lambda {r.value['setting']:g} (mean share on the trial: "
        + ", ".join(f"{lam:g}: {mean:.1f}" for lam, mean in r.value["tried"])
        + ")."
        for r in computed(results)
        if r.name == "forest_by_class" and r.params["draw"] == 0
    ]


CLASSES = (
    "Per cent of the query's class among the first returned items; an item that is not returned "
    "counts as one of another class. Two points are similar if they have the same label. The "
    "forest returns its candidates by T, the best first; no distance is computed. LMNN learns one "
    "metric with three target neighbours from the same labels. Euclidean neighbours know no labels."
)
