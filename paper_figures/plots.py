"""The style of all pictures: colours for the colour-blind, and files that repeat byte for byte.

Series differ in colour, marker and line at once. Nothing here touches pyplot or its global state.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, TypeAlias

from paper_figures.store import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paper_figures.registry import Plot

Line: TypeAlias = "str | tuple[int, tuple[int, ...]]"

OKABE_ITO = {
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "green": "#009E73",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "purple": "#CC79A7",
    "black": "#000000",
    "yellow": "#F0E442",
}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Line, ...] = (
    "-",
    "--",
    "-.",
    ":",
    (0, (5, 1)),
    (0, (3, 1, 1, 1)),
    (0, (1, 1)),
    (0, (7, 2)),
)
STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "refimpl",
    "svg.fonttype": "path",
}


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
    return {
        "color": list(OKABE_ITO.values())[place],
        "marker": MARKERS[place],
        "linestyle": LINES[place],
    }


def panels(figure: Figure, count: int, columns: int = 2) -> list[Axes]:
    """Divide a figure into panels of equal size, titled (a), (b), ... by the caller.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    count : int
    columns : int

    Returns
    -------
    list of Axes
        `count` of them, row by row.
    """
    rows = -(-count // columns)
    axes: list[Axes] = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[count:]:
        unused.set_axis_off()
    return axes[:count]


def draw(plot: Plot, record: Record, size: tuple[float, float]) -> dict[str, bytes]:
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
        record.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: Any = {**matplotlib.rcParamsDefault, **STYLE}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        plot(record, figure)
        files = {}
        for suffix in (".svg", ".png"):
            metadata = {"Date": None} if suffix == ".svg" else {}
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix[1:], dpi=150, metadata=metadata)
            files[suffix] = buffer.getvalue()
    return files
