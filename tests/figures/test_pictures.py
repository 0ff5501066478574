"""What the committed pictures do not show: branches and derived numbers of made-up records."""

import numpy as np
import pytest
from matplotlib.patches import Ellipse
from pictures import curve, curves, legend, picture, shown, style, texts, tick_labels

from paper_figures import boosted_distance, boostmap
from paper_figures.ftune import matrices, splits
from paper_figures.ftune import shown as ftune
from paper_figures.lmnn import clusters, shapes
from paper_figures.plots import series_style
from paper_figures.search_forest import curves as forest
from paper_figures.study import Seen

BOOSTED = {figure.name: figure.draw for figure in boosted_distance.PAPER.figures}
BOOSTMAP = {figure.name: figure.draw for figure in boostmap.PAPER.figures}


def row(ours, **keys):
    return keys | {"published": None, "ours": ours, "error": 0.5, "n": 4}


def heading(figure):
    """Return what stands above the key."""
    boxes = [axis.get_legend() for axis in figure.axes if axis.get_legend()]
    (box,) = boxes or figure.legends
    return box.get_title().get_text()


# --------------------------------------------------------------------------------- Boosted Distance


def test_records_without_deviations_have_no_bands():
    rows = [
        row(value, data_set="a", method="Boosted Distance", rounds=t) | {"error": None, "n": 1}
        for t, value in ((1, 5.0), (3, 6.0))
    ]
    figure = picture(BOOSTED["figure2"], None, rows)
    assert not figure.axes[0].collections and heading(figure) == ""


def test_marks_stand_above_one_another_with_their_intervals():
    """1.96 standard errors on both sides; the marks of a set are 0.36 apart."""
    rows = [
        row(10.0, data_set="ad", method="AdaBoost, stumps"),
        row(20.0, data_set="ad", method="Boosted Distance"),
        {"data_set": "gender", "method": "all", "ours": None, "error": None, "n": 0, "why": "w"},
        row(40.0, data_set="liver", method="Boosted Distance") | {"error": 1.0, "n": 9},
    ]
    figure = picture(BOOSTED["figure4"], None, rows)
    (axis,) = figure.axes
    stumps, boosted = axis.containers
    np.testing.assert_allclose(curve(stumps.lines[0]), [(10, -0.18)])
    np.testing.assert_allclose(curve(boosted.lines[0]), [(20, 0.18), (40, 1.18)])
    intervals = [
        segment[:, 0].tolist()
        for group in (stumps, boosted)
        for segment in group.lines[2][0].get_segments()
    ]
    np.testing.assert_allclose(intervals, [[9.02, 10.98], [19.02, 20.98], [38.04, 41.96]])
    assert tick_labels(axis.yaxis) == ["ad", "liver"]
    assert heading(figure).endswith("gender is left out: not available")


def test_a_method_has_the_same_colour_and_mark_in_all_pictures():
    methods = ["Boosted Distance", "AdaBoost, stumps", "AdaBoost, C4.5-like trees"]
    methods += ["NN, best distance"]
    styles = {}
    for drawn in (methods, methods[::-1], methods[2:]):
        rows = [row(1.0, data_set="a", method=method) for method in drawn]
        (axis,) = picture(BOOSTED["figure5"], None, rows).axes
        for method, group in zip(drawn, axis.containers, strict=True):
            look = style(group.lines[0])
            assert styles.setdefault(method, look) == look
    assert [len(set(part)) for part in zip(*styles.values(), strict=True)][:2] == [4, 4]


# ----------------------------------------------------------------------------------------- BoostMap


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
    figure = picture(BOOSTMAP[name], drawing)
    for axis, k in zip(figure.axes, (1, 10, 100), strict=True):
        insensitive, sensitive, _ = axis.get_lines()
        assert insensitive.get_xdata().tolist() == list(range(99, 0, -1))  # 100 - p
        assert set(insensitive.get_ydata()) == {2} and set(sensitive.get_ydata()) == {1 / 3}
        assert axis.texts[0].get_text() == (
            f"Ra-QI: rank {190 * k:,} at p = 95, {198 * k:,} at p = 99\n"
            f"Ra-QS: rank {285 * k:,} at p = 95, {297 * k:,} at p = 99"
        )
    assert list(legend(figure)) == ["BoostMap-Se-QI / Ra-QI", "BoostMap-Se-QS / Ra-QS"]


