"""Which numbers move with the BLAS kernel, how far, and whether they still show what they are to
show; the committed files of both.

Not tested here: that OpenBLAS obeys OPENBLAS_CORETYPE (the command itself asks the records), and
the runs, which take minutes.
"""

import json
import tomllib
from pathlib import Path

import fake_paper
import pytest

from paper_figures import spread, verdict
from paper_figures.registry import PAPERS, PUBLISHED, Task, load_papers
from paper_figures.store import Store
from paper_figures.verdict.rules import Rule, Rules
from tests.spread import __main__ as command
from tests.spread import compare, run

REPRODUCED = PUBLISHED.parent / "reproduced"


def row(ours, published=None, std=None, **keys):
    repetitions = {} if std is None else {"repetitions": 4}
    return keys | {"published": published, "ours": ours, "std": std} | repetitions


def number(entry="lmnn.table1", field="ours", row=None, **values):
    least, largest = min(values.values()), max(values.values())
    return {
        "entry": entry,
        "row": row or {},
        "field": field,
        "values": values,
        "least": least,
        "largest": largest,
        "relative": float(f"{(largest - least) / largest:.3g}"),
    }


# --------------------------------------------------------------------------------- what has moved


def test_numbers_that_differ_are_listed_by_what_is_the_same_in_their_row():
    tables = {
        "A": [row(1.0, set="a", n=5), row(4.0, std=0.5, set="b", active=10)],
        "B": [row(1.0, set="a", n=5), row(5.0, std=0.5, set="b", active=8)],
        "C": [row(1.0, set="a", n=5), row(4.5, std=0.5, set="b", active=8)],
    }
    assert compare.moved("p.table1", tables) == [
        number("p.table1", "active", {"set": "b"}, A=10, B=8, C=8),
        number("p.table1", "ours", {"set": "b"}, A=4.0, B=5.0, C=4.5),
    ]


def test_the_spread_is_relative_to_the_largest_size():
    (moved,) = compare.moved("p.t", {"A": [row(-4.0)], "B": [row(1.0)], "C": [row(-3.0)]})
    assert (moved["least"], moved["largest"], moved["relative"]) == (-4.0, 1.0, 1.25)
    (moved,) = compare.moved("p.t", {"A": [row(None)], "B": [row(0.0)]})
    assert (moved["least"], moved["largest"], moved["relative"]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "other", [[], [row(1.0, set="b")], [row(1.0, set="a", more=1)]], ids=["rows", "texts", "fields"]
)
def test_other_rows_are_an_error(other):
    with pytest.raises(compare.UnequalTables, match=r"p\.t"):
        compare.moved("p.t", {"A": [row(1.0, set="a")], "B": other})


def test_two_rows_that_cannot_be_told_apart_are_an_error():
    tables = {"A": [row(1.0, set="a"), row(2.0, set="a")], "B": [row(1.5, set="a")] * 2}
    with pytest.raises(compare.UnequalTables, match="two rows"):
        compare.moved("p.t", tables)


def test_times_are_what_differs_between_two_runs_under_one_kernel():
    """One time is the same twice by chance; the other time says what it is."""
    errors, first, second = ({"measure": m, "n": n} for m, n in [("e", 1), ("s", 1), ("s", 2)])
    moved = [number(row=at, A=2.0, B=3.0) for at in (errors, first, second)]
    again = [number(row=first, once=2.0, again=2.5)]
    assert compare.without_timed(moved, again) == (moved[:1], 2)
    assert compare.without_timed(moved, []) == (moved, 0)


# ------------------------------------------------------------------------------- what it must show

ROWS = [
    row(9.0, measure="error", n=60),
    row(6.0, measure="error", n=600),
    row(2.0, measure="error", n=6000),
    row(8.5, measure="seconds", n=60),
    row(None, measure="error", n=7),
    row(9.0, measure="error", n=62),
    row(8.9, measure="error", n=61, more=1),
]


@pytest.mark.parametrize(
    "at, expected",
    [
        (row(5.0, std=0.5, measure="error", n=60), 0.25),
        (row(5.0, published=5.75, std=0.5), None),
        (ROWS[0], 3.0),
        (ROWS[2], 4.0),
        (ROWS[3], None),
    ],
    ids=["std", "its verdict", "nearest", "nearest of another", "alone"],
)
def test_what_a_number_is_to_show(at, expected):
    assert spread.shows(at, ROWS) == expected


