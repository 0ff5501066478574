"""An entry on its paper's page: picture, tables, notes, links, and where the numbers come from."""

from html import escape
from pathlib import Path

from paper_figures.gallery.entries import REPRODUCED, Entry, Room
from paper_figures.gallery.footnotes import Footnotes
from paper_figures.gallery.html import entry_address, permalink, picture, sentence, with_links
from paper_figures.gallery.numbers import duration_text
from paper_figures.gallery.signs import verdict_chips
from paper_figures.gallery.tables import tables
from paper_figures.gallery.words import printed_parts
from paper_figures.judge import verdicts
from paper_figures.registry import spoken
from paper_figures.store import Record

FEW_NOTES = 2
FEW_EXPERIMENTS = 6


def article(room: Room, entry: Entry) -> str:
    """Return an entry of a paper's page.

    Parameters
    ----------
    room : Room
    entry : Entry

    Returns
    -------
    str
    """
    name = entry.figure.name
    parts = [
        f'<article id="{escape(name)}" class="{entry.kind}">',
        f"<h3>{escape(entry.spoken)}: {escape(entry.figure.title)} "
        f"{permalink(name, entry.spoken)}</h3>",
        verdict_chips(entry.states, entry.open),
    ]
    if entry.failure:
        error = escape(entry.failure["error"])
        parts.append(f'<div class="box"><pre class="error" tabindex="0">{error}</pre></div>')
    if entry.record is None:
        parts.append(f"<p>Make it with <code>{escape(_command(room, entry))}</code></p>")
    else:
        parts += _made(room, entry, entry.record)
    return "\n".join(part for part in [*parts, "</article>"] if part)


def _command(room: Room, entry: Entry) -> str:
    """Return the command that makes an entry at the scale at which it failed, or of its room."""
    small = entry.failure.get("scale") != "paper" if entry.failure else room.small or not room.made
    return f"python -m paper_figures {entry.name}" + ("" if small else " --scale paper")


def _made(room: Room, entry: Entry, record: Record) -> list[str]:
    notes = Footnotes(room, entry.figure.name)
    drawn = _picture(entry)
    numbers = tables(entry, notes)
    left = drawn or f'<div class="tables">{numbers}</div>'
    about = [numbers] if drawn else []
    about += [notes.written(), _remarks(room, record), _links(room, entry), _origin(record)]
    beside = "\n".join(part for part in about if part)
    body = f'<div class="pair">{left}\n<div class="about">{beside}</div></div>'
    if _folded(room, entry):
        shown = "Picture and numbers" if drawn else "Numbers"
        body = f'<details class="body"><summary>{shown}</summary>\n{body}</details>'
    return [_stand_in(room, entry, record), body]


def _folded(room: Room, entry: Entry) -> bool:
    """Return whether an entry is one of many that are not the paper's own: the page stays short."""
    made = [other for other in room.entries if other.kind == "experiment" and other.record]
    return entry.kind == "experiment" and len(made) > FEW_EXPERIMENTS


def _stand_in(room: Room, entry: Entry, record: Record) -> str:
    """Return a line that says that small-scale numbers are of a stand-in."""
    if record["scale"] != "small":
        return ""
    where = f"{REPRODUCED}/{room.name}"
    page = room.link(f"{where}/README.md")
    if page is not None and room.link(f"{where}/{entry.figure.name}.json") is None:
        source = "The numbers at the paper's scale are not yet made."
    elif page is not None:
        link = f'<a href="{escape(page)}">the committed results</a>'
        source = f"The numbers at the paper's scale are in {link}."
    else:
        source = (
            f"The project's <code>{escape(where)}/README.md</code> has the numbers at the "
            "paper's scale."
        )
    return (
        '<p class="stand-in">Small scale: these numbers are of a stand-in, with other data or '
        f"other sizes than the paper's. {source}</p>"
    )


def _picture(entry: Entry) -> str:
    figure = entry.figure
    if ".svg" not in entry.pictures:
        return ""
    width, height = (round(96 * inches) for inches in figure.size)
    others = " · ".join(
        f'<a href="{escape(figure.name + s)}">{s[1:]}</a>' for s in (*entry.pictures, ".json")
    )
    shown = picture(figure.name, figure.alt or figure.title, (width, height))
    return f"<figure>{shown}<figcaption>{others}</figcaption></figure>"


def _remarks(room: Room, record: Record) -> str:
    """Return the notes of a record; all but the first are folded if there are many."""
    texts = [with_links(sentence(note), room.name, room.names) for note in verdicts.notes(record)]
    items = [f"<li>{text}</li>" for text in texts]
    if not items:
        return ""
    if len(items) <= FEW_NOTES:
        return f'<ul class="notes">{"".join(items)}</ul>'
    rest = "".join(items[1:])
    return (
        f'<ul class="notes">{items[0]}</ul><details><summary>{len(items) - 1} more notes</summary>'
        f'<ul class="notes">{rest}</ul></details>'
    )


def _links(room: Room, entry: Entry) -> str:
    """Return what the entry shows of the paper, its experiments, and what it explains."""
    parts = []
    shown = printed_parts(room.name).get(entry.figure.name, ())
    if shown:
        index = room.link(f"refimpl/{room.name}/PAPER.md")
        names = escape(", ".join(shown))
        parts.append(f'Shows <a href="{escape(index)}">{names}</a>' if index else f"Shows {names}")
    explained = [full for full in entry.experiments if full != entry.name]
    if explained:
        parts.append("Explained by " + _names(room, explained))
    explains = [e.name for e in room.entries if entry.name in e.experiments and e is not entry]
    if explains:
        parts.append("Explains " + _names(room, explains))
    return f'<p class="links">{" · ".join(parts)}</p>' if parts else ""


def _names(room: Room, full_names: list[str]) -> str:
    return ", ".join(
        f'<a href="{escape(entry_address(full, room.name))}">'
        f"{escape(spoken(full.partition('.')[2]))}</a>"
        for full in full_names
    )


def _origin(record: Record) -> str:
    command = (
        f"python -m paper_figures {record['paper']}.{record['figure']} --scale {record['scale']} "
        f"--kernels {record['kernels']} --seed {record['seed']}"
    )
    data = "".join(
        f"<li>{escape(d['name'])}: <code>{escape(d['sha256'])}</code></li>" for d in record["data"]
    )
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    name = escape(Path(record["figure"]).name)
    return f"""<details class="origin">
<summary>How it was made: {duration_text(record["seconds"])}, command, data, versions</summary>
<p><code>{escape(command)}</code></p>
<ul>{data or "<li>no data files</li>"}</ul>
<p>{escape(versions)}. Machine: {escape("; ".join(record["machines"]))}. The time is the sum over
all cells. Study {escape(record["study"])}, version {record["version"]}. All numbers:
<a href="{name}.json">{name}.json</a>.</p>
</details>"""
