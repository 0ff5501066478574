"""Demos: a small example for each paper that answers to its parameters.

A demo is computed by refimpl when the site is built, once for each setting of its sliders, and is
written as one page that needs no other file and no connection. The page's script (``engine.js``)
only chooses a frame; it computes nothing of the paper's. ``<paper>.py`` has the settings and the
frames, ``<paper>.toml`` the words; ``pages.py`` writes the pages.

A picture consists of layers: a class of the style sheet, which says what the layer means, and a
string. ``M1 2L3 4`` is a path, ``@0112`` are lines between the points 0 and 1, and 1 and 2, of the
frame, ``*01`` marks points and ``^01`` marks them with triangles (a digit of base 36 is a point),
and a string of the class ``t`` is a text: ``x y anchor words``. Equal strings are stored once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import product
from typing import Any

import numpy as np

from refimpl.typing import FloatArray, IntArray

WIDTH, HEIGHT = 480, 400
LEFT, RIGHT, TOP, BOTTOM = 44, 470, 12, 360
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
Layer = tuple[str, str]


@dataclass(frozen=True)
class Slider:
    """A parameter of a demo, whose label is HTML."""

    id: str
    label: str
    settings: Sequence[float | str]
    start: int = 0

    @property
    def values(self) -> tuple[str, ...]:
        """What the page says for the settings."""
        return tuple(one if isinstance(one, str) else f"{one:g}" for one in self.settings)


@dataclass(frozen=True)
class Frame:
    """What a demo shows for one setting: layers, numbers by name, and points of the picture."""

    layers: tuple[Layer, ...]
    values: Mapping[str, str]
    points: str = ""


@dataclass(frozen=True)
class Demo:
    """A demo of a paper: what computes it, and the words of its TOML file."""

    room: str
    frame: Callable[..., Frame]  # gets a setting of each slider
    sliders: tuple[Slider, ...]
    title: str
    place: str  # the printed place of the formula
    words: str  # HTML, what the picture shows
    formula: str  # HTML in which {name} is a value
    alt: str  # the picture in words
    curve: tuple[str, str, str]  # a slider, the value drawn over it, its label
    legend: Sequence[tuple[str, str, str]]  # class, string in a box of 24 by 16, and words
    readouts: Sequence[tuple[str, str]]  # a value's name, and its label
    tries: Sequence[Mapping[str, Any]]  # places of some sliders, a button's words, what is seen

    @cached_property
    def frames(self) -> dict[tuple[int, ...], Frame]:
        """What it shows, by the places of all sliders."""
        every = product(*(enumerate(slider.settings) for slider in self.sliders))
        both = (zip(*one, strict=True) for one in every)
        return {places: self.frame(*settings) for places, settings in both}

    @property
    def start(self) -> tuple[int, ...]:
        """The places of the sliders when the page opens."""
        return tuple(slider.start for slider in self.sliders)


@dataclass
class View:
    """Where numbers are in a picture: the ranges of both axes, and whether one unit is one."""

    x: tuple[float, float]
    y: tuple[float, float]
    equal: bool = False
    bottom: int = BOTTOM
    unit: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        across = (RIGHT - LEFT) / (self.x[1] - self.x[0])
        up = (self.bottom - TOP) / (self.y[1] - self.y[0])
        self.unit = (min(across, up),) * 2 if self.equal else (across, up)

    @classmethod
    def around(cls, X: FloatArray, margin: float = 0.08, **how: bool | int) -> "View":
        """Return the view that holds all points, with a margin."""
        low, high = X.min(axis=0), X.max(axis=0)
        more = np.maximum(high - low, 1e-9) * margin
        x, y = np.stack([low - more, high + more], axis=1).tolist()
        return cls(tuple(x), tuple(y), **how)  # type: ignore[arg-type]

    def at(self, X: FloatArray) -> FloatArray:
        """Return the places of points in the picture, in pixels."""
        middle = (LEFT + RIGHT) / 2, (TOP + self.bottom) / 2
        x = middle[0] + (X[:, 0] - sum(self.x) / 2) * self.unit[0]
        y = middle[1] - (X[:, 1] - sum(self.y) / 2) * self.unit[1]
        return np.clip(np.stack([x, y], axis=1), -9999, 9999)

    def places(self, X: FloatArray) -> list[tuple[int, int]]:
        """Return the places of points in whole pixels."""
        return [(round(a), round(b)) for a, b in self.at(X).tolist()]

    def path(self, X: FloatArray, closed: bool = False) -> str:
        """Return the path through points."""
        parts = " ".join(f"{round(a, 1):g} {round(b, 1):g}" for a, b in self.at(X).tolist())
        return f"M{parts}{'z' if closed else ''}"

    def ellipse(self, middle: FloatArray, axes: FloatArray) -> str:
        """Return the path of the points middle + axes u, where u has length 1."""
        u, s, _ = np.linalg.svd(np.diag([self.unit[0], -self.unit[1]]) @ axes)
        tip, angle = u[:, 0] * s[0], np.degrees(np.arctan2(u[1, 0], u[0, 0]))
        first, last = self.at(middle[None])[0] + tip, self.at(middle[None])[0] - tip
        arc = f"A{s[0]:.1f} {s[1]:.1f} {angle:.1f} 0 1"
        ends = [f"{end[0]:.1f} {end[1]:.1f}" for end in (first, last)]
        return f"M{ends[0]}{arc} {ends[1]}{arc} {ends[0]}"

    def axes(
        self, across: str, up: str, ticks: tuple[Sequence[float], Sequence[float]]
    ) -> list[Layer]:
        """Return the frame with its ticks and labels."""
        x = [
            (a, self.places(np.array([[a, 0.0]]))[0][0])
            for a in ticks[0]
            if self.x[0] <= a <= self.x[1]
        ]
        y = [
            (b, self.places(np.array([[0.0, b]]))[0][1])
            for b in ticks[1]
            if self.y[0] <= b <= self.y[1]
        ]
        base = self.bottom
        marks = "".join(f"M{place} {base}v5" for _, place in x)
        marks += "".join(f"M{LEFT} {place}h-5" for _, place in y)
        layers = [("axis", f"M{LEFT} {TOP}V{base}H{RIGHT}{marks}")]
        layers += [("t", f"{place} {base + 19} middle {a:g}") for a, place in x]
        layers += [("t", f"{LEFT - 8} {place + 5} end {b:g}") for b, place in y]
        layers.append(("t", f"{(LEFT + RIGHT) // 2} {base + 36} middle {across}"))
        return [*layers, ("t", f"{LEFT + 6} {TOP + 12} start {up}")]


def links(pairs: Iterable[tuple[int, int]]) -> str:
    """Return the string of lines between pairs of points of the frame."""
    return "@" + "".join(DIGITS[i] + DIGITS[j] for i, j in pairs)


def marks(points: Iterable[int], sign: str = "*") -> str:
    """Return the string of marks at points of the frame."""
    return sign + "".join(DIGITS[int(i)] for i in points)


def kinds(kind: IntArray) -> list[Layer]:
    """Return the marks of flowers, a sign for each kind: 0, 1 and 2."""
    signs = enumerate("**^")
    return [(f"kind{c}", marks(np.flatnonzero(kind == c), sign)) for c, sign in signs if c in kind]


def packed(places: list[tuple[int, int]]) -> str:
    """Return the points of a frame as a string."""
    return " ".join(f"{a} {b}" for a, b in places)


def disc(x: float, y: float, r: float) -> str:
    """Return the path of a disc."""
    arc = f"a{r:.1f} {r:.1f} 0 1 0"
    return f"M{x - r:.1f} {y:g}{arc} {2 * r:.1f} 0{arc} {-2 * r:.1f} 0"


def square(x: float, y: float, r: float) -> str:
    """Return the path of a square with the area of a disc."""
    side = 1.77 * r
    return f"M{x - side / 2:.1f} {y - side / 2:.1f}h{side:.1f}v{side:.1f}h{-side:.1f}z"


def number(value: float) -> str:
    """Return a number with four digits that count."""
    return f"{value:.4g}"


def drawn(string: str, points: str) -> str:
    """Return the path of a string, as the page's script does."""
    if string[0] not in "@*^":
        return string
    flat = points.split()
    at = [" ".join(flat[2 * int(c, 36) : 2 * int(c, 36) + 2]) for c in string[1:]]
    if string[0] == "@":
        return "".join(f"M{a}L{b}" for a, b in zip(at[::2], at[1::2], strict=True))
    tail = "h0" if string[0] == "*" else "m0-8l8 14h-16z"
    return "".join(f"M{a}{tail}" for a in at)


def picture(layers: Iterable[Layer], points: str) -> str:
    """Return layers as elements of SVG, as the page's script does."""
    parts = []
    for name, string in layers:
        if name == "t":
            x, y, anchor, words = string.split(" ", 3)
            parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>')
        else:
            parts.append(f'<path class="{name}" d="{drawn(string, points)}"/>')
    return "".join(parts)