@pytest.mark.parametrize(
    "least, largest, shown, expected",
    [
        (1.0, 2.0, 1.0, True),
        (1.0, 2.0, 0.9, False),
        (1.0, 2.0, None, True),
        (1.0, 1.0 + 5e-10, 0.0, True),
        (1.0, 1.0 + 5e-9, 0.0, False),
        (-1.0, 0.0, 0.5, False),
    ],
)
def test_a_number_is_determined_if_its_spread_is_no_larger(least, largest, shown, expected):
    assert spread.Spread(least, largest, shown, "").determined is expected


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A folder for the files, read anew."""
    monkeypatch.setattr(spread, "PUBLISHED", tmp_path)
    for cached in (spread.load, spread.load_whys):
        cached.cache_clear()
    yield tmp_path
    for cached in (spread.load, spread.load_whys):
        cached.cache_clear()


def record(rows, scale="small", figure="table1", **more):
    fields = {"title": "T", "kernels": "fast", "seed": 0, "seconds": 1.0, "key": "k"}
    lists = {"versions": {}, "data": [], "notes": [], "rows": rows}
    return {"paper": "lmnn", "figure": figure, "scale": scale} | fields | lists | more


def content(*numbers, **more):
    entries = sorted({at["entry"] for at in numbers})
    base = {"scale": "small", "kernels": ["A", "B"], "entries": entries, "times": {}}
    return base | {"rows": list(numbers)} | more


def test_a_reason_must_be_whole(published):
    (published / "spread.toml").write_text('[[why]]\nentry = "lmnn.table1"\nrow = { n = 60 }\n')
    words = "spread.toml: each .* must have entry, row and why; number 1 has entry, row"
    with pytest.raises(ValueError, match=words):
        spread.load_whys(published / "spread.toml")


def test_a_record_has_the_spread_of_its_rows(published):
    """The records' own 9.5 and 7.5 are outside of what the kernels gave."""
    moved = number(row={"measure": "error", "n": 60}, A=9.0, B=8.0)
    aside = number(row={"measure": "error", "n": 600}, field="active", A=1, B=2)
    (published / "spread.json").write_text(command.dump(content(moved, aside)))
    why = '[[why]]\nentry = "lmnn.table1"\nrow = { n = 60 }\nwhy = "many optima"\n'
    (published / "spread.toml").write_text(why)
    rows = [row(9.5, measure="error", n=60), *ROWS[1:]]
    first, *others = spread.of_record(record(rows))
    assert first == spread.Spread(8.0, 9.5, 0.5, "many optima") and first.size == 1.5
    assert others == [None] * 6
    near = [*rows[:1], row(9.0, measure="error", n=600)]
    assert spread.of_record(record(near))[0] == spread.Spread(8.0, 9.5, 0.5, "many optima")
    low = spread.of_record(record([row(7.5, measure="error", n=60)]))[0]
    assert low == spread.Spread(7.5, 9.0, None, "many optima")
    assert spread.of_record(record(rows, scale="paper")) == [None] * 7
    assert spread.of_record(record(rows, figure="table2")) == [None] * 7


def test_a_row_without_a_number_under_any_kernel_has_its_own(published):
    moved = number(row={"measure": "error", "n": 60}, A=1.0, B=1.0)
    moved |= {"values": {"A": None, "B": None}}
    (published / "spread.json").write_text(command.dump(content(moved)))
    (at,) = spread.of_record(record([row(9.5, measure="error", n=60)]))
    assert at == spread.Spread(9.5, 9.5, None, "")


# --------------------------------------------------------------------------------------- verdicts

SHARES = Rules((Rule(("table1",), {}, better="lower", points=100, per_cent=True),))


def judged(published, at, least, largest):
    """The verdict of a share of 100 points in per cent; the file gives the ends of its spread."""
    moved = number(row={"n": 60}, A=least, B=largest)
    (published / "spread_paper.json").write_text(command.dump(content(moved, scale="paper")))
    why = '[[why]]\nentry = "lmnn.table1"\nrow = { n = 60 }\nwhy = "many optima"\n'
    (published / "spread.toml").write_text(why)
    stored = record([row(at, published=50.0, n=60)], scale="paper")
    return verdict.judge(stored, SHARES)[0]


