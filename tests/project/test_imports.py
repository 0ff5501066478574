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

import grimp
import pytest
from processes import ROOT, output

PACKAGES = ("paper_figures", "refimpl", "refimpl_fast")
FLOOR = ("refimpl.kernels", "refimpl.resources", "refimpl.results")
"""What the Cython sources may import of the reference."""

SOURCES = sorted(
    path for package in (*PACKAGES, "tests") for path in (ROOT / package).rglob("*.py")
)
CYTHON = sorted((ROOT / "refimpl_fast").glob("*.pyx"))


def test_imports_run_one_way_only():
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    # in a process of its own: it turns loggers off
    output("-c", code, "--config", "pyproject.toml", "--no-cache", "--no-logo")


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


def test_no_underscore_name_is_imported():
    """Outside the tests, ruff refuses those that are read of a module or an object (SLF001)."""
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            assert not any(re.match("_[^_]", name) for name in names), path


@pytest.mark.parametrize("path", CYTHON, ids=lambda path: path.name)
def test_no_underscore_name_of_another_module_in_cython(path):
    text = path.read_text(encoding="utf-8")
    names = [name.rpartition(".")[2] for name in imports_of_cython(path)]
    assert not any(re.match("_[^_]", name) for name in names)
    for alias in re.findall(r"^from [\w.]+ import \w+ as (\w+)$", text, flags=re.MULTILINE):
        assert not re.search(rf"\b{alias}\._[a-z]", text), alias


# ---------------------------------------------------------------------------------------- few rooms


@pytest.mark.parametrize("package, most", [("refimpl", 11), ("paper_figures", 16)])
def test_a_package_has_few_modules_beside_its_rooms(package, most):
    assert len(list((ROOT / package).glob("*.py"))) <= most
