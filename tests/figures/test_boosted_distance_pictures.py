"""What Boosted Distance's pictures show of fixed records: labels, lines, bars, images.

Not how they look to the eye: no pixels are compared.
"""

import numpy as np
import pytest
from matplotlib.colors import to_hex
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

from paper_figures.boosted_distance import PAPER
from paper_figures.themes import LIGHT

FIGURES = {figure.name: figure for figure in PAPER.figures}


def row(ours, **keys):
    return keys | {"published": None, "ours": ours, "error": 0.5, "n": 4}


def absent(**keys):
    return keys | {"published": None, "ours": None, "error": None, "n": 0, "why": "w"}


def test_which_figures_have_pictures():
    assert [name for name, figure in FIGURES.items() if figure.draw] == [
        "figure1",
        "figure2",
        "figure3",
        "figure4",
        "figure5",
        "rounds",
    ]
    assert all(figure.alt for figure in FIGURES.values() if figure.draw)


def heading(figure):
    """Return what stands above the key."""
    return legend_box(figure).get_title().get_text()


def legend_box(figure):
    boxes = [axis.get_legend() for axis in figure.axes if axis.get_legend()]
    (box,) = boxes or figure.legends
    return box


def bands(axis):
    """Return x, lower and upper end of each band, at each place."""
    found = []
    for part in axis.collections:
        corners = part.get_paths()[0].vertices
        xs = sorted(set(corners[:, 0]))
        found.append(
            [
                (x, corners[corners[:, 0] == x, 1].min(), corners[corners[:, 0] == x, 1].max())
                for x in xs
            ]
        )
    return found


def test_examples_stand_in_rows_by_class():
    panel = {
        "data_set": "digits17",
        "side": 2,
        "classes": [
            {"class": "1", "images": [[0, 10, 20, 30], [40, 50, 60, 70]]},
            {"class": "7", "images": [[1, 2, 3, 4], [5, 6, 7, 255]]},
        ],
    }
    record = {"drawing": [panel], "rows": [row(2, data_set="digits17"), absent(data_set="gender")]}
    figure = picture(FIGURES["figure1"].draw, record["drawing"], record["rows"])
    (digits,) = figure.axes
    (image,) = digits.get_images()
    # an image is read row by row
    assert image.get_array().tolist() == [
        [0, 10, 40, 50],
        [20, 30, 60, 70],
        [1, 2, 5, 6],
        [3, 4, 7, 255],
    ]
    assert image.get_clim() == (0, 255)
    assert texts(digits) == ("digits17", "", "class")
    assert digits.get_yticks().tolist() == [0.5, 2.5] and digits.get_xticks().size == 0
    assert tick_labels(digits.yaxis) == ["1", "7"]
    assert figure.get_supxlabel() == "gender is left out: not available"


def test_ink_has_the_colour_of_text():
    panel = {"data_set": "d", "side": 1, "classes": [{"class": "c", "images": [[0], [255]]}]}
    (axis,) = picture(FIGURES["figure1"].draw, [panel], [row(1)]).axes
    colours = axis.get_images()[0].get_cmap()
    assert [to_hex(colours(x)).upper() for x in (0.0, 1.0)] == [LIGHT.paper, LIGHT.ink]


def test_examples_of_both_sets():
    panels = [
        {"data_set": name, "side": 1, "classes": [{"class": "c", "images": [[value]]}]}
        for name, value in (("MNIST", 5), ("gender", 55))
    ]
    figure = picture(FIGURES["figure1"].draw, panels, [row(1)])
    assert [axis.get_title() for axis in figure.axes] == ["MNIST", "gender"]
    arrays = [axis.get_images()[0].get_array().tolist() for axis in figure.axes]
    assert arrays == [[[5]], [[55]]]
    assert figure.get_supxlabel() == ""


