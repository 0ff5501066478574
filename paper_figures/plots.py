"""The style of all pictures: colours for the colour-blind, light and dark, and plain tick numbers.

Series differ in colour, marker and line at once. A picture is at most :data:`WIDTH` inches wide and
its text at least :data:`SMALLEST` points high, so that a phone shows it without zooming. Nothing
here touches pyplot or its global state.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paper_figures.answers import mark_series, tell, with_answers
from paper_figures.rows import by
from paper_figures.store import Record, Row
from paper_figures.study import Draw
from paper_figures.svg import shorter
from paper_figures.themes import LIGHT, SMALLEST, on_dark_pages, our_settings
from refimpl.typing import FloatArray

if TYPE_CHECKING:  # matplotlib is imported where a picture is drawn
    import matplotlib.axes
    import matplotlib.figure
    from matplotlib.axis import Axis
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D


Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"
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
    """Return color, marker and line of a series: 0 for the paper's own method, at most 7."""
    if not 0 <= place < len(MARKERS):
        raise ValueError(
            f"place must be 0 to {len(MARKERS) - 1}, since a picture holds at most {len(MARKERS)} "
            f"series; got {place}"
        )
    return {"color": LIGHT.series[place], "marker": MARKERS[place], "linestyle": LINES[place]}


def hollow(style: dict[str, Any]) -> dict[str, Any]:
    """Return the style of a printed number beside a series: its mark, not filled."""
    return style | {"linestyle": "none", "markerfacecolor": "none", "markersize": 9}


def in_key(**look: Any) -> Line2D:
    """Return what the key shows for printed numbers, or for lines of any colour."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **hollow(series_style(0)) | {"color": LIGHT.ink} | look)


def panels(figure: Figure, count: int, columns: int = 2) -> list[Axes]:
    """Return panels of equal size, row by row; with none the picture says so."""
    if count == 0:
        footnote(figure, "None of the data is available.")
        return []
    columns = min(columns, count)
    rows = -(-count // columns)
    axes: list[Axes] = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[count:]:
        unused.set_axis_off()
    return axes[:count]


def panels_by(
    figure: Figure, rows: Iterable[Row], *keys: str, columns: int = 2
) -> Iterator[tuple[Axes, tuple[Any, ...], list[Row]]]:
    """Yield a panel, the values and the rows for each combination of values of some keys."""
    groups = by((row for row in rows if row["ours"] is not None), *keys)
    axes = panels(figure, len(groups), columns)
    for axis, (values, mine) in zip(axes, groups.items(), strict=True):
        yield axis, values, mine


def key(figure: Figure, handles: Mapping[str, Any], note: str = "") -> None:
    """Explain the series of all panels, in a place that no panel takes or below the panels."""
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
    """Return what an axis has drawn with a label, for :func:`key`."""
    handles, labels = axis.get_legend_handles_labels()
    return dict(zip(labels, handles, strict=True))


def left_out(names: Sequence[str]) -> str:
    """Return a line that says which data sets have no panel; an empty text if all have one."""
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {verb} left out:\nnot available" if names else ""


def footnote(figure: Figure, text: str) -> None:
    """Write a line below a picture that has no key."""
    if text:
        figure.supxlabel(text, fontsize=SMALLEST, color=LIGHT.soft)


def standard_error(row: Mapping[str, Any]) -> float:
    """Return the standard error of a row's mean; 0 for a number without one."""
    return float(row["error"] or 0.0)


def line_of(
    axis: Axes, x: Sequence[float], rows: Sequence[Mapping[str, Any]], **look: Any
) -> Line2D:
    """Draw the numbers of some rows as a line."""
    (line,) = axis.plot(x, [row["ours"] for row in rows], **look)
    tell(line, rows)
    return line


def mean_line(
    axis: Axes, x: Sequence[float], rows: Sequence[Mapping[str, Any]], **look: Any
) -> Line2D:
    """Draw the numbers of some rows as a line, with a band of 1.96 standard errors of the mean."""
    line = line_of(axis, x, rows, **look)
    ours, errors = [row["ours"] for row in rows], [standard_error(row) for row in rows]
    band(axis, x, ours, errors, line.get_color())
    return line


