"""Who imports whom: one way only, no circle, and no underscore name of another module.

The layers stand in pyproject.toml (import-linter). Here is what they cannot say: circles between
single modules, what the Cython sources import, that the oracles know none of the packages, and the
names that are a module's own.

Not handled here: an import by name (``importlib``), as that of the figures' rooms and of the fast
kernels.
"""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("paper_figures", "refimpl", "refimpl_fast")
FLOOR = ("refimpl.kernels", "refimpl.resources", "refimpl.results")
"""What the Cython sources may import of the reference."""

SOURCES = sorted(
    path for package in (*PACKAGES, "tests") for path in (ROOT / package).rglob("*.py")
)
CYTHON = sorted((ROOT / "refimpl_fast").glob("*.pyx"))


def test_imports_run_one_way_only():
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--config", "pyproject.toml", "--no-cache", "--no-logo"]
    # it turns loggers off
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_circle_between_modules():
    """Imports inside functions count too, and those for the type checker."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        graphlib.TopologicalSorter(imported).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("path", CYTHON, ids=lambda path: path.name)
def test_cython_sources_import_what_lies_below_them(path):
    for module in imports_of_cython(path):
        assert module.partition(".")[0] not in PACKAGES or module.startswith(
            ("refimpl_fast", *FLOOR)
        ), module


def test_oracles_know_none_of_the_packages():
    for path in (ROOT / "tests" / "oracles").glob("*.py"):
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & set(PACKAGES), path.name


# --------------------------------------------------------------------------------- underscore names


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of_cython(path):
    """The modules that a Cython source imports, with what it takes of a package:
    refimpl.kernels.trees.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        if borrowed := re.match(r"\s*from ([\w.]+) c?import (.+)", line):
            yield from (
                f"{borrowed[1]}.{name.strip().split(' ')[0]}" for name in borrowed[2].split(",")
            )
        elif borrowed := re.match(r"\s*c?import ([\w.]+)", line):
            yield borrowed[1]


def is_own(name):
    """Whether a name is a module's own: it begins with one underscore, not two."""
    return name.startswith("_") and not name.startswith("__")


def project_modules():
    """Return the names by which the modules of this project are imported, tests included."""
    for path in SOURCES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[0] == "tests":
            yield parts[-1]


MODULES = frozenset(project_modules())


def imported_names(tree):
    """Yield (name in this file, module, name there): the last is None where the name stands for the
    module.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                module, name = (whole, None) if whole in MODULES else (node.module, alias.name)
                yield alias.asname or alias.name, module, name


def borrowed_names(tree):
    """Yield what a source uses of other modules that is their own."""
    modules = {}
    for here, module, name in imported_names(tree):
        if module in MODULES and name is None:
            modules[here] = module
        elif module in MODULES and is_own(name):
            yield f"{module}.{name}"
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and is_own(node.attr)
            and ast.unparse(node.value) in modules
        ):
            yield f"{ast.unparse(node.value)}.{node.attr}"
        elif (
            isinstance(node, ast.Call)
            and len(node.args) > 1
            and ast.unparse(node.args[0]) in modules
        ):
            # getattr(module, "_name"), monkeypatch.setattr(module, ...)
            name = getattr(node.args[1], "value", None)
            if isinstance(name, str) and is_own(name):
                yield f"{ast.unparse(node.args[0])}.{name}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            module, _, name = node.value.rpartition(".")  # monkeypatch.setattr("module._name", ...)
            if module in MODULES and is_own(name):
                yield node.value


def test_no_underscore_name_of_another_module():
    borrowed = {
        str(path.relative_to(ROOT)): list(borrowed_names(tree_of(path))) for path in SOURCES
    }
    assert not {path: names for path, names in borrowed.items() if names}


@pytest.mark.parametrize("path", CYTHON, ids=lambda path: path.name)
def test_no_underscore_name_of_another_module_in_cython(path):
    assert not [name for name in imports_of_cython(path) if is_own(name.rpartition(".")[2])]
    aliases = re.findall(
        r"^from [\w.]+ import \w+ as (\w+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    for alias in aliases:
        assert not re.search(rf"\b{alias}\._[a-z]", path.read_text(encoding="utf-8")), alias


@pytest.mark.parametrize(
    "source",
    [
        "from refimpl.results import _name",
        "from refimpl import results\nresults._name()",
        "import refimpl.results\nrefimpl.results._name",
        "from refimpl import results\nsetattr(results, '_name', 1)",
        "setattr('refimpl.results._name', 1)",
    ],
)
def test_a_borrowed_name_is_found(source):
    assert list(borrowed_names(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    ["from refimpl import results\nresults.__name__", "import os\nos._exit(0)", "self._name = 1"],
)
def test_other_names_are_not(source):
    assert not list(borrowed_names(ast.parse(source)))


# ---------------------------------------------------------------------------------------- few rooms


@pytest.mark.parametrize("package, most", [("refimpl", 11), ("paper_figures", 16)])
def test_a_package_has_few_modules_beside_its_rooms(package, most):
    assert len(list((ROOT / package).glob("*.py"))) <= most
