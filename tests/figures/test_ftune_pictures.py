"""What FTUNE's pictures show of rows that are written down: lines, bars, limits, labels, the key.

Not here: sizes of markers, and the files that the pictures go to.
"""

import pytest
from pictures import bars, colour, curves, legend, picture, shown, style, texts, tick_labels

from paper_figures.ftune import figures, plots
from paper_figures.plots import series_style


def test_accuracies_by_the_number_of_landmarks():
    def line(name, method, d, mean, std=None, repetitions=4):
        drawn = {"data_set": name, "landmarks": d, "method": method, "ours": mean}
        error = None if std is None else std / repetitions**0.5
        return drawn | {"error": error, "n": repetitions}

    figure = picture(
        plots.draw_curves,
        None,
        [
            line("all", None, None, None),
            line("wine", "BBS", 40, 0.75, 0.125),
            line("wine", "BBS", 10, 0.5, 0.25),
            line("wine", "FTUNE-S", 10, 0.75, 0.5),
            line("digits", "DBOOST", 20, 0.99, 0.125),
        ],
    )
    first, second = shown(figure.axes)
    assert texts(first) == ("wine", "landmarks", "accuracy (share)")
    assert texts(second) == ("digits", "landmarks", "accuracy (share)")
    assert tick_labels(first.xaxis) == ["10", "40"] and first.get_xscale() == "log"

    def points(axis):
        """Lines without the caps of their bars, which have no line style."""
        return [
            pairs
            for pairs, drawn in zip(curves(axis), axis.lines, strict=True)
            if drawn.get_linestyle() != "None"
        ]

    # in the order of the methods, each by the number of landmarks; neighbours stand apart
    ftune, bbs = points(first)
    assert ftune == [(pytest.approx(10 / 1.055), 0.75)]
    assert bbs == [(10, 0.5), (40, 0.75)]
    assert points(second) == [[(pytest.approx(20 * 1.055), 0.99)]]
    # standard errors: half of the deviation of four splits
    assert [ends[1:] for ends in bars(first, 0)] == [(0.5, 1.0)]
    assert bars(first, 1) == [(10, 0.375, 0.625), (40, 0.6875, 0.8125)]
    assert second.get_ylim()[1] <= 1  # no accuracy above 1, though the bar goes on
    handles = legend(figure)
    assert list(handles) == ["FTUNE-S", "BBS", "DBOOST"]
    places = [plots.ORDER.index(method) for method in handles]
    assert places == [1, 4, 5]
    assert [colour(handle) for handle in handles.values()] == [
        series_style(place)["color"] for place in places
    ]
    marks = [style(axis.containers[at].lines[0])[1] for axis, at in ((first, 0), (first, 1))]
    assert marks == [series_style(place)["marker"] for place in (1, 4)]
    (box,) = figure.legends
    assert box.get_title().get_text() == "bars: standard errors of means of 4 splits"


def test_every_method_of_the_figures_is_drawn():
    assert set(plots.ORDER) == {*figures.MATRIX_METHODS} - {"FTUNE+D-M", "FTUNE+DP-S"}
    assert len({series_style(place)["color"] for place in range(len(plots.ORDER))}) == 6
