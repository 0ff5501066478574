"""The vectors can be read in plain C, and a program in JavaScript answers their cases.

Not tested here: the other kernels in these languages.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from refimpl.check import cli
from refimpl.check.files import folder

READERS = Path(__file__).parent / "readers"


def read(command, path):
    return subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
def test_a_reader_in_c_agrees_and_finds_a_changed_digit(tmp_path):
    program = str(tmp_path / "reader")
    compiler = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program]
    subprocess.run([*compiler, str(READERS / "reader.c"), "-lm"], check=True, timeout=60)
    path = folder() / "kernels" / "pair_distances.json"
    done = read([program], path)
    assert done.returncode == 0, done.stdout + done.stderr
    count = path.read_text(encoding="utf-8").count('"id"')
    assert done.stdout == f"{count} cases, 0 differences\n" and count > 15
    lines = path.read_text(encoding="utf-8").split("\n")
    before, expected, after = lines[6].partition('"expected"')
    assert "0x1." in after
    lines[6] = before + expected + after.replace("0x1.", "0x1.0008", 1)
    damaged = tmp_path / path.name
    damaged.write_text("\n".join(lines), encoding="utf-8")
    assert read([program], damaged).returncode == 1


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_a_program_in_javascript_answers_through_the_command(capsys):
    """It reads hexadecimal floats and words of 64 bits, and writes plain numbers."""
    assert cli.main(["--", "node", str(READERS / "program.js")]) == 0
    assert "cases asked: weighted_l1 21, hamming_distances 12" in capsys.readouterr().out
