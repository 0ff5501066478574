"""The pages of the demos: one file each, and the page of the site that leads to them."""

import importlib
import json
import re
from functools import cache
from html import escape
from pathlib import Path

from paper_figures.site import demos, printed
from paper_figures.site.demos import Demo

__all__ = ["load", "page", "write_links", "write_pages"]

HERE = Path(__file__).parent

PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{style}</style></head><body>
<nav aria-label="Site"><a href="../index.html">refimpl</a> · <a href="index.html">Demos</a> · \
<a href="../reader/{room}.html">The paper, line by line</a></nav>
<h1>{title}</h1>
<p>{words}</p>
<div class="formula" tabindex="0" role="group" aria-label="{place}">{formula}</div>
<main><figure>
<svg id="picture" viewBox="0 0 {width} {height}" role="img" aria-label="{alt}"><title>{alt}</title>\
{picture}</svg></figure>
<ul class="legend">{legend}</ul>
<div><noscript><p>The picture and the numbers are those of {setting}. With JavaScript the page has \
sliders.</p></noscript>
<div class="controls">{sliders}</div>
<dl aria-live="polite">{readouts}</dl>
<div class="curve"><p>{curve}</p>\
<svg id="curve" viewBox="0 0 280 84" aria-hidden="true"></svg></div>
<div class="tries"><p><b>Try</b></p>{tries}<p id="seen" aria-live="polite"></p></div></div></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script></body></html>
"""


@cache
def load(room: str) -> Demo:
    """Compute the demo of a paper."""
    demo: Demo = importlib.import_module(f"paper_figures.site.demos.{room}").demo()
    return demo


def page(demo: Demo) -> str:
    """Return the page of a demo; its first picture and numbers need no script."""
    first = demo.frames[demo.start]
    labels = [f"{re.sub('<[^>]*>', '', s.label)} = {s.values[s.start]}" for s in demo.sliders]
    return PAGE.format(
        title=escape(demo.title),
        style=(HERE / "demo.css").read_text(encoding="utf-8"),
        room=demo.room,
        words=demo.words,
        place=escape(demo.place),
        formula=re.sub(r"\{(\w+)\}", lambda name: _output(name[1], first), demo.formula),
        width=demos.WIDTH,
        height=demos.HEIGHT,
        alt=escape(demo.alt),
        picture=demos.picture(first.layers, first.points),
        legend="".join(_key(*entry) for entry in demo.legend),
        setting=", ".join(labels),
        sliders="".join(_slider(slider) for slider in demo.sliders),
        readouts="".join(
            f"<dt>{label}</dt><dd>{_output(name, first)}</dd>" for name, label in demo.readouts
        ),
        curve=demo.curve[2],
        tries="".join(
            f"<button type='button' data-places='{json.dumps(dict(one.places))}' "
            f'data-seen="{escape(one.seen)}">{one.words}</button>'
            for one in demo.tries
        ),
        data=json.dumps(_data(demo), ensure_ascii=False, separators=(",", ":")).replace(
            "</", "<\\/"
        ),
        script=(HERE / "engine.js").read_text(encoding="utf-8"),
    )


def _output(name: str, frame: demos.Frame) -> str:
    return f'<output data-value="{name}">{frame.values[name]}</output>'


def _key(name: str, string: str, words: str) -> str:
    path = f'<path class="{name}" d="{string}"/>'
    return f'<li><svg viewBox="0 0 24 16" aria-hidden="true">{path}</svg><span>{words}</span></li>'


def _slider(slider: demos.Slider) -> str:
    return (
        f'<label for="{slider.id}"><span>{slider.label}</span>'
        f"<output>{escape(slider.values[slider.start])}</output>"
        f'<input type="range" id="{slider.id}" min="0" max="{len(slider.values) - 1}" '
        f'value="{slider.start}" autocomplete="off"></label>'
    )


def _data(demo: Demo) -> dict[str, object]:
    """Return what the script reads: each string once, the frames in the order of the places."""
    strings: dict[str, int] = {}
    classes: dict[str, int] = {}
    names = list(next(iter(demo.frames.values())).values)
    frames = []
    for places in sorted(demo.frames):
        frame = demo.frames[places]
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


def write_links(sources: Path) -> None:
    """Write ``demos/index.rst``, which leads to the demos."""
    folder = sources / "demos"
    folder.mkdir()
    text = ["Demos", "=====", "", "A small example for each paper that answers to its parameters."]
    text += ["refimpl computed every number and picture; each page is one file that works offline."]
    text += ["", ".. raw:: html", ""]
    for room in printed.PREFIXES:
        demo = load(room)
        text.append(
            f'   <p><a href="{room}.html"><b>{escape(demo.title)}</b></a>. {demo.words}</p>'
        )
    (folder / "index.rst").write_text("\n".join([*text, ""]), encoding="utf-8")


def write_pages(out: Path) -> None:
    """Write the pages of all demos into the folder ``demos`` of the built site."""
    folder = out / "demos"
    folder.mkdir(exist_ok=True)
    for room in printed.PREFIXES:
        (folder / f"{room}.html").write_text(page(load(room)), encoding="utf-8")
