"""The numbers of the guide "Which of the five?", from the record of the study ``pays``."""

from pathlib import Path
from statistics import median

from paper_figures.site.figures import REPRODUCED
from paper_figures.store import Store

__all__ = ["table", "write"]

PLACE = ".. numbers of pays\n"
MEASURES = ("error (%)", "seconds to fit", "milliseconds a query")


def write(sources: Path) -> None:
    """Put the table into the guide.

    Parameters
    ----------
    sources : Path
        The copy of the Sphinx sources.
    """
    page = sources / "guides" / "which.rst"
    text = page.read_text(encoding="utf-8")
    if text.count(PLACE) != 1:
        raise ValueError(f"{page} must have the line {PLACE.strip()!r} once")
    page.write_text(text.replace(PLACE, "\n".join(table()) + "\n"), encoding="utf-8")


def table() -> list[str]:
    """Return the lines of the table: a method a row, the fewest errors first."""
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
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in (head, *_shown(found)):
        lines += [f"{'     -' if place else '   * -'} {cell}" for place, cell in enumerate(cells)]
    return lines


def _shown(found: list[tuple[float, float, float, int, str]]) -> list[tuple[str, ...]]:
    return [
        (method, f"{error:.1f}", f"{fit:.2g}", f"{query:.2g}", str(best))
        for error, fit, query, best, method in sorted(found)
    ]
