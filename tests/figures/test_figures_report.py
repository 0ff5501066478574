"""``--report``: pictures and pages from the stored records alone, with damage and gaps named."""

import dataclasses
import json
import sys

import fake_paper
import pytest

from paper_figures import cli, gallery, plots, registry, store

BROKEN = "this plot always fails"


def broken_plot(record, figure):
    raise ArithmeticError(BROKEN)


def must_not_run(*arguments):
    raise AssertionError("a report must compute nothing")


def changed(**fields):
    """The made-up paper, which can compute nothing, with fields of its views replaced."""
    studies = tuple(
        dataclasses.replace(
            study,
            compute=must_not_run,
            views=tuple(
                dataclasses.replace(view, gather=must_not_run, **fields) for view in study.views
            ),
        )
        for study in fake_paper.PAPER.studies
    )
    return dataclasses.replace(fake_paper.PAPER, studies=studies)


UNABLE = changed()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two stored figures; then nothing can be computed any more."""
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)
    out = tmp_path / "out"
    assert fake_paper.run(out, "fake.figure1", "fake.table1") == cli.DONE
    for name in ("refimpl_fast", "joblib", "tqdm", "pooch"):
        monkeypatch.setitem(sys.modules, name, None)
    return out


def report(out, *names, paper=UNABLE):
    return cli.main([*names, "--report", "--out", str(out)], papers=[paper])


def records(out):
    return {path: path.read_bytes() for path in out.glob("fake/*1.json")}


def test_the_pictures_and_pages_come_back_and_the_records_stay(folder, capsys):
    pictures = {path: path.read_bytes() for path in folder.glob("fake/figure1.[sp]*g")}
    page = (folder / "index.html").read_bytes()
    before = records(folder)
    for path in (*pictures, folder / "index.html"):
        path.unlink()
    capsys.readouterr()
    assert report(folder) == cli.DONE
    assert {path: path.read_bytes() for path in pictures} == pictures and len(pictures) == 2
    assert (folder / "index.html").read_bytes() == page
    assert records(folder) == before and len(before) == 2
    said = capsys.readouterr()
    assert said.err == "fake.table2: not yet made\nfake.table3: not yet made\n"
    assert said.out == f"2 stored figures and tables shown; see {folder}/index.html\n"


def test_records_of_any_key_and_scale_are_shown(folder):
    path = folder / "fake" / "figure1.json"
    content = json.loads(path.read_text())
    del content["sha256"]
    path.write_text(json.dumps(content | {"key": "of an earlier version", "scale": "paper"}))
    assert report(folder, "fake.figure1") == cli.DONE
    assert "--scale paper" in (folder / "fake" / "index.html").read_text()


def test_only_the_named_pictures_are_drawn(folder):
    (folder / "fake" / "figure1.svg").unlink()
    assert report(folder, "fake.table1") == cli.DONE
    assert not (folder / "fake" / "figure1.svg").exists()


def test_a_named_figure_without_a_record_is_a_failure(folder, capsys):
    assert report(folder, "fake.table3") == cli.FAILED
    assert "fake.table3: not yet made" in capsys.readouterr().err


def test_a_damaged_record_is_named_once_and_left_out(folder, capsys, caplog):
    (folder / "fake" / "table1.json").write_text('{"rows": [')
    assert report(folder) == cli.FAILED
    said = capsys.readouterr()
    assert "fake.table1: its record is damaged" in said.err and said.out.startswith("1 stored")
    damaged = [entry.getMessage() for entry in caplog.records if "damaged" in entry.getMessage()]
    assert len(damaged) == 1 and "table1.json" in damaged[0]
    page = (folder / "fake" / "index.html").read_text()
    assert "table1.json is damaged. It must be made again." in page
    assert "its record cannot be read" in page or "damaged</li>" in page
    assert "not yet run</li>" not in page.split('id="table1"')[1].split("</article>")[0]


def test_a_picture_that_cannot_be_drawn_does_not_stop_the_others(folder, capsys, caplog):
    svg = (folder / "fake" / "figure1.svg").read_bytes()
    assert report(folder, paper=changed(draw=broken_plot)) == cli.FAILED
    assert "fake.figure1: cannot be drawn\nfake.table1: cannot be drawn" in capsys.readouterr().err
    assert BROKEN in caplog.text and (folder / "fake" / "figure1.svg").read_bytes() == svg


def test_the_mark_of_an_earlier_failure_is_one(folder, capsys):
    store.Store(folder).write_failure("fake", "table1", {"error": "it had no data"})
    assert report(folder) == cli.FAILED
    assert "fake.table1: failed when it was made" in capsys.readouterr().err


@pytest.mark.parametrize("module, name", [(plots, "draw"), (gallery, "write")])
def test_a_full_disk_is_one_line(folder, capsys, monkeypatch, module, name):
    def full(*arguments):
        raise store.CannotStore("cannot write a file: No space left on device")

    monkeypatch.setattr(module, name, full)
    capsys.readouterr()
    assert report(folder, "fake.figure1") == cli.UNWRITABLE
    assert capsys.readouterr().err == "error: cannot write a file: No space left on device\n"


def test_a_folder_that_is_not_there_is_not_made(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        report(tmp_path / "none")
    assert stop.value.code == cli.MISUSED and not (tmp_path / "none").exists()
    assert "--out" in capsys.readouterr().err


def test_real_papers_need_no_data_for_a_report(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("REFIMPL_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "refimpl_fast", None)
    assert cli.main(["--report", "--out", str(tmp_path)]) == cli.DONE
    said = capsys.readouterr()
    assert said.out.startswith("0 stored figures") and all(
        name in said.err for name in registry.PAPERS
    )
