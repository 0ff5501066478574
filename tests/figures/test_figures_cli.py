"""The command line: choosing, refusing, reusing, failing, and the same numbers whoever computes
them.
"""

import dataclasses
import json

import fake_paper
import joblib
import pooch
import pytest

from paper_figures import cli, registry
from paper_figures.data import FILES

BASE = ["--kernels", "reference", "--jobs", "1"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)


def run(out, *names, extra=()):
    return cli.main([*names, *BASE, "--out", str(out), *extra], papers=[fake_paper.PAPER])


def record(out, figure, paper="fake"):
    return json.loads((out / paper / f"{figure}.json").read_text())


def parts(out):
    return {path: path.stat().st_mtime_ns for path in (out / "fake" / ".parts").rglob("*.json")}


def test_figures_share_their_tasks(tmp_path, capsys):
    assert run(tmp_path, "fake.figure1", "fake.table1") == 0
    said = capsys.readouterr().err
    assert f"fake.figure1: {fake_paper.N_TASKS} tasks computed" in said
    assert f"fake.table1: {fake_paper.N_TASKS} as stored" in said
    assert len(parts(tmp_path)) == fake_paper.N_TASKS
    assert record(tmp_path, "figure1")["rows"] == record(tmp_path, "table1")["rows"]
    assert (tmp_path / "fake" / "figure1.svg").is_file() and (
        tmp_path / "fake" / "figure1.png"
    ).is_file()
    assert not (tmp_path / "fake" / "table1.svg").exists()


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
    run(tmp_path, "fake.table1", extra=["--seed", "1"])
    second = record(tmp_path, "table1")
    assert second["rows"] != first["rows"] and second["seed"] == 1
    run(tmp_path, "fake.table1")
    assert record(tmp_path, "table1")["rows"] == first["rows"]
    assert before.items() <= parts(tmp_path).items()


def test_streams_of_tasks_differ_and_the_shared_one_is_shared(tmp_path):
    run(tmp_path, "fake.table1")
    results = [json.loads(path.read_text())["result"] for path in parts(tmp_path)]
    assert len({tuple(result["draws"]) for result in results}) == len(results)
    assert len({result["shared"] for result in results}) == 1


@pytest.mark.parametrize("backend, jobs", [("threading", "3"), ("loky", "2")])
def test_rows_do_not_depend_on_who_computes_them(tmp_path, backend, jobs):
    run(tmp_path / "one", "fake.table1")
    with joblib.parallel_config(backend=backend):
        cli.main(
            [
                "fake.table1",
                "--kernels",
                "reference",
                "--jobs",
                jobs,
                "--out",
                str(tmp_path / "many"),
            ],
            papers=[fake_paper.PAPER],
        )
    assert record(tmp_path / "one", "table1")["rows"] == record(tmp_path / "many", "table1")["rows"]


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
    assert "fake.table2: failed: ArithmeticError: this task always fails" in said
    assert f"(whole text in {tmp_path}/fake/index.html)" in said
    assert record(tmp_path, "table3")["rows"][0]["status"] == "not available"
    assert not (tmp_path / "fake" / "table2.json").exists()
    page = (tmp_path / "fake" / "index.html").read_text()
    assert "this task always fails" in page and "A paper &amp; its &lt;tests&gt;" in page


def test_success_takes_the_mark_of_failure_away(tmp_path, monkeypatch):
    mark = tmp_path / "fake" / "table1.failed.json"
    monkeypatch.setattr(fake_paper, "noisy_mean", fake_paper.fail)
    assert run(tmp_path, "fake.table1") == 1 and mark.is_file()
    monkeypatch.undo()
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)
    assert run(tmp_path, "fake.table1") == 0 and not mark.exists()


def test_a_licensed_set_is_no_failure(tmp_path, capsys):
    assert run(tmp_path, "fake.table3", extra=["--data", str(tmp_path)]) == 0
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
    figure = registry.Figure(
        "table4", "Downloads", fake_paper.downloads_tasks, fake_paper.gather_downloads
    )
    return registry.Paper("fake", "T", "S", (figure,))


def test_missing_download_fails_the_run_but_not_the_other_sets(tmp_path, no_network, capsys):
    out = tmp_path / "out"
    assert cli.main([*BASE, "--out", str(out)], papers=[no_network]) == 1
    assert "fake.table4: 1 tasks computed, 1 without data" in capsys.readouterr().err
    sonar, bundled = record(out, "table4")["rows"]
    assert sonar["status"] == "not available" and "could not be downloaded" in sonar["why"]
    assert bundled["ours"] == 569


def test_a_run_without_any_data_leaves_the_old_result(tmp_path, no_network, monkeypatch, capsys):
    out = tmp_path / "out"
    cli.main([*BASE, "--out", str(out)], papers=[no_network])
    before = record(out, "table4")
    monkeypatch.setattr(fake_paper, "DOWNLOADS", ["sonar"])
    assert cli.main([*BASE, "--out", str(out)], papers=[no_network]) == 1
    assert "none of its data is here" in capsys.readouterr().err
    assert record(out, "table4") == before


def test_another_published_table_makes_the_figure_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(registry, "PUBLISHED", tmp_path)
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake/table1.csv").write_text("a,b\n1,x\n")
    assert registry.Context().published("fake/table1.csv") == [{"a": 1.0, "b": "x"}]
    run(tmp_path / "out", "fake.table1")
    (tmp_path / "fake/table1.csv").write_text("a,b\n2,x\n")
    run(tmp_path / "out", "fake.table1")
    said = capsys.readouterr().err.splitlines()
    # the tasks are; the table is not
    assert said[-1] == f"fake.table1: {fake_paper.N_TASKS} as stored"


def test_list_names_figures_and_computes_nothing(tmp_path, capsys):
    assert run(tmp_path / "out", "fake.table1", "fake.figure1", extra=["--list"]) == 0
    assert capsys.readouterr().out == "fake.figure1\tMeans, drawn\nfake.table1\tMeans\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nothing"], ["PAPER[.FIGURE]", "'nothing'", "fake"]),
        (["fake.table9"], ["fake.table9", "fake.table1, fake.table2"]),
        (["--scale", "large"], ["--scale", "small", "paper"]),
        (["--kernels", "quick"], ["--kernels", "reference", "fast"]),
        (["--jobs", "0"], ["--jobs", "1, 2, ... or -1"]),
        (["--jobs", "two"], ["--jobs", "two"]),
        (["--seed", "-1"], ["--seed", "-1"]),
        (["--data", "no/such/folder"], ["--data", "no/such/folder"]),
    ],
)
def test_misuse_names_the_argument_and_what_would_do(tmp_path, capsys, arguments, words):
    with pytest.raises(SystemExit) as stop:
        cli.main([*BASE, "--out", str(tmp_path / "out"), *arguments], papers=[fake_paper.PAPER])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said
    assert not (tmp_path / "out").exists()


def test_out_that_is_a_file_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit):
        run(tmp_path / "file", "fake.table1")
    assert "--out" in capsys.readouterr().err


def test_unbuilt_fast_kernels_are_an_error_that_says_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "refimpl_fast", None)
    with pytest.raises(SystemExit):
        cli.main(["fake.table1", "--out", str(tmp_path)], papers=[fake_paper.PAPER])
    said = " ".join(capsys.readouterr().err.split())
    assert "--kernels reference" in said and "pip install -e ." in said


def test_real_papers_are_listed(capsys):
    assert cli.main(["--list"]) == 0
    listed = capsys.readouterr().out
    for name in registry.PAPERS:
        assert f"{name}.figure1\t" in listed
