"""Table 1 of Li et al. (2011): seconds for a query among half a billion items.

The paper compares a linear scan of codes with an index that has as many bits, on a machine of its
own; it does not say how many candidates its leaves hold, nor the dimension of the points. Here are
synthetic items: random codes in a file that is mapped into memory, and an index whose leaves are
parts of the codes. Times are measured for up to 50 million items, five times each, and go on in
proportion from there.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import ndtri

from paper_figures import plots
from paper_figures.answers import tell
from paper_figures.rows import by, number
from paper_figures.store import Record, Row
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View, grid
from refimpl.kernels import SearchForest
from refimpl.typing import Int32Array, UInt64Array

HALF_BILLION = 500_000_000
SEARCHES = {"scan": "linear scan", "index": "forest"}
PRINTED = {"scan": "linear_scan_s", "index": "boosted_search_forest_s"}
NOTES = [
    "Seconds for a query, one thread. Synthetic items: random codes in a file that is mapped into "
    "memory; the index has a tree of 2^16 leaves for each 16 bits, "
    "whose leaves are those bits. Its time is a walk down all trees (32 dimensions) and the "
    "gathering of all candidates with their scores. The scan keeps the 100 nearest; the paper does "
    "not sort. The paper does not say how many candidates its leaves hold, nor the dimension. Each "
    "time is the mean of medians over a pass of single queries; the error is over the passes.",
    "The half billion is not computed: it is extrapolated in proportion from the largest size, "
    "since codes and an index's lists grow in proportion. Codes of 32 bits take words of 64.",
]


def times(
    job: Job, *, bits: int, n: int, queries: int, d: int, depth: int, passes: int
) -> Iterator[Observation]:
    """Yield seconds for a query among n synthetic items, of a scan and an index, in each pass."""
    # the index has 2^depth leaves in each tree, as a tree stands for `depth` bits in the paper
    rng = job.rng_for("times", bits, n)
    trees = bits // depth
    words = -(-bits // 64)
    with tempfile.TemporaryDirectory() as folder:
        codes = np.lib.format.open_memmap(Path(folder) / "codes.npy", "w+", np.uint64, (n, words))
        for start in range(0, n, 1 << 20):
            part = codes[start : start + (1 << 20)]
            part[:] = rng.integers(2**64, size=part.shape, dtype=np.uint64)
            if bits % 64:
                part[:, -1] &= np.uint64(2 ** (bits % 64) - 1)
        codes.flush()
        of_queries = np.array(codes[rng.integers(n, size=queries)])
        (starts, items), model = synthetic_index(codes, trees, depth, d, rng)
        Q = rng.standard_normal((queries, d), dtype=np.float32)
        alive = np.ones(n, dtype=bool)
        counters = np.zeros((1, n))

        def scan(i: int) -> None:
            job.kernels.hamming_nearest(of_queries[i : i + 1], codes, 100, threads=1)

        def ask(i: int) -> None:
            job.kernels.forest_words(model, Q[i : i + 1], threads=1)
            word = words_of_codes(of_queries[i : i + 1], trees, depth)
            job.kernels.gather_candidates(
                starts, items, alive, word, model.c, n, counters=counters, threads=1
            )

        scan(0)  # the pages of the file, and of the index, are read once before
        ask(0)
        for i in range(passes):
            yield {
                "pass": i,
                "scan": seconds_a_call(scan, min(9, queries)),
                "index": seconds_a_call(ask, queries),
                "candidates": trees * n / 2**depth,
            }


def seconds_a_call(call: Callable[[int], Any], repeats: int) -> float:
    """Return the median time of call(0), call(1), ..."""
    seconds = []
    for i in range(repeats):
        start = perf_counter()
        call(i)
        seconds.append(perf_counter() - start)
    return float(np.median(seconds))


def words_of_codes(codes: UInt64Array, trees: int, depth: int) -> Int32Array:
    """Return, for tree m, the leaf that stands for bits m depth, ..., (m + 1) depth - 1."""
    at = np.arange(trees) * depth
    parts = (codes[:, at // 64] >> (at % 64).astype(np.uint64)) & np.uint64(2**depth - 1)
    return np.ascontiguousarray(
        parts.astype(np.int64) + np.arange(trees) * 2**depth, dtype=np.int32
    )


def synthetic_index(
    codes: UInt64Array, trees: int, depth: int, d: int, rng: np.random.Generator
) -> Any:
    """Return an index whose leaves are parts of the codes, and complete trees to be walked."""
    n = len(codes)
    leaves = 2**depth
    starts = np.empty(trees * leaves + 1, dtype=np.int64)
    items = np.empty(trees * n, dtype=np.int32)
    starts[-1] = trees * n
    for m in range(trees):
        word = (codes[:, m * depth // 64] >> np.uint64(m * depth % 64)) & np.uint64(leaves - 1)
        word = word.astype(np.uint16 if depth <= 16 else np.uint32)
        items[m * n : (m + 1) * n] = np.argsort(word, kind="stable")
        sizes = np.bincount(word, minlength=leaves)
        starts[m * leaves : (m + 1) * leaves] = m * n + np.cumsum(sizes) - sizes
    return (starts, items), complete_trees(trees, depth, d, rng)


def complete_trees(trees: int, depth: int, d: int, rng: np.random.Generator) -> SearchForest:
    """Return trees of random planes, each with 2^depth leaves."""
    leaves = 2**depth
    nodes = 2 * leaves - 1
    inner = np.tile(np.arange(nodes) < leaves - 1, trees)
    place = np.tile(np.arange(nodes), trees)
    tree = np.repeat(np.arange(trees), nodes)
    return SearchForest(
        c=np.ones(trees),
        roots=np.arange(trees) * nodes,
        left=np.where(inner, 2 * place + 1 + tree * nodes, -1).astype(np.int32),
        word=np.where(inner, -1, place - (leaves - 1) + tree * leaves).astype(np.int32),
        plane=np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32),
        feature=np.full(trees * nodes, -1, dtype=np.int32),
        offset=ndtri(rng.uniform(0.3, 0.7, trees * nodes)) * np.sqrt(d),
        planes=rng.standard_normal((int(inner.sum()), d), dtype=np.float32),
        lam=0.5,
        history=np.zeros((trees, 5)),
        message="synthetic",
    )


# --------------------------------------------------------------------------- rows and picture


def gather(seen: Seen) -> Gathered:
    """Return seconds for a query, and the paper's half billion by the largest measured size."""
    rows = seen.absent(dict.fromkeys(("bits", "items", "search", "candidates")))
    printed = {int(line["bits"]): line for line in seen.published("search_forest/table1.csv")}
    growth: dict[str, list[float]] = {}
    for (bits,), of_bits in by(seen.items, "bits").items():
        of_sizes = by(sorted(of_bits, key=lambda item: item["n"]), "n")
        sizes = [n for (n,) in of_sizes]
        for way, search in SEARCHES.items():
            keys = {"bits": bits, "search": search, "candidates": None}
            seconds = {n: [item[way] for item in items] for (n,), items in of_sizes.items()}
            for (n,), items in of_sizes.items():
                found = round(items[0]["candidates"]) if way == "index" else None
                rows.append(number(keys | {"items": n, "candidates": found}, seconds[n]))
            means = [float(np.mean(of_size)) for of_size in seconds.values()]
            if len(sizes) > 1:
                growth.setdefault(search, []).append(means[-1] / means[-2])
                beyond = keys | {"items": HALF_BILLION, "search": f"{search}, extrapolated"}
                larger = [x * HALF_BILLION / sizes[-1] for x in seconds[sizes[-1]]]
                rows.append(number(beyond, larger, printed.get(bits, {}).get(PRINTED[way])))
    every = sorted({item["n"] for item in seen.items})
    return Gathered(rows, [*NOTES, *growth_notes(growth, every)])


