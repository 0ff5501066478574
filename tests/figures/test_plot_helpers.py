"""What all pictures share: themes, panels, keys, plain numbers, names at curves, files."""

import re

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from pictures import contrast, tick_labels

from paper_figures import plots
from paper_figures.svg import shorter, shorter_path
from paper_figures.themes import DARK, LIGHT

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
# Machado, Oliveira & Fernandes (2009), severity 1: linear sRGB as it is seen
SEEN = {
    "all cones": np.eye(3),
    "no L cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no M cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def oklab(colour, seen):
    """Return a colour's lightness and two opponent values, in a space where distances are alike."""
    channels = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    cones = np.array(to_cones) @ np.clip(np.array(seen) @ linear, 0, None)
    return np.array(to_lab) @ np.cbrt(cones)


def test_no_two_series_look_alike():
    styles = [plots.series_style(place) for place in range(8)]
    for part in ("color", "marker", "linestyle"):
        assert len({style[part] for style in styles}) == 8, part
    assert all(re.fullmatch("#[0-9A-F]{6}", style["color"]) for style in styles)
    # the first colours are those of Okabe & Ito
    assert [style["color"] for style in styles[:3]] == ["#0072B2", "#D55E00", "#009E73"]


@pytest.mark.parametrize("place", [-1, 8])
def test_a_picture_holds_eight_series(place):
    with pytest.raises(ValueError, match=f"place must be 0 to 7, .* at most 8 series; got {place}"):
        plots.series_style(place)


@THEMES
def test_colours_have_contrast(colours):
    assert min(contrast(colour, colours.paper) for colour in colours.series) >= 3
    assert contrast(colours.ink, colours.paper) >= 7
    assert contrast(colours.soft, colours.paper) >= 4.5
    assert contrast(colours.grid, colours.paper) < 2


@THEMES
@pytest.mark.parametrize("eyes", SEEN)
def test_colours_differ_for_the_colour_blind(colours, eyes):
    places = [oklab(colour, SEEN[eyes]) for colour in colours.series]
    apart = min(np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i])
    assert apart > 0.08


@pytest.mark.parametrize(
    "count, columns, rows, wide",
    [(1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 2, 2), (4, 2, 2, 2), (5, 2, 3, 2), (3, 3, 1, 3)],
)
def test_panels(count, columns, rows, wide):
    picture = Figure(figsize=(4, 4))
    axes = plots.panels(picture, count, columns)
    assert len(axes) == count and len(picture.axes) == rows * wide
    assert axes == picture.axes[:count] and all(axis.axison for axis in axes)
    assert not any(axis.axison for axis in picture.axes[count:])
    places = [axis.get_subplotspec() for axis in axes]  # row by row
    assert [(p.rowspan.start, p.colspan.start) for p in places] == [
        divmod(i, wide) for i in range(count)
    ]


def test_a_picture_without_panels_says_so():
    picture = Figure()
    assert plots.panels(picture, 0) == []
    plots.key(picture, {})
    assert picture.get_supxlabel() == "None of the data is available." and not picture.legends


@pytest.mark.parametrize(
    "value, text",
    [
        (0.0001, "0.0001"),
        (3e-05, "0.00003"),
        (0.30000000000000004, "0.3"),
        (1.0, "1"),
        (1.5, "1.5"),
        (20000.0, "20,000"),
        (5e8, "500,000,000"),
        (-3.0, "−3"),
    ],
)
def test_plain_numbers(value, text):
    assert plots.plain(value) == text


@pytest.mark.parametrize(
    "low, high, labels",
    [
        (1, 3, ["1", "1.5", "2", "3"]),
        (1, 90, ["1", "2", "5", "10", "20", "50"]),
        (0.9, 990, ["1", "3", "10", "30", "100", "300"]),
        (0.00005, 1.5, ["0.0001", "0.001", "0.01", "0.1", "1"]),
        (900, 45_000, ["1,000", "2,000", "5,000", "10,000", "20,000"]),
    ],
)
@pytest.mark.parametrize("side", ["x", "y"])
def test_logarithmic_axes_have_few_plain_numbers(side, low, high, labels):
    (axis,) = plots.panels(Figure(), 1)
    axis.set(**{f"{side}lim": (low, high)})
    one = axis.xaxis if side == "x" else axis.yaxis
    plots.logarithmic(one)
    assert (axis.get_xscale(), axis.get_yscale()).count("log") == 1
    assert getattr(axis, f"get_{side}scale")() == "log"
    assert tick_labels(one) == labels and not one.get_minorticklocs().size


