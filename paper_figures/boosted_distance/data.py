"""Figure 1 and Table 1 of Amores, Sebe & Radeva (2006): the data.

The small scale shows what comes with scikit-learn: digits 1 and 7, and the paper's wdbc. The gender
set is licensed. Which images the paper prints is not said: ours are drawn at random.
"""

from collections.abc import Iterator

from paper_figures.boosted_distance.drawn import draw_examples
from paper_figures.rows import absent, by, exact, published
from paper_figures.store import Row
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View, grid

PER_CLASS = 10
SETS = tuple(line["data_set"] for line in published("boosted_distance/table1.csv"))
PAPER_NAMES = {"wdbc-small": "wdbc"}  # digits17 stands in for MNIST and has no published size
NO_FACES = (
    "the gender set (AR and XM2VTS faces) is licensed; put it at gender/gender.npz in the data "
    "folder"
)


def sizes(job: Job, *, data_set: str) -> Iterator[Observation]:
    """Yield the size of a data set, and notes on what was decided in reading it."""
    loaded = job.load(data_set)
    n, d = loaded.X.shape
    yield {"observations": n, "dimensions": d, "notes": list(loaded.notes)}


def table1(seen: Seen) -> Gathered:
    """Return two rows for each data set: observations and dimensions."""
    lines = {line["data_set"]: line for line in published("boosted_distance/table1.csv")}
    rows = []
    notes = []
    found = {item["data_set"]: item for item in [*seen.items, *seen.missing]}
    names = SETS if seen.scale == "paper" else found
    for name in names:
        item = found[name]
        printed = lines.get(PAPER_NAMES.get(name, name), {})
        notes += [f"{name}: {note}" for note in item.get("notes", ())]
        for quantity in ("observations", "dimensions"):
            keys = {"data_set": name, "quantity": quantity}
            if "why" in item:
                rows.append(absent(keys, item["why"], printed.get(quantity)))
            else:
                rows.append(exact(keys, item[quantity], printed.get(quantity)))
    if seen.scale == "small":
        notes.append(
            "small scale: digits17 (8 x 8 digits) stands in for MNIST, so it has no published size"
        )
    return Gathered(rows, notes)


def examples(job: Job, *, data_set: str) -> Iterator[Observation]:
    """Yield images of each class, drawn at random; pixels are scaled to 0..255 and rounded."""
    loaded = job.load(data_set)
    rng = job.rng_for("examples", data_set)
    scale = 255.0 / loaded.X.max()
    side = round(loaded.X.shape[1] ** 0.5)
    for label, name in loaded.classes.items():
        members = (loaded.y == label).nonzero()[0]
        picked = rng.choice(members, size=PER_CLASS, replace=False)
        images = (loaded.X[picked] * scale).round().astype(int)
        yield {"side": side, "class": name, "images": images}


def figure1(seen: Seen) -> Gathered:
    """Return rows that count the images. The images themselves are in the record's drawing."""
    rows: list[Row] = []
    drawing = []
    for (name, side), items in by(seen.items, "data_set", "side").items():
        classes = [{key: item[key] for key in ("class", "images")} for item in items]
        drawing.append({"data_set": name, "side": side, "classes": classes})
        for item in items:
            keys = {"data_set": name, "class": item["class"], "quantity": "images"}
            rows.append(exact(keys, len(item["images"])))
    if "gender" not in {row["data_set"] for row in rows}:
        why = seen.missing[0]["why"] if seen.missing else NO_FACES
        rows.append(absent({"data_set": "gender", "class": "both", "quantity": "images"}, why))
    note = "which images the paper prints is not said: ours are drawn at random"
    return Gathered(rows, [note], drawing)


SIZES = Study(
    "sizes",
    sizes,
    {"small": grid(data_set=("digits17", "wdbc-small")), "paper": grid(data_set=SETS)},
    (
        View(
            "table1",
            "Data sets: observations and dimensions",
            table1,
            layout=(
                Grid(
                    ("data_set",),
                    ("quantity",),
                    order={"data_set": SETS},
                    alike=("quantity",),
                    once="counted",
                ),
            ),
        ),
    ),
)
EXAMPLES = Study(
    "examples",
    examples,
    {"small": grid(data_set=("digits17",)), "paper": grid(data_set=("MNIST", "gender"))},
    (
        View(
            "figure1",
            "Examples of the digits 1 and 7, and of the gender set",
            figure1,
            draw_examples,
            alt="Two rows of handwritten digits: ones above, sevens below. "
            "The faces are left out, not available.",
            size=(5.2, 1.7),
            layout=(Grid(("data_set", "class", "quantity"), once="counted"),),
        ),
    ),
)
