"""Footnotes of an entry: a reason that many cells share stands once, and links its experiment."""

from html import escape

from paper_figures.gallery.entries import Judged, Room
from paper_figures.gallery.html import entry_address, sentence, with_links
from paper_figures.judge import verdicts
from paper_figures.judge.verdicts import NO_ERROR, Verdict
from paper_figures.registry import spoken

LONG = 8


class Footnotes:
    """Numbers the reasons of an entry as its cells name them.

    Parameters
    ----------
    room : Room
    figure : str
        The entry's name.
    """

    def __init__(self, room: Room, figure: str) -> None:
        self.room = room
        self.figure = figure
        self.reasons: dict[tuple[str, str], int] = {}

    def mark(self, judgement: Verdict) -> str:
        """Return links to the reasons of a cell, or nothing."""
        texts = []
        if judgement.explanation is not None:
            texts.append((judgement.explanation.text, judgement.explanation.experiment))
        if note := own_note(judgement):
            texts.append((note, ""))
        return "".join(self._link(text, experiment) for text, experiment in texts)

    def _link(self, text: str, experiment: str) -> str:
        place = self.reasons.setdefault((text, experiment), len(self.reasons) + 1)
        return (
            f'<a class="note" href="#{escape(self.figure)}-note-{place}" '
            f'aria-label="note {place}">{place}</a>'
        )

    def written(self) -> str:
        """Return the list of the reasons, folded if it is long."""
        if not self.reasons:
            return ""
        items = "".join(
            f'<li id="{escape(self.figure)}-note-{place}">{self._text(text)}'
            f"{self._experiment(experiment)}</li>"
            for (text, experiment), place in self.reasons.items()
        )
        listed = f'<ol class="footnotes">{items}</ol>'
        if len(self.reasons) <= LONG:
            return listed
        return f"<details><summary>{len(self.reasons)} notes</summary>{listed}</details>"

    def _text(self, text: str) -> str:
        return with_links(sentence(text), self.room.name, self.room.names)

    def _experiment(self, name: str) -> str:
        if not name:
            return ""
        address = entry_address(name, self.room.name)
        figure = name.partition(".")[2]
        return f' <a href="{escape(address)}">Experiment: {escape(spoken(figure))}</a>'


def own_note(judgement: Verdict) -> str:
    """Return a verdict's note without what `common_note` says of the whole table."""
    return judgement.note.removesuffix(NO_ERROR).rstrip("; ")


def common_note(judged: list[Judged]) -> str:
    """Return a sentence on the numbers of a table without a standard error, or nothing."""
    compared = [
        item
        for item in judged
        if item.verdict.state in (verdicts.SAME, *verdicts.DIFFERING)
        and item.verdict.note.endswith(NO_ERROR)
    ]
    if not compared:
        return ""
    if len(compared) == 1:
        return "One number has no standard error, so it is the same only if it is equal."
    which = "All" if len(compared) == len(judged) else "Some"
    return (
        f"{which} numbers ({len(compared)}) have no standard error: they are the same only if "
        "they are equal but for the rounding."
    )