def record(*ours):
    other = dict.fromkeys(["published", "error", "n"])
    return {"rows": [{"x": x, "ours": y} | other for x, y in enumerate(ours)]}


def plot(record, figure):
    (axis,) = plots.panels(figure, 1, 1)
    axis.plot([row["ours"] for row in record["rows"]], label="x", **plots.series_style(0))
    axis.set_title("title")
    axis.legend()


def test_a_record_becomes_two_files_of_its_size():
    before = dict(matplotlib.rcParams)
    matplotlib.rcParams["axes.facecolor"] = "red"  # a user's own settings play no part
    try:
        files = plots.draw(plot, record(1, 3, 2), (4, 3))
    finally:
        matplotlib.rcParams["axes.facecolor"] = before["axes.facecolor"]
    assert list(files) == [".svg", ".png"]
    png = files[".png"]
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert size == (4 * 150, 3 * 150)
    svg = files[".svg"].decode()
    assert 'width="288pt" height="216pt"' in svg  # 72 points an inch
    assert "<dc:date>" not in svg and "#ff0000" not in svg.lower() and "#0072b2" in svg.lower()
    assert dict(matplotlib.rcParams) == before
    assert plots.draw(plot, record(1, 3, 2), (4, 3)) == files
    assert plots.draw(plot, record(1, 3, 2.5), (4, 3))[".svg"] != files[".svg"]


def test_a_picture_has_other_colours_on_a_dark_page():
    svg = plots.draw(plot, record(1, 3, 2), (4, 3))[".svg"].decode()
    style, shapes = svg.split("</style>", 1)
    media = style[style.index("@media(prefers-color-scheme:dark){") :].lower()
    light, dark = (
        {colour.lower() for colour in (t.paper, t.ink, t.grid, t.series[0])} for t in (LIGHT, DARK)
    )
    assert set(re.findall('#[0-9a-f]{6}(?=[;"])', shapes)) == light
    assert set(re.findall("#[0-9a-f]{6}(?=!)", media)) == dark
    assert f'[style*="stroke:{LIGHT.series[0]}"]{{stroke:{DARK.series[0]}!'.lower() in media


def test_a_shorter_svg_has_the_same_shapes():
    """By hand: paths in steps, texts without what all have, short names, few groups."""
    font = "font-size: 9px; font-family: 'DejaVu Sans', 'Arial'; text-anchor: start"
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<metadata>who</metadata><g id="axes_1">\n  <defs><path id="mark" '
        'd="M 10.12345 20.98765 \nL 3 4.5 \nL 3 9 \nL 8 9 \nz "/></defs>\n'
        '<g id="key of0 1" style="fill: none" clip-path="url(#p1)">'
        '<g transform="translate(3.456789 1) scale(0.1 -0.1)"><!-- 1 -->'
        '<use xlink:href="#mark" x="7.777777" y="0" style="fill: #1a1a1a"/></g></g>'
        f'<text style="{font}; fill: #1a1a1a" x="3.44" y="0" transform="rotate(-0 3.44 0)">1</text>'
        '<text style="font-size: 10px; fill: #1a1a1a" transform="rotate(-90 3.44 0.96)">up</text>'
        '</g><clipPath id="p1"/></svg>'
    )
    assert shorter(svg.encode()).decode() == (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        "style=\"fill:#1a1a1a;font:9px 'DejaVu Sans',Verdana,sans-serif\">"
        '<defs><path id="a1" d="m10.1 21l-7.1-16.5v4.5h5z"/></defs>'
        '<g id="key of0 1" clip-path="url(#a0)" style="fill:none">'
        '<g transform="translate(3.5 1) scale(.1 -.1)" style="fill:#1a1a1a">'
        '<use x="7.8" href="#a1"/></g></g><text x="3.4">1</text>'
        '<text transform="rotate(-90 3.4 1)" style="font-size:10px">up</text>'
        '<clipPath id="a0"/></svg>'
    )


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("M 1 1 M 3 3 L 4 4 M 3 3 L 1 1 ", "m1 1m2 2l1 1m-1-1l-2-2"),  # a second place is no line
        ("M 1 1 Q 2 2 3 1 Q 4 0 5 1 z M 0 0 L 1 1 ", "m1 1q1 1 2 0 1-1 2 0zm-1-1l1 1"),
        ("M 1 1 C 1 2 3 4 0.54 0.46 L 0.54 0.46 ", "m1 1c0 1 2 3-.5-.5h0"),
        ("M 0 0.04 L 0.14 -0.26 L 0.26 0 ", "m0 0l.1-.3.2.3"),  # errors do not add up
    ],
)
def test_a_path_in_steps(path, short):
    assert shorter_path(path) == short
