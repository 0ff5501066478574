"""What the search forest's pictures show, of records that are written down.

Not here: sizes of markers, widths of lines, and the files that the pictures go to.
"""

import pytest
from pictures import colour, legend, picture, shown, style, texts, tick_labels
from pictures import curves as lines_of

from paper_figures.plots import series_style
from paper_figures.search_forest import classes, curves, dimensions, growth, table1
from paper_figures.themes import LIGHT

FOREST = "Boosted Search Forest"


def looks(place):
    wanted = series_style(place)
    return wanted["color"], wanted["marker"]


WHOLE, RANKED = "whole sets", "ranked lists"


def line(method, counts, recall, compared=None, reading=RANKED):
    drawn = {"method": method, "reading": reading, "counts": counts, "recall": recall}
    return drawn if compared is None else drawn | {"compared": compared}


TREES = line("k-means trees", [100, 500], [30.0, 50.0], [10.0, 100.0])
CODES = line("spectral hashing 32 bits", [100, 500], [20.0, 40.0])
OURS = line(FOREST, [100, 500], [40.0, 60.0], [204, 204])
SETS = line(FOREST, [100, 500], [45.0, 55.0], [9.0, 99.0], WHOLE)
SETS_OF_TREES = line("k-means trees", [100, 500], [33.0, 44.0], [9.0, 99.0], WHOLE)
RECALL = "recall of the nearest (%)"


def test_sets_codes_lists_and_comparisons_have_a_panel_each():
    figure = picture(curves.draw, [SETS, SETS_OF_TREES, OURS, TREES, CODES], [])
    sets, codes, lists, ways = shown(figure.axes)
    assert texts(sets) == ("Whole sets", "returned items", RECALL)
    title = "Whole sets beside codes (spectral hashing)"
    assert texts(codes) == (title, "returned items", RECALL)
    assert texts(lists) == ("Ranked lists", "returned items", RECALL)
    assert texts(ways) == (
        "Comparisons on the way counted as items",
        "returned items, and comparisons before",
        RECALL,
    )
    assert lines_of(sets) == [[(100, 45), (500, 55)], [(100, 33), (500, 44)]]
    assert lines_of(codes) == [[(100, 45), (500, 55)], [(100, 20), (500, 40)]]
    assert lines_of(lists) == [[(100, 40), (500, 60)], [(100, 30), (500, 50)]]
    assert lines_of(ways) == [[(304, 40), (704, 60)], [(110, 30), (600, 50)]]
    for axis in (sets, lists, ways):
        assert [style(drawn)[:2] for drawn in axis.lines] == [looks(0), looks(1)]
    # codes stand beside the forest alone; their names stand at their ends
    of_codes = (LIGHT.soft, "<")
    assert [style(drawn)[:2] for drawn in codes.lines] == [looks(0), of_codes]
    ends = [(text.get_text(), text.xy, text.get_color()) for text in codes.texts]
    assert ends == [("32 bits", (500, 40.0), LIGHT.soft)]
    assert not any(axis.texts for axis in (sets, lists, ways))
    # from a ten below the least recall, the same everywhere
    assert all(axis.get_ylim() == (10, 102) for axis in (sets, codes, lists, ways))
    assert all(axis.get_xlim()[0] == 0 for axis in (sets, codes, lists))
    scales = [axis.get_xscale() for axis in (sets, codes, lists, ways)]
    assert scales == ["linear", "linear", "linear", "log"]
    handles = legend(figure)
    assert list(handles) == [FOREST, "k-means trees"]
    assert [colour(handle) for handle in handles.values()] == [looks(i)[0] for i in range(2)]
    lefts = {round(axis.get_position().x0, 3) for axis in (sets, codes, lists, ways)}
    assert len(lefts) == 1  # one above the other


def test_panels_that_have_no_lines_are_left_out():
    plain = line(FOREST, [100, 500], [40.0, 60.0])

    def titles(*drawn):
        return [texts(axis)[0] for axis in shown(picture(curves.draw, list(drawn), []).axes)]

    assert titles(plain) == ["Ranked lists"]
    assert titles(plain, CODES) == ["Codes (spectral hashing)", "Ranked lists"]
    assert titles(OURS) == ["Ranked lists", "Comparisons on the way counted as items"]
    assert titles(SETS) == ["Whole sets"]


def test_printed_numbers_are_hollow_marks_beside_their_reading():
    rows = [
        {
            "method": "k-means trees",
            "reading": RANKED,
            "returned": 500,
            "published": 47.0,
            "error": None,
        },
        {"method": FOREST, "reading": WHOLE, "returned": 500, "published": 70.0, "error": None},
        {"method": FOREST, "reading": RANKED, "returned": 100, "published": None, "error": None},
    ]
    figure = picture(curves.draw, [SETS, OURS, TREES], rows)
    sets, lists, ways = shown(figure.axes)
    *_, printed = lists.lines
    assert lines_of(lists)[-1] == [(500, 47)] and style(printed)[:2] == looks(1)
    assert printed.get_markerfacecolor() == "none" and printed.get_linestyle() == "None"
    assert lines_of(sets) == [[(100, 45), (500, 55)], [(500, 70)]]
    assert len(lists.lines) == 3 and len(ways.lines) == 2
    assert list(legend(figure)) == [FOREST, "k-means trees", "printed (other images)"]
    assert figure.legends[0].get_title().get_text() == ""


