"""What Boosted Distance's pictures show of fixed records: labels, lines, bars, images.

Not how they look to the eye: no pixels are compared.
"""

import numpy as np
import pytest
from pictures import by_label, curve, legend, picture, require_distinct, scales, style, texts

from paper_figures.boosted_distance.figures import PAPER
from paper_figures.plots import OKABE_ITO

FIGURES = {figure.name: figure for figure in PAPER.figures}


def row(ours, **keys):
    return keys | {"published": None, "ours": ours, "std": 1.0, "repetitions": 4}


def absent(**keys):
    return keys | {
        "published": None,
        "ours": None,
        "std": None,
        "status": "not available",
        "why": "w",
    }


def test_which_figures_have_pictures():
    assert [name for name, figure in FIGURES.items() if figure.plot] == [
        "figure1",
        "figure2",
        "figure3",
        "figure4",
        "figure5",
        "rounds",
    ]
    assert all(figure.alt for figure in FIGURES.values() if figure.plot)


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
    digits, faces = picture(FIGURES["figure1"].plot, record["drawing"], record["rows"]).axes
    (image,) = digits.get_images()
    # dark ink on white: 255 minus the grey value; an image is read row by row
    assert image.get_array().tolist() == [
        [255, 245, 215, 205],
        [235, 225, 195, 185],
        [254, 253, 250, 249],
        [252, 251, 248, 0],
    ]
    assert image.get_clim() == (0, 255) and image.get_cmap().name == "gray"
    assert digits.get_title() == "(a) digits17" and faces.get_title() == "(b) gender"
    assert not digits.axison and not faces.axison and not faces.get_images()
    (words_of_faces,) = faces.texts
    assert words_of_faces.get_text() == "not available:\nthe faces are licensed"
    assert words_of_faces.get_position() == (0.5, 0.5)


def test_examples_of_both_sets():
    panels = [
        {"data_set": name, "side": 1, "classes": [{"class": "c", "images": [[value]]}]}
        for name, value in (("MNIST", 5), ("gender", 55))
    ]
    axes = picture(FIGURES["figure1"].plot, panels, [row(1)]).axes
    assert [axis.get_title() for axis in axes] == ["(a) MNIST", "(b) gender"]
    assert [axis.get_images()[0].get_array().tolist() for axis in axes] == [[[250]], [[200]]]


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
    figure = picture(FIGURES["figure2"].plot, None, rows)
    first, second, third, fourth = figure.axes
    assert texts(first) == ("(a) ad", "rounds T", "accuracy (%)") and scales(first)[0] == "log"
    assert by_label(first, curve) == {
        "Boosted Distance": [(1, 80), (10, 91)],
        "AdaBoost, stumps": [(1, 70), (10, 85)],
        "NN (L2)": [(0, 75.5), (1, 75.5)],  # a level line, over the whole width
    }
    require_distinct(first)
    assert second.get_title() == "(b) gender" and not second.axison and not second.get_lines()
    assert [(text.get_text(), text.get_position()) for text in second.texts] == [
        ("not available", (0.5, 0.5))  # in the middle
    ]
    assert third.get_title() == "(c) MNIST"
    assert by_label(third, curve) == {"Boosted Distance": [(1, 60), (10, 61)]}
    assert by_label(third, style)["Boosted Distance"] == by_label(first, style)["Boosted Distance"]
    assert not fourth.axison and fourth.get_title() == ""  # three sets in four places
    assert len({(axis.get_position().x0, axis.get_position().y0) for axis in figure.axes}) == 4


def test_the_legend_of_accuracy_by_rounds():
    rows = [
        row(80.0, data_set="d", method=method, rounds=t)
        for method in ("Boosted Distance", "AdaBoost, stumps")
        for t in (1, 3)
    ]
    figure = picture(
        FIGURES["figure2"].plot, None, [*rows, row(7.0, data_set="d", method="NN (L2)")]
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
    figure = picture(FIGURES["figure3"].plot, None, rows)
    (axis,) = figure.axes
    assert texts(axis) == ("(a) ad", "number of dimensions (at most)", "accuracy (%)")
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
    left, right = picture(FIGURES["rounds"].plot, {"chosen": 30}, rows).axes
    assert texts(left) == ("(a) mean over the sets", "rounds T", "error (%)")
    assert texts(right) == (
        "(b) distance from table 2",
        "rounds T",
        "mean |ours - printed| (points)",
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
        assert list(legend(axis)) == shown
    of_left = by_label(left, style)
    boosted, validated, stumps, _ = (of_left[quantity] for quantity in legend(left))
    assert boosted[0] == validated[0] == OKABE_ITO["blue"] and stumps[0] == OKABE_ITO["vermillion"]
    assert (boosted[2], validated[2], stumps[2]) == ("-", "--", "-")


@pytest.mark.parametrize("name", ["figure4", "figure5"])
def test_bars_stand_beside_one_another_with_their_intervals(name):
    rows = [
        row(10.0, data_set="ad", method="AdaBoost, stumps"),
        row(20.0, data_set="ad", method="Boosted Distance"),
        absent(data_set="gender", method="all"),
        row(30.0, data_set="liver", method="AdaBoost, stumps"),
        row(40.0, data_set="liver", method="Boosted Distance") | {"std": 3.0, "repetitions": 9},
    ]
    figure = picture(FIGURES[name].plot, None, rows)
    (axis,) = figure.axes
    stumps, boosted = axis.containers[1::2]  # the intervals stand between them
    assert [bar.get_height() for bar in stumps] == [10, 30]
    assert [bar.get_height() for bar in boosted] == [20, 40]
    middles = [[bar.get_x() + bar.get_width() / 2 for bar in group] for group in (stumps, boosted)]
    np.testing.assert_allclose(middles, [[-0.2, 0.8], [0.2, 1.2]])
    assert stumps[0].get_width() == pytest.approx(0.4)
    # 1.96 standard errors on both sides: 1 / sqrt(4), and 3 / sqrt(9)
    intervals = [
        [segment[:, 1].tolist() for segment in group.errorbar[2][0].get_segments()]
        for group in (stumps, boosted)
    ]
    np.testing.assert_allclose(
        intervals, [[[9.02, 10.98], [29.02, 30.98]], [[19.02, 20.98], [38.04, 41.96]]]
    )
    assert axis.get_xticks().tolist() == [0, 1]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["ad", "liver"]
    assert axis.get_ylabel() == "error (%), mean of the two classes"
    assert list(legend(figure)) == ["AdaBoost, stumps", "Boosted Distance"]


def test_a_method_has_the_same_colour_and_hatch_in_all_bars():
    methods = [
        "Boosted Distance",
        "AdaBoost, stumps",
        "AdaBoost, C4.5-like trees",
        "NN, best distance",
    ]
    styles = {}
    for shown in (methods, methods[::-1], methods[2:]):
        rows = [row(1.0, data_set="a", method=method) for method in shown]
        (axis,) = picture(FIGURES["figure5"].plot, None, rows).axes
        for method, group in zip(shown, axis.containers[1::2], strict=True):
            look = group[0].get_facecolor(), group[0].get_hatch()
            assert styles.setdefault(method, look) == look
    assert len({colour for colour, _ in styles.values()}) == 4
    assert len({hatch for _, hatch in styles.values()}) == 4
