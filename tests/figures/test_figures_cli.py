"""The command line: choosing, refusing, reusing, failing; the same numbers whoever computes."""

import dataclasses
import os
import shutil

import fake_paper
import joblib
import pooch
import pytest
from fake_paper import MAKE, parts, record, run

from paper_figures import cli
from paper_figures.data import FILES
from paper_figures.store import Store


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)


def test_views_share_the_cells_of_their_study(tmp_path, capsys):
    assert run(tmp_path, "fake.figure1", "fake.table1") == 0
    said = capsys.readouterr().err
    assert f"fake.figure1: {fake_paper.N_CELLS} cells computed" in said
    assert f"fake.table1: {fake_paper.N_CELLS} as stored" in said
    assert len(parts(tmp_path)) == fake_paper.N_CELLS
    assert record(tmp_path, "figure1")["rows"] == record(tmp_path, "table1")["rows"]
    assert (tmp_path / "fake" / "figure1.svg").is_file() and (
        tmp_path / "fake" / "figure1.png"
    ).is_file()
    assert not (tmp_path / "fake" / "table1.svg").exists()


@pytest.mark.parametrize("pause, times", [(1000.0, 1), (-1.0, 2)])
def test_the_pages_of_a_long_run_are_written_on_the_way(pause, times, tmp_path, monkeypatch):
    """After the first figure, then once in a while; the command writes them again at its end."""
    made = []

    def write(store, papers):
        made.append(sorted(path.stem for path in (tmp_path / "fake").glob("*.json")))

    monkeypatch.setattr(cli, "PAUSE", pause)
    monkeypatch.setattr(cli.gallery, "write", write)
    assert run(tmp_path, "fake.figure1", "fake.table1") == 0
    on_the_way = [["figure1"], ["figure1", "table1"]][:times]
    assert made == [*on_the_way, ["figure1", "table1"]]


def test_second_run_reuses_what_is_stored(tmp_path, capsys):
    run(tmp_path, "fake.figure1")
    before = parts(tmp_path)
    first = record(tmp_path, "figure1")
    capsys.readouterr()
    assert run(tmp_path, "fake.figure1") == 0
    assert "fake.figure1: as stored" in capsys.readouterr().err
    assert parts(tmp_path) == before and record(tmp_path, "figure1") == first


def test_another_seed_is_another_result_and_the_first_is_kept(tmp_path):
    run(tmp_path, "fake.table1")
    first = record(tmp_path, "table1")
    before = parts(tmp_path)
    run(tmp_path, "fake.table1", "--seed", "1")
    second = record(tmp_path, "table1")
    assert second["rows"] != first["rows"] and second["seed"] == 1
    run(tmp_path, "fake.table1")
    assert record(tmp_path, "table1")["rows"] == first["rows"]
    assert before.items() <= parts(tmp_path).items()


@pytest.mark.parametrize("backend, jobs", [("threading", "3"), ("loky", "2")])
def test_rows_do_not_depend_on_who_computes_them(tmp_path, backend, jobs):
    run(tmp_path / "one", "fake.table1")
    with joblib.parallel_config(backend=backend):
        run(tmp_path / "many", "fake.table1", "--jobs", jobs)
    assert record(tmp_path / "one", "table1")["rows"] == record(tmp_path / "many", "table1")["rows"]


def test_there_are_no_more_workers_than_cells(tmp_path, monkeypatch):
    started = []
    parallel = joblib.Parallel

    def watched(n_jobs, **how):
        started.append(n_jobs)
        return parallel(n_jobs=1, **how)

    monkeypatch.setattr(joblib, "Parallel", watched)
    run(tmp_path, "fake.table1", "--jobs", "1000")
    for jobs in ("-1", "-2"):  # of the processors: all, and all but one
        run(tmp_path, "fake.table1", "--jobs", jobs, "--seed", jobs[1:])
    assert started == [fake_paper.N_CELLS, -1, -2]


def test_damaged_files_are_computed_again(tmp_path, caplog):
    run(tmp_path, "fake.table1")
    first = record(tmp_path, "table1")
    damaged = sorted(parts(tmp_path))[0]
    damaged.write_text("{")
    (tmp_path / "fake" / "table1.json").write_text('{"rows": [NaN]}')
    assert run(tmp_path, "fake.table1") == 0
    assert record(tmp_path, "table1")["rows"] == first["rows"]
    assert [" damaged " in entry.getMessage() for entry in caplog.records] == [True, True]


def test_a_failing_figure_does_not_stop_the_others(tmp_path, capsys):
    assert run(tmp_path) == 1
    said = capsys.readouterr().err
    assert "fake.table2: failed: ArithmeticError: this cell always fails" in said
    assert f"(whole text in {tmp_path}/fake/index.html)" in said
    assert "licensed" in record(tmp_path, "table3")["rows"][0]["why"]
    assert not (tmp_path / "fake" / "table2.json").exists()
    page = (tmp_path / "fake" / "index.html").read_text()
    assert "this cell always fails" in page and "A paper &amp; its &lt;tests&gt;" in page