def growth_notes(growth: dict[str, list[float]], sizes: list[int]) -> list[str]:
    """Return the note on how the times grew between the two largest sizes."""
    if not growth:
        return []
    before, last = sizes[-2:]
    times = "; ".join(
        f"{name} {min(grown):.2g} to {max(grown):.2g}" for name, grown in growth.items()
    )
    return [
        f"Measured growth from {before:,} to {last:,} items, {last / before:.2g} times as many: "
        f"{times} times."
    ]


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw seconds a query by items; dotted lines are extrapolated, published numbers hollow."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    bits = sorted({row["bits"] for row in rows})
    handles: dict[str, Any] = {}
    for axis, search in zip(plots.panels(figure, len(SEARCHES), 1), SEARCHES.values(), strict=True):
        ends = {}
        for (of_bits,), line in by((r for r in rows if r["search"] == search), "bits").items():
            style = plots.series_style(bits.index(of_bits)) | {"linestyle": "-"}
            plots.line_of(axis, _millions(line), line, **style)
            handles["measured"] = plots.in_key(linestyle="-", marker=None)
            for row in rows:
                if (row["bits"], row["search"]) == (of_bits, f"{search}, extrapolated"):
                    line = [line[-1], row]
                    handles["extrapolated in proportion"] = plots.in_key(linestyle=":", marker=None)
                    plots.line_of(
                        axis, _millions(line), line, **style | {"linestyle": ":", "markevery": [1]}
                    )
                    if row["published"] is not None:
                        (printed,) = axis.plot(
                            _millions([row]), row["published"], **plots.hollow(style)
                        )
                        tell(printed, [row])
                        handles["printed (the authors' machine)"] = plots.in_key()
            end = (_millions(line)[-1], line[-1]["ours"], style["color"])
            ends[f"{of_bits} bits"] = end
        axis.set(title=search.capitalize(), xlabel="items (millions)", ylabel="seconds a query")
        axis.set_yscale("log")
        plots.logarithmic(axis.xaxis)
        plots.logarithmic(axis.yaxis)
        plots.label_ends(axis, ends, gap=0.09)
    plots.key(figure, handles)


