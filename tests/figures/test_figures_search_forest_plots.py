"""What the search forest's pictures show, of records that are written down.

Not here: sizes of markers, widths of lines, and the files that the pictures go to.
"""

import pytest
from pictures import colour, curves, legend, picture, shown, style, texts, tick_labels

from paper_figures.plots import series_style
from paper_figures.search_forest import plots

FOREST = "Boosted Search Forest"


def looks(place):
    wanted = series_style(place)
    return wanted["color"], wanted["marker"]


def line(method, counts, recall, compared=None):
    drawn = {"method": method, "counts": counts, "recall": recall}
    return drawn if compared is None else drawn | {"compared": compared}


TREES = line("k-means trees", [100, 500], [30.0, 50.0], [10.0, 100.0])
CODES = line("spectral hashing 32 bits", [100, 500], [20.0, 40.0])
OURS = line(FOREST, [100, 500], [40.0, 60.0], [204, 204])


def test_trees_codes_and_comparisons_have_a_panel_each():
    figure = picture(plots.draw_curves, [TREES, CODES, OURS], [{"returned": 100}])
    trees, codes, ways = shown(figure.axes)
    recall = "recall of the nearest (%)"
    assert texts(trees) == ("(a)", "returned items", recall)
    assert texts(codes) == ("(b)", "returned items", recall)
    assert texts(ways) == ("(c)", "returned items and comparisons before", recall)
    # the forest is the first line everywhere
    assert curves(trees) == [[(100, 40), (500, 60)], [(100, 30), (500, 50)]]
    assert curves(codes) == [[(100, 40), (500, 60)], [(100, 20), (500, 40)]]
    assert curves(ways) == [[(304, 40), (704, 60)], [(110, 30), (600, 50)]]
    assert [style(drawn)[:2] for drawn in trees.lines] == [looks(0), looks(1)]
    assert [style(drawn)[:2] for drawn in codes.lines] == [looks(0), looks(2)]
    assert [style(drawn)[:2] for drawn in ways.lines] == [looks(0), looks(1)]
    assert all(axis.get_ylim() == (0, 100) for axis in (trees, codes, ways))
    assert trees.get_xlim()[0] == codes.get_xlim()[0] == 0
    assert (trees.get_xscale(), codes.get_xscale(), ways.get_xscale()) == (
        "linear",
        "linear",
        "log",
    )
    handles = legend(figure)
    assert list(handles) == [FOREST, "k-means trees", "spectral hashing 32 bits"]
    assert [colour(handle) for handle in handles.values()] == [looks(i)[0] for i in range(3)]
    tops = {round(axis.get_position().y1, 3) for axis in (trees, codes, ways)}
    assert len(tops) == 1  # side by side


def test_without_codes_or_comparisons_there_is_one_panel():
    plain = line(FOREST, [100, 500], [40.0, 60.0])
    figure = picture(plots.draw_curves, [plain], [{"returned": None}])
    (axis,) = shown(figure.axes)
    assert texts(axis) == ("(a)", "returned items", "recall (%)")
    codes = shown(picture(plots.draw_curves, [CODES, plain], [{"returned": 1}]).axes)
    assert [texts(axis)[0] for axis in codes] == ["(a)", "(b)"]
    ways = shown(picture(plots.draw_curves, [OURS], [{"returned": 1}]).axes)
    assert [texts(axis)[1] for axis in ways] == [
        "returned items",
        "returned items and comparisons before",
    ]


@pytest.mark.parametrize(
    ("last", "labels"),
    [
        (300, ["200", "500"]),  # less than 50 times as far: 1, 2 and 5
        (99_796, ["300", "1,000", "3,000", "10,000", "30,000", "100,000"]),  # 1 and 3
    ],
)
def test_a_logarithmic_axis_has_plain_numbers(last, labels):
    drawn = line(FOREST, [0, last], [40.0, 60.0], [204, 204])
    figure = picture(plots.draw_curves, [drawn], [{"returned": 1}])
    ways = shown(figure.axes)[-1]
    assert tick_labels(ways.xaxis) == labels
    assert len(ways.xaxis.get_minorticklocs()) == 0


