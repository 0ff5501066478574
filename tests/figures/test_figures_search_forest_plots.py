"""What the search forest's pictures show, of records that are written down.

Not here: sizes of markers, widths of lines, and the files that the pictures go to.
"""

import pytest
from pictures import colour, curves, legend, picture, shown, style, texts, tick_labels

from paper_figures.plots import series_style
from paper_figures.search_forest import plots
from paper_figures.themes import LIGHT

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
    assert texts(trees) == ("Trees and tables", "returned items", recall)
    assert texts(codes) == ("Codes, which a scan compares one by one", "returned items", recall)
    assert texts(ways) == (
        "Comparisons on the way counted as items",
        "returned items, and comparisons before",
        recall,
    )
    # the forest is the first line everywhere
    assert curves(trees) == [[(100, 40), (500, 60)], [(100, 30), (500, 50)]]
    assert curves(codes) == [[(100, 40), (500, 60)], [(100, 20), (500, 40)]]
    assert curves(ways) == [[(304, 40), (704, 60)], [(110, 30), (600, 50)]]
    assert [style(drawn)[:2] for drawn in trees.lines] == [looks(0), looks(1)]
    assert [style(drawn)[:2] for drawn in codes.lines] == [looks(0), looks(2)]
    assert [style(drawn)[:2] for drawn in ways.lines] == [looks(0), looks(1)]
    # from a ten below the least recall, the same everywhere
    assert all(axis.get_ylim() == (10, 102) for axis in (trees, codes, ways))
    assert trees.get_xlim()[0] == codes.get_xlim()[0] == 0
    assert (trees.get_xscale(), codes.get_xscale(), ways.get_xscale()) == (
        "linear",
        "linear",
        "log",
    )
    handles = legend(figure)
    assert list(handles) == [FOREST, "k-means trees", "spectral hashing 32 bits"]
    assert [colour(handle) for handle in handles.values()] == [looks(i)[0] for i in range(3)]
    lefts = {round(axis.get_position().x0, 3) for axis in (trees, codes, ways)}
    assert len(lefts) == 1  # one above the other


def test_without_codes_or_comparisons_there_is_one_panel():
    plain = line(FOREST, [100, 500], [40.0, 60.0])
    figure = picture(plots.draw_curves, [plain], [{"returned": None}])
    (axis,) = shown(figure.axes)
    assert texts(axis) == ("Trees and tables", "returned items", "recall (%)")
    codes = shown(picture(plots.draw_curves, [CODES, plain], [{"returned": 1}]).axes)
    assert [texts(axis)[0] for axis in codes] == [
        "Trees and tables",
        "Codes, which a scan compares one by one",
    ]
    ways = shown(picture(plots.draw_curves, [OURS], [{"returned": 1}]).axes)
    assert [texts(axis)[1] for axis in ways] == [
        "returned items",
        "returned items, and comparisons before",
    ]


def test_printed_numbers_are_hollow_marks():
    rows = [
        {"method": "k-means trees", "returned": 500, "published": 47.0, "ours": 50.0, "std": None},
        {"method": FOREST, "returned": 100, "published": None, "ours": 40.0, "std": None},
    ]
    figure = picture(plots.draw_curves, [OURS, TREES], rows)
    trees, ways = shown(figure.axes)
    *_, printed = trees.lines
    assert curves(trees)[-1] == [(500, 47)] and style(printed)[:2] == looks(1)
    assert printed.get_markerfacecolor() == "none" and printed.get_linestyle() == "None"
    assert len(trees.lines) == 3 and len(ways.lines) == 2
    assert list(legend(figure)) == [FOREST, "k-means trees", "printed (other images)"]
    assert figure.legends[0].get_title().get_text() == ""


def test_recall_has_bands_where_rows_have_deviations():
    rows = [
        {"method": FOREST, "returned": 500, "ours": 60.0, "std": 2.0, "repetitions": 4},
        {"method": FOREST, "returned": 100, "ours": 40.0, "std": 1.0, "repetitions": 4},
    ]
    figure = picture(plots.draw_curves, [OURS, TREES], rows)
    for axis, x in zip(shown(figure.axes), (500, 704), strict=True):
        (spread,) = axis.collections
        corners = spread.get_paths()[0].vertices
        ends = sorted(set(corners[corners[:, 0] == x, 1]))
        assert ends == pytest.approx([58.04, 61.96])  # 1.96 standard errors of 2 / sqrt(4)
    assert figure.legends[0].get_title().get_text().startswith("Bands: 95 %")


