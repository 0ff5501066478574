"""Shared by all tests: the real data sets are found in ../shared/data when that folder exists."""

import os
from pathlib import Path

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

if "REFIMPL_DATA" not in os.environ and SHARED_DATA.is_dir():
    os.environ["REFIMPL_DATA"] = str(SHARED_DATA)
