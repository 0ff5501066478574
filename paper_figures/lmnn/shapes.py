"""Figures 1 and 3 of Weinberger & Saul (2008): a ball of a tree, and local metrics of digits."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.lmnn.points import points, prepared
from paper_figures.rows import exact
from paper_figures.store import Record, Row
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View
from paper_figures.themes import LIGHT
from refimpl.ball_trees import as_tree, nearest_neighbors
from refimpl.lmnn import leave_one_out_error, lmnn

K = 3
DIGITS = (0, 1, 2, 4)
SHOWN = 250  # points of a digit


def ball(job: Job, *, data_set: str, preparation: str) -> Iterator[Observation]:
    """Yield a ball of a tree on two components, a query outside, the distances of eq. 7."""
    whole = points(job, data_set, preparation, 2)
    X = whole.X[:400]
    Q = whole.Q[:200]
    tree = as_tree(X, leaf_size=12, direction="principal", kernels=job.kernels)
    leaves = [j for j in range(len(tree.starts)) if 5 <= tree.ends[j] - tree.starts[j] <= 24]
    node = max(leaves, key=lambda j: tree.radii[j])
    centre = tree.centres[node]
    radius = float(tree.radii[node])
    apart = np.linalg.norm(Q - centre, axis=1)
    query = Q[np.argsort(np.abs(apart - 3 * radius))[0]]
    inside = tree.points[tree.starts[node] : tree.ends[node]]
    nearest = np.linalg.norm(inside - query, axis=1)
    neighbors = nearest_neighbors(query[None], X, 1, kernels=job.kernels)
    yield {
        "inside": inside,
        "centre": centre,
        "radius": radius,
        "query": query,
        "neighbour": X[neighbors.indices[0, 0]],
        "neighbour_distance": float(neighbors.distances[0, 0]),
        "bound": max(float(np.linalg.norm(query - centre)) - radius, 0.0),
        "least": float(nearest.min()),
    }


def ellipsoids(job: Job, *, data_set: str, preparation: str, n: int) -> Iterator[Observation]:
    """Yield two principal components of some digits and the metric of each (figure 3)."""
    loaded = job.load(data_set)
    X = prepared(loaded.X, preparation)
    kept = np.flatnonzero(np.isin(loaded.y[: loaded.n_train], DIGITS))[:n]
    X, y = X[kept] - X[kept].mean(axis=0), loaded.y[kept]
    X = X @ np.linalg.eigh(X.T @ X)[1][:, :-3:-1]
    several = lmnn(X, y, K, partition=y, kernels=job.kernels)
    single = lmnn(X, y, K, kernels=job.kernels)
    yield {
        "points": [X[y == digit][:SHOWN] for digit in DIGITS],
        "metrics": several.M,
        "gap": several.gap,
        "centres": [X[y == digit].mean(axis=0) for digit in DIGITS],
        "objective": several.objective,
        "several": 100 * leave_one_out_error(several, X, y, K, kernels=job.kernels),
        "one": 100 * leave_one_out_error(single, X, y, K, kernels=job.kernels),
        "euclidean": 100 * leave_one_out_error(np.eye(2), X, y, K, kernels=job.kernels),
    }


def figure1(seen: Seen) -> Gathered:
    """Return the bound and the least distance into the ball."""
    if not seen.items:
        return Gathered(seen.absent({"quantity": "all"}))
    (value,) = seen.items
    rows = [
        exact({"quantity": "bound of eq. 7"}, value["bound"]),
        exact({"quantity": "least distance to a point of the ball"}, value["least"]),
        exact({"quantity": "distance to the nearest point of all"}, value["neighbour_distance"]),
    ]
    note = (
        "A ball of a tree over the first two principal components; "
        "the bound is below every distance into the ball."
    )
    return Gathered(rows, [note], value)


DEGREES = "digit {}, degrees from the line to the nearest centre"


def degrees_rows(drawing: Mapping[str, Any]) -> list[Row]:
    """Return the angle of each metric's main direction with the line to the nearest centre."""
    rows = []
    centres = drawing["centres"]
    for i, ((a, b), (_, c)) in enumerate(drawing["metrics"]):
        main = 0.5 * math.atan2(2 * b, a - c)  # of a symmetric 2 x 2 matrix
        x, y = centres[i]
        others = [other for j, other in enumerate(centres) if j != i]
        to_x, to_y = min(others, key=lambda other: math.dist(other, centres[i]))
        apart = abs(main - math.atan2(to_y - y, to_x - x)) % math.pi
        degrees = round(math.degrees(min(apart, math.pi - apart)), 1)
        rows.append(exact({"quantity": DEGREES.format(drawing["digits"][i])}, degrees))
    return rows