@pytest.mark.parametrize(
    "least, largest, state",
    [
        (45.0, 55.0, verdict.SAME),  # two standard errors of the difference are some 14
        (33.0, 52.0, verdict.NOT_DETERMINED),
        (48.0, 67.0, verdict.NOT_DETERMINED),
    ],
)
def test_a_verdict_that_the_kernel_changes_is_not_determined(published, least, largest, state):
    said = judged(published, 50.0, least, largest)
    assert (said.state, said.difference) == (state, 0.0)
    assert ("many optima" in said.note) == (state == verdict.NOT_DETERMINED)


def test_the_same_verdict_at_both_ends_stands(published):
    assert judged(published, 30.0, 20.0, 32.0).state == verdict.BETTER


def test_a_note_tells_the_ends(published):
    said = judged(published, 50.0, 33.0, 52.5).note
    assert said == "from 33 to 52.5 in runs under several kernels of BLAS: many optima"


def test_a_number_alone_that_cannot_show_its_difference_is_not_determined(published):
    moved = number(row={"n": 60}, A=5.0, B=9.0)
    (published / "spread_paper.json").write_text(command.dump(content(moved, scale="paper")))
    for other, state in [(7.0, verdict.NOT_DETERMINED), (1.0, verdict.BEYOND)]:
        rows = [row(5.0, n=60), row(other, n=600)]
        assert verdict.judge(record(rows, scale="paper"), SHARES)[0].state == state


# -------------------------------------------------------------------------------------- the command


def no_work(job, **params):
    return {}


def test_tasks_are_chosen_by_their_parameters():
    def tasks(context):
        return [Task("t", no_work, {"n": n}) for n in (1, 2, 3)] + [Task("u", no_work)]

    chosen = run.some_tasks(tasks, {"n": [1, 3]}, None)
    assert [task.params.get("n") for task in chosen] == [1, 3, None]


def test_entries_are_chosen_by_their_names():
    chosen = run.chosen(["lmnn.table1", "ftune"])
    assert {paper.name for paper, _ in chosen} == {"lmnn", "ftune"}
    assert [figure.name for paper, figure in chosen if paper.name == "lmnn"] == ["table1"]
    assert len(run.chosen([])) == sum(len(paper.figures) for paper in load_papers())


@pytest.mark.parametrize("only, n", [({}, 10), ({"repetition": [0, 3]}, 2)], ids=["all", "some"])
def test_a_run_stores_records_alone(tmp_path, monkeypatch, capsys, only, n):
    monkeypatch.setattr(run, "load_papers", lambda: [fake_paper.PAPER])
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)
    monkeypatch.setattr(fake_paper, "N_TASKS", 10)
    order = {"names": ["fake.figure1"], "scale": "small", "data": None, "jobs": 1}
    assert run.main(order | {"out": str(tmp_path), "only": only}) == 0
    stored = Store(tmp_path).read("fake", "figure1")
    assert sum(at["count"] for at in stored["cost"]["tasks"]) == n
    assert [path.name for path in tmp_path.rglob("figure1.*")] == ["figure1.json"]
    failing = order | {"names": ["fake.table2"], "out": str(tmp_path), "only": {}}
    assert run.main(failing) == 1 and "fake.table2: failed" in capsys.readouterr().err


BLAS = {"A": "openblas 1 A", "B": "openblas 1 B"}


@pytest.fixture
def fake_runs(published, monkeypatch):
    """Runs that write a record by hand: an error that moves with the kernel, and a time."""
    calls = []

    def make(options, names, kernel, out):
        calls.append((kernel, *names))
        rows = [
            row({"A": 4.0, "B": 5.0}[kernel], measure="error"),
            row(float(len(calls)), measure="seconds"),
        ]
        machines = [{"processor": "P", "processors": 1, "blas": BLAS[kernel], "count": 1}]
        groups = [{"key": "a", "count": 1, "seconds": 9.0, "cpu_seconds": 4.0, "max_memory": 1}]
        costs = {"tasks": groups, "processors": 1, "threads": 1}
        Store(out).write(record(rows, machines=machines, cost=costs))
        shared = {"figure": "figure1", "machines": machines, "cost": costs}
        Store(out).write(record([row(1.0)], **shared))

    monkeypatch.setattr(command, "make", make)
    return calls