def test_recall_has_bands_where_rows_have_deviations():
    own = {"method": FOREST, "reading": RANKED, "n": 4}
    rows = [
        own | {"returned": 500, "ours": 60.0, "error": 1.0},
        own | {"returned": 100, "ours": 40.0, "error": 0.5},
        own | {"returned": 500, "ours": 55.0, "error": 4.5, "reading": WHOLE},
    ]
    figure = picture(curves.draw, [OURS, TREES], rows)
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
    figure = picture(curves.draw, [drawn], [])
    ways = shown(figure.axes)[-1]
    assert tick_labels(ways.xaxis) == labels
    assert len(ways.xaxis.get_minorticklocs()) == 0


def test_recall_by_the_number_of_components():
    """A panel for each reading; points that come later have no line."""

    def by_components(method, reading, components, recall, points="texts"):
        keys = {"points": points, "reading": reading, "method": method}
        return keys | {"components": components, "recall": recall}

    figure = picture(
        dimensions.draw,
        [
            by_components(FOREST, WHOLE, [32, 8], [30.0, 40.0]),
            by_components(FOREST, RANKED, [32, 8], [35.0, 45.0]),
            by_components("LSH", RANKED, [200], [20.0]),
            by_components(FOREST, WHOLE, [32, 8], [1.0, 2.0], "digits"),
        ],
    )
    sets, lists = shown(figure.axes)
    assert texts(sets) == ("Whole sets: texts", "principal components", RECALL)
    assert texts(lists) == ("Ranked lists: texts", "principal components", RECALL)
    assert lines_of(sets) == [[(32, 30), (8, 40)]]
    assert lines_of(lists) == [[(32, 35), (8, 45)], [(200, 20)]]
    for axis in (sets, lists):
        assert (axis.get_xscale(), axis.get_ylim()) == ("log", (0, 102))
        assert tick_labels(axis.xaxis) == ["8", "32", "200"]
        assert len(axis.xaxis.get_minorticklocs()) == 0
    assert [style(drawn)[:2] for drawn in lists.lines] == [looks(0), looks(1)]
    assert list(legend(figure)) == [FOREST, "LSH"]


def test_growth_has_a_panel_for_each_way_to_divide():
    def grown(index, leaves, *micro):
        return {"index": index, "leaves": leaves, "items": [1000, 4000], "micro": list(micro)}

    figure = picture(
        growth.draw,
        [
            grown("forest", "as small, more of them", 10.0, 12.0),
            grown("forest", "as many, larger", 10.0, 40.0),
            grown("LSH", "as many, larger", 20.0, 80.0),
        ],
    )
    finer, larger = shown(figure.axes)
    assert texts(finer) == (
        "Leaves: as small, more of them",
        "items (thousands)",
        "microseconds a query",
    )
    assert lines_of(finer) == [[(1, 10), (4, 12)]]
    assert lines_of(larger) == [[(1, 10), (4, 40)], [(1, 20), (4, 80)]]
    assert [style(drawn)[:2] for drawn in larger.lines] == [looks(0), looks(1)]
    assert (larger.get_xscale(), larger.get_yscale()) == ("log", "log")
    assert list(legend(figure)) == ["forest", "LSH"]


def test_classes_have_a_panel_for_each_number_of_items():
    def mark(data_set, method, returned, share):
        keys = {"data set": data_set, "method": method}
        return keys | {"returned": returned, "share": share}

    figure = picture(
        classes.draw,
        [
            mark("digits", "forest", 100, 90.0),
            mark("digits", "forest", 1000, 80.0),
            mark("digits", "exact", 100, 85.0),
            mark("texts", "forest", 100, 70.0),
        ],
    )
    few, many = shown(figure.axes)
    assert texts(few) == ("First 100 returned items", "items of the query's class (%)", "")
    assert texts(many)[0] == "First 1,000 returned items"
    assert [[x for x, _ in drawn] for drawn in lines_of(few)] == [[90, 70], [85]]
    heights = [y for _, y in lines_of(few)[0]]
    assert heights[1] - heights[0] == pytest.approx(1)  # a line for each set
    assert tick_labels(few.yaxis) == ["digits", "texts"] and few.yaxis_inverted()
    assert few.get_xlim() == many.get_xlim() == (0, 102)
    assert [style(drawn)[:2] for drawn in few.lines] == [looks(0), looks(1)]
    assert list(legend(figure)) == ["forest", "exact"]


def test_times_by_the_number_of_items():
    def timed(bits, search, *seconds):
        items = [1_000_000, 10_000_000]
        return {"bits": bits, "search": search, "items": items, "seconds": list(seconds)}

    def beyond(bits, search, ours, published):
        keys = {"bits": bits, "items": 500_000_000, "search": f"{search}, extrapolated"}
        return keys | {"published": published, "ours": ours, "error": None, "n": 1}

    figure = picture(
        table1.draw,
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
    assert lines_of(scan) == [
        [(1, 0.5), (10, 5)],
        [(10, 5), (500, 250)],
        [(500, 400)],
        [(1, 0.25), (10, 2.5)],
    ]
    assert lines_of(forest) == [
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
