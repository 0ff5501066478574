"""What BoostMap's pictures show of fixed records: labels, lines, images, scales.

Not how they look to the eye: no pixels are compared.
"""

import pytest
from pictures import (
    by_label,
    curve,
    legend,
    picture,
    require_distinct,
    scales,
    style,
    texts,
    tick_labels,
)

from paper_figures.boostmap import PAPER
from paper_figures.themes import LIGHT

FIGURES = {figure.name: figure for figure in PAPER.figures}


def row(ours, **keys):
    return keys | {"published": None, "ours": ours, "error": None, "n": 1}


def test_which_figures_have_pictures():
    names = [name for name, figure in FIGURES.items() if figure.draw]
    numbers = (1, 2, 4, 5, 6, 7, 8, 9, 10, 11)
    assert names == [f"figure{number}" for number in numbers]
    assert all(figure.alt for figure in FIGURES.values() if figure.draw)


def test_five_points_and_their_line():
    drawing = {
        "points": [[0.1, 0.2], [0.3, 0.9], [0.5, 0.4], [0.7, 0.6], [0.8, 0.1]],
        "line": [0.0, 0.73, 0.45, 0.72, 0.71],
    }
    plane, line = picture(FIGURES["figure1"].draw, drawing).axes
    assert texts(plane) == ("original space", "x", "y") and plane.get_aspect() == 1.0
    assert texts(line) == ("$F^r$: distance to r", "$F^r$", "")
    assert plane.collections[0].get_offsets().tolist() == drawing["points"]
    places = [[x, 0] for x in drawing["line"]]
    assert line.collections[0].get_offsets().tolist() == places
    for axis, of in ((plane, drawing["points"]), (line, places)):
        assert [(t.get_text(), list(t.xy)) for t in axis.texts] == list(
            zip("rabcd", of, strict=True)
        )
    # names of near points stand above one another
    assert [t.get_position() for t in line.texts] == [(0, 8), (0, 17), (0, 8), (0, 17), (0, 8)]


def test_the_triangle():
    drawing = {"corners": [[1.1, 1.3], [0.0, 0.0], [3.0, 0.0]], "foot": 1.25}
    (axis,) = picture(FIGURES["figure2"].draw, drawing).axes
    _, height, value = axis.get_lines()
    assert height.get_xydata().tolist() == [[1.1, 1.3], [1.25, 0]]
    assert value.get_xydata().tolist() == [[0, 0], [1.25, 0]]
    assert list(legend(axis)) == ["$F^{x_1,x_2}(x)$ = BD"] == [value.get_label()]
    names = {text.get_text(): tuple(float(x) for x in text.xy) for text in axis.texts}
    assert names == {"A: x": (1.1, 1.3), "B: $x_1$": (0, 0), "C: $x_2$": (3, 0), "D": (1.25, 0)}
    assert axis.get_aspect() == 1.0 and not axis.axison


def test_digits_stand_in_columns():
    drawing = {"side": 2, "images": [[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 9, 9, 9], [255, 0, 0, 0]]]}
    (axis,) = picture(FIGURES["figure4"].draw, drawing).axes
    (image,) = axis.get_images()
    ink = image.get_array()  # a border of one pixel around each image
    assert ink.shape == (8, 8) and ink[0].sum() == ink[3].sum() == 0
    assert ink[1:3].tolist() == [[0, 1, 2, 0, 0, 9, 9, 0], [0, 3, 4, 0, 0, 9, 9, 0]]
    assert ink[5:7].tolist() == [[0, 5, 6, 0, 0, 255, 0, 0], [0, 7, 8, 0, 0, 0, 0, 0]]
    assert image.get_clim() == (0, 255) and not axis.axison


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
    figure = picture(FIGURES["figure5"].draw, None, rows)
    kinds = [(1, 95), (1, 99), (10, 95), (10, 99)]
    assert len(figure.axes) == 4
    for axis, (k, p) in zip(figure.axes, kinds, strict=True):
        assert texts(axis) == (f"k = {k}, {p}th percentile", "dimensions", "ENN-k rank")
        assert scales(axis) == ("log", "log")
        assert tick_labels(axis.xaxis) == ["2"]  # every second number of dimensions
        assert not axis.yaxis.get_minorticklocs().size
        start = 100 * k + p
        assert by_label(axis, curve) == {
            "FastMap": [(2, start + 2)],
            "BoostMap-Fe-Se-QI": [(2, start + 2), (16, start + 16)],
        }
        require_distinct(axis)
        assert by_label(axis, style) == by_label(figure.axes[0], style)
    assert list(legend(figure)) == ["FastMap", "BoostMap-Fe-Se-QI"]


