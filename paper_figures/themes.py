"""The colours of pictures, on a light and on a dark background, and the settings of matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

SMALLEST = 9  # points


@dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    Attributes
    ----------
    paper : str
        The background.
    ink : str
        Text and axes.
    soft : str
        Lines of reference.
    grid : str
    series : tuple of str
        Eight colours, the paper's own method first.
    """

    paper: str
    ink: str
    soft: str
    grid: str
    series: tuple[str, ...]


# the first three are Okabe & Ito's; all have a contrast of 3 with the background
LIGHT = Theme(
    "#FFFFFF",
    "#1A1A1A",
    "#595959",
    "#D9D9D9",
    ("#0072B2", "#D55E00", "#009E73", "#D02BD6", "#004678", "#433E00", "#725957", "#1A1A1A"),
)
# the background is that of the pages
DARK = Theme(
    "#16181B",
    "#E9E9E6",
    "#AEAEA8",
    "#3A3D42",
    ("#3D9BF0", "#F4833A", "#14C5A0", "#E052B0", "#85CCFF", "#D9CB4A", "#D84316", "#E9E9E6"),
)
_THEME: ContextVar[Theme] = ContextVar("theme", default=LIGHT)


def theme() -> Theme:
    """Return the colours of the picture that is being drawn; the light ones outside of a drawing.

    Returns
    -------
    Theme
    """
    return _THEME.get()


def _settings(colours: Theme) -> dict[str, Any]:
    return {
        "font.size": 10,
        "axes.titlesize": 10,
        "axes.labelsize": 10,
        "xtick.labelsize": SMALLEST,
        "ytick.labelsize": SMALLEST,
        "legend.fontsize": SMALLEST,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.formatter.useoffset": False,
        "axes.formatter.limits": (-9, 9),
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "lines.linewidth": 1.6,
        "lines.markersize": 4,
        "svg.hashsalt": "refimpl",
        "svg.fonttype": "path",
        "grid.color": colours.grid,
        "figure.facecolor": colours.paper,
        "savefig.facecolor": colours.paper,
        "axes.facecolor": colours.paper,
    } | dict.fromkeys(
        (
            "text.color",
            "axes.edgecolor",
            "axes.labelcolor",
            "axes.titlecolor",
            "xtick.color",
            "ytick.color",
        ),
        colours.ink,
    )


@contextmanager
def drawn_in(colours: Theme) -> Iterator[None]:
    """Draw in these colours, whatever the user's settings are.

    Parameters
    ----------
    colours : Theme
    """
    import matplotlib

    settings: Any = {**matplotlib.rcParamsDefault, **_settings(colours)}
    token = _THEME.set(colours)
    try:
        with matplotlib.rc_context(settings):
            yield
    finally:
        _THEME.reset(token)
