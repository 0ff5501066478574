"""The version of the code behind a result: one sha256 over the source files that it depends on.

From the module of a task's function, the imports inside this project are followed, as they stand in the
text. So a result becomes stale when its algorithm changes, and stays good when another paper's module, a
plot (a module named ``plots``, or ``..._plots``) or the gallery does. Kernels are named by the task, since both
kernel packages import all of their modules. Imports that are computed at run time are not seen.
"""

import ast
import hashlib
import importlib.util
import sys
from functools import cache
from pathlib import Path

PROJECT = ("refimpl", "refimpl_fast", "paper_figures")
KERNEL_PACKAGES = ("refimpl.kernels", "refimpl_fast")
FRAMEWORK = frozenset(
    f"paper_figures.{name}"
    for name in ("registry", "runner", "store", "plots", "gallery", "cli", "codeversion", "extras")
) | frozenset(f"paper_figures.data{name}" for name in ("", ".files", ".fetch", ".recipes", ".sets"))
SOURCES = (".py", ".pyx", ".pxd", ".pxi", ".h")


def code_version(functions, kernels=None):
    """Give the version of the code that functions run.

    Parameters
    ----------
    functions : iterable of callable
        Their modules are where the search begins.
    kernels : sequence of str or None
        The kernel modules in use, such as ``("stumps",)``; None means all of them.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    files = set(_kernel_files(None if kernels is None else tuple(kernels)))
    for module in sorted({getattr(function, "func", function).__module__ for function in functions}):
        files |= modules_behind(module)
    return _hash_files(tuple(sorted(files)))


def outdated_builds():
    """Give the Cython sources of refimpl_fast that are newer than the module compiled from them.

    Returns
    -------
    list of str
        A result computed with such a module would carry the version of a source that it does not come from.
    """
    folder = package_folder("refimpl_fast")
    names = []
    for source in sorted(folder.glob("*.pyx")) if folder else ():
        built = [path.stat().st_mtime for path in folder.glob(f"{source.stem}.*.so")]
        if built and max(built) < source.stat().st_mtime:
            names.append(f"refimpl_fast/{source.name}")
    return names


def _hash_files(files):
    digest = hashlib.sha256()
    for name, path in files:
        digest.update(f"{name}\0{hashlib.sha256(Path(path).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def modules_behind(start):
    """The (module, path) pairs that `start` imports, itself included."""
    found, queue = {}, [start]
    while queue:
        name = queue.pop()
        path = None if name in found else _source(name)
        if path is not None:
            found[name] = path
            queue += [n for n in _imports(name, path) if n not in found and not _left_out(n)]
    return frozenset(found.items())


def _left_out(name):
    kernel = any(name == package or name.startswith(package + ".") for package in KERNEL_PACKAGES)
    return kernel or name in FRAMEWORK or name.endswith((".plots", "_plots"))


@cache
def _source(name):
    """Path of a module's source, without importing it; None if it is not a source file."""
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if loaded is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        loaded = spec.origin if spec is not None else None
    return loaded if loaded is not None and loaded.endswith(".py") else None


def _imports(name, path):
    """The project's modules that a source names in its import statements."""
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


def _absolute(node, package):
    if not node.level:
        return node.module
    base = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _submodule_or(base, name):
    return f"{base}.{name}" if _source(f"{base}.{name}") is not None else base


@cache
def _kernel_files(kernels):
    """Sources of the named kernel modules in both packages; compiled files where there is no source."""
    files = []
    for package in KERNEL_PACKAGES:
        folder = package_folder(package)
        for path in sorted(folder.iterdir()) if folder else ():
            stem = path.name.partition(".")[0]
            helper = path.suffix in (".pxd", ".pxi", ".h")
            wanted = helper or (stem != "__init__" and (kernels is None or stem in kernels))
            if wanted and (path.suffix in SOURCES or _compiled_only(path, stem)):
                files.append((f"{package}/{path.name}", str(path)))
    _require(kernels, files)
    return tuple(files)


def _compiled_only(path, stem):
    return path.suffix == ".so" and not path.with_name(stem + ".pyx").exists()


def _require(kernels, files):
    for kernel in kernels or ():
        if not any(name.split("/")[1].partition(".")[0] == kernel for name, _ in files):
            raise ValueError(f"kernels: a task names {kernel!r}, which refimpl.kernels does not have")


def package_folder(package):
    try:
        spec = importlib.util.find_spec(package)
    except ImportError:
        return None
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(locations[0]) if locations else None
