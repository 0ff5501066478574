"""The rows of Table 1 and of the growth of a query's time."""

from collections.abc import Sequence
from statistics import mean, stdev

from paper_figures.search_forest.results import computed
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows


def table1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return seconds for a query, and the paper's half billion by the growth that was measured."""
    keys = {"bits": None, "items": None, "search": None, "candidates": None}
    rows = absent_rows(results, keys)
    drawing = []
    printed = {int(line["bits"]): line for line in context.published("search_forest/table1.csv")}
    kinds = (
        ("scan", "linear scan", "linear_scan_s"),
        ("index", "forest", "boosted_search_forest_s"),
    )
    by_bits: dict[int, list[Result]] = {}
    growth: dict[str, list[float]] = {}
    for r in computed(results):
        by_bits.setdefault(r.params["bits"], []).append(r)
    for bits, of_bits in by_bits.items():
        of_bits.sort(key=lambda r: r.params["n"])
        n = [r.params["n"] for r in of_bits]
        for key, name, column in kinds:
            seconds = [r.value[key] for r in of_bits]
            rows += [_measured_row(r, key, name) for r in of_bits]
            drawing.append({"bits": bits, "search": name, "items": n, "seconds": seconds})
            if len(of_bits) > 1:
                growth.setdefault(name, []).append(seconds[-1] / seconds[-2])
                rows.append(
                    {
                        "bits": bits,
                        "items": HALF_BILLION,
                        "search": f"{name}, extrapolated",
                        "candidates": None,
                        "published": printed[bits][column] if bits in printed else None,
                        "ours": float(f"{seconds[-1] * HALF_BILLION / n[-1]:.3g}"),
                        "std": None,
                    }
                )
    return Gathered(rows, [*NOTES, *_growth_notes(growth, by_bits)], drawing)


def _measured_row(r: Result, key: str, name: str) -> Row:
    """Return the row of the seconds that a search took, a value of the result by its key."""
    return {
        "bits": r.params["bits"],
        "items": r.params["n"],
        "search": name,
        "candidates": round(r.value["candidates"]) if key == "index" else None,
        "published": None,
        "ours": float(f"{r.value[key]:.3g}"),
        "std": None,
    }


def _growth_notes(growth: dict[str, list[float]], by_bits: dict[int, list[Result]]) -> list[str]:
    """Return the note on how the times grew between the two largest sizes."""
    if not growth:
        return []
    before, last = (r.params["n"] for r in next(iter(by_bits.values()))[-2:])
    times = "; ".join(
        f"{name} {min(grown):.2g} to {max(grown):.2g}" for name, grown in growth.items()
    )
    return [
        f"Measured growth from {before:,} to {last:,} items, {last / before:.2g} times as many: "
        f"{times} times."
    ]


HALF_BILLION = 500_000_000
NOTES = [
    "Seconds for a query, one thread. Synthetic items: random codes in a file that is mapped into "
    "memory; the index has a tree of 2^16 leaves for each 16 bits, "
    "whose leaves are those bits. Its time is a walk down all trees (32 dimensions) and the "
    "gathering of all candidates with their scores. The scan keeps the 100 nearest; the paper does "
    "not sort. The paper does not say how many candidates its leaves hold, nor the dimension.",
    "The half billion is not computed: it is extrapolated in proportion from the largest size, "
    "since codes and an index's lists grow in proportion. Codes of 32 bits take words of 64.",
]


def growth(context: Context, results: Sequence[Result]) -> Gathered:
    """Return microseconds of a query by index and number of items, and what a query looks at."""
    names = ("index", "leaves", "items", "compared", "candidates")
    rows = absent_rows(results, dict.fromkeys(names))
    drawing: dict[tuple[str, str], dict[str, list[float]]] = {}
    for r in sorted(computed(results), key=lambda r: r.params["divided"] < r.params["n"]):
        grows = r.params["divided"] == r.params["n"]
        smallest = min(other.params["n"] for other in results)
        kinds = [FINER] if grows else [LARGER]
        kinds += [LARGER] if grows and r.params["n"] == smallest else []
        micro = [1e6 * seconds for seconds in r.value["seconds"]]
        for kind in kinds:
            rows.append(
                {
                    "index": r.params["index"],
                    "leaves": kind,
                    "items": r.params["n"],
                    "compared": round(r.value["compared"]),
                    "candidates": round(r.value["candidates"]),
                    "published": None,
                    "ours": float(f"{mean(micro):.4g}"),
                    "std": float(f"{stdev(micro):.3g}"),
                    "repetitions": len(micro),
                }
            )
            line = drawing.setdefault((r.params["index"], kind), {"items": [], "micro": []})
            line["items"].append(r.params["n"])
            line["micro"].append(mean(micro))
    lines = [{"index": index, "leaves": kind} | line for (index, kind), line in drawing.items()]
    return Gathered(rows, [GROWTH], lines)


FINER = "as small, more of them"
LARGER = "as many, larger"
GROWTH = (
    "Microseconds of one processor for a query, when all queries are asked at once. Points of a "
    "normal distribution in 32 dimensions, 8 trees or tables. Either the database grows and the "
    "index keeps its number of leaves, or it is divided more finely, so that a leaf keeps its "
    "number of points. Compared: planes, centres or hash functions on the way to the leaves; "
    "finding a bucket by its key is not counted. The forest's planes and leaves are random, as in "
    "table 1."
)