@pytest.mark.parametrize("name", ["figure6", "figure7", "figure9"])
def test_ratios_of_ranks_by_percentile(name):
    """Ranks of p, twice as many for the second method; from p = 100 there is no ratio."""
    drawing = [
        {
            "method": f"BoostMap-{method}-{panel}",
            "k": k,
            "panel": panel,
            "values": [k * factor * p for p in range(1, 101)],
        }
        for panel, factors in (("QI", (2, 4)), ("QS", (3, 1)))
        for method, factor in zip(("Ra", "Se"), factors, strict=True)
        for k in (1, 10, 100)
    ]
    figure = picture(FIGURES[name].draw, drawing)
    assert len(figure.axes) == 3
    for axis, k in zip(figure.axes, (1, 10, 100), strict=True):
        label = "percentile p of the queries (log scale of 100 − p)"
        assert texts(axis) == (f"k = {k}", label, "ratio of\nENN-k ranks")
        assert scales(axis) == ("log", "linear") and axis.get_xlim() == (100, 0.9)
        insensitive, sensitive, level = axis.get_lines()
        assert insensitive.get_xdata().tolist() == list(range(99, 0, -1))  # 100 - p
        assert set(insensitive.get_ydata()) == {2} and set(sensitive.get_ydata()) == {1 / 3}
        assert curve(level) == [(0, 1), (1, 1)]
        assert tick_labels(axis.xaxis) == ["0", "50", "80", "90", "95", "98", "99"]
        assert insensitive.get_color() != sensitive.get_color()
        (ranks,) = axis.texts
        assert ranks.get_text() == (
            f"Ra-QI: rank {190 * k:,} at p = 95, {198 * k:,} at p = 99\n"
            f"Ra-QS: rank {285 * k:,} at p = 95, {297 * k:,} at p = 99"
        )
        assert axis.get_ylim()[0] < 1 / 3 - 0.3  # room for the text
    assert list(legend(figure)) == ["BoostMap-Se-QI / Ra-QI", "BoostMap-Se-QS / Ra-QS"]
    assert figure.legends[0].get_title().get_text() == "below 1: the method named first is better"


@pytest.mark.parametrize("name", ["figure8", "figure10", "figure11"])
def test_errors_by_k(name):
    drawing = [
        {"method": "chamfer distance", "values": [5.0, 4.0, 4.5]},
        {"method": "BoostMap-Pa-Se-QS", "values": [6.0, 5.0, 5.5, 5.6]},
    ]
    figure = picture(FIGURES[name].draw, drawing)
    (axis,) = figure.axes
    assert texts(axis) == ("", "k, the number of neighbours", "k-nn error (%)")
    assert scales(axis) == ("linear", "linear")
    assert by_label(axis, curve) == {
        "chamfer distance": [(1, 5), (2, 4), (3, 4.5)],
        "BoostMap-Pa-Se-QS": [(1, 6), (2, 5), (3, 5.5), (4, 5.6)],
    }
    # each name stands at the end of its curve, in its colour
    ends = {text.get_text(): (text.xy, text.get_color()) for text in axis.texts}
    assert ends == {
        "chamfer\ndistance": ((3, 4.5), LIGHT.series[0]),
        "Pa-Se-QS": ((4, 5.6), LIGHT.series[1]),
    }
    assert figure.get_supxlabel() == "Pa-Se-QS: a form of BoostMap"
    require_distinct(axis)
    assert {line.get_markevery() for line in axis.get_lines()} == {9}
