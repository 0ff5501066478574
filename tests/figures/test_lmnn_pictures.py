"""What LMNN's pictures show: lines, limits, labels and legends of records that are written down.

Not here: sizes of markers, widths of lines, and the files that the pictures go to.
"""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, Ellipse
from pictures import bars, curves, legend, picture, style, texts

from paper_figures.lmnn import shapes
from paper_figures.lmnn.clusters import draw_clusters, figure4
from paper_figures.plots import series_style
from paper_figures.study import Seen
from paper_figures.themes import LIGHT


def looks(place):
    wanted = series_style(place)
    return wanted["color"], wanted["marker"]


def horizontal(line):
    """Return the height of a line that spans the panel."""
    assert list(line.get_xdata()) == [0, 1]
    (y,) = set(line.get_ydata())
    return y


def test_ball():
    """Centre (1, 1), radius 5, query 10 away along (3, 4) / 5: the edge is half-way."""
    figure = picture(
        shapes.draw_ball,
        {
            "centre": [1.0, 1.0],
            "query": [7.0, 9.0],
            "radius": 5.0,
            "inside": [[0.0, 2.0], [1.0, 3.0]],
            "neighbour": [8.0, 9.5],
            "bound": 5.004,
        },
    )
    (axis,) = figure.axes
    assert texts(axis) == ("", "first principal component", "second principal component")
    assert axis.get_aspect() == 1.0
    (circle,) = [patch for patch in axis.patches if isinstance(patch, Circle)]
    assert circle.center == (1.0, 1.0) and circle.radius == 5.0 and not circle.get_fill()
    inside, query, neighbour = (dots.get_offsets().tolist() for dots in axis.collections)
    assert inside == [[0, 2], [1, 3]] and query == [[7, 9]] and neighbour == [[8, 9.5]]
    bound, radius = curves(axis)
    np.testing.assert_allclose(bound, [(7, 9), (4, 5)])
    np.testing.assert_allclose(radius, [(4, 5), (1, 1)])
    colours = [to_hex(dots.get_facecolor()[0]).upper() for dots in axis.collections]
    assert colours == [looks(place)[0] for place in (0, 1, 2)]
    assert style(axis.lines[0]) == (colours[1], "None", "--")
    assert style(axis.lines[1]) == (LIGHT.ink, "None", ":")
    assert set(legend(figure)) == {
        "ball S of radius r",
        "points of S",
        "query $x_t$",
        "nearest of all points",
        "bound of eq. 7: 5.00",
        "r = 5.00",
    }


def by_rank(speedups=(), **errors):
    ranks = {rank[1:]: {"error": error} for rank, error in errors.items()}
    for rank, speedup in zip(ranks.values(), speedups, strict=False):
        rank["speedup"] = speedup
    return ranks


def test_ellipsoids():
    """M = diag(1, 4) has a ball of semi-axes 1 and 1/2, M = R diag(1/4, 1) R' one of 2 and 1.

    The points spread by 8 along the first component and by 4 along the second, so that the longest
    diameter is half of 4: 2.
    """
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    figure = picture(
        shapes.draw_ellipsoids,
        {
            "digits": [0, 4],
            "points": [[[0.0, 0.0], [8.0, 1.0]], [[2.0, 4.0]]],
            "centres": [[4.0, 0.5], [2.0, 3.0]],
            "metrics": [
                np.diag([1.0, 4.0]).tolist(),
                (turn @ np.diag([0.25, 1.0]) @ turn.T).tolist(),
            ],
        },
    )
    (axis,) = figure.axes
    assert texts(axis) == ("", "first principal component", "second principal component")
    dots = [part.get_offsets().tolist() for part in axis.collections]
    assert dots == [[[0, 0], [8, 1]], [[2, 4]]]
    names = [(text.get_text(), list(text.xy), text.get_color()) for text in axis.texts]
    assert names == [("digit 0", [4.0, 0.5], looks(0)[0]), ("digit 4", [2.0, 3.0], looks(1)[0])]
    white, first, white_too, second = axis.patches
    assert all(isinstance(patch, Ellipse) for patch in axis.patches)
    for patch, under in ((first, white), (second, white_too)):
        assert (patch.center, patch.width, patch.height) == (
            under.center,
            under.width,
            under.height,
        )
        assert patch.angle == under.angle and not patch.get_fill() and not under.get_fill()
        assert to_hex(under.get_edgecolor()) == "#ffffff"
        assert under.get_linewidth() > patch.get_linewidth()
    assert (first.width, first.height) == pytest.approx((1.0, 0.5))
    assert (second.width, second.height) == pytest.approx((2.0, 1.0))
    assert list(first.center) == [4.0, 0.5] and list(second.center) == [2.0, 3.0]
    assert first.angle % 180 == pytest.approx(0.0, abs=1e-9)
    assert second.angle % 180 == pytest.approx(np.degrees(np.arctan2(0.8, 0.6)))
    assert [to_hex(patch.get_edgecolor()).upper() for patch in (first, second)] == [
        looks(0)[0],
        looks(1)[0],
    ]
    assert [to_hex(part.get_facecolor()[0]).upper() for part in axis.collections] == [
        looks(0)[0],
        looks(1)[0],
    ]


