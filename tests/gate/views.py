"""What each view makes of planted observations: its rows, its notes, and the lines that it draws.

``planted/<paper>.json`` has, for each case, the study, its views with their scales, and what was
observed. Pictures are not rendered: no pixel is compared.
"""

import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from paper_figures.registry import load_papers
from paper_figures.store import plain
from paper_figures.study import Seen

from .rows import NUMBERS, six

PLANTED = Path(__file__).parent / "planted"


def views():
    """The rows, notes and lines of each view of each planted case, each as [keys, numbers]."""
    table = {}
    for paper in load_papers():
        path = PLANTED / f"{paper.name}.json"
        cases = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for about, case in cases.items():
            (study,) = [each for each in paper.studies if each.name == case["study"]]
            seen = case.get("items", []), case.get("missing", [])
            for view in study.views:
                for scale in case["views"].get(view.name, []):
                    table[f"{paper.name}.{view.name}, {scale}: {about}"] = _shown(
                        view, Seen(*seen, scale)
                    )
    return table


def _shown(view, seen):
    gathered = view.gather(seen)
    rows = plain(gathered.rows)
    found = [
        [{k: row[k] for k in sorted(row) if k not in NUMBERS}, [six(row[n]) for n in NUMBERS]]
        for row in rows
    ]
    found += [[{"note": note}, []] for note in gathered.notes]
    if view.draw is not None:
        figure = Figure(figsize=view.size)
        view.draw({"rows": rows, "drawing": plain(gathered.drawing)}, figure)
        for axis in filter(lambda axis: axis.axison, figure.axes):
            words = [axis.get_title(), axis.get_xlabel(), axis.get_ylabel()]
            ticks = [*axis.get_xticklabels(), *axis.get_yticklabels()]
            words += [tick.get_text() for tick in ticks if tick.get_text()[:1].isalpha()]
            found.append([{"panel": words + [text.get_text() for text in axis.texts]}, []])
            found += [[{"drawn": look}, _few(points)] for look, points in _drawn(axis)]
        boxes = [axis.get_legend() for axis in figure.axes if axis.get_legend()] + figure.legends
        texts = [text.get_text() for box in boxes for text in [*box.get_texts(), box.get_title()]]
        found.append([{"key": texts, "below": figure.get_supxlabel()}, []])
    return found


def _drawn(axis):
    """Yield what a panel has, by its look, with its points as numbers."""
    for line in axis.lines:
        yield f"{line.get_color()} {line.get_marker()} {line.get_linestyle()}", [line.get_xydata()]
    for many in axis.collections:  # bands, bars and dots: the corners, whatever their order
        corners = np.concatenate([path.vertices for path in many.get_paths()])
        yield "bands, bars or dots", [np.unique(corners.round(9), axis=0), many.get_offsets()]
    for patch in axis.patches:
        shape = patch.get_path().transformed(patch.get_patch_transform())
        yield type(patch).__name__, [shape.vertices]
    for image in axis.images:
        yield "image", [image.get_array()]


def _few(parts):
    """Return a few numbers as they are, and many as their count and two means."""
    values = np.concatenate([np.asarray(part, float).ravel() for part in parts])
    if len(values) > 24:
        by_place = values @ np.arange(1, len(values) + 1)
        values = [len(values), values.mean(), by_place / len(values) ** 2]
    return [six(value) if np.isfinite(value) else None for value in values]
