"""The claims of a paper as its page opens with them: state, place, numbers, because, settle."""

from html import escape

from paper_figures import claims
from paper_figures.claims import Decided, Number
from paper_figures.gallery.entries import Room, spoken
from paper_figures.gallery.html import permalink
from paper_figures.gallery.numbers import number_text
from paper_figures.gallery.signs import claim_badge, claim_chips, slug

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
    items = "\n".join(_claim(decided) for decided in room.claims)
    return f"""<section id="claims">
<h2>What the paper claims {permalink("claims", "the claims")}</h2>
{claim_chips(claims.count(room.claims))}
<ol class="claims">
{items}
</ol>
</section>"""


def _claim(decided: Decided) -> str:
    claim = decided.claim
    anchor = f"claim-{claim.id}"
    parts = [
        f'<p class="claim-head">{claim_badge(decided.state)} '
        f'<span class="where">{escape(claim.where)}</span>{_figures(decided)} '
        f"{permalink(anchor, f'the claim {claim.id}')}</p>",
        f'<p class="claim-text">{escape(claim.claim)}</p>',
        _numbers(decided),
        _line("Because", decided.because),
    ]
    if decided.state in (claims.FAILS, claims.OPEN):
        parts.append(_line("What would settle it", claim.settle))
    content = "".join(parts)
    return f'<li class="claim {slug(decided.state)}" id="{escape(anchor)}">{content}</li>'


def _figures(decided: Decided) -> str:
    links = ", ".join(
        f'<a href="#{escape(name)}">{escape(spoken(name))}</a>' for name in decided.claim.figures
    )
    return f' <span class="where">· decided by {links}</span>' if links else ""


def _line(head: str, text: str) -> str:
    if not text:
        return ""
    return f'<p class="claim-line"><span class="head">{head}:</span> {escape(text)}</p>'


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
    text = f"{escape(number.name)}: <b>{number_text(number.ours, None)}</b>"
    if number.std_error:
        text += f" <span>± {number_text(number.std_error, None)} (s.e.)</span>"
    if number.published is not None:
        text += f", printed {number_text(number.published, None)}"
    paper, _, figure = number.entry.partition(".")
    if figure:
        page = "" if paper == decided.claim.paper else f"../{paper}/index.html"
        text += (
            f' <a href="{escape(page)}#{escape(figure)}" '
            f'aria-label="{escape(spoken(figure))}, where the number stands">↗</a>'
        )
    return text
