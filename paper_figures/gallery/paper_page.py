"""The page of a paper: its claims, then its figures and tables in the paper's order."""

from html import escape

from paper_figures.gallery import claim_list
from paper_figures.gallery.entries import REPRODUCED, Entry, Room
from paper_figures.gallery.entry_page import article
from paper_figures.gallery.html import frame, search_form
from paper_figures.gallery.signs import OPEN_SIGN, legend


def page(room: Room) -> str:
    """Return the page of a paper.

    Parameters
    ----------
    room : Room

    Returns
    -------
    str
    """
    paper = room.paper
    body = f"""<a class="skip" href="#claims">Skip to the claims</a>
<header>
<nav class="way" aria-label="Pages"><a href="../index.html">← All papers</a>
{search_form("../index.html", "Search all papers")}</nav>
<h1>{escape(paper.title)}</h1>
{above(room)}
</header>
<main>
{below(room)}
</main>
<footer><p><a href="#claims">To the top</a> · <a href="../index.html">All papers</a></p></footer>"""
    return frame(f"{paper.title}: published and reproduced", body, "paper")


def above(room: Room) -> str:
    """Return what the page begins with: the source, the files and the contents."""
    source = f'<p class="source">{escape(room.paper.source)}</p>'
    return f"{source}\n{_files(room)}\n{_contents(room)}"


def below(room: Room) -> str:
    """Return the claims, and the figures and tables."""
    articles = "\n".join(article(room, entry) for entry in room.entries)
    return f"""{claim_list.section(room)}
<section id="entries">
<h2>Figures and tables</h2>
<div class="explain">
<p>A cell shows the reproduced number, and below it the published number with a sign. Small
numbers lead to notes. Tables without published numbers go beyond the paper.</p>
{legend(room.states)}
<p><label><input type="checkbox" id="differences"> Show differences, reproduced − published, with
their standard errors (s.e.)</label></p>
</div>
{articles}
</section>"""


def _files(room: Room) -> str:
    """Return links to the code, the paper's notes and the summary; nothing outside a checkout."""
    wanted = {
        "The paper, line by line": f"reader/{room.name}",
        "Code: algorithm.py": f"refimpl/{room.name}/algorithm.py",
        "Symbols, errata, index: PAPER.md": f"refimpl/{room.name}/PAPER.md",
        "What the results show: README.md": f"{REPRODUCED}/{room.name}/README.md",
    }
    links = [
        f'<a href="{escape(address)}">{escape(text)}</a>'
        for text, path in wanted.items()
        if (address := room.link(path)) is not None
    ]
    return f'<p class="links">{" · ".join(links)}</p>' if links else ""


def _contents(room: Room) -> str:
    items = "".join(f"<li>{_item(entry)}</li>" for entry in room.entries)
    claims = '<li><a href="#claims">Claims</a></li>' if room.claims else ""
    return f'<nav aria-label="Contents"><ul class="contents">{claims}{items}</ul></nav>'


def _item(entry: Entry) -> str:
    """Return a link to an entry, and how many of its numbers are open."""
    mark = f' <span class="count">{OPEN_SIGN}&#8239;{entry.open}</span>' if entry.open else ""
    return (
        f'<a href="#{escape(entry.figure.name)}" title="{escape(entry.figure.title)}">'
        f"{escape(entry.spoken)}</a>{mark}"
    )
