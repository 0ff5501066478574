"""What the tests of the command share: the import path is after each test what it was before, since
the command adds folders to it; programs that a test starts import this checkout. And the command
in a folder with files.
"""

import json
import os
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from refimpl.check import cli

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def import_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Run the command in a folder with these files: (exit code, what is said)."""
    monkeypatch.chdir(tmp_path)

    def run(words, *more, log=None, array=None, tree=None, **data):
        if log is not None:
            text = log if isinstance(log, str) else "\n".join(map(json.dumps, log))
            Path("log.jsonl").write_text(text, encoding="utf-8")
        if array is not None:
            np.save("a.npy", array)
        if tree is not None:
            np.savez("tree.npz", **tree)
        if data:
            np.savez("data.npz", **data)
        try:
            code = cli.main([*shlex.split(words), *more])
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.err if code == 2 else said.out

    return run