def error_bars(
    axis: Axes, x: Sequence[float], rows: Sequence[Mapping[str, Any]], **look: Any
) -> ErrorbarContainer:
    """Draw the numbers of some rows with bars of one standard error."""
    ours, errors = [row["ours"] for row in rows], [standard_error(row) for row in rows]
    bars = axis.errorbar(x, ours, yerr=errors, capsize=2, **look)
    tell(bars, rows)
    return bars


def lines_by(
    axis: Axes,
    rows: Iterable[Row],
    key: str,
    names: Sequence[str],
    x: Callable[[Row], float],
    draw: Callable[..., Any] = line_of,
) -> dict[str, Any]:
    """Draw a line for each value of a key, with the look of its place in `names`; return them."""
    return {
        name: draw(axis, [*map(x, line)], line, **series_style(names.index(name)))
        for (name,), line in by(rows, key).items()
    }


def band(
    axis: Axes, x: Sequence[float], y: Sequence[float], errors: Sequence[float], color: Any
) -> None:
    """Draw a band of 1.96 standard errors on both sides of a line, if there are any."""
    half = 1.96 * np.asarray(errors, dtype=float)
    if half.any():
        axis.fill_between(x, y - half, y + half, color=color, alpha=0.2, linewidth=0)


def plain(value: float) -> str:
    """Return a tick's number without powers of ten: ``"0.0001"``, ``"20,000"``."""
    if abs(value) >= 1:
        return f"{value:,.10g}".replace("-", "−")
    return str(np.format_float_positional(float(f"{value:.10g}"), trim="-")).replace("-", "−")


def logarithmic_at(axis: Axes, values: Sequence[float]) -> None:
    """Make the x axis logarithmic, with these numbers alone."""
    axis.set_xscale("log")
    axis.set_xticks(values, [plain(value) for value in values])
    axis.xaxis.minorticks_off()


def logarithmic(axis: Axis) -> None:
    """Make an axis logarithmic with few plain numbers; it looks at the limits, so call it last."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    to_scale = axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale
    to_scale("log")
    low, high = sorted(axis.get_view_interval())
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,)):
        places = [step * 10.0**decade for decade in decades for step in steps]
        places = [place for place in places if low <= place <= high]
        if len(places) <= 6:  # numbers, unless there is one for each power of ten
            break
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axis.set_minor_locator(NullLocator())


def label_ends(axis: Axes, ends: Mapping[str, tuple[float, float, str]], gap: float = 0.07) -> None:
    """Write each series' name beside its last point, (x, y, colour), after all is drawn."""
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
    """Move ascending places as little as possible so that neighbours are `gap` apart."""
    # places that are too near form a group, whose mean stays where it was
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


def scanned(axis: Axes, image: FloatArray) -> None:
    """Show scanned ink: 0 is the background, 255 is the colour of text."""
    from matplotlib.colors import LinearSegmentedColormap

    ink = LinearSegmentedColormap.from_list("ink", [LIGHT.paper, LIGHT.ink])
    axis.imshow(image, cmap=ink, vmin=0, vmax=255, interpolation="nearest")


def draw(
    plot: Draw, record: Record, size: tuple[float, float], png: bool = True
) -> dict[str, bytes]:
    """Return the files ".svg" and ".png" of a record: the same bytes for the same record."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with our_settings():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        plot(record, figure)
        series = mark_series(figure)
        svg = _saved(figure, "svg", Date=None)
        files = {".png": fewer_colours(_saved(figure, "png"))} if png else {}
    svg = with_answers(shorter(svg), figure, *series, record)
    return {".svg": on_dark_pages(svg)} | files


def _saved(figure: Figure, form: str, **metadata: None) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, dpi=150, metadata=metadata)
    return buffer.getvalue()


def fewer_colours(png: bytes) -> bytes:
    """Return the same image with a palette of 128 colours, in half of the bytes."""
    from PIL import Image

    buffer = io.BytesIO()
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
