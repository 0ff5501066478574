"""The changes of by_hand.toml: each must be noticed by the tests that it names."""

import time
import tomllib
from pathlib import Path

from .run import SURVIVED, build, changed, copy_of, first_failure, preload, run_tests

TABLE = Path(__file__).with_name("by_hand.toml")


def run(checkout, folder, pattern="", compiled=True, seconds=600):
    """Try every change whose name or file contains `pattern`; returns the number that survive."""
    preload()
    copy = copy_of(checkout, folder / "by_hand")
    survivors = 0
    for change in tomllib.loads(TABLE.read_text())["change"]:
        is_compiled = not change["file"].endswith(".py")
        if pattern not in change["name"] + change["file"] or (is_compiled and not compiled):
            continue
        path = copy / change["file"]
        source = path.read_text()
        if source.count(change["text"]) != 1:
            raise ValueError(f"{change['file']} must hold the text once: {change['text']!r}")
        start = time.monotonic()
        with changed(path, source.replace(change["text"], change["by"])):
            if is_compiled:
                build(copy)
            log = folder / "by_hand.log"
            end = run_tests(copy, change["tests"], log, seconds)
        survivors += end == SURVIVED
        by = "" if end == SURVIVED else first_failure(log)
        took = time.monotonic() - start
        print(f"{end:9} {took:5.0f} s  {change['file']}: {change['name']}  {by}", flush=True)
    return survivors
