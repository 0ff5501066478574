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


def curve(line):
    """Return the points of a line."""
    return list(zip(*(np.asarray(part, float).tolist() for part in line.get_data()), strict=True))


def curves(axis):
    """Return the points of each line of an axis, in the order in which they were drawn."""
    return [curve(line) for line in axis.lines]


def by_label(axis, read):
    """Return what `read`, such as `curve` or `style`, says of each line of an axis, by label."""
    return {line.get_label(): read(line) for line in axis.lines}


def colour(lines):
    """Return the colour of a line, or of the first of several lines."""
    value = lines.get_color()
    return to_hex(value if isinstance(value, str) else np.atleast_2d(value)[0]).upper()


def style(line):
    """Return colour, marker and line style of a line."""
    return colour(line), line.get_marker(), line.get_linestyle()


def legend(place):
    """Return what the only legend of a figure, or the legend of an axis, shows for each text."""
    box = place.get_legend() if hasattr(place, "get_legend") else None
    if box is None:
        (box,) = place.legends
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


def scales(axis):
    """Return the scales of x and y."""
    return axis.get_xscale(), axis.get_yscale()


def require_distinct(axis):
    """Check that no two labelled lines of an axis share a colour, nor a style of line."""
    styles = [(line.get_color(), str(line.get_linestyle())) for line in axis.get_lines()]
    assert len({colour for colour, _ in styles}) == len(styles)
    assert len({style for _, style in styles}) == len(styles)
