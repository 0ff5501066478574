"""The first page: five papers at a glance, a search over all of them, and the costs."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from paper_figures import judge
from paper_figures.gallery import cost_table, words
from paper_figures.gallery.entries import REPRODUCED, Entry, Room
from paper_figures.gallery.html import frame, permalink, picture
from paper_figures.gallery.signs import (
    CLAIMS,
    ENTRIES,
    claim_badge,
    claim_chips,
    slug,
    verdict_chips,
)
from paper_figures.judge import verdicts

TITLE = "Published and reproduced results"
THUMBNAILS = 4
KINDS = {"claim": "claims", "table": "tables", "figure": "figures", "experiment": "experiments"}
STAND_IN = (
    '<p class="stand-in">Small scale: these numbers are of stand-ins, with other data or other '
    f"sizes than the papers', and decide no claim. The numbers at the papers' scale are in "
    f"<code>{REPRODUCED}</code> of the project, and on its site.</p>"
)


def page(rooms: Sequence[Room]) -> str:
    """Return the first page.

    Parameters
    ----------
    rooms : sequence of Room

    Returns
    -------
    str
    """
    body = f"""<a class="skip" href="#papers">Skip to the papers</a>
<header>
<h1>{TITLE}</h1>
{above(rooms)}
</header>
<main>
{below(rooms)}
</main>"""
    return frame("Figures and tables: published and reproduced", body, "first")


def above(rooms: Sequence[Room]) -> str:
    """Return what the page begins with: how the claims ended, and the search."""
    return f"{_headline(rooms)}\n{_filters(rooms)}"


def below(rooms: Sequence[Room]) -> str:
    """Return the papers, the list that the search filters, and the costs."""
    cards = "\n".join(_card(room) for room in rooms)
    return f"""<section id="papers" aria-label="Papers">
{cards}
</section>
{_everything(rooms)}
{cost_table.section(rooms)}"""


def _headline(rooms: Sequence[Room]) -> str:
    counts = Counter(decided.state for room in rooms for decided in room.claims)
    total = sum(counts.values())
    intro = (
        "The figures and tables of these papers, computed again where their data can be had; our "
        "number is beside each published number."
    )
    if any(room.small for room in rooms):
        return f'<p class="lead">{intro}</p>{STAND_IN}'
    if not total or not any(room.made for room in rooms):
        return f'<p class="lead">{intro}</p>'
    told = [
        _told(counts[judge.HOLDS], "holds", "hold"),
        _told(counts[judge.FAILS], "fails", "fail"),
        _told(counts[judge.OPEN], "is open", "are open"),
    ]
    untested = _told(counts[judge.NOT_TESTABLE], "cannot be tested here", "cannot be tested here")
    return (
        f'<p class="lead">{intro} Of {total} claims that the papers make, {", ".join(told)} and '
        f"{untested}.</p>"
    )


def _told(count: int, singular: str, plural: str) -> str:
    return f"<b>{count} {singular if count == 1 else plural}</b>"


# ------------------------------------------------------------------------------------- papers


def _card(room: Room) -> str:
    paper = room.paper
    address = f"{escape(paper.name)}/index.html"
    shown = [entry for entry in room.entries if ".svg" in entry.pictures][:THUMBNAILS]
    pictures = "".join(_thumbnail(entry) for entry in shown)
    return f"""<article class="card" data-paper="{escape(paper.name)}">
