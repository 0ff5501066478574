"""The numbers of the guide "Which of the five?", from the record of the study ``pays``."""

from pathlib import Path
from statistics import median

from paper_figures.site import rst
from paper_figures.site.figures import REPRODUCED
from paper_figures.store import Store

__all__ = ["table", "write"]

MEASURES = ("error (%)", "seconds to fit", "milliseconds a query")


def write(sources: Path) -> None:
    """Put the table into the guide."""
    rst.fill(sources, "guides/which", "numbers of pays", table())


def table() -> list[str]:
    """Return the table: a method a row, the fewest errors first."""
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
