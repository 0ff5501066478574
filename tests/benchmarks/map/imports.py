"""What an import takes, each in a Python of its own; nothing that it brings along is there before.

What every estimator needs of scikit-learn is imported before the estimators, and not counted.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from .measure import Elsewhere

SCIKIT_LEARN = "sklearn.base, sklearn.utils.metaestimators, sklearn.utils.multiclass"
IMPORTS = {  # what is there before, and what is imported
    "refimpl": ("sys", "refimpl"),
    "refimpl.estimators, beyond scikit-learn's own": (SCIKIT_LEARN, "refimpl.estimators"),
    "scikit-learn's own": ("sys", SCIKIT_LEARN),
}
CODE = """
import time, {before}
start = time.perf_counter()
import {name}
print(time.perf_counter() - start)
"""


def calls(name: str) -> dict[str, Callable[[Any], Any]]:
    """Return the call that measures an import in another process."""
    before, imported = IMPORTS[name]
    code = CODE.format(before=before, name=imported)

    def call(_: Any) -> Elsewhere:
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        return Elsewhere(float(run.stdout))

    return {"import": call}
