"""What BoostMap's pictures show of fixed records: labels, lines, images, scales.

Not how they look to the eye: no pixels are compared.
"""

import numpy as np
import pytest
from pictures import by_label, curve, legend, picture, require_distinct, scales, style, texts

from paper_figures.boostmap.figures import PAPER

FIGURES = {figure.name: figure for figure in PAPER.figures}


def row(ours, **keys):
    return keys | {"published": None, "ours": ours, "std": None}


def test_which_figures_have_pictures():
    names = [name for name, figure in FIGURES.items() if figure.plot]
    numbers = (1, 2, 4, 5, 6, 7, 8, 9, 10, 11)
    assert names == [*(f"figure{number}" for number in numbers), "graph"]
    assert all(figure.alt for figure in FIGURES.values() if figure.plot)


def test_five_points_and_their_line():
    drawing = {
        "names": "rabcd",
        "points": [[0.1, 0.2], [0.3, 0.9], [0.5, 0.4], [0.7, 0.6], [0.8, 0.1]],
        "line": [0.0, 0.73, 0.45, 0.72, 0.71],
    }
    plane, line = picture(FIGURES["figure1"].plot, drawing).axes
    assert texts(plane) == ("original space", "x", "y") and plane.get_aspect() == 1.0
    assert texts(line) == ("$F^r$: distance to r", "$F^r$", "")
    assert plane.collections[0].get_offsets().tolist() == drawing["points"]
    assert line.collections[0].get_offsets().tolist() == [[x, 0] for x in drawing["line"]]
    assert line.get_ylim() == (-0.5, 1.0) and len(line.get_yticks()) == 0
    assert [(t.get_text(), list(t.xy)) for t in plane.texts] == [
        (name, point) for name, point in zip("rabcd", drawing["points"], strict=True)
    ]
    assert [(t.get_text(), t.xy) for t in line.texts] == [
        (name, (x, 0)) for name, x in zip("rabcd", drawing["line"], strict=True)
    ]
    # names of near points stand above one another, those of the plane beside their points
    assert [t.get_position() for t in line.texts] == [(0, 8), (0, 17), (0, 8), (0, 17), (0, 8)]
    assert all(x > 0 and y > 0 for x, y in (t.get_position() for t in plane.texts))


def test_the_triangle():
    drawing = {"corners": [[1.1, 1.3], [0.0, 0.0], [3.0, 0.0]], "foot": 1.25}
    (axis,) = picture(FIGURES["figure2"].plot, drawing).axes
    sides, height, value = axis.get_lines()
    assert sides.get_xydata().tolist() == [[1.1, 1.3], [0, 0], [3, 0], [1.1, 1.3]]
    assert height.get_xydata().tolist() == [[1.1, 1.3], [1.25, 0]]
    assert value.get_xydata().tolist() == [[0, 0], [1.25, 0]]
    assert list(legend(axis)) == ["$F^{x_1,x_2}(x)$ = BD"] == [value.get_label()]
    names = {text.get_text(): tuple(float(x) for x in text.xy) for text in axis.texts}
    assert names == {"A: x": (1.1, 1.3), "B: $x_1$": (0, 0), "C: $x_2$": (3, 0), "D": (1.25, 0)}
    above, *below = [text.get_position() for text in axis.texts]
    assert above[0] == 0 < above[1] and all(y < 0 for _, y in below)
    assert [np.sign(x) for x, _ in below] == [-1, 0, 0]  # B stands to the left of its corner
    assert axis.get_aspect() == 1.0 and axis.get_ylim() == (-0.4, 1.8) and not axis.axison
    assert len({line.get_color() for line in axis.get_lines()}) == 3