def test_success_takes_the_mark_of_failure_away(tmp_path, monkeypatch):
    mark = tmp_path / "fake" / "table1.failed.json"
    means = fake_paper.PAPER.studies[0]
    with monkeypatch.context() as patch:
        patch.setattr(
            fake_paper,
            "PAPER",
            dataclasses.replace(
                fake_paper.PAPER, studies=(dataclasses.replace(means, compute=fake_paper.fail),)
            ),
        )
        assert run(tmp_path, "fake.table1") == 1 and mark.is_file()
    assert run(tmp_path, "fake.table1") == 0 and not mark.exists()


def test_a_licensed_set_is_no_failure(tmp_path, capsys):
    assert run(tmp_path, "fake.table3", "--data", str(tmp_path)) == 0
    why = record(tmp_path, "table3")["rows"][0]["why"]
    assert "licensed" in why and str(tmp_path) not in why


@pytest.fixture
def no_network(tmp_path, monkeypatch):
    """No data folder, and addresses at which nobody answers."""
    monkeypatch.delenv("REFIMPL_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")
    sonar = FILES["uci/sonar/sonar.all-data"]
    monkeypatch.setitem(
        FILES, sonar.name, dataclasses.replace(sonar, url="http://127.0.0.1:9/sonar")
    )


def test_missing_download_fails_the_run_but_not_the_other_sets(tmp_path, no_network, capsys):
    out = tmp_path / "out"
    paper = fake_paper.downloads("sonar", "wdbc-small")
    assert cli.main([*MAKE, "--out", str(out)], papers=[paper]) == 1
    assert "fake.table4: 1 cells computed, 1 without data" in capsys.readouterr().err
    sonar, bundled = record(out, "table4")["rows"]
    assert sonar["ours"] is None and "could not be downloaded" in sonar["why"]
    assert bundled["ours"] == 569


def test_a_run_without_any_data_leaves_the_old_result(tmp_path, no_network, capsys):
    out = tmp_path / "out"
    cli.main([*MAKE, "--out", str(out)], papers=[fake_paper.downloads("sonar", "wdbc-small")])
    before = record(out, "table4")
    assert cli.main([*MAKE, "--out", str(out)], papers=[fake_paper.downloads("sonar")]) == 1
    assert "none of its data is here" in capsys.readouterr().err
    assert record(out, "table4") == before


def studies(**changes):
    """The paper with its first study changed."""
    means = dataclasses.replace(fake_paper.PAPER.studies[0], **changes)
    return dataclasses.replace(fake_paper.PAPER, studies=(means,))


def test_another_version_of_a_study_is_computed_anew(tmp_path, monkeypatch, capsys):
    run(tmp_path, "fake.table1")
    monkeypatch.setattr(fake_paper, "PAPER", studies(version=2))
    run(tmp_path, "fake.table1")
    said = capsys.readouterr().err.splitlines()
    assert said == [f"fake.table1: {fake_paper.N_CELLS} cells computed"] * 2
    assert record(tmp_path, "table1")["version"] == 2


def test_another_view_gathers_what_is_stored_anew(tmp_path, monkeypatch, capsys):
    run(tmp_path, "fake.table1")
    view = dataclasses.replace(fake_paper.MEANS[1], title="Means again")
    monkeypatch.setattr(fake_paper, "PAPER", studies(views=(view,)))
    run(tmp_path, "fake.table1")
    assert capsys.readouterr().err.endswith(f"{fake_paper.N_CELLS} as stored\n")
    assert record(tmp_path, "table1")["title"] == "Means again"


def test_a_record_holds_without_its_cells(tmp_path, capsys):
    run(tmp_path, "fake.table1")
    shutil.rmtree(tmp_path / "fake" / ".parts")
    run(tmp_path, "fake.table1")
    assert capsys.readouterr().err.endswith("fake.table1: as stored\n")


def test_a_view_computes_the_cells_that_it_uses(tmp_path, monkeypatch, capsys):
    view = dataclasses.replace(fake_paper.MEANS[1], uses=lambda cell: cell["run"] < 3)
    monkeypatch.setattr(fake_paper, "PAPER", studies(views=(view,)))
    run(tmp_path, "fake.table1")
    assert capsys.readouterr().err == "fake.table1: 3 cells computed\n"
    assert record(tmp_path, "table1")["cells"] == 3


