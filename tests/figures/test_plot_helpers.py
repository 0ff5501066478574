"""The style that all pictures share, the panels of a picture, and the files of a drawn record."""

import re

import matplotlib
import pytest
from matplotlib.figure import Figure

from paper_figures import plots


def test_no_two_series_look_alike():
    styles = [plots.series_style(place) for place in range(8)]
    for part in ("color", "marker", "linestyle"):
        assert len({style[part] for style in styles}) == 8, part
    assert all(re.fullmatch("#[0-9A-F]{6}", style["color"]) for style in styles)
    # the colours of Okabe & Ito, the paper's own method first
    assert [style["color"] for style in styles[:3]] == ["#0072B2", "#D55E00", "#009E73"]
    assert styles[0] == {"color": "#0072B2", "marker": "o", "linestyle": "-"}
    assert styles[1]["linestyle"] == "--" and styles[1]["marker"] == "s"


@pytest.mark.parametrize("place", [-1, 8])
def test_a_picture_holds_eight_series(place):
    with pytest.raises(ValueError, match=f"place must be 0 to 7, .* at most 8 series; got {place}"):
        plots.series_style(place)


@pytest.mark.parametrize(
    "count, columns, rows", [(1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 2, 2), (5, 2, 3), (3, 3, 1)]
)
def test_panels(count, columns, rows):
    picture = Figure(figsize=(4, 4))
    axes = plots.panels(picture, count, columns)
    assert len(axes) == count and len(picture.axes) == rows * columns
    assert axes == picture.axes[:count] and all(axis.axison for axis in axes)
    assert not any(axis.axison for axis in picture.axes[count:])
    places = [axis.get_subplotspec() for axis in axes]  # row by row
    assert [(p.rowspan.start, p.colspan.start) for p in places] == [
        divmod(i, columns) for i in range(count)
    ]


def test_two_columns_unless_told():
    assert len(plots.panels(Figure(), 3)) == 3
    assert plots.panels(Figure(), 3)[2].get_subplotspec().rowspan.start == 1


def test_a_record_becomes_two_files_of_its_size():
    before = dict(matplotlib.rcParams)
    seen = []

    def plot(record, figure):
        (axis,) = plots.panels(figure, 1, 1)
        axis.plot(record["rows"], label="x", **plots.series_style(0))
        axis.legend()
        seen.append((tuple(figure.get_size_inches()), matplotlib.rcParams["axes.grid"]))

    matplotlib.rcParams["axes.facecolor"] = "red"  # a user's own settings play no part
    try:
        files = plots.draw(plot, {"rows": [1, 3, 2]}, (4, 3))
    finally:
        matplotlib.rcParams["axes.facecolor"] = before["axes.facecolor"]
    assert list(files) == [".svg", ".png"] and seen == [((4.0, 3.0), True)]
    png = files[".png"]
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert size == (4 * 150, 3 * 150)
    svg = files[".svg"].decode()
    assert 'width="288pt" height="216pt"' in svg  # 72 points an inch
    assert "<dc:date>" not in svg and "#ff0000" not in svg.lower() and "#0072b2" in svg.lower()
    assert dict(matplotlib.rcParams) == before
    assert plots.draw(plot, {"rows": [1, 3, 2]}, (4, 3)) == files
    assert plots.draw(plot, {"rows": [1, 3, 2.5]}, (4, 3))[".svg"] != files[".svg"]