def figure3(seen: Seen) -> Gathered:
    """Return leave-one-out errors; the metrics and points are in the drawing."""
    if not seen.items:
        return Gathered(seen.absent({"quantity": "all"}))
    (value,) = seen.items
    names = {"several": "one metric for each digit", "one": "one metric", "euclidean": "Euclidean"}
    rows = [
        exact({"quantity": f"leave-one-out error, {name} (%)"}, round(value[key], 2))
        for key, name in names.items()
    ]
    drawing = value | {"digits": DIGITS}
    return Gathered(
        rows + degrees_rows(drawing),
        [
            "Each ellipse is the unit ball of a metric, enlarged alike: "
            "it is short where the metric amplifies."
        ],
        drawing,
    )


def draw_ball(record: Record, figure: plots.Figure) -> None:
    """Draw figure 1: a ball, a query outside, and the bound of eq. 7."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle

    drawing = record["drawing"]
    axis = figure.subplots()
    centre, query = (np.array(drawing[name]) for name in ("centre", "query"))
    radius = drawing["radius"]
    axis.add_patch(Circle(tuple(centre), radius, fill=False, color=LIGHT.ink))
    for place, (drawn, label, size) in enumerate(
        (
            (drawing["inside"], "points of S", 14),
            ([query], "query $x_t$", 36),
            ([drawing["neighbour"]], "nearest of all points", 36),
        )
    ):
        look = plots.series_style(place)
        first, second = np.array(drawn).T
        axis.scatter(
            first, second, color=look["color"], marker=look["marker"], s=size, zorder=3, label=label
        )
    edge = centre + radius * (query - centre) / np.linalg.norm(query - centre)
    bound = f"bound of eq. 7: {drawing['bound']:.2f}"
    axis.plot(
        *np.array([query, edge]).T,
        color=plots.series_style(1)["color"],
        linestyle="--",
        label=bound,
    )
    axis.plot(
        *np.array([edge, centre]).T, color=LIGHT.ink, linestyle=":", label=f"r = {radius:.2f}"
    )
    axis.set(
        aspect="equal", xlabel="first principal component", ylabel="second principal component"
    )
    ball = Line2D(
        [], [], color=LIGHT.ink, marker="o", markersize=10, fillstyle="none", linestyle="none"
    )
    plots.key(figure, plots.labelled(axis) | {"ball S of radius r": ball})


def draw_ellipsoids(record: Record, figure: plots.Figure) -> None:
    """Draw figure 3: the digits, and the unit ball of each digit's metric, enlarged."""
    from matplotlib.patches import Ellipse

    drawing = record["drawing"]
    axis = figure.subplots()
    everything = np.concatenate([np.array(drawn) for drawn in drawing["points"]])
    spread = np.ptp(everything, axis=0).min()
    balls = [np.linalg.eigh(np.array(M)) for M in drawing["metrics"]]
    longest = max(1 / np.sqrt(max(values[0], 1e-300)) for values, _ in balls)
    for place, (digit, drawn, centre, (values, vectors)) in enumerate(
        zip(drawing["digits"], drawing["points"], drawing["centres"], balls, strict=True)
    ):
        style = plots.series_style(place)
        axis.scatter(
            np.array(drawn)[:, 0],
            np.array(drawn)[:, 1],
            s=7,
            alpha=0.45,
            color=style["color"],
            marker=style["marker"],
        )
        axes = 0.5 * spread / longest / np.sqrt(np.maximum(values, 1e-300))
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        for colour, width in ((LIGHT.paper, 4), (style["color"], 2)):
            axis.add_patch(
                Ellipse(centre, *axes, angle=angle, fill=False, edgecolor=colour, linewidth=width)
            )
        axis.annotate(
            f"digit {digit}",
            centre,
            ha="center",
            va="center",
            color=style["color"],
            bbox={"boxstyle": "round,pad=0.15", "color": LIGHT.paper, "alpha": 0.85},
        )
    axis.set(xlabel="first principal component", ylabel="second principal component")


FOUR = {
    "small": {"data_set": "digits", "preparation": "as they are"},
    "paper": {"data_set": "MNIST-10", "preparation": "normalised"},
}
ONCE = (Grid(("quantity",), once="deterministic"),)
BALL = Study(
    "ball",
    ball,
    {scale: [dict(at)] for scale, at in FOUR.items()},
    (
        View(
            "figure1",
            "How ball trees rule points out (eq. 7)",
            figure1,
            draw_ball,
            alt="A circle around a few points, a query outside, and the two distances of the "
            "bound.",
            size=(5.2, 4.2),
            layout=ONCE,
        ),
    ),
)
ELLIPSOIDS = Study(
    "ellipsoids",
    ellipsoids,
    {scale: [at | {"n": {"small": 400, "paper": 4000}[scale]}] for scale, at in FOUR.items()},
    (
        View(
            "figure3",
            "Local metrics of four digits",
            figure3,
            draw_ellipsoids,
            alt="Points of four digits on two components, with the ellipse of each digit's metric.",
            size=(5.2, 4.8),
            layout=ONCE,
        ),
    ),
)
