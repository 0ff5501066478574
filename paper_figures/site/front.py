"""The first page: the five papers with what became of their claims, and where to begin."""

from collections import Counter
from collections.abc import Mapping
from html import escape
from pathlib import Path

from paper_figures import judge, registry
from paper_figures.gallery.entries import Room, collect
from paper_figures.gallery.signs import CLAIMS, slug
from paper_figures.site import api, printed, rows, rst, runs, steps
from paper_figures.site.figures import FOLDER, REPRODUCED
from paper_figures.site.mathml import inline
from paper_figures.store import Store

__all__ = ["ABOUT", "FINDER", "finder", "lines", "write"]

ABOUT = {
    "boosted_distance": (
        "Boosted Distance",
        "Learns a similarity for each class with AdaBoost, from differences of pairs, for a "
        "nearest neighbour classifier.",
        "A.2 line 7",
    ),
    "boostmap": (
        "BoostMap",
        "Chooses simple embeddings by boosting, so that a slow distance can be replaced by a fast "
        "one when a database is searched.",
        "7.3 step 3",
    ),
    "search_forest": (
        "Boosted Search Forest",
        "Grows trees whose leaves are the words of a search index; each tree mends what the "
        "earlier ones miss.",
        "Algorithm 2 line 4",
    ),
    "lmnn": (
        "LMNN",
        "Learns a Mahalanobis metric with a large margin, by a fast solver, and searches with it "
        "in ball trees.",
        "eq. 6",
    ),
    "ftune": (
        "FTUNE",
        "Classifies by similarities to pairs of landmarks, with a transfer function that it "
        "chooses, and picks diverse landmarks.",
        "Algorithm 1 line 4",
    ),
}
"""{paper: (its method, what it does in our words, a printed line to try)}."""

FINDER = """\
<form class="find" role="search" aria-label="Printed lines">
<label for="find-line">Go to a line, figure or function</label>
<input id="find-line" type="search" autocomplete="off" spellcheck="false" placeholder="{example}" \
aria-controls="lines-listed">
<button type="submit">Go</button>
<ol id="lines-listed" aria-live="polite" hidden></ol>
</form>"""
"""The field of a page that find.js makes work."""


def finder(example: str) -> str:
    """Return the field in which a reader types a printed line, such as ``A.2 line 7``."""
    return FINDER.format(example=escape(example))


def lines() -> list[dict[str, str]]:
    """Return all printed lines of all papers: id, address, paper and the beginning of its words."""
    listed = []
    for room in printed.PREFIXES:
        written = steps.read(room).steps
        for section in steps.read(room).sections:
            for id in runs.ids_of(room, section):
                listed.append(
                    {
                        "id": id,
                        "to": f"reader/{room}.html#{rows.anchor(id)}",
                        "paper": ABOUT[room][0],
                        "words": written[id].words.replace("$", "").replace("`", ""),
                    }
                )
    return listed


def figures_and_names() -> list[dict[str, str]]:
    """Return what else the field finds: figures, tables, and the names of the API."""
    listed = []
    for paper in registry.load_papers():
        for figure in paper.figures if paper.name in ABOUT else ():
            listed.append(
                {
                    "id": figure.name.replace("figure", "fig"),
                    "to": f"{FOLDER}/{paper.name}/index.html#{figure.name}",
                    "paper": ABOUT[paper.name][0],
                    "name": registry.spoken(figure.name),
                    "words": figure.title,
                }
            )
    for entry in api.entries():
        if entry.module.startswith("refimpl."):
            listed.append({"id": entry.name, "to": entry.address, "paper": "", "words": entry.path})
    return listed


def write(sources: Path) -> None:
    """Put the field for printed lines and the cards of the papers into ``index.rst``."""
    papers = registry.load_papers()
    store = Store(REPRODUCED)
    cards = "".join(_card(collect(store, paper, papers)) for paper in papers if paper.name in ABOUT)
    field = finder("LMNN eq. 6, A.2 line 7, Table 2, lmnn")
    field += "\n" + rows.data("lines", lines() + figures_and_names())
    rst.fill(
        sources, "index", "field of the first page", [*rst.raw(field), *rst.scripts("find", top="")]
    )
    rst.fill(
        sources, "index", "papers of the first page", rst.raw(f'<div class="papers">{cards}</div>')
    )


def _card(room: Room) -> str:
    method, words, _ = ABOUT[room.name]
    paper = printed.read(room.name)
    reader = f"reader/{room.name}.html"
    page = f"{FOLDER}/{room.name}/index.html"
    title, _, work = paper.title.partition(": ")
    return f"""
<article class="paper" aria-labelledby="paper-{room.name}">
<h3 id="paper-{room.name}"><a href="{reader}">{escape(method)}</a></h3>
<p class="work">{escape(title)}. <cite>{escape(work)}</cite></p>
<p>{escape(words)}</p>
<ul class="sections">{_sections(room.name)}</ul>
<p class="claims"><a href="{page}#claims">{len(room.claims)} claims</a> of its experiments:</p>
{_states(Counter(decided.state for decided in room.claims))}
<p class="links">{_links(room, reader, page, len(paper.lines))}</p>
</article>"""


def _links(room: Room, reader: str, page: str, count: int) -> str:
    return " · ".join(
        (
            f'<a href="{reader}">{count} printed lines</a>',
            f'<a href="api/refimpl.{room.name}.html">API</a>',
            f'<a href="{page}">{room.made} of {len(room.entries)} figures and tables '
            "recomputed</a>",
        )
    )


def _sections(room: str) -> str:
    """Return a link to each section of a reader."""
    items = []
    for section in steps.read(room).sections:
        first = runs.ids_of(room, section)[0]
        link = f"reader/{room}.html#{rows.anchor(first)}"
        items.append(f'<li><a href="{link}">{inline(section.title)}</a></li>')
    return "".join(items)


def _states(counts: Mapping[str, int]) -> str:
    """Return a bar and a list of how many claims hold, fail or are open."""
    present = [(state, sign, counts[state]) for state, (sign, _) in CLAIMS.items() if counts[state]]
    bar = "".join(
        f'<span class="claim-{slug(state)}" style="flex-grow: {count}">{sign}</span>'
        for state, sign, count in present
    )
    verbs = {judge.HOLDS: "hold", judge.FAILS: "fail"}
    items = "".join(
        f'<li><span aria-hidden="true">{sign}</span> <b>{count}</b> '
        f"{state if count == 1 else verbs.get(state, state)}</li>"
        for state, sign, count in present
    )
    return f'<div class="states" aria-hidden="true">{bar}</div><ul class="states">{items}</ul>'
