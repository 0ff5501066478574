"""What a picture shows, read from matplotlib's objects: no pixels are compared."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from paper_figures.themes import our_settings


def tick_labels(axis):
    """Return the texts of the major ticks that lie within the limits of a matplotlib axis."""
    low, high = sorted(axis.get_view_interval())
    return [
        label.get_text()
        for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        if low <= place <= high
    ]


def laid_out(plot, record, size):
    """Return the figure that `plot` draws of a record, with its layout computed."""
    with our_settings():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        plot(record, figure)
        figure.draw_without_rendering()
    return figure


def outside(figure):
    """Return by how many inches what is drawn goes beyond the picture; at most 0 if it does not."""
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    return max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)


def written(figure):
    """Return all texts of a figure that are seen, without the numbers of ticks outside the limits.

    The layout must have been computed.
    """
    found = []
    for axis in figure.axes:
        for one in (axis.xaxis, axis.yaxis):
            low, high = sorted(one.get_view_interval())
            margin = 1e-9 * (high - low)
            if axis.axison:
                found += [
                    tick.label1
                    for tick in one.get_major_ticks()
                    if low - margin <= tick.get_loc() <= high + margin
                ]
                found += [one.label, one.offsetText]
        found += [axis.title, *axis.texts]
        found += axis.get_legend().get_texts() if axis.get_legend() else []
    found += figure.texts
    for box in figure.legends:
        found += [*box.get_texts(), box.get_title()]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def crossing(texts):
    """Return the pairs of texts whose boxes overlap by more than a pixel."""
    # an annotation's own box has the line to its point, too
    boxes = [Text.get_window_extent(text) for text in texts]
    return [
        (texts[i].get_text(), texts[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if min(boxes[i].x1, boxes[j].x1) - max(boxes[i].x0, boxes[j].x0) > 1
        and min(boxes[i].y1, boxes[j].y1) - max(boxes[i].y0, boxes[j].y0) > 1
    ]


def luminance(hexadecimal):
    """Return the relative luminance of a colour, as the Web's guidelines define it."""
    channels = np.array(to_rgb(hexadecimal))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(first, second):
    """Return the contrast of two colours, from 1 to 21."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)
