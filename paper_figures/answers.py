"""Pictures that answer: what each point says, and curves that go off and on.

Each series of a picture has a look: colour and marker. This module finds the series by their
looks, marks their parts in the SVG, and adds a place for each point with its words. A drawing says
by :func:`tell` which row each point shows; without it a point says its coordinates. The script
``assets/answers.js`` goes into the SVG, so that a picture answers wherever it is opened by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from paper_figures.store import NO_KEYS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from paper_figures.store import Record

Look = tuple[str, ...]
APART = 3  # points between two places of one line
REACH = 7  # points: the radius of a place that answers
STYLE = (
    ".point{fill:transparent}.point:hover,.point:focus{stroke:#888;stroke-width:1.5;outline:0}"
    ".key{cursor:pointer}.key.off{opacity:.3}.off:not(.key){display:none}"
    ".words rect{fill:#222;opacity:.92}.words text{fill:#fff;font:9px sans-serif}"
)


CAPS = ("_", "|")  # the ends of error bars are lines with these markers
_SAID: WeakKeyDictionary[Line2D, Sequence[Mapping[str, Any] | None]] = WeakKeyDictionary()
"""The rows that the points of a line show."""


def tell(drawn: Line2D | ErrorbarContainer, rows: Sequence[Mapping[str, Any] | None]) -> None:
    """Say which row each point of a line shows; None where there is none."""
    line = drawn[0] if isinstance(drawn, tuple) else drawn
    if line is not None:
        _SAID[line] = rows


def rows_of(line: Line2D) -> Sequence[Mapping[str, Any] | None] | None:
    """Return the rows that the points of a line show; None if its drawing does not say."""
    return _SAID.get(line)


class Curve(NamedTuple):
    """A line of a picture, with the number and the name of its series."""

    axis: Axes
    line: Line2D
    series: int
    name: str


def mark_series(figure: Figure) -> tuple[list[str], list[Curve]]:
    """Mark the parts of each series by ids; return the series' names and their lines."""
    names: dict[Look, str] = {}
    keys: list[tuple[Artist, Look]] = []
    for look, name, parts in _keys(figure):
        names.setdefault(look, _plain(name))
        keys += [(part, look) for part in parts]
    looks = list(names)
    curves = []
    for axis in figure.axes:
        for line in axis.lines:
            look = _look(line) if _look(line) in names else _look(line)[:1]
            if look in names:
                _mark(line, "series", looks.index(look))
                if line.get_marker() not in CAPS:
                    curves.append(Curve(axis, line, looks.index(look), names[look]))
        for band in axis.collections:  # and bars
            colours = {_hex(c) for c in (*band.get_facecolor(), *band.get_edgecolor())}
            of_colour = [place for place, look in enumerate(looks) if look[0] in colours]
            if len(of_colour) == 1:
                _mark(band, "series", of_colour[0])
    drawn = {curve.series for curve in curves}
    for part, look in keys:
        if looks.index(look) in drawn:
            _mark(part, "key", looks.index(look))
    return list(names.values()), curves


def _mark(part: Artist, what: str, series: int) -> None:
    part.set_gid(f"{what} of{series} {id(part)}")


