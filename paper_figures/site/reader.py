"""The reader: a page for each paper, a row for each printed line."""

from html import escape
from pathlib import Path

from paper_figures.site import figures, front, printed, rows, rst, runs, steps
from paper_figures.site.mathml import inline
from paper_figures.site.rows import Page
from paper_figures.site.steps import Section

__all__ = ["SINGLE", "data", "slider", "write"]

INTRODUCTION = """\
Each row is a printed line: what it does in our own words, the line of the reference that does it,
the values that it computed in a small run, its twin in Cython, and the test that holds it. Move the
slider, or press the left and right arrow keys, to go from round to round. J and K go from line to
line, G to the field that takes a line's number. A click on a line's number copies its permalink.
Names with dots below are symbols of the paper: point at one, or tap it, to see its symbol and
shape; S says those of a line."""


SINGLE = """\
This run has no rounds, so there is no slider: the values beside a line are those of the whole \
run."""
"""What a section says whose run has a single state."""


def write(sources: Path) -> None:
    """Write ``reader/index.rst`` and a page for each paper into the copy of the sources."""
    for room in printed.PREFIXES:
        rst.put(sources, f"reader/{room}", _page(room))
        runs_of = sources / "_static" / f"{room}.js"
        runs_of.write_text(f"const RUNS = {rows.json_of(data(room))};\n", encoding="utf-8")
    listed = rst.toctree(printed.PREFIXES, ":maxdepth: 2")
    rst.put(sources, "reader/index", [*rst.titled("Reader"), INTRODUCTION, "", *listed])


def _page(room: str) -> list[str]:
    paper = printed.read(room)
    page = Page(room)
    text = [*rst.titled(paper.title), INTRODUCTION, ""]
    if room in steps.NOT_YET:
        text += ["Not every printed line of this paper has its step in our words yet.", ""]
    links = (
        f'<p><a href="../demos/{room}.html">Change the parameters of a small example</a> · '
        f'<a href="../errata.html#{room.replace("_", "-")}">{len(paper.errata)} errata</a> · '
        f'<a href="../whole/{room}.html">Whole algorithms</a></p>'
    )
    text += rst.raw(front.finder(front.ABOUT[room][2]) + links + _symbols(paper))
    for section in steps.read(room).sections:
        text += [*rst.titled(section.title, "-"), *rst.raw(_section(page, section))]
    text += rst.raw(rows.sources_of(name for line in paper.lines.values() for name in line.tests))
    return [*text, *rst.scripts(room, "reader", "tests", "find")]


def _symbols(paper: printed.Paper) -> str:
    listed = "".join(
        f"<tr><td>{escape(symbol)}</td><td>{rows.coded(identifier)}</td><td>{escape(shape)}</td></tr>"
        for symbol, identifier, shape in paper.symbols
    )
    return (
        '<details class="symbols">'
        "<summary>Symbols of the paper and their names in the code</summary>"
        '<div class="wide"><table><thead><tr><th>symbol</th><th>in the code</th><th>shape</th></tr>'
        f"</thead><tbody>{listed}</tbody></table></div></details>"
    )


def _section(page: Page, section: Section) -> str:
    ids = runs.ids_of(page.paper.room, section)
    live = runs.live(page.paper.room, section) if section.example else None
    parts = [f'<section class="printed" data-section="{escape(section.id)}">']
    parts.append(f"<p>{inline(section.words)}</p>")
    if live is not None and live.trace.rounds <= 1:
        parts.append(f'<p class="note single">{SINGLE}</p>')
    parts.append(_bar(section, ids, live))
    if live is not None and live.example.draw is not None:
        drawn = live.example.draw(live.trace, min(1, live.trace.rounds))
        caption = inline(live.example.caption)
        parts.append(
            f'<figure class="state"><div class="drawn">{drawn}</div>'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    parts += [page.row(id, live) for id in ids]
    parts.append(_where(page, ids))
    parts.append("</section>")
    return "\n".join(parts)


def _bar(section: Section, ids: list[str], live: runs.Live | None) -> str:
    """Return the bar that stays in sight: the section's lines, and its slider."""
    return (
        f'<div class="bar"><nav class="lines" aria-label="Lines of {escape(section.title)}">'
        f"{_links(ids)}</nav>{slider(section, live)}</div>"
    )


def slider(section: Section, live: runs.Live | None) -> str:
    """Return the slider over the rounds of a section's run; nothing without a run."""
    if live is None:
        return ""
    if live.trace.rounds <= 1:
        return '<span class="rounds">no rounds</span>'
    name = escape(live.example.rounds)
    return (
        f'<label class="rounds">{name} <input type="range" min="1" max="{live.trace.rounds}" '
        f'value="1" aria-label="{name} of {escape(section.title)}"> <output>1</output> of '
        f"{live.trace.rounds}</label>"
    )


def _links(ids: list[str]) -> str:
    """Return a link to each line; where several places have numbers, their names stand before."""
    places = [id.split(":")[1] for id in ids]
    numbered = {place for id, place in zip(ids, places, strict=True) if id.count(":") == 2}
    parts = []
    for i, id in enumerate(ids):
        if len(numbered) > 1 and places[i] in numbered and places[i] not in places[:i]:
            parts.append(f"<b>{escape(places[i])}</b>")
        parts.append(f'<a href="#{rows.anchor(id)}">{escape(rows.short(id))}</a>')
    return "".join(parts)


def data(room: str) -> dict[str, object]:
    """Return what the scripts show of each section's run: its values and pictures, by round."""
    page = Page(room)
    found: dict[str, object] = {}
    for section in steps.read(room).sections:
        if section.example:
            live = runs.live(room, section)
            rounds = range(1, max(live.trace.rounds, 1) + 1)
            texts = {rows.anchor(id): [page.values(id, live, t) for t in rounds] for id in live.ids}
            if live.example.draw:
                texts[""] = [live.example.draw(live.trace, t) for t in rounds]
            found[section.id] = rows.pieces(texts)
    return found


def _where(page: Page, ids: list[str]) -> str:
    """Return the figures that run a section's lines, and the claims that hang on them."""
    names = dict.fromkeys(name for id in ids for name in page.paper.lines[id].figures)
    if not names:
        return ""
    of_paper = {name.partition(".")[2] for name in names}
    links = ", ".join(
        f'<a href="{figures.address(name, "../")}">{escape(name.partition(".")[2])}</a>'
        for name in names
    )
    listed = "".join(
        f'<li><a href="{figures.address(f"{page.paper.room}.claim-{claim.id}", "../")}">'
        f"{escape(claim.claim)}</a></li>"
        for claim in figures.claims_on(page.paper.room, of_paper)
    )
    kept = f"<ul>{listed}</ul>" if listed else "<p>No claim hangs on them.</p>"
    return (
        f'<details class="where"><summary>Where in the figures</summary>'
        f"<p>Figures and tables: {links}. "
        f"Claims that hang on them:</p>{kept}</details>"
    )
