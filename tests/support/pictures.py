"""Draw a figure of paper_figures on a matplotlib figure, and tell what is on it."""

from matplotlib.figure import Figure


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


def words(axis):
    """Return the title and the labels of an axis."""
    return axis.get_title(), axis.get_xlabel(), axis.get_ylabel()


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
