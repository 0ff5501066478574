"""What a picture shows, read from matplotlib's objects: no pixels are compared."""

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure


def picture(plot, drawing, rows=()):
    """Return the figure that `plot` draws of a record with this drawing and these rows.

    It is not rendered, which would take most of the time and change nothing that is asked here.
    """
    figure = Figure(figsize=(7, 4))
    plot({"drawing": drawing, "rows": list(rows)}, figure)
    return figure


def shown(axes):
    """Return the panels that have not been switched off."""
    return [axis for axis in axes if axis.axison]


def texts(axis):
    """Return title, label of the x axis and label of the y axis."""
    return axis.get_title(), axis.get_xlabel(), axis.get_ylabel()


def curves(axis):
    """Return the points of each line of an axis, in the order in which they were drawn."""
    return [
        list(zip(*(np.asarray(part, float).tolist() for part in line.get_data()), strict=True))
        for line in axis.lines
    ]


def colour(lines):
    """Return the colour of a line, or of the first of several lines."""
    value = lines.get_color()
    return to_hex(value if isinstance(value, str) else np.atleast_2d(value)[0]).upper()


def style(line):
    """Return colour, marker and line style of a line."""
    return colour(line), line.get_marker(), line.get_linestyle()


def legend(figure):
    """Return what the legend of a figure shows for each of its texts."""
    (box,) = figure.legends
    return dict(zip([text.get_text() for text in box.get_texts()], box.legend_handles, strict=True))


def bars(axis, place=0):
    """Return the lower and the upper ends of the error bars of a set, by x."""
    segments = axis.containers[place].lines[2][0].get_segments()
    return [(segment[0][0], segment[0][1], segment[1][1]) for segment in segments]


def tick_labels(axis):
    """Return the texts of the major ticks that lie within the limits of a matplotlib axis."""
    low, high = sorted(axis.get_view_interval())
    return [
        label.get_text()
        for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        if low <= place <= high
    ]


def drawn(figure, record):
    """Return the picture that a figure of a paper draws of a record."""
    picture = Figure(figsize=figure.size, layout="constrained")
    figure.plot(record, picture)
    return picture


def points(axis):
    """Return the lines of an axis: dict of label -> (x values, y values)."""
    return {
        line.get_label(): (
            [float(x) for x in line.get_xdata()],
            [float(y) for y in line.get_ydata()],
        )
        for line in axis.get_lines()
    }


def looks(axis):
    """Return the looks of an axis's lines: dict of label -> (colour, style, marker)."""
    return {
        line.get_label(): (line.get_color(), line.get_linestyle(), line.get_marker())
        for line in axis.get_lines()
    }


def scales(axis):
    """Return the scales of x and y."""
    return axis.get_xscale(), axis.get_yscale()


def legend_of(place):
    """Return the entries of the only legend of a picture, or of the legend of an axis."""
    legend = place.get_legend() if hasattr(place, "get_legend") else None
    if legend is None:
        (legend,) = place.legends
    return [text.get_text() for text in legend.get_texts()]


def require_distinct(axis):
    """Check that no two labelled lines of an axis share a colour, nor a style of line."""
    styles = [(line.get_color(), str(line.get_linestyle())) for line in axis.get_lines()]
    assert len({colour for colour, _ in styles}) == len(styles)
    assert len({style for _, style in styles}) == len(styles)
