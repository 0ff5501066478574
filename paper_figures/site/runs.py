"""The runs of the examples beside the printed lines."""

from dataclasses import dataclass
from functools import cache

import refimpl.kernels
from paper_figures.site import examples, printed, snippets, steps, tracing
from paper_figures.site.snippets import Snippet
from paper_figures.site.tracing import Trace

__all__ = ["Live", "ids_of", "live"]


@dataclass(frozen=True)
class Live:
    """The run of a section's example."""

    ids: tuple[str, ...]  # the lines of the section that have code
    snippets: dict[str, list[Snippet]]  # {id: the statements that do it}
    trace: Trace
    example: examples.Example


def ids_of(room: str, section: steps.Section) -> list[str]:
    """Return the printed lines of a section."""
    return [id for id, line in printed.read(room).lines.items() if line.place in section.places]


@cache
def live(room: str, section: steps.Section) -> Live:
    """Run the example of a section."""
    paper, written = printed.read(room), steps.read(room).steps
    example = examples.load(room)[section.example]
    marked = {id: snippets.reference(paper, id) for id in ids_of(room, section)}
    marked = {id: listed for id, listed in marked.items() if listed}
    shows: dict[tuple[str, int], tuple[Snippet, list[str]]] = {}
    for id, listed in marked.items():
        for snippet in listed:
            _, kept = shows.setdefault((snippet.file, snippet.last), (snippet, []))
            step = written.get(id)
            kept += tracing.wanted(snippet, step.show if step else ())
    ticks = snippets.reference(paper, example.tick) if example.tick else []
    tick = next((s for s in ticks if not example.inside or s.inside == example.inside), None)
    watched = [(snippet, tuple(dict.fromkeys(kept))) for snippet, kept in shows.values()]
    if tick is not None and (tick.file, tick.last) not in shows:
        watched.append((tick, ()))
    trace = tracing.run(example.run, refimpl.kernels, watched, tick)
    return Live(tuple(marked), marked, trace, example)
