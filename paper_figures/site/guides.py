"""The numbers in the guides, from stored records: what the methods achieve, how fast they train."""

import json
from pathlib import Path
from statistics import median

from paper_figures.site import rst
from paper_figures.site.api import times
from paper_figures.site.figures import REPRODUCED
from paper_figures.site.printed import ROOT
from paper_figures.store import Store

MEASURES = ("error (%)", "seconds to fit", "milliseconds a query")
TIMES = ROOT / "tests" / "benchmarks" / "speed.json"
TRAININGS = {
    "boosted_distances": "Boosted Distance",
    "boostmaps": "BoostMap",
    "search_trees": "Boosted Search Forest",
    "lmnns": "LMNN",
    "ftunes": "FTUNE",
}


def write(sources: Path) -> None:
    """Put the tables into the guides."""
    rst.fill(sources, "guides/which", "numbers of pays", methods())
    rst.fill(sources, "guides/kernels", "times of trainings", trainings())


def methods() -> list[str]:
    """Return the table of the study ``pays``: a method a row, the fewest errors first."""
    record = Store(REPRODUCED).read("pays", "when")
    rows = record["rows"] if record else []
    errors = [row for row in rows if row["measure"] == MEASURES[0]]
    found: list[tuple[float, float, float, int, str]] = []
    for method in dict.fromkeys(row["method"] for row in errors):
        own = [row for row in rows if row["method"] == method and row["ours"] is not None]
        error, fit, query = (
            median(row["ours"] for row in own if row["measure"] == m) for m in MEASURES
        )
        best = sum(row["method"] == method and row["best"] == "yes" for row in errors)
        found.append((error, fit, query, best, method))
    sets = len({row["data_set"] for row in errors})
    head = ("method", *MEASURES, f"not beaten, of {sets} sets")
    return rst.table(head, _shown(found))


def _shown(found: list[tuple[float, float, float, int, str]]) -> list[tuple[str, ...]]:
    return [
        (method, f"{error:.1f}", f"{fit:.2g}", f"{query:.2g}", str(best))
        for error, fit, query, best, method in sorted(found)
    ]


def trainings() -> list[str]:
    """Return the table of the five trainings' times with both modules of kernels."""
    measured = json.loads(TIMES.read_text(encoding="utf-8"))["rows"]
    rows = []
    for name, method in TRAININGS.items():
        row = measured[f"trainings/{name}/thousands"]
        slow, fast = (row["seconds"][which] for which in ("reference", "fast, 1 thread"))
        what = row["what"] if method in row["what"] else f"{method}: {row['what']}"
        rows.append((what, f"{slow:.2g} s", f"{fast:.2g} s", times(slow, fast)))
    head = ("training", "NumPy", "Cython", "times as fast")
    return rst.table(head, rows)
