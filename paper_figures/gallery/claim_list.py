"""The claims of a paper as its page opens with them: state, place, numbers, because, settle."""

from collections import Counter
from html import escape

from paper_figures import judge
from paper_figures.gallery.entries import REPRODUCED, Room
from paper_figures.gallery.html import entry_address, permalink, sentence, with_links
from paper_figures.gallery.numbers import number_text, with_error
from paper_figures.gallery.signs import claim_badge, claim_chips, slug
from paper_figures.judge import Decided
from paper_figures.judge.numbers import Number
from paper_figures.registry import spoken

FEW = 3
"""So many numbers stand open; more are folded."""


def section(room: Room) -> str:
    """Return the section of a paper's claims.

    Parameters
    ----------
    room : Room

    Returns
    -------
    str
    """
    if not room.claims:
        return (
            '<section id="claims"><h2>Claims</h2>'
            "<p>No claims of this paper are written down yet.</p></section>"
        )
    items = "\n".join(_claim(room, decided) for decided in room.claims)
    listed = f'<ol class="claims">\n{items}\n</ol>'
    if room.small or not room.made:  # none is decided
        listed = f"<details><summary>{len(room.claims)} claims</summary>\n{listed}</details>"
    return f"""<section id="claims">
<h2>What the paper claims {permalink("claims", "the claims")}</h2>
{claim_chips(Counter(decided.state for decided in room.claims)) if room.made else ""}
{_where_decided(room)}
{listed}
</section>"""


def _where_decided(room: Room) -> str:
    """Return where the claims are decided, on a page that decides none."""
    if not room.made:
        return (
            '<p class="stand-in">Nothing of this paper is made yet in this folder, so no claim is '
            "decided.</p>"
        )
    if not room.small:
        return ""
    page = room.link(f"{REPRODUCED}/{room.name}/README.md")
    where = f"<code>{REPRODUCED}/{room.name}</code> of the project"
    if page is not None:
        where = f'<a href="{escape(page)}">the committed results</a>'
    return (
        '<p class="stand-in">The small scale decides no claim, since the claims are about the '
        f"paper's data and sizes. For their states see {where}.</p>"
    )


def _claim(room: Room, decided: Decided) -> str:
    claim = decided.claim
    anchor = f"claim-{claim.id}"
    settle = claim.settle if decided.state in (judge.FAILS, judge.OPEN) else ""
    return f"""<li class="claim {slug(decided.state)}" id="{escape(anchor)}">
<div class="claim-head">{claim_badge(decided.state)} {permalink(anchor, f"the claim {claim.id}")}
<p class="where">{escape(claim.where)}</p>{_figures(decided)}</div>
<div class="claim-body"><p class="claim-text">{escape(claim.claim)}</p>
{_line(room, "Because", decided.because)}{_line(room, "By the paper's own tables", decided.printed)}
{_line(room, "What would settle it", settle)}
{_numbers(decided)}</div></li>"""


def _figures(decided: Decided) -> str:
    links = ", ".join(
        f'<a href="#{escape(name)}">{escape(spoken(name))}</a>' for name in decided.claim.figures
    )
    return f'<p class="where">Reproduced in: {links}</p>' if links else ""


def _line(room: Room, head: str, text: str) -> str:
    if not text:
        return ""
    first, *more = (with_links(sentence(t), room.name, room.names) for t in text.split("\n"))
    if not more:
        return f'<p class="claim-line"><span class="head">{head}:</span> {first}</p>'
    items = "".join(f"<li>{one}</li>" for one in (first, *more))
    return f'<div class="claim-line"><span class="head">{head}:</span><ul>{items}</ul></div>'


def _numbers(decided: Decided) -> str:
    if not decided.numbers:
        return ""
    items = "".join(f"<li>{_number(number, decided)}</li>" for number in decided.numbers)
    listed = f'<ul class="deciding">{items}</ul>'
    if len(decided.numbers) <= FEW:
        return listed
    summary = f"{len(decided.numbers)} numbers decide it"
    return f"<details><summary>{summary}</summary>{listed}</details>"


def _number(number: Number, decided: Decided) -> str:
    ours, error = with_error(number.ours, number.std_error)
    text = f"{escape(number.name)}: <b>{ours}</b>"
    if error:
        text += f" ± {error} (s.e.{_of_runs(number)})"
    elif number.runs is not None:
        text += f" ({_of_runs(number).removeprefix(', ')})"
    if number.published is not None:
        text += f", published {number_text(number.published, None)}"
    return text + _entry_links(number, decided.claim.paper)


def _of_runs(number: Number) -> str:
    """Return of how many runs a number is, if that is one count."""
    if number.runs is None:
        return ""
    return ", run once" if number.runs == 1 else f", n = {number.runs:,}"


def _entry_links(number: Number, paper: str) -> str:
    """Return a link to each entry that a number comes from."""
    links = ""
    for full in number.entries:
        figure = full.partition(".")[2]
        links += (
            f' <a href="{escape(entry_address(full, paper))}" '
            f'aria-label="where the number is">{escape(spoken(figure))}</a>'
        )
    return links