def command_line(folder, *more):
    return command.main(["--kernels", "A", "B", "--folder", str(folder / "runs"), *more])


def test_the_command_writes_what_moves_and_counts_the_times(published, fake_runs, capsys):
    assert command_line(published) == 0
    assert fake_runs == [("A",), ("B",), ("A", "lmnn.table1")]
    written = json.loads((published / "spread.json").read_text())
    assert written == content(
        number(row={"measure": "error"}, A=4.0, B=5.0),
        entries=["lmnn.table1", "lmnn.figure1"],
        times={"lmnn.table1": 1},
        blas={"A": ["openblas 1 A"], "B": ["openblas 1 B"]},
    )
    said = capsys.readouterr().out
    assert "1 numbers of 1 entries move, of 2 entries" in said
    assert "the tasks took 8 s of processors' time" in said  # a shared task, under two kernels


def test_what_the_file_says_of_other_entries_stays(published, fake_runs):
    other = number("ftune.table1", A=1.0, B=2.0)
    old = number(row={"measure": "error"}, A=1.0, B=2.0)
    (published / "spread.json").write_text(command.dump(content(old, other)))
    assert command_line(published) == 0
    written = json.loads((published / "spread.json").read_text())
    assert [at["entry"] for at in written["rows"]] == ["lmnn.table1", "ftune.table1"]
    assert written["rows"][0]["largest"] == 5.0
    assert written["entries"] == ["lmnn.table1", "lmnn.figure1", "ftune.table1"]


def test_kernels_that_openblas_did_not_choose_are_an_error(
    published, fake_runs, capsys, monkeypatch
):
    monkeypatch.setitem(BLAS, "B", BLAS["A"])
    assert command_line(published) == 1
    assert "must choose the kernel" in capsys.readouterr().err
    assert not (published / "spread.json").exists()


def test_one_kernel_is_not_enough(published, capsys):
    assert command.main(["--kernels", "A", "--folder", str(published)]) == 1
    assert "two BLAS kernels are needed" in capsys.readouterr().err


# ------------------------------------------------------------------------------ the committed files

FILES = sorted(path.name for path in PUBLISHED.glob("spread*.json"))


@pytest.mark.parametrize("name", FILES)
def test_the_committed_files_are_whole(name):
    file = json.loads((PUBLISHED / name).read_text())
    assert spread.path(file["scale"]).name == name and len(file["kernels"]) >= 3
    papers = [paper for paper in load_papers() if paper.name in PAPERS]
    entries = [f"{paper.name}.{figure.name}" for paper in papers for figure in paper.figures]
    assert set(file["entries"]) <= set(entries)
    assert file["scale"] == "paper" or file["entries"] == entries
    for at in file["rows"]:
        values = [value for value in at["values"].values() if value is not None]
        assert (at["least"], at["largest"]) == (min(values), max(values))
        assert list(at["values"]) == file["kernels"] and len(set(at["values"].values())) > 1


def committed(scale):
    """The records of a scale that are committed and that a file of spreads names."""
    for entry in spread.load(spread.path(scale))["entries"]:
        path = REPRODUCED / Path(*entry.split(".")).with_suffix(".json")
        if path.is_file():
            yield entry, json.loads(path.read_text())


@pytest.mark.parametrize("name", FILES)
def test_each_number_that_moves_says_why(name):
    whys = tomllib.loads((PUBLISHED / "spread.toml").read_text())["why"]
    numbers = json.loads((PUBLISHED / name).read_text())["rows"]
    silent = [
        at
        for at in numbers
        if at["field"] == "ours"
        and not any(
            why["entry"] == at["entry"] and spread.has_fields(at["row"], why["row"]) for why in whys
        )
    ]
    assert silent == []


@pytest.mark.parametrize("name", FILES)
def test_a_number_that_moves_is_one_row_of_its_record(name):
    """Two rows of a record with the fields of one number could not be told apart."""
    file = json.loads((PUBLISHED / name).read_text())
    for entry, stored in committed(file["scale"]):
        for at in file["rows"]:
            if at["entry"] == entry and stored["scale"] == file["scale"]:
                assert sum(spread.has_fields(r, at["row"]) for r in stored["rows"]) == 1, at