def test_what_another_process_stores_meanwhile_is_not_computed(tmp_path, monkeypatch):
    run(tmp_path / "other", "fake.table1")
    before = Store.read_part
    asked = []

    def read_part(store, *names):
        asked.append(names)
        if len(asked) == fake_paper.N_CELLS + 2:  # the second cell is about to be computed
            shutil.copytree(
                tmp_path / "other/fake/.parts", tmp_path / "fake/.parts", dirs_exist_ok=True
            )
        return before(store, *names)

    monkeypatch.setattr(Store, "read_part", read_part)
    computed = []
    monkeypatch.setattr(fake_paper.time, "sleep", computed.append)
    assert run(tmp_path, "fake.table1") == 0
    assert len(computed) <= 2
    assert record(tmp_path, "table1")["rows"] == record(tmp_path / "other", "table1")["rows"]


def test_list_names_figures_and_computes_nothing(tmp_path, capsys):
    assert run(tmp_path / "out", "fake.table1", "fake.figure1", "--list") == 0
    assert capsys.readouterr().out.splitlines() == [
        "fake.figure1\tMeans, drawn\tno data\t",
        "fake.table1\tMeans\tno data\t",
    ]
    assert not (tmp_path / "out").exists()


def test_a_run_says_beforehand_what_it_will_take_and_what_is_missing(tmp_path, capsys, monkeypatch):
    """From records of the same scale; the cells that two figures share count once."""
    run(tmp_path / "kept", "fake.figure1", "fake.table1")
    kept = Store(tmp_path / "kept")
    for name in ("figure1", "table1"):
        kept.write(kept.read("fake", name) | {"cpu_seconds": 7200.0})
    monkeypatch.setattr(cli, "REPRODUCED", tmp_path / "kept")
    monkeypatch.setattr(cli.data, "at_hand", lambda name, folder: name != "wine")
    monkeypatch.setattr(cli, "_sets", lambda *_: ["wine", "letters"])
    capsys.readouterr()
    names = ("fake.figure1", "fake.table1", "fake.table2")
    assert run(tmp_path / "out", *names, "--jobs", "2") == cli.FAILED  # as table2 always does
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first == (
        "3 figures and tables. Computing the committed results of 2 took 2 h 0 min of CPU time, "
        f"about 1 h 0 min with 2 workers. What {tmp_path / 'out'} holds is not computed again."
    )
    assert second == "1 of 2 data sets are here; missing, downloaded where possible: wine."
    run(tmp_path / "out", "fake.table1", "--scale", "paper")
    assert "figures and tables." not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nothing"], ["PAPER[.FIGURE]", "'nothing'", "fake"]),
        (["fake.table9"], ["fake.table9", "Did you mean fake.table", "fake.table1, fake.table2"]),
        (["fak"], ["'fak'", "Did you mean fake?"]),
        (["--scale", "large"], ["--scale", "small", "paper"]),
        (["--kernels", "quick"], ["--kernels", "reference", "fast"]),
        (["--jobs", "0"], ["--jobs", "1, 2, ..., or -1 for all, -2 for all but one"]),
        (["--jobs", "two"], ["--jobs", "two"]),
        (["--jobs=--5"], ["--jobs", "'--5'", "1, 2, ..., or -1"]),
        (["--seed", "-1"], ["--seed", "-1"]),
        (["--seed", "²"], ["--seed", "'²'", "a whole number from 0"]),
        (["--data", "no/such/folder"], ["--data", "no/such/folder"]),
        (["--data", ""], ["--data", "the name of the folder is empty"]),
        (["--out", ""], ["--out", "the name of the folder is empty"]),  # of a variable not set
        (["--report", "--out", ""], ["--out", "the name of the folder is empty"]),
    ],
)
def test_misuse_names_the_argument_and_what_would_do(tmp_path, capsys, arguments, words):
    with pytest.raises(SystemExit) as stop:
        cli.main([*MAKE, "--out", str(tmp_path / "out"), *arguments], papers=[fake_paper.PAPER])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said
    assert not (tmp_path / "out").exists()


def test_kernels_that_are_older_than_their_sources_are_named(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr("refimpl_fast.__file__", str(tmp_path / "__init__.py"))
    for name, age in (("old.pyx", 0), ("old.so", 9), ("new.pyx", 9), ("new.so", 0)):
        path = tmp_path / name.replace(".so", ".cpython-311.so")
        path.touch()
        os.utime(path, (1e9 - age, 1e9 - age))
    run(tmp_path / "out", "fake.table1", "--kernels", "fast")
    told = caplog.text
    assert "refimpl_fast/old.pyx is newer than what was built from it" in told
    assert "new.pyx" not in told


def test_unbuilt_fast_kernels_are_an_error_that_says_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "refimpl_fast", None)
    with pytest.raises(SystemExit):
        cli.main(["fake.table1", "--out", str(tmp_path)], papers=[fake_paper.PAPER])
    said = " ".join(capsys.readouterr().err.split())
    assert "--kernels reference" in said and "pip install -e ." in said
