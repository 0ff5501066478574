"""Kill a run at random moments, run two at once: nothing finished is lost, the numbers stay.

Not tested here: full disks (test_figures_trouble.py).
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_paper
import figure_faults as figures
import forked
import pytest

from paper_figures import cli

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.skipif(not forked.POSSIBLE, reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    """The made-up paper's drawn figure, made in peace; its tasks take next to no time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fake_paper, "SECONDS", 0.01)
        folder = tmp_path_factory.mktemp("faults")
        yield figures.Subject(folder, "fake", "figure1", "reference", [fake_paper.PAPER])


def test_the_figure_has_its_parts(subject):
    assert subject.n == fake_paper.N_CELLS


def test_two_processes_at_once(subject, tmp_path):
    figures.two_at_once(subject, tmp_path)


FIGURES = ("boosted_distance.figure2", "boostmap.figure5", "search_forest.figure1", "lmnn.figure5")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FIGURES, "ftune.figure2"])
def test_faults_of_a_real_figure(name, tmp_path, monkeypatch):
    monkeypatch.setattr(forked, "PATIENCE", 7200.0)  # on a busy machine a figure takes long
    real = figures.Subject(tmp_path, *name.split("."), "fast")
    figures.killed(real, tmp_path / "killed", random.Random(name))
    figures.two_at_once(real, tmp_path / "both")


def test_killed_runs_go_on_with_the_same_numbers(subject, tmp_path):
    said = figures.killed(
        subject, tmp_path, random.Random(20060101), times=3, pause=0.05, missing=14
    )
    assert ", 0 of 14" not in said, said


def test_ctrl_c_in_a_run_without_workers(subject, tmp_path):
    child = subject.start(tmp_path)
    while len(subject.parts(tmp_path)) < 2 and not child.ended():
        time.sleep(0.001)
    assert child.stop(signal.SIGINT) == cli.INTERRUPTED, child.said()
    assert "Interrupted. Each finished cell is kept" in child.said()
    assert "Traceback" not in child.said(), child.said()
    assert (tmp_path / "index.html").is_file()
    subject.go_on(tmp_path, subject.parts(tmp_path))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda n: n.name)
def test_runs_with_workers_are_stopped_and_go_on_without(number, subject, tmp_path):
    """The parts of two workers and those of none make the figure that none makes."""
    script = str(ROOT / "tests" / "support" / "fake_paper.py")
    command = [sys.executable, script, "fake.figure1", "--kernels", "reference", "--jobs", "2"]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths, "FAKE_SECONDS": str(fake_paper.SECONDS)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    while len(subject.parts(tmp_path)) < 3 and process.poll() is None:
        time.sleep(0.001)
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass  # it has ended already
    said = process.communicate(timeout=120)[1]
    kept = subject.parts(tmp_path)
    assert len(kept) >= 3, said
    if number == signal.SIGINT and process.returncode != cli.DONE:
        assert process.returncode == cli.INTERRUPTED, said
        assert "Interrupted. Each finished cell is kept" in said and "Traceback" not in said
    subject.go_on(tmp_path, kept)
