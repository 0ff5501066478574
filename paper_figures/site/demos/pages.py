"""The pages of the demos: one file each, and the page of the site that leads to them."""

import importlib
import re
import tomllib
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path

from paper_figures.site import demos, printed, rows, rst
from paper_figures.site.demos import Demo, Slider

HERE = Path(__file__).parent
INTRODUCTION = """\
A small example for each paper that answers to its parameters. refimpl computed every number and
picture; each page is one file that works offline."""


@cache
def load(room: str) -> Demo:
    """Read the demo of a paper; its frames are computed when they are asked for."""
    module = importlib.import_module(f"paper_figures.site.demos.{room}")
    said = tomllib.loads(text_of(f"{room}.toml"))
    both = zip(said.pop("sliders"), module.SETTINGS, strict=True)
    sliders = tuple(Slider(**one, settings=settings) for one, settings in both)
    return Demo(room, module.frame, sliders, **said)


def page(demo: Demo) -> str:
    """Return the page of a demo; its first picture and numbers need no script."""
    shown = rst.macros("demo", formula, demos.picture, rows.json_of, text_of)
    return str(shown.page(demo, demo.frames[demo.start], _data(demo), demos.WIDTH, demos.HEIGHT))


def formula(demo: Demo, output: Callable[[str], str]) -> str:
    """Return the formula of a demo with the values that it names."""
    return re.sub(r"\{(\w+)\}", lambda name: output(name[1]), demo.formula)


def text_of(name: str) -> str:
    """Return a file of this folder."""
    return (HERE / name).read_text(encoding="utf-8")


def _data(demo: Demo) -> dict[str, object]:
    """Return what the script reads: each string once, the frames in the order of the places."""
    strings: dict[str, int] = {}
    classes: dict[str, int] = {}
    names = list(next(iter(demo.frames.values())).values)
    frames = []
    for frame in demo.frames.values():
        layers = []
        for name, string in frame.layers:
            layers += [
                classes.setdefault(name, len(classes)),
                strings.setdefault(string, len(strings)),
            ]
        points = strings.setdefault(frame.points, len(strings))
        values = [frame.values[name] for name in names]
        frames.append({"layers": layers, "points": points, "values": values})
    return {
        "sliders": [{"id": slider.id, "values": slider.values} for slider in demo.sliders],
        "curve": {"slider": demo.curve[0], "value": demo.curve[1]},
        "names": names,
        "classes": list(classes),
        "strings": list(strings),
        "frames": frames,
    }


def write(sources: Path) -> None:
    """Write ``demos/index``, which leads to the demos, and the demos, which Sphinx copies."""
    folder = sources / "_extra" / "demos"
    folder.mkdir(parents=True)
    links = []
    for demo in map(load, printed.PREFIXES):
        (folder / f"{demo.room}.html").write_text(page(demo), encoding="utf-8")
        title = f'<a href="{demo.room}.html"><b>{escape(demo.title)}</b></a>'
        links.append(f"<p>{title}. {demo.words}</p>")
    shown = rst.raw("\n".join(links))
    rst.put(sources, "demos/index", [*rst.titled("Demos"), INTRODUCTION, "", *shown])
