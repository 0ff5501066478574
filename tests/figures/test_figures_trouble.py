"""The command without its extra, on a full disk, in a read-only folder, on an ASCII terminal."""

import errno
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import fake_paper
import pytest
from fake_paper import parts, run
from processes import ROOT, python

from paper_figures import cli, extras, gallery, store
from paper_figures.registry import PAPERS

WITHOUT_EXTRA = """
import sys
for name in {absent!r}:
    sys.modules[name] = None  # as if it were not installed
sys.argv = ["paper_figures", *{arguments!r}]
import runpy
runpy.run_module("paper_figures", run_name="__main__")
"""


def process(*command, **environment):
    """Run Python; give its exit code, output and errors."""
    run = python(*command, **environment)
    return run.returncode, run.stdout, run.stderr


def without(absent, *arguments):
    return process("-c", WITHOUT_EXTRA.format(absent=absent, arguments=arguments))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)


# -------------------------------------------------------------------------------- without the extra


def test_figures_are_listed_without_the_extra():
    code, listed, errors = without(tuple(extras.PACKAGES), "--list")
    assert (code, errors) == (0, "")
    assert all(f"{name}.figure1\t" in listed for name in PAPERS)


@pytest.mark.parametrize("absent", [("joblib", "tqdm"), tuple(extras.PACKAGES)], ids=len)
def test_making_figures_names_the_packages_that_are_missing(absent, tmp_path):
    code, _, errors = without(absent, "boosted_distance.table1", "--out", str(tmp_path / "out"))
    said = " ".join(errors.split())
    assert code == cli.MISUSED and "Traceback" not in said
    assert "pip install 'refimpl[figures]'" in said and all(
        extras.PACKAGES[name] in said for name in absent
    )
    assert not (tmp_path / "out").exists()


def test_loading_data_names_the_package_that_is_missing():
    for absent, name in (("pooch", "sonar"), ("sklearn", "wdbc-small")):
        script = (
            f"import sys; sys.modules[{absent!r}] = None\n"
            f"from paper_figures import data\ndata.load({name!r})"
        )
        code, _, errors = process("-c", script)
        assert code == 1
        assert errors.splitlines()[-1].endswith(
            f"needs {extras.PACKAGES[absent]}: pip install 'refimpl[figures]'"
        )


def test_the_extra_is_the_one_of_the_package():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = tomllib.loads(text)["project"]["optional-dependencies"]["figures"]
    assert {name.partition(">=")[0] for name in named} == set(extras.PACKAGES.values())


# ------------------------------------------------------------- folders and disks that take no files


@pytest.mark.parametrize(
    "out, words", [("file", "is a file; give a folder"), ("file/out", "Not a directory")]
)
def test_a_folder_that_cannot_be_made_is_refused_before_any_work(
    out, words, tmp_path, capsys, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(fake_paper.time, "sleep", None)  # must not be asked for
    with pytest.raises(SystemExit) as stop:
        run(tmp_path / out, "fake.table1")
    assert stop.value.code == cli.MISUSED
    said = capsys.readouterr().err
    assert "argument --out: " in said and words in said


def test_a_folder_that_takes_no_files_is_refused_before_any_work(tmp_path, capsys, monkeypatch):
    def read_only(*arguments, **options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(store.tempfile, "mkstemp", read_only)
    with pytest.raises(SystemExit) as stop:
        run(tmp_path, "fake.table1")
    assert stop.value.code == cli.MISUSED and "Read-only file system" in capsys.readouterr().err
    assert not parts(tmp_path)


class FullDisk:
    """A disk that takes so many files more."""

    def __init__(self, monkeypatch, room):
        self.room, self.replace = room, os.replace
        monkeypatch.setattr(store.os, "replace", self)

    def __call__(self, source, target):
        self.room -= 1
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.replace(source, target)


@pytest.mark.parametrize(
    "room", [1, 6, 1 + fake_paper.N_CELLS, 2 + fake_paper.N_CELLS, 3 + fake_paper.N_CELLS]
)
def test_a_full_disk_loses_nothing_that_was_finished(room, tmp_path, capsys, monkeypatch):
    """The first file is the trial before any work; then come the tasks, the figure, its pictures,
    the page.
    """
    with monkeypatch.context() as patch:
        FullDisk(patch, room)
        assert run(tmp_path, "fake.figure1") == cli.UNWRITABLE
    said = capsys.readouterr().err
    assert "No space left on device" in said and "the same command goes on from there" in said
    assert "Traceback" not in said
    assert len(parts(tmp_path)) == min(room - 1, fake_paper.N_CELLS)
    assert not list(tmp_path.rglob("*.tmp")) and not list(tmp_path.rglob("*.failed.json"))
    before = parts(tmp_path)
    assert run(tmp_path, "fake.figure1") == 0
    assert before.items() <= parts(tmp_path).items()


def test_a_full_disk_keeps_the_old_figures(tmp_path, monkeypatch):
    assert run(tmp_path, "fake.table1") == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    FullDisk(monkeypatch, 1)
    assert run(tmp_path, "fake.table1", "--seed", "1") == cli.UNWRITABLE
    assert all(path.read_bytes() == content for path, content in before.items())


def test_a_full_disk_while_it_stops_after_ctrl_c(tmp_path, capsys, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    def full(*arguments):
        raise store.CannotStore("cannot write the page")

    monkeypatch.setattr(cli, "make_figure", interrupt)
    monkeypatch.setattr(gallery, "write", full)
    assert run(tmp_path, "fake.table1") == cli.INTERRUPTED
    assert "Interrupted. Each finished cell is kept" in capsys.readouterr().err


def test_ctrl_c_before_any_work(tmp_path, capsys, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "load_papers", interrupt)
    assert cli.main(["--out", str(tmp_path / "out")]) == cli.INTERRUPTED
    assert capsys.readouterr().err.strip() == "Interrupted." and not (tmp_path / "out").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_is_full_or_closed_is_no_traceback():
    command = [sys.executable, "-m", "paper_figures", "--list"]
    how = {"cwd": ROOT, "stderr": subprocess.PIPE, "text": True, "timeout": 120}
    with open("/dev/full", "wb") as full:
        run = subprocess.run(command, stdout=full, **how)
    assert run.returncode == cli.UNWRITABLE
    assert run.stderr.strip() == "error: [Errno 28] No space left on device"
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(command, stdout=writer, **how)
    os.close(writer)
    assert (run.returncode, run.stderr) == (cli.UNWRITABLE, "")


# -------------------------------------------------------------------------------------------- ASCII


def test_a_terminal_that_knows_only_ascii(tmp_path):
    environment = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    folder = tmp_path / "Abstände – 1"
    script = str(ROOT / "tests" / "support" / "fake_paper.py")
    options = ("--kernels", "reference", "--jobs", "1", "--out", str(folder))
    code, said, errors = process(script, "fake.table3", *options, **environment)
    assert (code, errors) == (0, "fake.table3: 1 without data\n")
    assert said.startswith("1 of 1 figures and tables made; see ")
    assert (folder / "index.html").is_file()
    assert (
        json.loads((folder / "fake" / "table3.json").read_text(encoding="utf-8"))["figure"]
        == "table3"
    )
