"""What a task costs and where it ran, in its part; their sums in the record, shared tasks once.

Not tested here: that the seconds are right, and the table of costs on the pages.
"""

import json
import subprocess
import sys
import threading
import time

import fake_paper
import pytest

from paper_figures import cli, cost
from paper_figures.registry import Task
from paper_figures.store import Store, digest

BUSY = 0.05
MEGABYTE = 2**20
measured_memory = pytest.mark.skipif(
    not cost.reset_peak(), reason="this system does not measure the memory of one task"
)


def burn():
    end = time.thread_time() + BUSY
    while time.thread_time() < end:
        pass


def hold(megabytes):
    return len(bytes(megabytes * MEGABYTE).replace(b"\0", b"x"))


# -------------------------------------------------------------------------------------------- tasks


def test_processors_time_is_that_of_all_threads():
    meter = cost.Meter()
    threads = [threading.Thread(target=burn) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert meter.read()["cpu_seconds"] >= 2 * BUSY


def test_processors_time_includes_children():
    """The system counts a child's time in steps of 0.01 s."""
    meter = cost.Meter()
    loop = f"import time\nwhile time.process_time() < {4 * BUSY}: pass"
    subprocess.run([sys.executable, "-c", loop], check=True)
    assert meter.read()["cpu_seconds"] >= 4 * BUSY - 0.02


@measured_memory
def test_memory_of_an_earlier_task_does_not_count():
    meter = cost.Meter()
    hold(100)
    large = meter.read()["max_memory"]
    meter = cost.Meter()
    hold(10)
    small = meter.read()["max_memory"]
    assert large > 100 * MEGABYTE
    assert large - small > 70 * MEGABYTE


CHILD = f"x = b'x' * {300 * MEGABYTE}"
PARENT = f"""
import subprocess, sys
from paper_figures import cost
meter = cost.Meter()
subprocess.run([sys.executable, "-c", {CHILD!r}], check=True)
print(meter.read()["max_memory"])
print(cost.Meter().read()["max_memory"])
"""


@measured_memory
def test_memory_of_a_child_counts_once_if_it_is_the_largest():
    said = subprocess.run(
        [sys.executable, "-c", PARENT], capture_output=True, check=True, text=True
    )
    during, after = map(int, said.stdout.split())
    assert during > 300 * MEGABYTE > after


def test_a_thread_beside_others_knows_its_seconds_only():
    answers = []
    thread = threading.Thread(target=lambda: answers.append(cost.Meter().read()))
    thread.start()
    thread.join()
    assert answers[0]["seconds"] > 0
    assert answers[0]["cpu_seconds"] is None and answers[0]["max_memory"] is None


def test_a_system_without_these_files_records_no_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(cost, "PROC", tmp_path / "none")
    assert cost.Meter().read()["max_memory"] is None


# ------------------------------------------------------------------------------------------ records

LARGE = {"processor": "P", "processors": 8, "threads": 2, "blas": "b 1 K"}


def work(job):
    return {}


def other_work(job):
    return {}


def figure(name, *tasks):
    return fake_paper.Figure(name, name, lambda context: list(tasks), None)


def done(task, key, **part):
    return cost.Done(task, key, {"seconds": 1.0, "cpu_seconds": 2.0, "max_memory": 5} | part)


def test_tasks_of_one_name_are_a_group_if_the_same_figures_share_them():
    a, b, c = (Task("work", work, {"place": place}) for place in range(3))
    other = Task("work", other_work, {"place": 0})
    broken = fake_paper.Figure("broken", "broken", fake_paper.fail, None)
    figures = [figure("one", a, b, c, a), figure("two", c, other), broken]
    users = cost.sharing(None, figures)
    assert sorted(users.values()) == [["one"], ["one"], ["one", "two"], ["two"]]
    record = cost.of_record(
        [
            done(a, "k1", seconds=1.25, machine=LARGE),
            done(b, "k2", seconds=0.5, cpu_seconds=0.5, max_memory=7, machine=LARGE),
            done(c, "k3", machine=LARGE),
            done(a, "k1", seconds=1.25, machine=LARGE),
        ],
        users,
    )
    alone, shared = record["cost"]["tasks"]
    assert alone == {
        "key": digest(["k1", "k2"])[:16],
        "name": "work",
        "count": 2,
        "seconds": 1.75,
        "cpu_seconds": 2.5,
        "max_memory": 7,
    }
    assert (shared["key"], shared["count"]) == (digest(["k3"])[:16], 1)
    assert (record["cost"]["processors"], record["cost"]["threads"]) == (8, 2)
    assert record["machines"] == [LARGE | {"count": 3}]


def test_parts_of_earlier_versions_leave_their_group_unknown():
    a, b = (Task("work", work, {"place": place}) for place in range(2))
    old = cost.Done(b, "k2", {"seconds": 3.0})
    record = cost.of_record([done(a, "k1", machine=LARGE), old], {})
    (group,) = record["cost"]["tasks"]
    assert (group["seconds"], group["cpu_seconds"], group["max_memory"]) == (4.0, None, None)
    assert record["cost"]["processors"] is None
    assert [at["processor"] for at in record["machines"]] == ["P", "not recorded"]


def priced(*groups, processors=4, threads=2):
    names = ("key", "count", "seconds", "cpu_seconds", "max_memory")
    tasks = [dict(zip(names, group, strict=True)) for group in groups]
    cost = {"tasks": tasks, "processors": processors, "threads": threads}
    return {"cost": cost, "seconds": 99.0}


def test_a_total_counts_shared_groups_once():
    one = priced(("a", 3, 8.0, 12.0, 100), ("b", 1, 2.0, 2.0, 300))
    two = priced(("b", 1, 2.0, 2.0, 300), ("c", 2, 4.0, 4.0, 200))
    # a worker on two of four processors takes half of the seconds
    assert cost.total([one, two]) == cost.Total(6, 14.0, 7.0, 18.0, 300)


def test_a_total_over_old_records_knows_its_seconds_only():
    records = [priced(("a", 3, 8.0, 12.0, 100)), {"seconds": 5.0}]
    assert cost.total(records) == cost.Total(None, 13.0, None, None, None)
    unknown = priced(("a", 3, 8.0, None, None), processors=None)
    assert cost.total([unknown]) == cost.Total(3, 8.0, None, None, None)


def test_machines_as_texts():
    at = LARGE | {"count": 3}
    old = {"processor": "not recorded", "processors": None, "blas": "not recorded", "count": 1}
    one = at | {"processors": 1, "blas": "not recorded"}
    said = cost.machine_texts({"machines": [at, one, old]})
    assert said == ["P, 8 processors, b 1 K", "P, 1 processor", "not recorded"]
    assert cost.machine_texts({}) == ["not recorded"]


def test_blas_libraries_as_a_text():
    numpy = {"internal_api": "openblas", "version": "0.3.30", "architecture": "Haswell"}
    scipy = numpy | {"version": "0.3.29"}
    mkl = {"internal_api": "mkl", "version": "2024.1"}
    said = cost.blas_text([numpy, scipy, mkl, dict(numpy)])
    assert said == "mkl 2024.1, openblas 0.3.29 Haswell, openblas 0.3.30 Haswell"
    assert cost.blas_text([]) == "not recorded"


# --------------------------------------------------------------------------------------------- runs


@pytest.fixture
def out(tmp_path, monkeypatch):
    monkeypatch.setattr(fake_paper, "SECONDS", 0.0)
    return tmp_path


def run(out, *names):
    options = ["--kernels", "reference", "--jobs", "1", "--out", str(out)]
    return cli.main([*names, *options], papers=[fake_paper.PAPER])


def read(out, figure):
    return Store(out).read("fake", figure)


def parts(out):
    return sorted((out / "fake" / ".parts").rglob("*.json"))


def rewrite(path, **changes):
    """Change a part's particulars, as if it came from elsewhere; None removes one."""
    part = json.loads(path.read_text()) | changes
    del part["sha256"]
    part = {name: value for name, value in part.items() if value is not None}
    path.write_text(json.dumps(part | {"check": digest(part["result"])}))


def test_a_run_records_costs_and_its_machine(out):
    assert run(out, "fake.figure1", "fake.table1") == cli.DONE
    part = json.loads(parts(out)[0].read_text())
    assert part["seconds"] > 0 and part["cpu_seconds"] > 0 and part["machine"] == cost.machine()
    drawn, table = read(out, "figure1"), read(out, "table1")
    # table 2 has one of the tasks as well
    assert [group["count"] for group in drawn["cost"]["tasks"]] == [1, fake_paper.N_TASKS - 1]
    assert drawn["machines"] == [cost.machine() | {"count": fake_paper.N_TASKS}]
    both = cost.total([drawn, table])
    assert both == cost.total([drawn]) and both.tasks == fake_paper.N_TASKS


def test_a_figure_gathered_again_names_the_machine_of_its_tasks(out):
    run(out, "fake.table1")
    for path in parts(out):
        rewrite(path, machine=LARGE)
    (out / "fake" / "table1.json").unlink()
    assert run(out, "fake.table1") == cli.DONE
    assert read(out, "table1")["machines"] == [LARGE | {"count": fake_paper.N_TASKS}]


def test_parts_of_earlier_versions_are_used(out, capsys):
    run(out, "fake.table1")
    before = read(out, "table1")
    for path in parts(out):
        rewrite(path, cpu_seconds=None, max_memory=None, machine=None)
    (out / "fake" / "table1.json").unlink()
    capsys.readouterr()
    assert run(out, "fake.table1") == cli.DONE
    assert f"{fake_paper.N_TASKS} as stored" in capsys.readouterr().err
    after = read(out, "table1")
    assert after["rows"] == before["rows"] and cost.machine_texts(after) == ["not recorded"]
    assert {group["cpu_seconds"] for group in after["cost"]["tasks"]} == {None}


def test_records_of_earlier_versions_are_used(out, capsys):
    run(out, "fake.table1")
    path = out / "fake" / "table1.json"
    old = json.loads(path.read_text())
    for name in ("sha256", "cost", "machines"):
        del old[name]
    path.write_text(json.dumps(old))
    assert run(out, "fake.table1") == cli.DONE
    assert "fake.table1: as stored" in capsys.readouterr().err and read(out, "table1") == old


def test_figures_share_each_task_in_one_run(out, monkeypatch):
    """Each task is called once, though two figures name it."""
    calls = []
    original = fake_paper.noisy_mean

    def counted(job, **params):
        calls.append(params["repetition"])
        return original(job, **params)

    counted.__qualname__ = "counted"
    monkeypatch.setattr(fake_paper, "noisy_mean", counted)
    assert run(out, "fake.figure1", "fake.table1") == cli.DONE
    assert calls == list(range(fake_paper.N_TASKS))