@pytest.mark.parametrize(
    ("last", "labels"),
    [
        (300, ["200", "300", "400", "500"]),
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
    assert (axis.get_xscale(), axis.get_ylim()) == ("log", (0, 102))
    assert tick_labels(axis.xaxis) == ["8", "32", "200"]
    assert list(axis.get_xticks()) == [8, 32, 200]
    assert len(axis.xaxis.get_minorticklocs()) == 0
    assert not figure.legends
    ends = [(text.get_text(), text.xy, text.get_color()) for text in axis.texts]
    assert ends == [
        ("LSH", (200, 20.0), looks(1)[0]),
        ("Boosted Search\nForest", (32, 30.0), looks(0)[0]),
    ]
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
    assert texts(by_time) == ("Time", "milliseconds a query", "recall of the nearest (%)")
    assert texts(by_count) == (
        "Comparisons, where they are counted",
        "points compared with a query",
        "recall of the nearest (%)",
    )
    assert curves(by_time) == [[(1, 70), (2, 90)], [(0.1, 80), (0.5, 95)], [(9, 100)]]
    assert curves(by_count) == [[(50, 70), (90, 90)], [(10_000, 100)]]
    assert list(legend(figure)) == ["forest", "hnswlib", "linear scan"]
    assert [style(drawn)[:2] for drawn in by_time.lines] == [looks(0), looks(1), looks(2)]
    assert [style(drawn)[:2] for drawn in by_count.lines] == [looks(0), looks(2)]
    assert (by_time.get_xscale(), by_count.get_xscale()) == ("log", "log")
    assert tick_labels(by_time.xaxis) == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    assert tick_labels(by_count.xaxis) == [
        *("50", "100", "200", "500"),
        *("1,000", "2,000", "5,000", "10,000"),
    ]


def test_times_by_the_number_of_items():
    def timed(bits, search, *seconds):
        items = [1_000_000, 10_000_000]
        return {"bits": bits, "search": search, "items": items, "seconds": list(seconds)}

    def beyond(bits, search, ours, published):
        keys = {"bits": bits, "items": 500_000_000, "search": f"{search}, extrapolated"}
        return keys | {"published": published, "ours": ours, "std": None}

    figure = picture(
        plots.draw_times,
        [
            timed(64, "linear scan", 0.5, 5.0),
            timed(64, "forest", 0.1, 0.2),
            timed(32, "linear scan", 0.25, 2.5),
            timed(32, "forest", 0.05, 0.06),
        ],
        [beyond(64, "linear scan", 250.0, 400.0), beyond(32, "forest", 3.0, None)],
    )
    scan, forest = figure.axes
    for axis, title in ((scan, "Linear scan"), (forest, "Forest")):
        assert texts(axis) == (title, "items (millions)", "seconds a query")
        assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")
    assert curves(scan) == [
        [(1, 0.5), (10, 5)],
        [(10, 5), (500, 250)],
        [(500, 400)],
        [(1, 0.25), (10, 2.5)],
    ]
    assert curves(forest) == [
        [(1, 0.1), (10, 0.2)],
        [(1, 0.05), (10, 0.06)],
        [(10, 0.06), (500, 3)],
    ]
    assert [drawn.get_linestyle() for drawn in scan.lines] == ["-", ":", "None", "-"]
    assert scan.lines[2].get_markerfacecolor() == "none"
    # more bits have the same look in both panels, and their name at the end
    of_64, of_32 = (LIGHT.series[1], LIGHT.series[0])
    names = [
        {text.get_text(): (text.xy, text.get_color()) for text in a.texts} for a in figure.axes
    ]
    assert names == [
        {"64 bits": ((500, 250), of_64), "32 bits": ((10, 2.5), of_32)},
        {"64 bits": ((10, 0.2), of_64), "32 bits": ((500, 3), of_32)},
    ]
    assert list(legend(figure)) == [
        "measured",
        "extrapolated in proportion",
        "printed (the authors' machine)",
    ]
