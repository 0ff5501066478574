"""Shared by all tests: the real data sets are found in ../shared/data when that folder exists."""

import os
from pathlib import Path

# threads that wait do not spin: on a busy machine spinning ones would hold up those they wait for
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when the OpenMP library is loaded
if "PYTEST_XDIST_WORKER" in os.environ:  # other workers share the processors
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

if "REFIMPL_DATA" not in os.environ and SHARED_DATA.is_dir():
    os.environ["REFIMPL_DATA"] = str(SHARED_DATA)