<h2><a href="{address}">{escape(paper.title)}</a></h2>
<p class="source">{escape(paper.source)}</p>
<h3>Claims</h3>
{_claims(room)}
<h3>Numbers</h3>
{verdict_chips(_compared(room), room.open) or '<p class="soft">none compared</p>'}
<p class="soft">{room.made} of {len(room.entries)} figures, tables and experiments made</p>
<div class="thumbnails">{pictures}</div>
</article>"""


def _claims(room: Room) -> str:
    """Return how many claims have each state, or why none is decided."""
    if not room.claims:
        return '<p class="soft">not written down yet</p>'
    if not room.made:
        return f'<p class="soft">{len(room.claims)}, none decided: nothing is made yet</p>'
    counts = Counter(decided.state for decided in room.claims)
    return f"{_bar(counts)}\n{claim_chips(counts)}"


def _compared(room: Room) -> Counter[str]:
    """Return the verdicts of numbers that have a printed one, and what failed or is missing."""
    alone = (verdicts.BEYOND, verdicts.NO_CURVE)
    return Counter({state: n for state, n in room.states.items() if state not in alone})


def _bar(counts: dict[str, int]) -> str:
    """Return a bar whose parts are as long as the claims in each state are many."""
    if not sum(counts.values()):
        return ""
    parts = "".join(
        f'<span class="claim-{slug(state)}" style="flex-grow: {counts[state]}">{sign}</span>'
        for state, (sign, _) in CLAIMS.items()
        if counts[state]
    )
    return f'<div class="bar" aria-hidden="true">{parts}</div>'


def _thumbnail(entry: Entry) -> str:
    figure = entry.figure
    folder = escape(entry.paper.name)
    shown = picture(f"{folder}/{figure.name}", f"{entry.spoken}: {figure.title}", (160, 100))
    return (
        f'<a href="{folder}/index.html#{escape(figure.name)}">{shown}'
        f"<span>{escape(entry.spoken)}</span></a>"
    )


# ------------------------------------------------------------------------------------- search


def _filters(rooms: Sequence[Room]) -> str:
    papers = "".join(
        f'<option value="{escape(r.name)}">{escape(r.name.replace("_", " "))}</option>'
        for r in rooms
    )
    kinds = "".join(f'<option value="{kind}">{name}</option>' for kind, name in KINDS.items())
    present = {state for room in rooms for state in room.states}
    numbers = "".join(
        f'<option value="{slug(state)}">numbers: {escape(state)}</option>'
        for state in (*verdicts.STATES, *ENTRIES)
        if state in present
    )
    if any(room.open for room in rooms):
        numbers += '<option value="open">numbers: differ, open</option>'
    decided = {item.state for room in rooms for item in room.claims}
    stated = "".join(
        f'<option value="claim-{slug(state)}">claims: {escape(state)}</option>'
        for state in CLAIMS
        if state in decided
    )
    return f"""<form id="filters" role="search" aria-label="Search all papers">
<label class="wide">Search <input type="search" name="find" id="filter-find"
placeholder="A.2, Athitsos, MNIST, table 2 …" autocomplete="off"></label>
<label>Paper <select name="paper" id="filter-paper"><option value="">all</option>
{papers}</select></label>
<label>Kind <select name="kind" id="filter-kind"><option value="">all</option>
{kinds}</select></label>
<label class="state">State <select name="state" id="filter-state"><option value="">any</option>
{stated}{numbers}</select></label>
<button type="reset">Clear</button>
<output id="filter-count" aria-live="polite"></output>
</form>"""


def _everything(rooms: Sequence[Room]) -> str:
    """Return the list that the search filters: all entries and claims, folded at first."""
    items = []
    for room in rooms:
        items += [_entry_item(entry) for entry in room.entries]
        items += [
            f'<tr data-paper="{escape(room.name)}" data-kind="claim" '
            f'data-states="claim-{slug(decided.state)}" '
            f'data-text="{escape(words.of_claim(room, decided))}">'
            f"<td>{escape(room.name.replace('_', ' '))}</td>"
            f'<td><a href="{escape(room.name)}/index.html#claim-{escape(decided.claim.id)}">'
            f"{escape(decided.claim.where)}</a>: {escape(decided.claim.claim)}</td>"
            f"<td>{claim_badge(decided.state)}</td></tr>"
            for decided in room.claims
        ]
    n_claims = sum(len(room.claims) for room in rooms)
    counted = f"{len(items) - n_claims} entries" + (f" and {n_claims} claims" if n_claims else "")
    rows = "\n".join(items)
    return f"""<section id="everything">
<h2>Everything {permalink("everything", "the list of everything")}</h2>
<details id="list"><summary>{counted}</summary>
<div class="box" tabindex="0" role="region" aria-label="Entries and claims">
<table class="list"><thead><tr><th scope="col">paper</th><th scope="col">entry or claim</th>
<th scope="col">state</th></tr></thead>
<tbody>
{rows}
</tbody></table></div>
<p id="nothing" hidden>Nothing fits. Clear the search to see everything.</p>
</details>
</section>"""


def _entry_item(entry: Entry) -> str:
    shown = words.printed_parts(entry.paper.name).get(entry.figure.name, ())
    lines = f' <span class="soft">Shows {escape(", ".join(shown))}.</span>' if shown else ""
    states = [slug(state) for state in entry.states] + (["open"] if entry.open else [])
    return (
        f'<tr data-paper="{escape(entry.paper.name)}" data-kind="{entry.kind}" '
        f'data-states="{" ".join(states)}" data-text="{escape(words.of_entry(entry))}">'
        f"<td>{escape(entry.paper.name.replace('_', ' '))}</td>"
        f'<td><a href="{escape(entry.paper.name)}/index.html#{escape(entry.figure.name)}">'
        f"{escape(entry.spoken)}</a>: {escape(entry.figure.title)}{lines}</td>"
        f"<td>{verdict_chips(entry.states, entry.open)}</td></tr>"
    )