def test_accuracy_by_rounds():
    rows = [
        row(80.0, data_set="ad", method="Boosted Distance", rounds=1),
        row(91.0, data_set="ad", method="Boosted Distance", rounds=10),
        row(70.0, data_set="ad", method="AdaBoost, stumps", rounds=1),
        row(85.0, data_set="ad", method="AdaBoost, stumps", rounds=10),
        row(75.5, data_set="ad", method="NN (L2)", rounds=0),
        absent(data_set="gender", method="all", rounds=0),
        row(60.0, data_set="MNIST", method="Boosted Distance", rounds=1),
        row(61.0, data_set="MNIST", method="Boosted Distance", rounds=10),
    ]
    figure = picture(FIGURES["figure2"].draw, None, rows)
    first, second = figure.axes
    assert texts(first) == ("ad", "rounds T", "accuracy (%)") and scales(first)[0] == "log"
    assert by_label(first, curve) == {
        "Boosted Distance": [(1, 80), (10, 91)],
        "AdaBoost, stumps": [(1, 70), (10, 85)],
        "NN (L2)": [(0, 75.5), (1, 75.5)],  # a level line, over the whole width
    }
    require_distinct(first)
    assert tick_labels(first.xaxis) == ["1", "2", "5", "10"]
    assert second.get_title() == "MNIST"
    assert by_label(second, curve) == {"Boosted Distance": [(1, 60), (10, 61)]}
    assert by_label(second, style)["Boosted Distance"] == by_label(first, style)["Boosted Distance"]
    assert heading(figure) == (
        "gender is left out:\nnot available\nBands:\n95 % intervals of the mean."
    )
    # 1.96 standard errors of 1 / sqrt(4) on both sides
    np.testing.assert_allclose(
        bands(second), [[(1, 60 - 0.98, 60 + 0.98), (10, 61 - 0.98, 61 + 0.98)]]
    )


def test_the_key_stands_where_no_panel_is():
    rows = [
        row(value, data_set=name, method="Boosted Distance", rounds=t)
        for name in "abc"
        for t, value in ((1, 5.0), (3, 6.0))
    ]
    figure = picture(FIGURES["figure2"].draw, None, rows)
    assert [axis.axison for axis in figure.axes] == [True, True, True, False]
    assert figure.axes[3].get_legend() is not None and not figure.legends


def test_records_without_deviations_have_no_bands():
    rows = [
        row(value, data_set="a", method="Boosted Distance", rounds=t) | {"error": None, "n": 1}
        for t, value in ((1, 5.0), (3, 6.0))
    ]
    figure = picture(FIGURES["figure2"].draw, None, rows)
    assert not figure.axes[0].collections and heading(figure) == ""


def test_the_legend_of_accuracy_by_rounds():
    rows = [
        row(80.0, data_set="d", method=method, rounds=t)
        for method in ("Boosted Distance", "AdaBoost, stumps")
        for t in (1, 3)
    ]
    figure = picture(
        FIGURES["figure2"].draw, None, [*rows, row(7.0, data_set="d", method="NN (L2)")]
    )
    assert list(legend(figure)) == ["Boosted Distance", "AdaBoost, stumps", "NN (L2)"]
    assert len(figure.axes) == 1  # one set takes the whole width


def test_accuracy_by_dimensions():
    few = {"data_set": "ad", "training": "as in table 2"}
    rows = [
        row(81.0, method="Boosted Distance", dimensions=2, **few),
        row(82.0, method="Boosted Distance", dimensions=20, **few),
        row(70.0, method="NN (L2)", dimensions=None, **few),
        row(50.0, method="PCA", dimensions=1, **few),
        row(55.0, method="PCA", dimensions=50, **few),
        row(65.0, method="LDA", dimensions=1, **few),
        row(10.0, method="LDA by S_b v = lambda S_w v", dimensions=1, **few),
        row(99.0, method="PCA", dimensions=1, data_set="ad", training="80% of the data"),
        row(98.0, method="PCA", dimensions=3, data_set="ad", training="80% of the data"),
    ]
    figure = picture(FIGURES["figure3"].draw, None, rows)
    (axis,) = figure.axes
    assert texts(axis) == ("ad", "dimensions (at most)", "accuracy (%)")
    assert scales(axis)[0] == "log"
    assert by_label(axis, curve) == {
        "Boosted Distance": [(2, 81), (20, 82)],
        "NN (L2)": [(0, 70), (1, 70)],
        "PCA": [(1, 50), (50, 55)],
        "LDA": [(0, 65), (1, 65)],
    }
    require_distinct(axis)
    assert list(legend(figure)) == ["Boosted Distance", "NN (L2)", "PCA", "LDA"]