def _keys(figure: Figure) -> Iterator[tuple[Look, str, list[Artist]]]:
    """Yield what the picture explains: a look, its name, and the parts that say so."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    for legend in [*figure.legends, *(axis.get_legend() for axis in figure.axes)]:
        if legend is not None:
            lines = legend.findobj(Line2D)
            for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
                if isinstance(handle, Line2D):
                    yield _look(handle), text.get_text(), [handle, text]
                elif isinstance(handle, LineCollection):  # bars, with a line beside them
                    colour = _hex(handle.get_color())
                    own = [line for line in lines if _hex(line.get_color()) == colour]
                    yield (colour,), text.get_text(), [handle, *own, text]
    for axis in figure.axes:
        for text in axis.texts:
            if isinstance(text, Annotation):  # a name at the end of its line
                ends = [line for line in axis.lines if _ends_at(line, text.xy)]
                look = _look(ends[0]) if ends else (_hex(text.get_color()),)
                yield look, text.get_text(), [text]


def _ends_at(line: Line2D, place: tuple[float, float]) -> bool:
    points = np.column_stack(line.get_data())
    return len(points) > 0 and tuple(points[-1]) == place


def _look(line: Line2D) -> Look:
    return _hex(line.get_color()), str(line.get_marker()), _hex(line.get_markerfacecolor())


def _hex(colour: Any) -> str:
    """Return a colour without its opacity."""
    from matplotlib.colors import to_hex, to_rgba

    return "none" if to_rgba(colour)[3] == 0 else to_hex(colour)


def with_answers(
    svg: bytes, figure: Figure, names: list[str], curves: list[Curve], record: Record
) -> bytes:
    """Add the places that answer, and their script, to a picture that has rows."""
    svg = re.sub(rb'id="(key|series) (of\d+) \d+"', rb'class="\1 \2"', svg)
    if not record["rows"]:
        return svg
    width, height = 72 * figure.get_size_inches()
    said: dict[str, int] = {}  # each line of words once
    places = []
    for curve in curves:
        shown = np.column_stack(curve.line.get_data()).astype(float)
        seen = curve.line.get_transform().transform(shown)
        at = figure.transFigure.inverted().transform(seen) * (width, -height) + (0, height)
        rows = rows_of(curve.line) or [None] * len(shown)
        last = np.full(2, -np.inf)
        for point, pixel, place, row in zip(shown, seen, at, rows, strict=True):
            if _within(curve.axis, pixel) and np.hypot(*(place - last)) >= APART:
                last = place
                words = [said.setdefault(line, len(said)) for line in _words(curve, point, row)]
                places.append([curve.series, *np.round(place, 1).tolist(), *words])
    if not places:
        return svg
    script = files("paper_figures").joinpath("assets", "answers.js").read_text(encoding="utf-8")
    data = {"names": names, "lines": list(said), "places": places, "radius": REACH}
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    written = written.replace("]]>", "]]\\u003e")
    script = re.sub(r"^ +(?://.*\n)?", "", script, flags=re.MULTILINE)
    script = f"const picture = {written};\n{script}"
    added = f"<style>{STYLE}</style><script><![CDATA[\n{script}]]></script>\n"
    return svg.replace(b"</svg>", added.encode() + b"</svg>")


def _within(axis: Axes, pixel: Any) -> bool:
    """Return whether a place is in a panel, but for a pixel."""
    x, y = pixel
    box = axis.bbox
    return bool(box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1)


def _words(curve: Curve, point: Any, row: Mapping[str, Any] | None) -> list[str]:
    """Return what a point says: series, keys, value, standard error, runs, published value."""
    if row is None:
        return [curve.name, *_coordinates(curve, point)]
    said = {key: row[key] for key in row if key not in NO_KEYS and row[key] is not None}
    keys = (f"{key.replace('_', ' ')}: {_text(said[key])}" for key in said)
    words = [curve.name, *(key for key in keys if not key.endswith(f": {curve.name}"))]
    if row["ours"] is not None and np.isclose(point, row["ours"]).any():  # no published mark
        error = f" ± {_text(row['error'])}" if row["error"] else ""
        runs = f" (n = {row['n']:,})" if (row["n"] or 0) > 1 else ""
        words.append(f"{_text(row['ours'])}{error}{runs}")
    if row["published"] is not None:
        words.append(f"published {_text(row['published'])}")
    return words


def _coordinates(curve: Curve, point: Any) -> list[str]:
    """Return the coordinates of a point, but for those that are shares of its panel."""
    of_data = curve.line.get_transform().contains_branch_seperately(curve.axis.transData)
    labels = curve.axis.get_xlabel(), curve.axis.get_ylabel()
    return [
        f"{_plain(label)}: {_text(value)}" if label else _text(value)
        for value, label, is_data in zip(point, labels, of_data, strict=True)
        if is_data
    ]


def _plain(text: str) -> str:
    """Return a text of a picture in one line, without the marks of formulas."""
    return re.sub(r"[$\\{}]", "", " ".join(text.split()))


def _text(value: Any) -> str:
    """Return words as they are, and four digits of a number or all before its point."""
    if isinstance(value, str) or value is None:
        return str(value)
    whole = abs(value) >= 1000 or float(value).is_integer()
    return (f"{value:,.0f}" if whole else f"{value:.4g}").replace("-", "−")
