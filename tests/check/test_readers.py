"""The vectors can be read in plain C and in JavaScript: each reader checks one kernel, agrees with
the vectors, and finds a digit that was changed.

Not tested here: the other kernels in these languages.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from refimpl.check import cli
from refimpl.check.files import folder

READERS = Path(__file__).parent / "readers"


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """The readers that can be run here, with their kernels."""
    found = {}
    if shutil.which("gcc"):
        program = tmp_path_factory.mktemp("c") / "reader"
        compiler = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o", str(program)]
        subprocess.run([*compiler, str(READERS / "reader.c"), "-lm"], check=True, timeout=60)
        found["c"] = ([str(program)], "pair_distances")
    if shutil.which("node"):
        found["js"] = (["node", str(READERS / "reader.js")], "weighted_l1")
    return found


def read(command, path):
    return subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("language", ["c", "js"])
def test_a_reader_agrees_and_finds_a_changed_digit(language, commands, tmp_path):
    if language not in commands:
        pytest.skip("neither gcc nor node for this reader")
    command, kernel = commands[language]
    path = folder() / "kernels" / f"{kernel}.json"
    done = read(command, path)
    assert done.returncode == 0, done.stdout + done.stderr
    count = path.read_text(encoding="utf-8").count('"id"')
    assert done.stdout == f"{count} cases, 0 differences\n" and count > 15
    lines = path.read_text(encoding="utf-8").split("\n")
    before, expected, after = lines[6].partition('"expected"')
    assert "0x1." in after
    lines[6] = before + expected + after.replace("0x1.", "0x1.0008", 1)
    damaged = tmp_path / path.name
    damaged.write_text("\n".join(lines), encoding="utf-8")
    assert read(command, damaged).returncode == 1


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_a_program_in_javascript_answers_through_the_command(capsys):
    assert cli.main(["--", "node", str(READERS / "program.js")]) == 0
    assert "hamming_distances 12" in capsys.readouterr().out
