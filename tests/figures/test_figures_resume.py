"""Kill a real run at random moments: nothing finished is lost, the numbers are those of a run in
peace.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_paper

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("fake.figure1", "fake.table1")


def start(out, *names, jobs="2"):
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    script = str(ROOT / "tests" / "support" / "fake_paper.py")
    command = [sys.executable, script, *names, "--kernels", "reference", "--jobs", jobs]
    return subprocess.Popen(
        [*command, "--out", str(out)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def parts(out):
    times = {}
    for path in (out / "fake" / ".parts").rglob("*.json"):
        json.loads(path.read_text())  # never half a file
        times[path] = path.stat().st_mtime_ns
    return times


def stop_after(process, out, more, delay, number):
    """Send a signal to the run and its workers once `more` parts are new; give its output and exit
    code.
    """
    goal = len(parts(out)) + more
    deadline = time.monotonic() + 60
    while len(parts(out)) < goal and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(delay)
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
    output = process.communicate(timeout=60)
    return output, process.returncode


def finish(out, *names, jobs="2"):
    process = start(out, *names, jobs=jobs)
    output = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return output


def rows(out):
    return [
        json.loads((out / "fake" / f"{n.split('.')[1]}.json").read_text())["rows"] for n in NAMES
    ]


def test_killed_runs_go_on_with_the_same_numbers(tmp_path):
    peace = tmp_path / "peace"
    war = tmp_path / "war"
    finish(peace, *NAMES)
    rng = random.Random(20060101)
    kept = {}
    for _ in range(4):
        process = start(war, *NAMES)
        stop_after(process, war, rng.randint(0, 3), rng.uniform(0.0, 0.3), signal.SIGKILL)
        now = parts(war)
        assert kept.items() <= now.items()  # nothing lost, nothing computed twice
        kept = now
    assert kept, "no task was finished before any of the kills"
    finish(war, *NAMES)
    final = parts(war)
    assert kept.items() <= final.items() and len(final) == fake_paper.N_TASKS
    assert rows(war) == rows(peace)
    for suffix in (".svg", ".png"):
        assert (war / f"fake/figure1{suffix}").read_bytes() == (
            peace / f"fake/figure1{suffix}"
        ).read_bytes()


def test_ctrl_c_says_what_is_kept(tmp_path):
    process = start(tmp_path, *NAMES)
    (_, said), code = stop_after(process, tmp_path, 3, 0.05, signal.SIGINT)
    assert code == 130, said
    assert "Interrupted. Each finished task is kept" in said
    assert "Traceback" not in said, said
    kept = parts(tmp_path)
    assert len(kept) >= 3 and (tmp_path / "index.html").is_file()
    finish(tmp_path, *NAMES)
    assert kept.items() <= parts(tmp_path).items()


def test_ctrl_c_in_a_run_without_workers(tmp_path):
    process = start(tmp_path, *NAMES, jobs="1")
    (_, said), code = stop_after(process, tmp_path, 2, 0.0, signal.SIGINT)
    assert code == 130 and "Traceback" not in said, said
    assert len(parts(tmp_path)) >= 2


def test_module_is_a_command(tmp_path):
    command = [
        sys.executable,
        "-m",
        "paper_figures",
        "boosted_distance.figure1",
        "--kernels",
        "reference",
    ]
    done = subprocess.run(
        [*command, "--out", str(tmp_path), "--jobs", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"see {tmp_path}/index.html\n")
    record = json.loads((tmp_path / "boosted_distance" / "figure1.json").read_text())
    # ten images of each class; the faces are licensed
    assert [row["ours"] for row in record["rows"]] == [10, 10, None]
