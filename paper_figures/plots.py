"""The style of all pictures: colours for the colour-blind, light and dark, and plain tick numbers.

Series differ in colour, marker and line at once. A picture is at most :data:`WIDTH` inches wide and
its text at least :data:`SMALLEST` points high, so that a phone shows it without zooming. Nothing
here touches pyplot or its global state.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paper_figures.answers import mark_series, tell, with_answers
from paper_figures.store import Record
from paper_figures.svg import shorter
from paper_figures.themes import LIGHT, SMALLEST, on_dark_pages, our_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from paper_figures.study import Draw

LineStyle: TypeAlias = "str | tuple[int, tuple[int, ...]]"

WIDTH = 5.2  # inches: 499 pixels on a desktop, and three quarters of that on a phone
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[LineStyle, ...] = (
    "-",
    "--",
    "-.",
    ":",
    (0, (5, 1)),
    (0, (3, 1, 1, 1)),
    (0, (1, 1)),
    (0, (7, 2)),
)
INTERVALS = "Bands: 95 % intervals of the mean."


def series_style(place: int) -> dict[str, Any]:
    """Return the line style of the series at a place, as keyword arguments of ``Axes.plot``.

    Parameters
    ----------
    place : int
        0 for the paper's own method, then its rivals; at most 7.

    Returns
    -------
    dict
        ``color``, ``marker``, ``linestyle``.
    """
    if not 0 <= place < len(MARKERS):
        raise ValueError(
            f"place must be 0 to {len(MARKERS) - 1}, since a picture holds at most {len(MARKERS)} "
            f"series; got {place}"
        )
    return {"color": LIGHT.series[place], "marker": MARKERS[place], "linestyle": LINES[place]}


def hollow(style: dict[str, Any]) -> dict[str, Any]:
    """Return the style of a printed number beside a series: its mark, not filled.

    Parameters
    ----------
    style : dict
        That of the series.

    Returns
    -------
    dict
        Keyword arguments of ``Axes.plot``.
    """
    return style | {"linestyle": "none", "markerfacecolor": "none", "markersize": 9}


def panels(figure: Figure, count: int, columns: int = 2) -> list[Axes]:
    """Divide a figure into panels of equal size.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    count : int
    columns : int
        At most so many.

    Returns
    -------
    list of Axes
        `count` of them, row by row. With none the picture says that there are no data.
    """
    if count == 0:
        footnote(figure, "None of the data is available.")
        return []
    columns = min(columns, count)
    rows = -(-count // columns)
    axes: list[Axes] = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[count:]:
        unused.set_axis_off()
    return axes[:count]


def key(figure: Figure, handles: Mapping[str, Any], note: str = "") -> None:
    """Explain the series of all panels, in a place that no panel takes or below the panels.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    handles : mapping of str to Artist
        What to show beside each text.
    note : str
        A text above them, such as what is left out.
    """
    if not handles:
        return
    free = [axis for axis in figure.axes if not axis.axison]
    heading: dict[str, Any] = {"title": note or None, "title_fontsize": SMALLEST}
    if free:
        free[0].legend(handles.values(), handles, loc="center", alignment="left", **heading)
        return
    inches = 0.5 + 0.07 * max(map(len, handles))
    columns = max(1, min(len(handles), int(figure.get_figwidth() / inches)))
    figure.legend(
        handles.values(), handles, loc="outside lower center", ncols=columns, columnspacing=1.2,
        **heading,
    )  # fmt: skip


def labelled(axis: Axes) -> dict[str, Any]:
    """Return what an axis has drawn with a label, for :func:`key`.

    Parameters
    ----------
    axis : Axes

    Returns
    -------
    dict of str to Artist
    """
    handles, labels = axis.get_legend_handles_labels()
    return dict(zip(labels, handles, strict=True))


def left_out(names: Sequence[str]) -> str:
    """Return a line that says which data sets have no panel; an empty text if all have one.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    str
    """
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {verb} left out:\nnot available" if names else ""


def footnote(figure: Figure, text: str) -> None:
    """Write a line below a picture that has no key.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    text : str
    """
    if text:
        figure.supxlabel(text, fontsize=SMALLEST, color=LIGHT.soft)


def standard_error(row: Mapping[str, Any]) -> float:
    """Return the standard error of a row's mean; 0 for a number without a standard deviation.

    Parameters
    ----------
    row : dict

    Returns
    -------
    float
    """
    return float(row["error"] or 0.0)


def mean_line(
    axis: Axes, x: Sequence[float], rows: Sequence[Mapping[str, Any]], **look: Any
) -> Line2D:
    """Draw the numbers of some rows as a line, with a band of 1.96 standard errors of the mean.

    Parameters
    ----------
    axis : Axes
    x : sequence of float
    rows : sequence of dict
    **look
        Keyword arguments of ``Axes.plot``.

    Returns
    -------
    Line2D
    """
    ours = [row["ours"] for row in rows]
    (line,) = axis.plot(x, ours, **look)
    tell(line, rows)
    band(axis, x, ours, [standard_error(row) for row in rows], line.get_color())
    return line


def band(
    axis: Axes, x: Sequence[float], y: Sequence[float], errors: Sequence[float], color: Any
) -> None:
    """Draw a band of 1.96 standard errors on both sides of a line, if there are any.

    Parameters
    ----------
    axis : Axes
    x, y, errors : sequence of float
    color : colour
    """
    half = 1.96 * np.asarray(errors, dtype=float)
    if half.any():
        axis.fill_between(x, y - half, y + half, color=color, alpha=0.2, linewidth=0)


def plain(value: float) -> str:
    """Return a tick's number without powers of ten: ``"0.0001"``, ``"20,000"``.

    Parameters
    ----------
    value : float

    Returns
    -------
    str
    """
    if abs(value) >= 1:
        return f"{value:,.10g}".replace("-", "−")
    return str(np.format_float_positional(float(f"{value:.10g}"), trim="-")).replace("-", "−")


def logarithmic(axis: Axis, most: int = 6) -> None:
    """Make an axis logarithmic with plain numbers, as many as do not overlap.

    Call it after all has been drawn, since it looks at the limits.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        ``axes.xaxis`` or ``axes.yaxis``.
    most : int
        At most so many numbers, if there is one for each power of ten.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    to_scale = axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale
    to_scale("log")
    low, high = sorted(axis.get_view_interval())
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,)):
        places = [step * 10.0**decade for decade in decades for step in steps]
        places = [place for place in places if low <= place <= high]
        if len(places) <= most:
            break
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axis.set_minor_locator(NullLocator())


