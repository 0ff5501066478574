"""Figures 1, 2 and 4 of Athitsos et al. (2005): five points, a triangle, digits.

The paper prints no coordinates and does not say which images it shows. Our five points are drawn at
random until they have its count and its mistakes; our images are drawn at random.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.rows import exact, published
from paper_figures.store import Record
from paper_figures.study import SCALES, Gathered, Grid, Job, Observation, Seen, Study, View, grid
from paper_figures.themes import LIGHT
from refimpl.boostmap.algorithm import pivot_embedding, proximity_order, reference_embedding
from refimpl.kernels.triples import margins

NAMES = "rabcd"
MISTAKES = ("bac", "cbd", "dbr")
PER_CLASS = 4
SET = {"small": "digits", "paper": "MNIST-10"}


# --------------------------------------------------------------------------------------- figure 1


def five_points(job: Job) -> Iterator[Observation]:
    """Yield five points of which F^r orders 46 of 60 triples, with the mistakes that are named."""
    rng = job.rng_for("five points")
    places = np.array(list(permutations(range(5), 3)))
    wrong = [tuple(NAMES.index(x) for x in triple) for triple in MISTAKES]
    while True:
        X = rng.random((5, 2))
        D = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=-1))
        truth = proximity_order(D[places[:, 0], places[:, 1]], D[places[:, 0], places[:, 2]])
        right = truth == np.sign(margins(reference_embedding(D[0]), places))
        if right.sum() == 46 and not any(right[(places == t).all(axis=1)][0] for t in wrong):
            yield {"points": X, "line": D[0], "right": int(right.sum()), "triples": len(places)}
            return


def figure1(seen: Seen) -> Gathered:
    """Return how many of the 60 triples F^r orders correctly."""
    (item,) = seen.items
    (printed,) = published("boostmap/figure1.csv")
    keys = {"quantity": printed["quantity"], "of": item["triples"]}
    note = (
        "the paper prints no coordinates: these points were drawn at random until they had its "
        "count and mistakes"
    )
    return Gathered([exact(keys, item["right"], printed["value"])], [note], item)


def draw_points(record: Record, figure: plots.Figure) -> None:
    """Draw five points of the plane, and where F^r puts them on the line."""
    drawing = record["drawing"]
    plane, line = figure.subplots(1, 2, width_ratios=(1.2, 1))
    points, values = np.array(drawing["points"]), np.array(drawing["line"])
    dots: dict[str, Any] = {"color": plots.series_style(0)["color"], "zorder": 3}
    plane.scatter(*points.T, **dots)
    line.scatter(values, np.zeros(5), **dots)
    beside: dict[str, Any] = {"textcoords": "offset points"}
    for i, name in enumerate(NAMES):
        plane.annotate(name, points[i], xytext=(5, 5), **beside)
        line.annotate(name, (values[i], 0), xytext=(0, 8 + 9 * (i % 2)), ha="center", **beside)
    plane.margins(0.12)
    plane.set(title="original space", xlabel="x", ylabel="y", aspect="equal")
    line.set(title="$F^r$: distance to r", xlabel="$F^r$", yticks=[], ylim=(-0.5, 1.0))


# --------------------------------------------------------------------------------------- figure 2


def triangle(job: Job) -> Iterator[Observation]:
    """Yield F^{x1,x2}(x) of eq. 8, from three sides alone, and the foot of a height."""
    A, B, C = np.array([[1.1, 1.3], [0.0, 0.0], [3.0, 0.0]])
    AB, AC, BC = (float(np.linalg.norm(side)) for side in (A - B, A - C, B - C))
    foot = pivot_embedding(np.array([AB]), np.array([AC]), BC)[0]
    yield {"corners": [A, B, C], "foot": foot, "projection": float((A - B) @ (C - B) / BC)}


def figure2(seen: Seen) -> Gathered:
    """Return the value of eq. 8 and the length that it stands for."""
    (item,) = seen.items
    keys = {"quantity": "F^{x1,x2}(x) from the three sides (eq. 8); published: from coordinates"}
    row = exact(keys, item["foot"], item["projection"], tolerance=1e-12)
    return Gathered([row], [], item)


def draw_triangle(record: Record, figure: plots.Figure) -> None:
    """Draw the height of a triangle, whose foot is the value of the 1D embedding."""
    A, B, C = (np.array(corner) for corner in record["drawing"]["corners"])
    foot = np.array([record["drawing"]["foot"], 0.0])
    axis = figure.subplots()
    colour = plots.series_style(0)["color"]
    axis.plot(*np.array([A, B, C, A]).T, color=LIGHT.ink)
    axis.plot(*np.array([A, foot]).T, color=plots.series_style(1)["color"], linestyle="--")
    axis.plot(*np.array([B, foot]).T, color=colour, linewidth=4, label="$F^{x_1,x_2}(x)$ = BD")
    for name, place, shift in (
        ("A: x", A, (0, 6)),
        ("B: $x_1$", B, (-8, -14)),
        ("C: $x_2$", C, (0, -14)),
        ("D", foot, (0, -14)),
    ):
        axis.annotate(name, tuple(place), xytext=shift, textcoords="offset points", ha="center")
    axis.set(aspect="equal", ylim=(-0.4, 1.8))
    axis.set_axis_off()
    axis.legend(loc="upper right")


# --------------------------------------------------------------------------------------- figure 4


def digits(job: Job, *, data_set: str, per_class: int) -> Iterator[Observation]:
    """Yield images of each class, drawn at random."""
    loaded = job.load(data_set)
    rng = job.rng_for("digits")
    scale = 255.0 / loaded.X.max()
    picked = [
        rng.choice(np.flatnonzero(loaded.y == label), per_class, replace=False)
        for label in loaded.classes
    ]
    images = [(loaded.X[members] * scale).round().astype(int) for members in picked]
    yield {"side": round(loaded.X.shape[1] ** 0.5), "images": images}


def figure4(seen: Seen) -> Gathered:
    """Return a row that counts the images; the drawing holds them."""
    note = "which images the paper prints is not said: ours are drawn at random"
    if not seen.items:
        return Gathered(seen.absent({"quantity": "images"}))
    (item,) = seen.items
    return Gathered([exact({"quantity": "images"}, sum(map(len, item["images"])))], [note], item)


def draw_digits(record: Record, figure: plots.Figure) -> None:
    """Draw a column of images for each digit."""
    drawing = record["drawing"]
    side = drawing["side"]
    gap = max(1, side // 8)
    columns = [
        np.vstack([np.pad(np.reshape(image, (side, side)), gap) for image in images])
        for images in drawing["images"]
    ]
    axis = figure.subplots()
    plots.scanned(axis, np.hstack(columns))
    axis.set_axis_off()


# ------------------------------------------------------------------------------------- the studies

POINTS = Study(
    "five_points",
    five_points,
    {scale: [{}] for scale in SCALES},
    (
        View(
            "figure1",
            "A 1D embedding of five points by a reference object",
            figure1,
            draw_points,
            alt="Five points of the plane, and their distances to r on a line.",
            size=(5.2, 3.0),
            layout=(Grid(("quantity",), details=("of",), once="counted"),),
        ),
    ),
)
TRIANGLE = Study(
    "triangle",
    triangle,
    {scale: [{}] for scale in SCALES},
    (
        View(
            "figure2",
            "The projection on the line through two pivots",
            figure2,
            draw_triangle,
            alt="A triangle with its height; the foot marks the value.",
            size=(4.5, 2.6),
            layout=(Grid(("quantity",), once="deterministic"),),
        ),
    ),
)
DIGITS = Study(
    "digits",
    digits,
    {scale: grid(data_set=[name], per_class=[PER_CLASS]) for scale, name in SET.items()},
    (
        View(
            "figure4",
            "Examples of handwritten digits",
            figure4,
            draw_digits,
            alt="A column of images for each of the ten digits.",
            size=(5.2, 2.4),
            layout=(Grid(("quantity",), once="counted"),),
        ),
    ),
)