# ------------------------------------------------------------------------------------ Search Forest


def line(method, recall, compared=None, reading="ranked lists"):
    drawn = {"method": method, "reading": reading, "counts": [100, 500], "recall": recall}
    return drawn if compared is None else drawn | {"compared": compared}


def test_panels_that_have_no_lines_are_left_out():
    name = "Boosted Search Forest"
    plain, codes = line(name, [40.0, 60.0]), line("spectral hashing 32 bits", [20.0, 40.0])
    ours = line(name, [40.0, 60.0], [204, 204])
    sets = line(name, [45.0, 55.0], [9.0, 99.0], "whole sets")

    def titles(*drawn):
        return [texts(axis)[0] for axis in shown(picture(forest.draw, list(drawn), []).axes)]

    assert titles(plain) == ["Ranked lists"]
    assert titles(plain, codes) == ["Codes (spectral hashing)", "Ranked lists"]
    assert titles(ours) == ["Ranked lists", "Comparisons on the way counted as items"]
    assert titles(sets) == ["Whole sets"]
    *_, ways = shown(picture(forest.draw, [ours], []).axes)
    assert curves(ways) == [[(304, 40), (704, 60)]]


# --------------------------------------------------------------------------------------------- LMNN


def ellipses(points, centres, metrics):
    """Return the ellipses of figure 3, without the white ones below them."""
    drawing = {"digits": range(len(points)), "points": points, "centres": centres}
    (axis,) = picture(shapes.draw_ellipsoids, drawing | {"metrics": metrics}).axes
    return [patch for patch in axis.patches if isinstance(patch, Ellipse)][1::2]


def test_ellipsoids():
    """M = diag(1, 4) has a ball of semi-axes 1 and 1/2, M = R diag(1/4, 1) R' one of 2 and 1.

    The points spread by 8 along the first component and by 4 along the second, so that the longest
    diameter is half of 4: 2.
    """
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    first, second = ellipses(
        [[[0.0, 0.0], [8.0, 1.0]], [[2.0, 4.0]]],
        [[4.0, 0.5], [2.0, 3.0]],
        [np.diag([1.0, 4.0]).tolist(), (turn @ np.diag([0.25, 1.0]) @ turn.T).tolist()],
    )
    assert (first.width, first.height) == pytest.approx((1.0, 0.5))
    assert (second.width, second.height) == pytest.approx((2.0, 1.0))
    assert list(first.center) == [4.0, 0.5] and list(second.center) == [2.0, 3.0]
    assert first.angle % 180 == pytest.approx(0.0, abs=1e-9)
    assert second.angle % 180 == pytest.approx(np.degrees(np.arctan2(0.8, 0.6)))
    (flat,) = ellipses([[[0.0, 0.0], [2.0, 6.0]]], [[1.0, 3.0]], [[[0.0, 0.0], [0.0, 1.0]]])
    assert flat.width == pytest.approx(1.0) and flat.height == pytest.approx(0.0, abs=1e-100)


def test_a_single_run_has_no_bars():
    run = {"data_set": "wine", "p": 1, "run": 0, "error": 2.0, "all": 12.0}
    figure = picture(clusters.draw_clusters, None, clusters.figure4(Seen([run])).rows)
    assert heading(figure) == "one run each, without standard errors"


# -------------------------------------------------------------------------------------------- FTUNE


def test_every_method_of_the_figures_is_drawn():
    left = {"FTUNE+D-M", "FTUNE+DP-S", splits.OF_RANDOM}
    assert set(ftune.DRAWN) == {*matrices.METHODS} - left
    assert len({series_style(place)["color"] for place in range(len(ftune.DRAWN))}) == 6
