"""Small SVG pictures of an algorithm's state. Their colours come from the style of the page."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import starmap
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from refimpl.typing import FloatArray

WIDTH, HEIGHT, EDGE = 420.0, 280.0, 26.0
Points: TypeAlias = Iterable[Sequence[float] | FloatArray]


class Picture:
    """A picture in which some points (n, 2) fit; numbers (n,) have one axis.

    A unit is as long on both axes if they are `equal`. Readers of the screen hear the title.
    """

    def __init__(
        self, points: ArrayLike, title: str, labels: tuple[str, str] = ("", ""), equal: bool = False
    ) -> None:
        self.title = title
        self.labels = labels
        self.parts: list[str] = []
        x, *y = np.atleast_2d(np.asarray(points, dtype=float).T)
        self.height = HEIGHT if y else 120.0
        self.x_range = _range(x)
        self.y_range = _range(*y) if y else (0.0, 1.0)
        if equal:
            self._make_equal()

    def _make_equal(self) -> None:
        width, height = WIDTH - 2 * EDGE, self.height - 2 * EDGE
        unit = max(np.ptp(self.x_range) / width, np.ptp(self.y_range) / height)
        for name, length in (("x_range", width), ("y_range", height)):
            middle = sum(getattr(self, name)) / 2
            setattr(self, name, (middle - unit * length / 2, middle + unit * length / 2))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point in the picture."""
        (x_0, x_1), (y_0, y_1) = self.x_range, self.y_range
        across = EDGE + (x - x_0) / (x_1 - x_0) * (WIDTH - 2 * EDGE)
        up = self.height - EDGE - (y - y_0) / (y_1 - y_0) * (self.height - 2 * EDGE)
        return round(float(across), 1), round(float(up), 1)

    def point(
        self,
        x: float,
        y: float,
        kind: int = 0,
        size: float = 4.0,
        ring: bool = False,
        words: str = "",
    ) -> None:
        """Draw a point: a disc, a square or a triangle; with a ring to point it out."""
        a, b = self.at(x, y)
        name = f"<title>{escape(words)}</title>" if words else ""
        style = f'class="kind{kind % 3}"'
        r = round(size, 1)
        if kind % 3 == 0:
            self.parts.append(f'<circle {style} cx="{a}" cy="{b}" r="{r}">{name}</circle>')
        elif kind % 3 == 1:
            self.parts.append(
                f'<rect {style} x="{a - r:.1f}" y="{b - r:.1f}" width="{2 * r}" '
                f'height="{2 * r}">{name}</rect>'
            )
        else:
            corners = f"{a},{b - r:.1f} {a - r:.1f},{b + r:.1f} {a + r:.1f},{b + r:.1f}"
            self.parts.append(f'<polygon {style} points="{corners}">{name}</polygon>')
        if ring:
            self.parts.append(f'<circle class="ring" cx="{a}" cy="{b}" r="{r + 4}"/>')

    def line(self, points: Points, style: str = "line") -> None:
        """Draw a line through points."""
        joined = " ".join(f"{a:g},{b:g}" for a, b in starmap(self.at, points))
        self.parts.append(f'<polyline class="{style}" points="{joined}"/>')

    def area(self, points: Points) -> None:
        """Fill the area within points."""
        joined = " ".join(f"{a},{b}" for a, b in starmap(self.at, points))
        self.parts.append(f'<polygon class="area" points="{joined}"/>')

    def half(self, feature: int, polarity: int, threshold: float) -> None:
        """Fill the side of a threshold where polarity * x < polarity * threshold, with its edge."""
        (x_0, x_1), (y_0, y_1) = self.x_range, self.y_range
        low, high = ((x_0, x_1), (y_0, y_1))[feature]
        at = float(np.clip(threshold, low, high))
        a, b = (low, at) if polarity == 1 else (at, high)
        if feature == 0:
            self.area([(a, y_0), (b, y_0), (b, y_1), (a, y_1)])
            self.line([(at, y_0), (at, y_1)])
        else:
            self.area([(x_0, a), (x_1, a), (x_1, b), (x_0, b)])
            self.line([(x_0, at), (x_1, at)])

    def ellipse(self, centre: Sequence[float], root: FloatArray, style: str = "line") -> None:
        """Draw the points that `root` maps from the unit circle, around a centre."""
        angle = np.linspace(0, 2 * np.pi, 49)
        circle = np.array([np.cos(angle), np.sin(angle)])
        self.line((root @ circle).T + np.asarray(centre), style)

    def cross(self, x: float, y: float) -> None:
        """Draw a cross, for a query."""
        (x_0, x_1), (y_0, y_1) = self.x_range, self.y_range
        across, up = (x_1 - x_0) / 60, (y_1 - y_0) / 40
        self.line([(x - across, y - up), (x + across, y + up)])
        self.line([(x - across, y + up), (x + across, y - up)])

    def text(self, x: float, y: float, words: str, anchor: str = "middle") -> None:
        """Write a few words at a point."""
        a, b = self.at(x, y)
        self.parts.append(f'<text x="{a}" y="{b}" text-anchor="{anchor}">{escape(words)}</text>')

    def svg(self) -> str:
        """Return the picture as an SVG element."""
        across, up = self.labels
        names = (
            f'<text x="{WIDTH - 6}" y="{self.height - 6}" text-anchor="end">{escape(across)}</text>'
            f'<text x="6" y="14">{escape(up)}</text>'
        )
        return (
            f'<svg class="picture" viewBox="0 0 {WIDTH:.0f} {self.height:.0f}" role="img" '
            f'aria-label="{escape(self.title)}">{"".join(self.parts)}{names}</svg>'
        )


def _range(values: Iterable[float]) -> tuple[float, float]:
    listed = np.array([v for v in values if np.isfinite(v)] or [0.0])
    low, high = float(listed.min()), float(listed.max())
    more = 0.06 * (high - low) or 1.0
    return low - more, high + more
