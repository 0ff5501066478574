"""The runs of the examples beside the printed lines."""

import importlib
from dataclasses import dataclass
from functools import cache

import refimpl.kernels
from paper_figures.site import printed, snippets, steps, tracing
from paper_figures.site.snippets import Snippet
from paper_figures.site.tracing import Trace


@dataclass(frozen=True)
class Live:
    """The run of a section's example."""

    section: steps.Section
    snippets: dict[str, list[Snippet]]  # {id of a line that has code: the statements that do it}
    trace: Trace
    pictures: list[str]  # as many as `rounds` has; none if the example is not drawn


def rounds(trace: Trace) -> range:
    """Return the rounds to show: 1 for a run without rounds."""
    return range(1, max(trace.rounds, 1) + 1)


def ids_of(room: str, section: steps.Section) -> list[str]:
    """Return the printed lines of a section."""
    return [id for id, line in printed.read(room).lines.items() if line.place in section.places]


@cache
def live(room: str, section: steps.Section) -> Live:
    """Run the example of a section."""
    paper, written = printed.read(room), steps.read(room).steps
    examples = importlib.import_module(f"paper_figures.site.examples.{room}").EXAMPLES
    example, draw = examples[section.example]
    marked = {id: snippets.reference(paper, id) for id in ids_of(room, section)}
    marked = {id: listed for id, listed in marked.items() if listed}
    watched: dict[tuple[str, int], tuple[Snippet, list[str]]] = {}
    for id, listed in marked.items():
        for one in listed:
            shows = watched.setdefault(one.key, (one, []))[1]
            shows += tracing.wanted(one, written[id].show)
    ticks = snippets.reference(paper, section.tick) if section.tick else []
    tick = next((one for one in ticks if section.inside in ("", one.inside)), None)
    if tick:
        watched.setdefault(tick.key, (tick, []))
    trace = tracing.run(example, refimpl.kernels, list(watched.values()), tick)
    pictures = [draw(trace, round) for round in rounds(trace)] if draw else []
    return Live(section, marked, trace, pictures)
