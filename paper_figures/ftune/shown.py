"""What the views of FTUNE share: published accuracies, who is among the best, tables, curves."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import stats

from paper_figures import plots
from paper_figures.rows import absent, by, differences, means
from paper_figures.store import Record, Row
from paper_figures.study import Gathered, Grid, Observation, Seen

SETS = ("data_set", "landmarks")
ROUNDING = 0.005  # the paper prints two decimals
NAMES = {"aural-sonar": "AuralSonar", "voting-similarity": "Voting"}  # the others only capitalised
BEST = "`best`: the two sample t-test at 95 % does not tell it from the method of the highest mean."
NOWHERE = "the matrix of Chen et al. (2009) was on a page that is gone, and no copy was found"


def name_of(data_set: str) -> str:
    """Return what the paper calls a data set."""
    return NAMES.get(data_set, data_set.capitalize())


def _lines(seen: Seen, file: str) -> dict[str, dict[str, Any]]:
    return {line["data_set"]: line for line in seen.published(f"ftune/{file}")}


def published(seen: Seen, file: str) -> Callable[[Row], float | None]:
    """Return a function that looks up the published accuracy of a row."""
    lines = _lines(seen, file)

    def look_up(row: Row) -> float | None:
        line = lines.get(name_of(row["data_set"]), {})
        return line.get(f"{row['method']}_{row['landmarks']}")

    return look_up


def table(seen: Seen, file: str, methods: Sequence[str], sizes: Sequence[int]) -> list[Row]:
    """Return the rows of a published table, and those of its sets that could not be computed."""
    rows: list[Row] = []
    for items in by(seen.items, *SETS).values():
        mine = [i for m in methods for i in items if i["method"] == m and i["landmarks"] in sizes]
        best = _among_the_best(mine)
        named = [item | {"best": "yes" if item["method"] in best else ""} for item in mine]
        keys = (*SETS, "method", "best")
        rows += means(named, keys, "accuracy", published(seen, file), tolerance=ROUNDING)
    return [*rows, *_missing(seen, file, methods)]


def _missing(seen: Seen, file: str, methods: Sequence[str]) -> Iterator[Row]:
    """Yield the published numbers of the sets that are not here."""
    here = {name_of(item["data_set"]) for item in seen.items}
    whys = {name_of(item["data_set"]): item["why"] for item in seen.missing}
    for name, line in _lines(seen, file).items():
        if name not in here:
            sizes = sorted({int(column.rsplit("_", 1)[1]) for column in line if "-" in column})
            for d in sizes:
                for method in methods:
                    keys = {"data_set": name, "landmarks": d, "method": method, "best": ""}
                    yield absent(keys, whys.get(name, NOWHERE), line.get(f"{method}_{d}"))


def _among_the_best(items: Iterable[Observation]) -> list[str]:
    """Return the methods that the paper's t-test does not tell from that of the highest mean."""
    runs = {m: [i["accuracy"] for i in mine] for (m,), mine in by(items, "method").items()}
    top = max(runs, key=lambda method: np.mean(runs[method]), default="")
    return [m for m, values in runs.items() if len(values) < 2 or _alike(values, runs[top])]


