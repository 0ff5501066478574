"""Footnotes of an entry: a reason that many cells share stands once, and links its experiment."""

from html import escape

from paper_figures import verdict
from paper_figures.gallery.entries import Judged, spoken
from paper_figures.verdict import NO_ERROR, Verdict

LONG = 8


class Footnotes:
    """Numbers the reasons of an entry as its cells name them.

    Parameters
    ----------
    paper, figure : str
        The entry.
    """

    def __init__(self, paper: str, figure: str) -> None:
        self.paper = paper
        self.figure = figure
        self.reasons: dict[tuple[str, str], int] = {}

    def mark(self, judgement: Verdict) -> str:
        """Return links to the reasons of a cell, or nothing."""
        texts = []
        if judgement.explanation is not None:
            texts.append((judgement.explanation.text, judgement.explanation.experiment))
        if judgement.note and judgement.note != NO_ERROR:
            texts.append((judgement.note, ""))
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
            f'<li id="{escape(self.figure)}-note-{place}">{escape(_sentence(text))}'
            f"{self._experiment(experiment)}</li>"
            for (text, experiment), place in self.reasons.items()
        )
        listed = f'<ol class="footnotes">{items}</ol>'
        if len(self.reasons) <= LONG:
            return listed
        return f"<details><summary>{len(self.reasons)} notes</summary>{listed}</details>"

    def _experiment(self, name: str) -> str:
        if not name:
            return ""
        paper, _, figure = name.partition(".")
        page = "" if paper == self.paper else f"../{paper}/index.html"
        return (
            f' <a href="{escape(page)}#{escape(figure)}">'
            f"Experiment: {escape(spoken(figure))}</a>"
        )


def _sentence(text: str) -> str:
    """Return a reason as a sentence; a symbol or the name of a file keeps its first letter."""
    first = text.partition(" ")[0].rstrip(",:")
    word = first.isalpha() and (len(first) > 1 or first == "a")
    whole = text[:1].upper() + text[1:] if word else text
    return whole if whole.endswith((".", "!", "?")) else whole + "."


def common_note(judged: list[Judged]) -> str:
    """Return a sentence on the numbers of a table without a standard error, or nothing."""
    compared = [
        item
        for item in judged
        if item.verdict.state in (verdict.SAME, *verdict.DIFFERING)
        and item.verdict.note == NO_ERROR
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
