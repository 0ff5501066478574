"""The sections of the gate that take seconds: a table of names and values each."""

import hashlib
import importlib
import inspect
import json
import pkgutil
import re
from collections import Counter

import refimpl
from paper_figures import judge
from paper_figures.judge import verdicts as rows_of
from paper_figures.registry import load_papers
from paper_figures.site.demos import pages
from paper_figures.site.printed import PREFIXES
from paper_figures.store import Store
from refimpl.check import files

from .rows import REPRODUCED, normal


def claims():
    """Each claim's state, how many of its cells have each state, and a digest of its reason."""
    table = {}
    for paper in load_papers():
        stored = judge.read_records(Store(REPRODUCED), paper)
        for item in judge.decide(paper.name, stored):
            cells = Counter(state for _, state in item.cells)
            name = f"{paper.name}.{item.claim.id}"
            said = _digest(f"{item.because}\n{item.printed}\n{item.cells}")
            table[name] = [item.state, dict(sorted(cells.items())), said]
    return table


def verdicts():
    """How many rows of each record have each verdict."""
    return {
        name: dict(sorted(Counter(said.state for said in rows_of.judge(record)).items()))
        for name, record in _records()
    }


def records():
    """A digest of the cells of each record: keys, published, ours and its deviation, 6 digits."""
    return {
        name: _digest(json.dumps([normal(row) for row in record["rows"]]))
        for name, record in _records()
    }


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _records():
    for path in sorted(REPRODUCED.glob("*/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if "rows" in record:
            yield f"{path.parent.name}.{path.stem}", record


def trainings():
    """A digest of each file of vectors as the reference makes it now: every state, to the bit."""
    return {path: _digest(files.text_of(content)) for path, content in files.contents()}


def demos():
    """The numbers of each demo of the site, for each setting of a slider, the others at first."""
    table = {}
    for room in PREFIXES:
        demo = pages.load(room)
        for i, slider in enumerate(demo.sliders):
            for place, value in enumerate(slider.values):
                places = (*demo.start[:i], place, *demo.start[i + 1 :])
                settings = (s.settings[p] for s, p in zip(demo.sliders, places, strict=True))
                table[f"{room}, {slider.id} {value}"] = dict(demo.frame(*settings).values)
    return table


def names():
    """The parameters and defaults of each name that a package or a printed algorithm exports."""
    table = {}
    for found in pkgutil.walk_packages(refimpl.__path__, "refimpl."):
        if found.ispkg or found.name.endswith(".algorithm"):
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                table[f"{found.name}.{name}"] = _signature(getattr(module, name))
    return table


def _signature(value):
    """The parameters as text, without their types."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return type(value).__name__
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    return re.sub(r"<module (\S+) from [^>]+>", r"\1", re.sub(r" at 0x[0-9a-f]+", "", text))