def test_what_depends_on_t():
    values = {
        "Boosted Distance: mean test error": (30.0, 20.0),
        "Boosted Distance: mean cross-validated error": (31.0, 21.0),
        "Boosted Distance: mean |ours - printed|": (9.0, 1.0),
        "AdaBoost, stumps: mean test error": (40.0, 25.0),
        "AdaBoost, stumps: mean cross-validated error": (41.0, 26.0),
        "AdaBoost, stumps: mean |ours - printed|": (12.0, 2.0),
        "sets on which Boosted Distance has the lower error": (1, 2),
    }
    rows = [
        row(numbers[place], quantity=quantity, rounds=t)
        for place, t in enumerate((1, 100))
        for quantity, numbers in values.items()
    ]
    figure = picture(FIGURES["rounds"].draw, {"chosen": 30}, rows)
    left, right = figure.axes
    assert texts(left) == ("Mean over the sets", "rounds T", "error (%)")
    assert texts(right) == (
        "Distance from the published Table 2",
        "rounds T",
        "mean |reproduced − published|\n(points)",
    )
    assert scales(left)[0] == scales(right)[0] == "log"
    quantities = list(values)
    for axis, shown in ((left, quantities[:2] + quantities[3:5]), (right, quantities[2:6:3])):
        lines = by_label(axis, curve)
        (chosen,) = [lines.pop(label) for label in list(lines) if label.startswith("_")]
        assert chosen == [(30, 0), (30, 1)]  # upright, at the chosen T
        assert lines == {
            quantity: list(zip((1, 100), values[quantity], strict=True)) for quantity in shown
        }
    assert list(legend(figure)) == [
        "Boosted Distance, test error",
        "Boosted Distance, cross-validated error",
        "AdaBoost, stumps, test error",
        "AdaBoost, stumps, cross-validated error",
        "the chosen T = 30",
    ]
    assert right.get_ylim()[0] == 0
    of_left = by_label(left, style)
    boosted, validated, stumps, _ = (of_left[name] for name in of_left if name[0] != "_")
    assert boosted[0] == validated[0] == LIGHT.series[0] and stumps[0] == LIGHT.series[1]
    assert (boosted[2], validated[2], stumps[2]) == ("-", "--", "-")


@pytest.mark.parametrize("name", ["figure4", "figure5"])
def test_marks_stand_above_one_another_with_their_intervals(name):
    rows = [
        row(10.0, data_set="ad", method="AdaBoost, stumps"),
        row(20.0, data_set="ad", method="Boosted Distance"),
        absent(data_set="gender", method="all"),
        row(30.0, data_set="liver", method="AdaBoost, stumps"),
        row(40.0, data_set="liver", method="Boosted Distance") | {"error": 1.0, "n": 9},
    ]
    figure = picture(FIGURES[name].draw, None, rows)
    (axis,) = figure.axes
    stumps, boosted = axis.containers
    # 0.36 apart around the set's place
    np.testing.assert_allclose(curve(stumps.lines[0]), [(10, -0.18), (30, 0.82)])
    np.testing.assert_allclose(curve(boosted.lines[0]), [(20, 0.18), (40, 1.18)])
    # 1.96 standard errors on both sides: 1 / sqrt(4), and 3 / sqrt(9)
    intervals = [
        [segment[:, 0].tolist() for segment in group.lines[2][0].get_segments()]
        for group in (stumps, boosted)
    ]
    np.testing.assert_allclose(
        intervals, [[[9.02, 10.98], [29.02, 30.98]], [[19.02, 20.98], [38.04, 41.96]]]
    )
    assert tick_labels(axis.yaxis) == ["ad", "liver"] and axis.get_ylim() == (1.5, -0.5)
    assert axis.get_xlabel() == "error (%), mean of the two classes" and axis.get_xlim()[0] == 0
    assert list(legend(figure)) == ["AdaBoost, stumps", "Boosted Distance"]
    assert heading(figure) == (
        "Bars: 95 % intervals of the mean.\ngender is left out: not available"
    )


def test_a_method_has_the_same_colour_and_mark_in_all_pictures():
    methods = [
        "Boosted Distance",
        "AdaBoost, stumps",
        "AdaBoost, C4.5-like trees",
        "NN, best distance",
    ]
    styles = {}
    for shown in (methods, methods[::-1], methods[2:]):
        rows = [row(1.0, data_set="a", method=method) for method in shown]
        (axis,) = picture(FIGURES["figure5"].draw, None, rows).axes
        for method, group in zip(shown, axis.containers, strict=True):
            look = style(group.lines[0])
            assert styles.setdefault(method, look) == look
    assert len({colour for colour, _, _ in styles.values()}) == 4
    assert len({mark for _, mark, _ in styles.values()}) == 4
