"""The import path is after each test what it was before: the command adds folders to it."""

import sys

import pytest


@pytest.fixture(autouse=True)
def import_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
