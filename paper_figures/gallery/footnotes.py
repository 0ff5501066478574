"""Footnotes of an entry: a reason that many cells share is there once."""

from paper_figures.gallery.entries import Judged
from paper_figures.judge import verdicts
from paper_figures.judge.verdicts import NO_ERROR, Verdict


class Footnotes:
    """The reasons of an entry, numbered as its cells name them."""

    def __init__(self) -> None:
        self.reasons: dict[tuple[str, str], int] = {}

    def of(self, judgement: Verdict) -> list[int]:
        """Return the numbers of the reasons of a cell."""
        texts = []
        if judgement.explanation is not None:
            texts.append((judgement.explanation.text, judgement.explanation.experiment))
        if note := own_note(judgement):
            texts.append((note, ""))
        return [self.reasons.setdefault(text, len(self.reasons) + 1) for text in texts]


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
