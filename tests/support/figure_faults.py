"""Faults around the command of figures; each raises AssertionError if something is lost."""

import importlib
import json
import shutil
import signal
import time
from pathlib import Path

from forked import Child

from paper_figures import cli
from paper_figures.store import Store

LATE = ("joblib", "tqdm", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg")


class Subject:
    """A figure, and a finished run of it in peace, in `folder`/peace."""

    def __init__(self, folder, paper, figure, kernels="fast", papers=None):
        self.folder = Path(folder)
        self.paper, self.figure, self.kernels, self.papers = paper, figure, kernels, papers
        self.peace = self.folder / "peace"
        for module in LATE:  # so that no child has to
            importlib.import_module(module)
        start = time.monotonic()
        code, said = self.run(self.peace)
        assert code == cli.DONE, said
        self.seconds = time.monotonic() - start
        names = self.parts(self.peace)
        self.n = len(names)
        self.cheapest = sorted(
            names, key=lambda name: json.loads((self.peace / name).read_bytes())["seconds"]
        )

    def start(self, out):
        """Begin the command in a child."""
        arguments = [f"{self.paper}.{self.figure}", "--kernels", self.kernels, "--jobs", "1"]

        def command():
            return cli.main([*arguments, "--out", str(out)], papers=self.papers)

        self.folder.mkdir(parents=True, exist_ok=True)
        return Child(command, self.folder / f"log{time.monotonic_ns()}")

    def run(self, out):
        """Run the command to its end: its exit code, and what it said."""
        child = self.start(out)
        return child.wait(), child.said()

    def parts(self, out):
        """When each finished part was written; every part must be whole."""
        times = {}
        for path in (out / self.paper / ".parts").rglob("[!.]*.json"):
            json.loads(path.read_bytes())
            times[str(path.relative_to(out))] = path.stat().st_mtime_ns
        return times

    def seeded(self, out, missing):
        """Copy the finished parts but for the cheapest ones; returns :meth:`parts`."""
        shutil.copytree(self.peace / self.paper / ".parts", out / self.paper / ".parts")
        for path in self.cheapest[:missing]:
            (out / path).unlink()
        return self.parts(out)

    def require_same(self, out):
        """Check that a folder has the results of the finished run."""
        records = [Store(where).read(self.paper, self.figure) for where in (self.peace, out)]
        assert records[1] is not None, f"no result in {out}"
        for field in ("rows", "notes", "drawing", "key"):
            assert records[0].get(field) == records[1].get(field), f"{field} differ"
        for path in self.peace.glob(f"{self.paper}/*.svg"):
            assert path.read_bytes() == (out / self.paper / path.name).read_bytes(), path.name
        assert len(self.parts(out)) == self.n
        assert (out / "index.html").is_file() and not list(out.rglob("*.failed.json"))

    def go_on(self, out, kept):
        """Run again: it must succeed, compute nothing twice and give the same results."""
        code, said = self.run(out)
        assert code == cli.DONE, said
        assert kept.items() <= self.parts(out).items(), "a finished part was computed again"
        self.require_same(out)


def killed(subject, out, rng, times=4, pause=None, missing=4):
    """Kill -9 at random moments while the cheapest parts are computed."""
    pause = max(0.05, subject.seconds / (2 * subject.n)) if pause is None else pause
    kept = subject.seeded(out, missing)
    before = len(kept)
    for _ in range(times):
        child = subject.start(out)
        goal = len(kept) + rng.randint(0, 2)
        while len(subject.parts(out)) < goal and not child.ended():
            time.sleep(0.002)
        time.sleep(rng.uniform(0.0, pause))
        child.stop(signal.SIGKILL)
        now = subject.parts(out)
        assert kept.items() <= now.items(), "a finished part was lost or computed again"
        kept = now
    subject.go_on(out, kept)
    return f"{times} kills, {len(kept) - before} of {subject.n - before} parts were kept"


def two_at_once(subject, out):
    """Run two processes at the same figure and folder."""
    kept = subject.seeded(out, 2)
    children = [subject.start(out) for _ in range(2)]
    for child in children:
        assert child.wait() == cli.DONE, child.said()
        assert "damaged" not in child.said(), child.said()
    assert kept.items() <= subject.parts(out).items()
    assert not list(out.rglob("*.tmp"))
    subject.require_same(out)