def test_recall_by_the_number_of_components():
    figure = picture(
        plots.draw_dimensions,
        [
            {"method": FOREST, "components": [32, 8], "recall": [30.0, 40.0]},
            {"method": "LSH", "components": [200], "recall": [20.0]},
        ],
    )
    (axis,) = figure.axes
    assert texts(axis) == ("", "principal components", "recall of the nearest (%)")
    assert curves(axis) == [[(32, 30), (8, 40)], [(200, 20)]]
    assert (axis.get_xscale(), axis.get_ylim()) == ("log", (0, 100))
    assert tick_labels(axis.xaxis) == ["8", "32", "200"]
    assert list(axis.get_xticks()) == [8, 32, 200]
    assert len(axis.xaxis.get_minorticklocs()) == 0
    assert list(legend(figure)) == [FOREST, "LSH"]
    assert [style(drawn)[:2] for drawn in axis.lines] == [looks(0), looks(1)]


def test_recall_by_time_and_by_comparisons():
    """hnswlib does not count what it compares, and has no line in the second panel."""
    figure = picture(
        plots.draw_libraries,
        [
            {"method": "forest", "ms": [1.0, 2.0], "compared": [50.0, 90.0], "recall": [70, 90]},
            {"method": "hnswlib", "ms": [0.1, 0.5], "compared": [None, None], "recall": [80, 95]},
            {"method": "linear scan", "ms": [9.0], "compared": [10_000], "recall": [100]},
        ],
    )
    by_time, by_count = shown(figure.axes)
    assert texts(by_time) == ("(a)", "milliseconds a query", "recall of the nearest (%)")
    assert texts(by_count) == ("(b)", "points compared", "recall of the nearest (%)")
    assert curves(by_time) == [[(1, 70), (2, 90)], [(0.1, 80), (0.5, 95)], [(9, 100)]]
    assert curves(by_count) == [[(50, 70), (90, 90)], [(10_000, 100)]]
    assert list(legend(figure)) == ["forest", "hnswlib", "linear scan"]
    assert [style(drawn)[:2] for drawn in by_time.lines] == [looks(0), looks(1), looks(2)]
    assert [style(drawn)[:2] for drawn in by_count.lines] == [looks(0), looks(2)]
    assert (by_time.get_xscale(), by_count.get_xscale()) == ("log", "log")
    # 0.08 to 11 is less than 300 times as far; 38 to 13,000 is more
    assert tick_labels(by_time.xaxis) == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    assert tick_labels(by_count.xaxis) == ["100", "300", "1,000", "3,000", "10,000"]


def test_times_by_the_number_of_items():
    def timed(bits, search, *seconds):
        return {"bits": bits, "search": search, "items": [10, 100], "seconds": list(seconds)}

    figure = picture(
        plots.draw_times,
        [
            timed(64, "linear scan", 0.5, 5.0),
            timed(64, "forest", 0.1, 0.2),
            timed(32, "linear scan", 0.25, 2.5),
            timed(32, "forest", 0.05, 0.06),
        ],
    )
    (axis,) = figure.axes
    assert texts(axis) == ("", "items", "seconds a query")
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")
    assert curves(axis) == [
        [(10, 0.5), (100, 5)],
        [(10, 0.1), (100, 0.2)],
        [(10, 0.25), (100, 2.5)],
        [(10, 0.05), (100, 0.06)],
    ]
    assert list(legend(figure)) == [
        "linear scan, 64 bits",
        "forest, 64 bits",
        "linear scan, 32 bits",
        "forest, 32 bits",
    ]
    assert [style(drawn)[:2] for drawn in axis.lines] == [looks(1), looks(0), looks(1), looks(0)]
    # more bits are darker; the first is still seen
    assert [drawn.get_alpha() for drawn in axis.lines] == pytest.approx([1.0, 1.0, 0.65, 0.65])
