"""What the pages show: a room for each paper, with its entries, their rows, and its claims."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper_figures import judge
from paper_figures.judge import Decided, verdicts
from paper_figures.judge.verdicts import Verdict
from paper_figures.registry import spoken
from paper_figures.store import Record, Row, Store
from paper_figures.study import Paper, View

FAILED = "failed"
NOT_RUN = "not yet run"
DAMAGED = "damaged"
REPRODUCED = "paper_figures/reproduced"
"""The folder of the committed results at the papers' scale."""
SUFFIXES = (".svg", ".png")
FEW_EXPERIMENTS = 6
"""Of more experiments than this the page shows the titles, so that it stays short."""


@dataclass(frozen=True)
class Judged:
    """A row and its verdict."""

    row: Row
    verdict: Verdict


@dataclass(frozen=True)
class Entry:
    """A figure or table: its record and verdicts, or what became of it, or neither."""

    paper: Paper
    figure: View
    record: Record | None
    failure: dict[str, Any] | None  # its "error"; "damaged" if a record cannot be read
    judged: tuple[Judged, ...]
    pictures: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its full name, as the command line takes it."""
        return f"{self.paper.name}.{self.figure.name}"

    @property
    def spoken(self) -> str:
        """Its name as readers say it: Table 2 for table2."""
        return spoken(self.figure.name)

    @property
    def kind(self) -> str:
        """One of figure, table, experiment."""
        stem = self.figure.name.rstrip("0123456789")
        return stem if stem in ("figure", "table") else "experiment"

    @property
    def drawn(self) -> bool:
        """Whether it has a picture."""
        return ".svg" in self.pictures

    @property
    def states(self) -> Counter[str]:
        """How many rows have each state; 1 for an entry without a record that can be read."""
        if self.record is None:
            failed = DAMAGED if self.failure and "damaged" in self.failure else FAILED
            return Counter([failed if self.failure else NOT_RUN])
        return Counter(item.verdict.state for item in self.judged)

    @property
    def open(self) -> int:
        """How many rows differ without an explanation."""
        return sum(item.verdict.open for item in self.judged)

    @property
    def experiments(self) -> list[str]:
        """The full names of the entries that its explanations name."""
        named = [item.verdict.explanation for item in self.judged]
        return list(dict.fromkeys(e.experiment for e in named if e is not None))


@dataclass(frozen=True)
class Room:
    """A paper's entries, its claims, and the way from its page to the project's files."""

    paper: Paper
    entries: tuple[Entry, ...]
    claims: tuple[Decided, ...]
    folder: Path
    checkout: Path | None
    names: frozenset[str]  # the full names of the entries of all papers
    page: Callable[[str], str | None] | None = None  # of a site, which shows a file

    @property
    def name(self) -> str:
        """The paper's name on the command line."""
        return self.paper.name

    @property
    def states(self) -> Counter[str]:
        """How many rows of all entries have each state."""
        return sum((entry.states for entry in self.entries), Counter[str]())

    @property
    def open(self) -> int:
        """How many rows of all entries differ without an explanation."""
        return sum(entry.open for entry in self.entries)

    @property
    def made(self) -> int:
        """How many entries have a record."""
        return sum(entry.record is not None for entry in self.entries)

    @property
    def small(self) -> bool:
        """Whether there are records, all of the small scale."""
        scales = {e.record["scale"] for e in self.entries if e.record is not None}
        return scales == {"small"}

    @property
    def decided(self) -> Counter[str]:
        """How many claims have each state."""
        return Counter(decided.state for decided in self.claims)

    @property
    def compared(self) -> dict[str, int]:
        """The states of numbers that have a published one, and what failed or is missing."""
        alone = (verdicts.BEYOND, verdicts.NO_CURVE)
        return {state: n for state, n in self.states.items() if state not in alone}

    @property
    def differs(self) -> bool:
        """Whether any number differs from the published one."""
        return bool(self.states.keys() & set(verdicts.DIFFERING))

    def folds(self, entry: Entry) -> bool:
        """Return whether an entry is one of many that are not the paper's own."""
        made = [other for other in self.entries if other.kind == "experiment" and other.record]
        return entry.kind == "experiment" and len(made) > FEW_EXPERIMENTS

    def explained_by(self, entry: Entry) -> list[str]:
        """Return the full names of the other entries whose differences an entry explains."""
        others = (other for other in self.entries if other is not entry)
        return [other.name for other in others if entry.name in other.experiments]

    def link(self, path: str) -> str | None:
        """Return the address, from the paper's page, of a file of the project; None without it."""
        if self.page is not None:
            return self.page(path)
        if self.checkout is None or not (self.checkout / path).exists():
            return None
        return Path(os.path.relpath(self.checkout / path, self.folder)).as_posix()


def collect(
    store: Store,
    paper: Paper,
    papers: Sequence[Paper],
    page: Callable[[str], str | None] | None = None,
) -> Room:
    """Read what a folder holds of a paper, judge its rows and decide its claims."""
    entries = tuple(_entry(store, paper, figure) for figure in paper.figures)
    records = {e.figure.name: e.record for e in entries if e.record is not None}
    decided = tuple(judge.decide(paper.name, records))
    folder = (store.out / paper.name).resolve()
    names = frozenset(f"{other.name}.{figure.name}" for other in papers for figure in other.figures)
    return Room(paper, entries, decided, folder, _checkout(folder), names, page)


def _entry(store: Store, paper: Paper, figure: View) -> Entry:
    failure = store.read_failure(paper.name, figure.name)
    record = None if failure else store.read(paper.name, figure.name)
    path = store.path(paper.name, figure.name, ".json")
    if failure is None and record is None and path.is_file():
        failure = {"error": f"{path.name} is damaged. It must be made again.", "damaged": True}
    judged: tuple[Judged, ...] = ()
    pictures: tuple[str, ...] = ()
    if record is not None:
        judged = tuple(map(Judged, record["rows"], verdicts.judge(record)))
        if figure.draw is not None:
            paths = ((s, store.path(paper.name, figure.name, s)) for s in SUFFIXES)
            pictures = tuple(suffix for suffix, path in paths if path.is_file())
    return Entry(paper, figure, record, failure, judged, pictures)


def _checkout(folder: Path) -> Path | None:
    """Return the checkout that a folder lies in, known by its rooms of papers."""
    for parent in folder.parents:
        if (parent / "refimpl").is_dir() and (parent / "paper_figures" / "reproduced").is_dir():
            return parent
    return None
