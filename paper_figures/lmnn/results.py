"""What becomes of the tasks of Weinberger & Saul's figures: rows beside the printed numbers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows, number_row


def figure1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the bound and the least distance into the ball."""
    value = results[0].value
    if value is None:
        return Gathered(absent_rows(results, {"quantity": "all"}))
    rows = [
        number_row({"quantity": "bound of eq. 7"}, None, value["bound"]),
        number_row({"quantity": "least distance to a point of the ball"}, None, value["least"]),
        number_row(
            {"quantity": "distance to the nearest point of all"}, None, value["neighbour_distance"]
        ),
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
        rows.append(number_row({"quantity": DEGREES.format(drawing["digits"][i])}, None, degrees))
    return rows


def figure3(context: Context, results: Sequence[Result]) -> Gathered:
    """Return leave-one-out errors; the metrics and points are in the drawing."""
    value = results[0].value
    if value is None:
        return Gathered(absent_rows(results, {"quantity": "all"}))
    names = {"several": "one metric for each digit", "one": "one metric", "euclidean": "Euclidean"}
    rows = [
        number_row({"quantity": f"leave-one-out error, {name} (%)"}, None, round(value[key], 2))
        for key, name in names.items()
    ]
    drawing = value | {"digits": results[0].params["digits"]}
    return Gathered(
        rows + degrees_rows(drawing),
        [
            "Each ellipse is the unit ball of a metric, enlarged alike: "
            "it is short where the metric amplifies."
        ],
        drawing,
    )
