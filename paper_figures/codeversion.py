"""The version of the code behind a result: one sha256 over the source files that it depends on.

From the module of a task's function, the imports inside this project are followed, as they stand in
the text. So a result becomes stale when its algorithm changes, and stays good when another paper's
module, a plot (a module named ``plots``, or ``..._plots``), a module named ``layouts`` or the
gallery does. Kernels are named by the task, since both kernel packages import all of their modules.
Imports that are computed at run time are not seen.
"""

import ast
import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

PROJECT = ("refimpl", "refimpl_fast", "paper_figures")
KERNEL_PACKAGES = ("refimpl.kernels", "refimpl_fast")
# modules that cannot change the numbers of a result
FRAMEWORK = frozenset(
    {
        "paper_figures.cli",
        "paper_figures.codeversion",
        "paper_figures.data",
        "paper_figures.data.fetch",
        "paper_figures.data.files",
        "paper_figures.data.recipes",
        "paper_figures.data.sets",
        "paper_figures.extras",
        "paper_figures.gallery",
        "paper_figures.plots",
        "paper_figures.registry",
        "paper_figures.runner",
        "paper_figures.store",
        "refimpl.typing",
    }
)
# modules of kernels that cannot: they check arguments, and share the steps of a loop
FRAMEWORK_OF_KERNELS = frozenset({"arguments", "contract", "threads"})
KERNEL_IMPORT = re.compile(
    r"^from (?:refimpl\.kernels|refimpl_fast)(?:\.(\w+))? c?import (.+)$", re.MULTILINE
)
SOURCES = (".py", ".pyx", ".pxd", ".pxi", ".h")

NamedFile: TypeAlias = tuple[str, str]
"""A name that is the same on every machine, and the path."""


def code_version(
    functions: Iterable[Callable[..., Any]], kernels: Sequence[str] | None = None
) -> str:
    """Return the version of the code that functions run.

    Parameters
    ----------
    functions : iterable of callable
        The search for source files begins in their modules.
    kernels : sequence of str or None
        The kernel modules in use, such as ``("stumps",)``, to which those are added that they
        import; None means all of them.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    files = set(kernel_files(None if kernels is None else tuple(kernels)))
    for module in sorted(
        {getattr(function, "func", function).__module__ for function in functions}
    ):
        files |= modules_behind(module)
    return _hash_files(tuple(sorted(files)))


def outdated_builds() -> list[str]:
    """Return the Cython sources of refimpl_fast that are newer than the module compiled from them.

    Returns
    -------
    list of str
        Their names. A result that such a module computes carries the version of a source that the
        module was not built from.
    """
    folder = package_folder("refimpl_fast")
    names: list[str] = []
    if folder is None:
        return names
    for source in sorted(folder.glob("*.pyx")):
        built = [path.stat().st_mtime for path in folder.glob(f"{source.stem}.*.so")]
        if built and max(built) < source.stat().st_mtime:
            names.append(f"refimpl_fast/{source.name}")
    return names


def _hash_files(files: Iterable[NamedFile]) -> str:
    digest = hashlib.sha256()
    for name, path in files:
        digest.update(f"{name}\0{hashlib.sha256(Path(path).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def modules_behind(start: str) -> frozenset[NamedFile]:
    """Return the (module, path) pairs of `start` and of all that it imports."""
    paths: dict[str, str] = {}
    queue = [start]
    while queue:
        name = queue.pop()
        path = None if name in paths else _source(name)
        if path is not None:
            paths[name] = path
            queue += [n for n in _imports(name, path) if n not in paths and not _left_out(n)]
    return frozenset(paths.items())


def _left_out(name: str) -> bool:
    kernel = any(name == package or name.startswith(package + ".") for package in KERNEL_PACKAGES)
    return kernel or name in FRAMEWORK or name.endswith((".plots", "_plots", ".layouts"))


@cache
def _source(name: str) -> str | None:
    """Return the path of a module's source without importing it, or None."""
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if loaded is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        loaded = spec.origin if spec is not None else None
    return loaded if loaded is not None and loaded.endswith(".py") else None


def _imports(name: str, path: str) -> Iterator[str]:
    """Yield the project's modules that a source names in its import statements."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    package = name if Path(path).name == "__init__.py" else name.rpartition(".")[0]
    own = (*PROJECT, name.partition(".")[0])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            candidates = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            ours = base.partition(".")[0] in own
            candidates = [_submodule_or(base, alias.name) for alias in node.names] if ours else []
        else:
            continue
        yield from (c for c in candidates if c.partition(".")[0] in own)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    base = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _submodule_or(base: str, name: str) -> str:
    return f"{base}.{name}" if _source(f"{base}.{name}") is not None else base


@cache
def kernel_files(kernels: tuple[str, ...] | None) -> tuple[NamedFile, ...]:
    """Return the sources of kernel modules, and of those that they import, in both packages.

    A compiled file counts where its source is missing.
    """
    stems = None if kernels is None else _with_imported(kernels)
    files: list[NamedFile] = []
    for package in KERNEL_PACKAGES:
        folder = package_folder(package)
        for path in sorted(folder.iterdir()) if folder else ():
            stem = path.name.partition(".")[0]
            helper = path.suffix in (".pxd", ".pxi", ".h")
            used = helper or (stem != "__init__" and (stems is None or stem in stems))
            if used and (path.suffix in SOURCES or _compiled_only(path, stem)):
                files.append((f"{package}/{path.name}", str(path)))
    _require(kernels, files)
    return tuple(files)


def _with_imported(kernels: Iterable[str]) -> set[str]:
    """Return the names of kernel modules and of those that they import, in either package."""
    stems: set[str] = set()
    queue = list(kernels)
    while queue:
        stem = queue.pop()
        if stem not in stems | FRAMEWORK_OF_KERNELS:
            stems.add(stem)
            for path in _kernel_sources(stem):
                for module, names in KERNEL_IMPORT.findall(path.read_text(encoding="utf-8")):
                    queue += [module] if module else [n.split()[0] for n in names.split(",")]
    return stems


def _kernel_sources(stem: str) -> Iterator[Path]:
    for package in KERNEL_PACKAGES:
        folder = package_folder(package)
        for suffix in (".py", ".pyx"):
            path = folder / (stem + suffix) if folder else None
            if path is not None and path.is_file():
                yield path


def _compiled_only(path: Path, stem: str) -> bool:
    return path.suffix == ".so" and not path.with_name(stem + ".pyx").exists()


def _require(kernels: tuple[str, ...] | None, files: Sequence[NamedFile]) -> None:
    for kernel in kernels or ():
        if not any(name.split("/")[1].partition(".")[0] == kernel for name, _ in files):
            raise ValueError(
                f"kernels: a task names {kernel!r}, which refimpl.kernels does not have"
            )


def package_folder(package: str) -> Path | None:
    """Return the folder of a package, or None if it is not installed."""
    try:
        spec = importlib.util.find_spec(package)
    except ImportError:
        return None
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(locations[0]) if locations else None