def test_digits_stand_in_columns():
    drawing = {"side": 2, "images": [[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 9, 9, 9], [255, 0, 0, 0]]]}
    (axis,) = picture(FIGURES["figure4"].plot, drawing).axes
    (image,) = axis.get_images()
    ink = (255 - image.get_array()).tolist()  # a border of one pixel around each image
    assert ink == [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 2, 0, 0, 9, 9, 0],
        [0, 3, 4, 0, 0, 9, 9, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 5, 6, 0, 0, 255, 0, 0],
        [0, 7, 8, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert image.get_clim() == (0, 255) and image.get_cmap().name == "gray" and not axis.axison
    side = 16
    wide = {"side": side, "images": [[[7] * side**2]]}
    (axis,) = picture(FIGURES["figure4"].plot, wide).axes
    assert axis.get_images()[0].get_array().shape == (side + 4, side + 4)  # an eighth of a side


def test_ranks_by_dimension():
    rows = [
        row(100 * k + p + d, method=method, k=k, percentile=p, dimensions=d)
        for method in ("FastMap", "BoostMap-Fe-Se-QI")
        for d in (2, 16)
        for k in (1, 10)
        for p in (95, 99)
        if (method, d) != ("FastMap", 16)
    ]
    rows.insert(0, {"method": "all", "k": None, "percentile": None, "ours": None})
    figure = picture(FIGURES["figure5"].plot, None, rows)
    kinds = [(1, 95), (1, 99), (10, 95), (10, 99)]
    assert len(figure.axes) == 4
    for axis, (k, p) in zip(figure.axes, kinds, strict=True):
        assert texts(axis) == (f"k = {k}, {p}th percentile", "dimensions", "ENN-k rank")
        assert scales(axis) == ("log", "log")
        assert axis.xaxis.get_transform().base == 2 and axis.yaxis.get_transform().base == 10
        start = 100 * k + p
        assert by_label(axis, curve) == {
            "FastMap": [(2, start + 2)],
            "BoostMap-Fe-Se-QI": [(2, start + 2), (16, start + 16)],
        }
        require_distinct(axis)
        assert by_label(axis, style) == by_label(figure.axes[0], style)
    assert list(legend(figure)) == ["FastMap", "BoostMap-Fe-Se-QI"]


@pytest.mark.parametrize("name", ["figure6", "figure7", "figure9"])
def test_ranks_by_percentile(name):
    drawing = [
        {
            "method": f"BoostMap-{method}-{panel}",
            "k": k,
            "panel": panel,
            "values": [k * start] * 100,
        }
        for panel in ("QI", "QS")
        for method, start in (("Ra", 2), ("Se", 3))
        for k in (1, 10, 100)
    ]
    figure = picture(FIGURES[name].plot, drawing)
    grid = np.array(figure.axes).reshape(3, 2)
    for i, k in enumerate((1, 10, 100)):
        for j, panel in enumerate(("QI", "QS")):
            axis = grid[i, j]
            assert texts(axis) == (f"{panel}, k = {k}", "percentile", "ENN-k rank")
            assert scales(axis) == ("linear", "log")
            first, second = axis.get_lines()
            assert first.get_xdata().tolist() == second.get_xdata().tolist() == list(range(1, 101))
            assert set(first.get_ydata()) == {2 * k} and set(second.get_ydata()) == {3 * k}
            assert first.get_marker() in (None, "None")
            require_distinct(axis)
        assert grid[i, 0].get_ylim() == grid[i, 1].get_ylim()  # panels of one k are compared
    colours = {line.get_color() for axis in grid[0] for line in axis.get_lines()}
    assert len(colours) == 4  # as many as methods
    methods = ["BoostMap-Ra-QI", "BoostMap-Se-QI", "BoostMap-Ra-QS", "BoostMap-Se-QS"]
    assert list(legend(figure)) == methods
    handles = figure.legends[0].legend_handles
    shown = [line.get_color() for axis in grid[0] for line in axis.get_lines()]
    assert [handle.get_color() for handle in handles] == shown


@pytest.mark.parametrize("name", ["figure8", "figure10", "figure11"])
def test_errors_by_k(name):
    drawing = [
        {"method": "chamfer distance", "values": [5.0, 4.0, 4.5]},
        {"method": "BoostMap-Pa-Se-QS", "values": [6.0, 5.0, 5.5, 5.6]},
    ]
    (axis,) = picture(FIGURES[name].plot, drawing).axes
    assert texts(axis) == ("", "k", "k-nn error (%)") and scales(axis) == ("linear", "linear")
    assert by_label(axis, curve) == {
        "chamfer distance": [(1, 5), (2, 4), (3, 4.5)],
        "BoostMap-Pa-Se-QS": [(1, 6), (2, 5), (3, 5.5), (4, 5.6)],
    }
    assert list(legend(axis)) == [line["method"] for line in drawing]
    require_distinct(axis)
    assert {line.get_markevery() for line in axis.get_lines()} == {9}


def test_graphs_and_embeddings():
    drawing = {
        "searches": [
            {
                "method": "best-first",
                "searches": [
                    {"distances": 100.0, "success": 90.0, "recall": 1.0},
                    {"distances": 200.0, "success": 99.0, "recall": 2.0},
                ],
            },
            {"method": "library", "searches": [{"distances": 50.0, "success": 70.0}]},
        ],
        "embeddings": {"FastMap": 5545, "FastMap, clipped": 1, "BoostMap-Fe-Se-QI": 1149},
    }
    (axis,) = picture(FIGURES["graph"].plot, drawing).axes
    assert texts(axis) == (
        "",
        "exact distances a query, mean",
        "queries with the true 10 nearest found (%)",
    )
    assert scales(axis) == ("log", "linear")
    assert by_label(axis, curve) == {
        "best-first": [(100, 90), (200, 99)],
        "library": [(50, 70)],
        "FastMap (§ 11.2)": [(5545, 98)],
        "BoostMap-Fe-Se-QI (§ 11.2)": [(1149, 98)],
        "98 %": [(0, 98), (1, 98)],
    }
    assert list(legend(axis)) == list(by_label(axis, curve))
    styles = by_label(axis, style)
    assert len({colour for colour, _, _ in styles.values()}) == 5
    assert styles["FastMap (§ 11.2)"][2] == "None"  # a mark, no line
    assert len({marker for _, marker, _ in styles.values()}) == 5
