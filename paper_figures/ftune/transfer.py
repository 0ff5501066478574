"""FTUNE with one slope alone beside all six, and with DSELECT, on the sets of Table 2.

It decides two claims: that FTUNE learns a better transfer function than the identity of BBS and the
sign of DBOOST (the least and the largest slope stand for them), and that DSELECT gains nothing on
these sets. The splits and pairs are those of Table 2.
"""

from collections.abc import Iterator

from paper_figures.ftune.gaussian import LARGE
from paper_figures.ftune.shown import CURVES, DIFFERENCES, VECTORS, curves
from paper_figures.ftune.splits import Split
from paper_figures.rows import by
from paper_figures.study import Cell, Gathered, Job, Observation, Seen, Study, View, grid
from refimpl.ftune import SLOPES

LEAST, LARGEST = "FTUNE-S, slope 1 alone", "FTUNE-S, slope 1,000 alone"
PAIRS = (
    ("FTUNE-S", LEAST),
    ("FTUNE-S", LARGEST),
    ("FTUNE+D-S", "FTUNE-S"),
    ("FTUNE+DP-S", "FTUNE+D-S"),
)


def cells() -> Iterator[Cell]:
    """Yield the cells at the paper's scale: fewer runs of the large sets."""
    for name in VECTORS:
        runs = range(3 if name in LARGE else 10)
        yield from grid(data_set=(name,), landmarks=(30, 300), run=runs)


def compute(job: Job, *, data_set: str, landmarks: int, run: int) -> Iterator[Observation]:
    """Yield accuracies of FTUNE-S with six slopes or one, and with the landmarks of DSELECT."""
    split = Split(job, data_set, "standardised", landmarks, run)
    fresh = split.fresh()
    model = split.ftune(fresh)
    yield split.seen("FTUNE-S", model, slope=float(model.slopes[model.f][0]))
    yield split.seen(LEAST, split.ftune(fresh, family=SLOPES[:1]))
    yield split.seen(LARGEST, split.ftune(fresh, family=SLOPES[-1:]))
    for method, per_problem in (("FTUNE+D-S", False), ("FTUNE+DP-S", True)):
        diverse = split.diverse(per_problem)
        if diverse is not None:
            yield split.seen(method, split.ftune(diverse))


def rows(seen: Seen) -> Gathered:
    """Return the accuracies, their differences, and how often each slope is chosen."""
    notes = [
        "The same splits and pairs for all. FTUNE+D-S has d landmarks in all, so a new object "
        "costs fewer similarities. FTUNE+DP-S has d landmarks for each one-vs-all problem; two "
        "classes make one problem, for which it is FTUNE+D-S. Differences are taken split by split."
    ]
    for (d,), items in by([i for i in seen.items if "slope" in i], "landmarks").items():
        slopes = [item["slope"] for item in items]
        each = [f"the slope {s:g} in {slopes.count(s)}" for s in sorted(set(slopes))]
        notes.append(f"FTUNE-S with {d} landmarks chooses {', '.join(each)} of {len(slopes)} runs.")
    return curves(seen, PAIRS, notes)


STUDY = Study(
    "transfer",
    compute,
    {
        "small": grid(data_set=("digits", "wine"), landmarks=(10, 40), run=range(1)),
        "paper": list(cells()),
    },
    (
        View(
            "transfer",
            "FTUNE with one slope alone, and with DSELECT",
            rows,
            layout=(CURVES, DIFFERENCES),
        ),
    ),
)