def label_ends(axis: Axes, ends: Mapping[str, tuple[float, float, str]], gap: float = 0.07) -> None:
    """Write each series' name at the right of its last point; near names move apart.

    Call it after all has been drawn, since it looks at the limits.

    Parameters
    ----------
    axis : Axes
    ends : mapping of str to tuple
        For each name the last point's x and y, and the colour.
    gap : float
        The least distance between names of one line, as a share of the panel's height.
    """
    low, high = axis.get_ylim()
    axis.set_ylim(low, high)
    scale = axis.yaxis.get_transform().transform
    bottom, top = scale(np.array([low, high]))
    heights = {
        name: float((scale(np.array([y]))[0] - bottom) / (top - bottom))
        for name, (_, y, _) in ends.items()
    }
    names = sorted(heights, key=lambda name: heights[name])
    lines = max((name.count("\n") + 1 for name in names), default=1)
    places = apart([heights[name] for name in names], gap * lines)
    for name, place in zip(names, places, strict=True):
        x, y, colour = ends[name]
        axis.annotate(
            name,
            (x, y),
            xytext=(1.03, place),
            textcoords="axes fraction",
            va="center",
            fontsize=SMALLEST,
            color=colour,
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "color": colour, "shrinkB": 3},
        )


def apart(places: Sequence[float], gap: float) -> list[float]:
    """Move ascending places as little as possible so that neighbours are `gap` apart.

    Places that are too near form a group, whose mean stays where it was.

    Parameters
    ----------
    places : sequence of float
    gap : float

    Returns
    -------
    list of float
    """
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while (
            len(groups) > 1
            and _middle(groups[-1]) - _middle(groups[-2])
            < gap * (len(groups[-1]) + len(groups[-2])) / 2
        ):
            last = groups.pop()
            groups[-1] += last
    return [
        _middle(group) + gap * (i - (len(group) - 1) / 2)
        for group in groups
        for i in range(len(group))
    ]


def _middle(group: Sequence[float]) -> float:
    return sum(group) / len(group)


def ink_on_paper() -> Any:
    """Return a colour map for scanned ink: 0 is the background, 255 is the colour of text."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ink", [LIGHT.paper, LIGHT.ink])


def draw(plot: Draw, record: Record, size: tuple[float, float]) -> dict[str, bytes]:
    """Draw a record.

    Parameters
    ----------
    plot : callable
        ``plot(record, figure)``.
    record : dict
        The stored record of a figure.
    size : tuple of float
        Inches.

    Returns
    -------
    dict of str to bytes
        The contents of the files by suffix, ``".svg"`` and ``".png"``; the same bytes for the same
        record. The first has colours for dark pages, too.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    files = {}
    with our_settings():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        plot(record, figure)
        series = mark_series(figure)
        for name in ("svg", "png"):
            buffer = io.BytesIO()
            metadata = {"Date": None} if name == "svg" else {}
            figure.savefig(buffer, format=name, dpi=150, metadata=metadata)
            files[name] = buffer.getvalue()
    svg = with_answers(shorter(files["svg"]), figure, *series, record)
    return {".svg": on_dark_pages(svg), ".png": fewer_colours(files["png"])}


def fewer_colours(png: bytes) -> bytes:
    """Return the same image with a palette of 128 colours, in half of the bytes."""
    from PIL import Image

    buffer = io.BytesIO()
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
