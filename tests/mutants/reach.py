"""Which tests reach which line: one run of the tests under coverage, kept outside the checkout.

The tests of each folder are measured on their own, so that a part can be measured anew.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict

from .run import copy_of, digest_of

UNKNOWN = 0.5  # seconds of a test whose run was cut off before it told its durations
DURATION = re.compile(r"^([\d.]+)s (setup|call|teardown) +(tests/\S.*)$")


def measure(checkout, folder, settings, parts=None):
    """Run the tests of each folder of the configuration, or of `parts`, under coverage.

    If the checkout is not the measured one, what was measured and found on it is forgotten first.
    """
    copy = folder / "measured"
    if not is_measured(checkout, folder):
        copy_of(checkout, copy)
        for old in [*folder.glob("*.coverage"), *folder.glob("results-*")]:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        (folder / "digest").write_text(digest_of(checkout))
    environment = os.environ | {
        "PYTHONPATH": str(copy),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    for part in parts or settings["tests"]:
        name = part.replace("/", "_")
        data = folder / f"{name}.coverage"
        rc = folder / "coverage.rc"
        rc.write_text(f"[run]\nsource_pkgs = refimpl\n paper_figures\ndata_file = {data}\n")
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
        command += [part, "-k", settings["deselect"], "--cov", f"--cov-config={rc}"]
        command += ["--cov-context=test", "--cov-report=", "--durations=0", "--durations-min=0"]
        print(part, flush=True)
        with open(folder / f"{name}.log", "w") as log:
            run = subprocess.run(command, cwd=copy, env=environment, stdout=log)
        if run.returncode:
            print(f"    some tests fail unchanged, and notice nothing: {log.name}", flush=True)


def is_measured(checkout, folder):
    """Whether the code and the tests of a checkout are those that were measured last."""
    digest = folder / "digest"
    return digest.exists() and digest.read_text() == digest_of(checkout)


class Reach:
    """The tests that reach a line, and how long each took."""

    def __init__(self, folder):
        self.seconds = defaultdict(float)
        self.modules = defaultdict(list)
        self.contexts = []
        failing = set()  # they notice nothing
        import coverage

        for data in sorted(folder.glob("tests_*.coverage")):
            measured = coverage.CoverageData(str(data))
            measured.read()
            self.contexts.append(measured)
            for line in data.with_suffix(".log").read_text().splitlines():
                if match := DURATION.match(line):
                    self.seconds[match[3]] += float(match[1])
                elif line.startswith("FAILED "):
                    failing.add(line.removeprefix("FAILED ").split(" - ")[0])
            for context in measured.measured_contexts():
                if context:
                    self.seconds.setdefault(context.rpartition("|")[0], UNKNOWN)
        for name in failing:
            self.seconds.pop(name, None)
        for name in self.seconds:
            self.modules[name.split("::")[0]].append(name)

    def tests_of(self, path, lines, at_import):
        """Return the tests that reach a line, the fastest first, grouped by their modules.

        A fixture of a module runs in the first test that asks for it: then all tests of the module
        count. What runs when the module is imported is reached by all tests that reach the module,
        not only by the test that imported it.
        """
        names = set()
        imported = at_import
        for measured in self.contexts:
            for file in measured.measured_files():
                if not file.endswith("/" + path):
                    continue
                by_line = measured.contexts_by_lineno(file)
                wanted = {context for line in lines for context in by_line.get(line, ())}
                imported |= "" in wanted
                for context in wanted - {""}:
                    names |= self._of(context)
        if at_import or (imported and not names):
            for measured in self.contexts:
                for file in measured.measured_files():
                    if file.endswith("/" + path):
                        for contexts in measured.contexts_by_lineno(file).values():
                            for context in set(contexts) - {""}:
                                names |= self._of(context)
        return sorted((name for name in names if name in self.seconds), key=self._order)

    def _of(self, context):
        name, _, phase = context.rpartition("|")
        return {name} if phase == "run" else set(self.modules[name.split("::")[0]])

    def _order(self, name):
        seconds = self.seconds[name]
        step = 0 if seconds < 0.2 else 1 if seconds < 2 else 2
        return step, seconds if step == 2 else 0, name.split("::")[0], seconds


def statement_lines(source, line):
    """The lines of the innermost statement that holds a line, without the body of a block."""
    best = None
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            if best is None or node.lineno >= best.lineno:
                best = node
    if best is None:
        return [line]
    body = getattr(best, "body", None)
    last = best.end_lineno
    if body and not isinstance(body, ast.AST) and body[0].lineno > best.lineno:
        last = body[0].lineno - 1
    return list(range(best.lineno, max(last, line) + 1))


def runs_at_import(source, line):
    """Whether a line lies in no function: constants, defaults of arguments, fields."""
    return not any(
        isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= node.end_lineno
        for node in ast.walk(ast.parse(source))
    )


def fitting(names, seconds, most):
    """The first tests that together take at most `most` seconds, one at least."""
    kept = []
    total = 0.0
    for name in names:
        total += seconds[name]
        if kept and total > most:
            break
        kept.append(name)
    return kept
