"""What the tests of the command share: the import path is after each test what it was before, since
the command adds folders to it; programs that a test starts import this checkout.
"""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def import_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
