"""The examples of the site's guides run, and give what they say; so do its shell lines and its SQL.

The lines are taken from the guides' files. PostgreSQL runs as a server of the test's own, the
cluster as two workers on this computer with a made-up paper. Not tested: runs at the papers' scale.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import fake_paper
import postgresql
import pytest

from paper_figures import cli

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "paper_figures/site/source/guides"
GUIDES = sorted(FOLDER.glob("*.rst"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def text_of(name):
    return (FOLDER / f"{name}.rst").read_text(encoding="utf-8")


def blocks(name):
    """Return the literal blocks of a guide: what is indented below a line that ends with `::`."""
    found = re.findall(r"::\n\n((?:    .*\n|\n)+)", text_of(name))
    return [textwrap.dedent(block).strip() for block in found]


def names_after(name):
    """Return what the examples of a guide leave in their names."""
    test = doctest.DocTestParser().get_doctest(text_of(name), {}, name, f"{name}.rst", 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    assert runner.run(test, clear_globs=False).failed == 0
    return test.globs


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_the_examples_of_a_guide(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=FLAGS)
    assert failed == 0
    assert tried > 0 or path.stem in ("index", "reproduce")


def test_the_guides_lines_of_postgresql():
    """The guide's SQL finds the candidates that the inverted index finds, by the GIN index."""
    (create,) = blocks("search")
    assert create.startswith("create table")
    guide = names_after("search")
    with postgresql.server() as psql:
        psql(f"{create}\n{guide['insert']}")
        ids = {int(row[0]) for row in psql(guide["select"])}
        plan = psql(f"set enable_seqscan = off; explain {guide['select']}")
    X, index = guide["X"], guide["index"]
    terms = index.to_terms(X)
    assert ids == {i for i in range(len(X)) if set(terms[i]) & set(terms[0])}
    assert ids == set(index.candidates(X[:1]).ids.tolist())
    assert 0 in ids and len(ids) < len(X)
    assert any("Bitmap Index Scan" in row[0] for row in plan)


def shell_lines(name):
    return [
        line for block in blocks(name) for line in block.splitlines() if line.startswith("python")
    ]


@pytest.mark.parametrize("line", shell_lines("reproduce"))
def test_the_command_takes_a_shell_line_of_the_guide(line, capsys):
    """With --list the command reads all its arguments, and computes nothing."""
    program, module, package, *arguments = shlex.split(line)
    assert (program, module, package) == ("python", "-m", "paper_figures")
    assert cli.main([*arguments, "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in arguments if name.startswith("boosted_distance"))


def test_the_checks_shell_lines_of_the_guide(tmp_path):
    """Run as written, from a folder of their own; the skeleton has no rounds yet."""
    where = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "text": True}
    ends = []
    for line in shell_lines("own"):
        words = line.replace("python", shlex.quote(sys.executable), 1)
        done = subprocess.run(words, shell=True, capture_output=True, **where)
        ends.append((done.returncode, done.stdout.rpartition("\n\n")[2].strip()))
    assert [code for code, _ in ends] == [0, 0, 0, 1]
    assert ends[3][1] == "differs" and "def fastmap" in (tmp_path / "my_fastmap.py").read_text()


def test_the_guides_lines_of_the_cluster(tmp_path, monkeypatch):
    """They run on two local workers, with a made-up paper in place of the one that they name."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    (lines,) = [block for block in blocks("reproduce") if "Client(" in block]
    assert lines.count('"scheduler:8786"') == 1
    asked = []

    def main(arguments):
        asked.extend(arguments)
        assert real([*arguments, "--list"]) == 0
        name = "fake.table1"
        out = ["--kernels", "reference", "--out", str(tmp_path)]
        assert real([name, *out], papers=[fake_paper.PAPER]) == 0

    real = cli.main
    monkeypatch.setattr(cli, "main", main)
    monkeypatch.setattr(fake_paper, "SECONDS", 0.05)  # time for both workers to get some
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster) as watching:
            with distributed.get_task_stream(watching) as stream:
                exec(lines.replace("scheduler:8786", cluster.scheduler_address), {})
    assert asked[:3] == ["boosted_distance.table2", "--scale", "paper"]
    assert len({task["worker"] for task in stream.data}) == 2
    assert fake_paper.run(tmp_path / "here", "fake.table1") == 0
    there, here = (
        fake_paper.record(out, "table1")["rows"] for out in (tmp_path, tmp_path / "here")
    )
    assert there == here and len(here) == 2 + fake_paper.N_CELLS
