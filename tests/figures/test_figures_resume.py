"""Stop a run, run two at once: nothing finished is lost, the numbers stay.

Not tested here: full disks (test_figures_trouble.py), half-written files (shared/test_faults.py).
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_paper
import pytest
from fake_paper import parts, record, run

from paper_figures import cli

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "support" / "fake_paper.py"
FIGURE = "fake.figure1"
PATIENCE = 120


@pytest.fixture
def peace(tmp_path, monkeypatch):
    """The folder of a run that nothing disturbed."""
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)
    assert run(tmp_path / "peace", FIGURE) == cli.DONE
    return tmp_path / "peace"


def started(out, jobs="1"):
    """Begin the command in a new process; a cell takes a moment."""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(SCRIPT), FIGURE, "--kernels", "reference", "--jobs", jobs]
    return subprocess.Popen(
        [*command, "--out", str(out)],
        env={**os.environ, "PYTHONPATH": paths, "FAKE_SECONDS": "0.1"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def require_same(out, peace):
    """Check that a folder has the results of the run in peace, and no rests."""
    mine, wanted = (record(folder, "figure1") for folder in (out, peace))
    assert [mine[name] for name in ("rows", "notes", "key")] == [
        wanted[name] for name in ("rows", "notes", "key")
    ]
    svg = "fake/figure1.svg"
    assert (out / svg).read_bytes() == (peace / svg).read_bytes()
    assert len(parts(out)) == fake_paper.N_CELLS and (out / "index.html").is_file()
    assert not list(out.rglob("*.failed.json"))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda n: n.name)
def test_runs_that_are_stopped_go_on_without_workers(number, jobs, peace, tmp_path):
    out = tmp_path / "out"
    process = started(out, jobs)
    while len(parts(out)) < 3 and process.poll() is None:
        time.sleep(0.001)
    os.killpg(process.pid, number)
    said = process.communicate(timeout=PATIENCE)[1]
    kept = parts(out)
    assert 3 <= len(kept) < fake_paper.N_CELLS, said
    assert all(json.loads(path.read_bytes()) for path in kept)
    if number == signal.SIGINT:
        assert process.returncode == cli.INTERRUPTED and (out / "index.html").is_file(), said
        assert "Interrupted. Each finished cell is kept" in said and "Traceback" not in said
    assert run(out, FIGURE) == cli.DONE
    assert kept.items() <= parts(out).items()
    require_same(out, peace)


def test_two_processes_at_once(peace, tmp_path):
    out = tmp_path / "out"
    for process in [started(out), started(out)]:
        said = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == cli.DONE and "damaged" not in said, said
    assert not list(out.rglob("*.tmp"))
    require_same(out, peace)