def _millions(rows: list[Row]) -> list[float]:
    return [row["items"] / 1e6 for row in rows]


# --------------------------------------------------------------------------- the study


NAMES = {"linear scan": "linear scan", "forest": "Boosted Search Forest"}
NAMES |= {f"{search}, extrapolated": name for search, name in NAMES.items()}
HEADINGS = {"bits": "bits of a code"}
STUDY = Study(
    "table1",
    times,
    {
        "small": grid(
            bits=(32, 64), n=(20_000, 50_000, 100_000), queries=[20], d=[32], depth=[16], passes=[2]
        ),
        "paper": grid(
            bits=(32, 64, 128, 256, 512),
            n=(1_000_000, 5_000_000, 20_000_000, 50_000_000),
            queries=[50],
            d=[32],
            depth=[16],
            passes=[5],
        ),
    },
    (
        View(
            "table1",
            "Retrieval time",
            gather,
            draw,
            "A panel for the linear scan and one for the index: seconds a query by millions "
            "of items, measured and extrapolated; printed numbers are hollow marks.",
            (5.2, 6.4),
            (
                Grid(
                    ("items", "search"),
                    ("bits",),
                    details=("candidates",),
                    where={"items": (HALF_BILLION,)},
                    alike=("search",),
                    title="Seconds a query",
                    headings=HEADINGS,
                    names={"search": NAMES},
                ),
                Grid(
                    ("items", "search"),
                    ("bits",),
                    details=("candidates",),
                    title="Seconds a query, fewer items",
                    headings=HEADINGS,
                    names={"search": NAMES},
                ),
            ),
        ),
    ),
)