def _alike(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether the two sample t-test at 95 % does not tell the means apart."""
    if np.ptp(a) == np.ptp(b) == 0:
        return a[0] == b[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one of them may be constant
        return not stats.ttest_ind(a, b).pvalue < 0.05


def paired(items: Sequence[Observation], pairs: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """Yield differences of methods taken split by split, named ``FTUNE-S less BBS``."""
    for row in differences(items, SETS, "accuracy", pairs):
        named = {"comparison": f"{row.pop('method')} less {row.pop('minus')}"}
        yield {name: row.pop(name) for name in SETS} | named | row


def curves(seen: Seen, pairs: Sequence[tuple[str, str]], notes: list[str]) -> Gathered:
    """Return accuracies by the number of landmarks, and differences of methods."""
    rows = [*means(seen.items, (*SETS, "method"), "accuracy"), *paired(seen.items, pairs)]
    return Gathered(rows or seen.absent({"data_set": "all", "landmarks": None}), notes)


def runs_of(seen: Seen) -> str:
    """Return of how many random splits the means are."""
    counts = sorted({len(items) for items in by(seen.items, *SETS, "method").values()})
    return " or ".join(map(str, counts))


def costs(items: Iterable[Observation]) -> Iterator[str]:
    """Say what a new object costs, by method and number of landmarks."""
    counted = by([item for item in items if "compared" in item], "landmarks", "method")
    for (d, method), mine in sorted(counted.items()):
        counts = [item["compared"] for item in mine]
        several = f" to {max(counts)}" if max(counts) > min(counts) else ""
        yield f"Similarities for a new object, {method} with {d} landmarks: {min(counts)}{several}."


# ------------------------------------------------------------------------------------- the tables


MATRICES = (
    *("AmazonBinary", "aural-sonar", "Patrol", "voting-similarity", "protein", "Mirex07"),
    *("Amazon47", "FaceRec"),
)
VECTORS = (
    *("cod-rna", "isolet", "letters", "magic", "pen-digits", "nursery", "faults", "mfeat-pixel"),
    *("mfeat-zernike", "opt-digits", "satellite", "segment"),
)
ORDER = {
    "data_set": (*MATRICES, *VECTORS),
    "landmarks": (30, 300),
    "method": (
        *("BBS", "BBS+D", "DBOOST", "FTUNE+D-S", "FTUNE+DP-S", "FTUNE+D-M", "FTUNE-S", "FTUNE-M"),
    ),
}
SPOKEN = {name: name_of(name) for name in (*MATRICES[1:5:2], "protein", *VECTORS)}
TABLE = Grid(
    ("data_set",),
    ("landmarks", "method"),
    where={"comparison": (None,)},
    best="best",
    headings={"best": "no worse than the highest mean by our t-test"},
    order=ORDER,
    names={"data_set": SPOKEN, "landmarks": {30: "30 landmarks", 300: "300 landmarks"}},
)
CURVES = Grid(
    ("data_set", "method"),
    ("landmarks",),
    where={"comparison": (None,)},
    order=ORDER,
    names={"data_set": SPOKEN},
)
DIFFERENCES = Grid(
    ("comparison",),
    ("data_set",),
    tables=("landmarks",),
    order=ORDER,
    names={"data_set": SPOKEN},
    title="differences, split by split",
    folded=True,
)


# ------------------------------------------------------------------------------------- the curves


DRAWN = ("FTUNE+D-S", "FTUNE-S", "FTUNE-M", "BBS+D", "BBS", "DBOOST")
APART = 1.055  # factor between the places of neighbours, so that their bars do not overlap
CURVE = (
    "Accuracy by the number of landmarks, one panel for each data set, one line for each method, "
    "with standard errors."
)


def draw_curves(record: Record, figure: plots.Figure) -> None:
    """Draw accuracy by the number of landmarks, a panel for each set; bars are standard errors."""
    rows = [row for row in record["rows"] if row["ours"] is not None and "method" in row]
    computed = {row["method"] for row in rows}
    if "BBS+D" in computed:
        computed -= {"FTUNE-M"}  # figure 1 has none; on two classes it is FTUNE-S
    methods = [method for method in DRAWN if method in computed]
    handles: dict[str, Any] = {}
    n_sets = len({row["data_set"] for row in rows})
    parts = plots.panels_by(figure, rows, "data_set", columns=1 if n_sets < 4 else 2)
    for axis, (name,), mine in parts:
        for place, method in enumerate(methods):
            line = [row for row in mine if row["method"] == method]
            line.sort(key=lambda row: int(row["landmarks"]))
            if line:
                shift = APART ** (place - (len(methods) - 1) / 2)
                x = [row["landmarks"] * shift for row in line]
                look = plots.series_style(DRAWN.index(method)) | {"linewidth": 1.2}
                handles[method] = plots.error_bars(axis, x, line, **look)
        plots.logarithmic_at(axis, sorted({row["landmarks"] for row in mine}))
        axis.set(title=name, xlabel="landmarks", ylabel="accuracy (share)")
        axis.set_ylim(top=min(1, axis.get_ylim()[1]))
    counts = " or ".join(str(n) for n in sorted({r["n"] for r in rows if r["error"] is not None}))
    plots.key(
        figure, handles, f"bars: standard errors of means of {counts} splits" if counts else ""
    )
