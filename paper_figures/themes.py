"""The colours of pictures, on a light and on a dark page, and the settings of matplotlib.

Pictures are drawn in the light colours. :func:`on_dark_pages` adds what changes them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

SMALLEST = 9  # points


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    paper: str  # the background
    ink: str  # text and axes
    soft: str  # lines of reference
    grid: str
    series: tuple[str, ...]  # eight, the paper's own method first


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


def on_dark_pages(svg: bytes) -> bytes:
    """Let a picture have the dark colours where its page is dark."""
    light, dark = ((c.paper, c.ink, c.soft, c.grid, *c.series) for c in (LIGHT, DARK))
    rules = [
        f'[style*="{what}:{a.lower()}"]{{{what}:{b.lower()}!important}}'
        for a, b in dict(zip(light, dark, strict=True)).items()
        for what in ("fill", "stroke")
        if f"{what}:{a.lower()}".encode() in svg
    ]
    rules.append("image{filter:invert(.91)}")  # scanned ink: white becomes the dark background
    style = f"@media(prefers-color-scheme:dark){{{''.join(rules)}}}</style>"
    return svg.replace(b"</style>", style.encode(), 1)


def _settings() -> dict[str, Any]:
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
        "svg.fonttype": "none",
        "grid.color": LIGHT.grid,
        "figure.facecolor": LIGHT.paper,
        "savefig.facecolor": LIGHT.paper,
        "axes.facecolor": LIGHT.paper,
    } | dict.fromkeys(
        (
            "text.color",
            "axes.edgecolor",
            "axes.labelcolor",
            "axes.titlecolor",
            "xtick.color",
            "ytick.color",
        ),
        LIGHT.ink,
    )


@contextmanager
def our_settings() -> Iterator[None]:
    """Draw with the project's settings, whatever the user's are."""
    import matplotlib

    settings: Any = {**matplotlib.rcParamsDefault, **_settings()}
    with matplotlib.rc_context(settings):
        yield