def test_a_singular_metric_has_a_finite_ellipse():
    figure = picture(
        shapes.draw_ellipsoids,
        {
            "digits": [1],
            "points": [[[0.0, 0.0], [2.0, 6.0]]],
            "centres": [[1.0, 3.0]],
            "metrics": [[[0.0, 0.0], [0.0, 1.0]]],
        },
    )
    _, ellipse = figure.axes[0].patches
    assert ellipse.width == pytest.approx(1.0) and ellipse.height == pytest.approx(0.0, abs=1e-100)


# -------------------------------------------------------------------------------- several metrics


def of_runs(name, p, *errors):
    return [
        {"data_set": name, "p": p, "run": run, "error": error, "all": error + 10}
        for run, error in enumerate(errors)
    ]


def test_test_errors_by_the_number_of_metrics():
    results = [
        *of_runs("isolet", None, 1.0, 3.0),
        *of_runs("isolet", 10, 5.0, 7.0),
        *of_runs("isolet", 1, 8.0, 8.0),
    ]
    figure = picture(draw_clusters, None, figure4(Seen(results)).rows)
    (axis,) = figure.axes
    assert texts(axis) == ("isolet", "number of metrics", "test error (%)")
    lines = curves(axis)
    assert [(1, 8), (10, 6)] in lines and [(1, 18), (10, 16)] in lines
    levels = [line.get_ydata()[0] for line in axis.lines if line.get_linestyle() == "--"]
    assert {2.0, 12.0} <= set(levels)
    assert len(bars(axis)) == 2
    assert list(legend(figure)) == [
        "clusters by k-means, points that trained vote",
        "one for each class, points that trained vote",
        "clusters by k-means, all points vote",
        "one for each class, all points vote",
    ]
    title = figure.legends[0].get_title().get_text()
    assert title == "bars and bands: standard errors of means of 2 runs"


def test_a_single_run_has_no_bars():
    rows = figure4(Seen(of_runs("wine", 1, 2.0))).rows
    figure = picture(draw_clusters, None, rows)
    said = figure.legends[0].get_title().get_text()
    assert said == "one run each, without standard errors"


# ------------------------------------------------------------------------- rows of figures 1, 3


def row(keys, ours):
    return keys | {"published": None, "ours": ours, "error": 0.0, "n": 1}


def test_figure_1_gives_the_bound_and_both_distances():
    value = {"bound": 1.5, "least": 2.25, "neighbour_distance": 0.75, "radius": 3.0}
    gathered = shapes.figure1(Seen([value]))
    assert gathered.rows == [
        row({"quantity": "bound of eq. 7"}, 1.5),
        row({"quantity": "least distance to a point of the ball"}, 2.25),
        row({"quantity": "distance to the nearest point of all"}, 0.75),
    ]
    assert gathered.drawing == value


def test_figure_3_gives_three_errors_and_angles(monkeypatch):
    monkeypatch.setattr(shapes, "DIGITS", (0, 4))
    value = {"several": 1.234, "one": 5.0, "euclidean": 7.006, "points": [[[0.0, 1.0]]]}
    value |= {"centres": [[0.0, 0.0], [1.0, 1.0]]}
    value |= {"metrics": [[[3.0, 0.0], [0.0, 1.0]], [[2.0, -1.0], [-1.0, 2.0]]]}
    gathered = shapes.figure3(Seen([value]))
    assert gathered.rows == [
        row({"quantity": "leave-one-out error, one metric for each digit (%)"}, 1.23),
        row({"quantity": "leave-one-out error, one metric (%)"}, 5.0),
        row({"quantity": "leave-one-out error, Euclidean (%)"}, 7.01),
        row({"quantity": "digit 0, degrees from the line to the nearest centre"}, 45.0),
        row({"quantity": "digit 4, degrees from the line to the nearest centre"}, 90.0),
    ]
    assert gathered.drawing == value | {"digits": (0, 4)}


@pytest.mark.parametrize("gather", [shapes.figure1, shapes.figure3])
def test_a_figure_of_one_cell_says_why_it_is_empty(gather):
    (absent,) = gather(Seen([], [{"why": "no such file"}])).rows
    assert (absent["quantity"], absent["ours"], absent["why"]) == ("all", None, "no such file")
