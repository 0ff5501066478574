"""The types of the kernels, made from the reference's signatures.

Each kernel of :mod:`refimpl.kernels` is written down with its types once, in the reference. From
there this module makes

* the methods of the Protocol ``Kernels`` in ``refimpl/typing.py``, between two marked lines;
* a stub ``refimpl_fast/<module>.pyi`` for each compiled module of kernels.

After a change of a kernel's signature run, from the top of the checkout,

    PYTHONPATH=tests/support python -m stubs --write

Without ``--write`` it says which files differ. ``tests/project/test_stubs.py`` does that, too.

Not handled here: whether the compiled functions have these signatures (tests/kernels), and types
other than those that the reference's module imports, and the classes and aliases that it defines.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TYPING = ROOT / "refimpl" / "typing.py"
FAST = ROOT / "refimpl_fast"
BEGIN = "    # ---- made by tests/support/stubs.py, from here"
END = "    # ---- to here\n"


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    """Return the names that a module imports from this project: {name: module}."""
    return {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("refimpl")
        for alias in node.names
    }


def reference():
    """Return the reference's kernels: {name: (syntax tree of the def, names it can use)}.

    The names are those of its module: {name: module that has it}.
    """
    init = tree_of(ROOT / "refimpl" / "kernels" / "__init__.py")
    kernels = {}
    for name, module in imported(init).items():
        tree = tree_of(ROOT / (module.replace(".", "/") + ".py"))
        known = imported(tree)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                known[node.name] = module
            elif isinstance(node, ast.AnnAssign):  # an alias of a type
                known[node.target.id] = module
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                kernels[name] = node, known
    return dict(sorted(kernels.items()))


def signature(node, *, method):
    """Return the def line of a kernel, without its body."""
    arguments = ast.parse(ast.unparse(node.args).join(["def f(", "): pass"])).body[0].args
    if method:
        arguments.posonlyargs = [ast.arg("self"), *arguments.posonlyargs]
    text = ast.unparse(arguments)
    if method:
        text = text.replace("self, /", "self", 1)
    return f"def {node.name}({text}) -> {ast.unparse(node.returns)}: ..."


def used(node, known):
    """Return what a signature needs: {(module, name)}."""
    nodes = [*ast.walk(node.args), *ast.walk(node.returns)]
    names = {part.id for part in nodes if isinstance(part, ast.Name)}
    return {(known[name], name) for name in names if name in known} | {
        ("typing", name) for name in names & {"Any", "Literal"}
    }


def imports(needed):
    """Return the import lines of a stub."""
    modules = sorted({module for module, _ in needed})
    return "".join(
        f"from {module} import {', '.join(sorted(n for m, n in needed if m == module))}\n"
        for module in modules
    )


def stub(names, kernels, module):
    """Return the stub of a compiled module."""
    needed = set().union(*(used(*kernels[name]) for name in names))
    text = f"# Types of refimpl_fast.{module}: "
    text += "made by tests/support/stubs.py from refimpl.kernels.\n\n"
    text += imports(needed) + f"\n__all__ = {sorted(names)!r}\n\n"
    return text + "".join(signature(kernels[name][0], method=False) + "\n" for name in names)


def compiled():
    """Return the kernels of each compiled module, as refimpl_fast imports them."""
    modules = {}
    for name, module in imported(tree_of(FAST / "__init__.py")).items():
        package, _, part = module.partition(".")
        if package == "refimpl_fast":
            modules.setdefault(part, []).append(name)
    return modules


def protocol(text, kernels):
    """Return the text of refimpl/typing.py with the Protocol's methods."""
    methods = "\n".join(signature(node, method=True) for node, _ in kernels.values())
    methods = "".join(f"    {line}\n" for line in methods.splitlines())
    before, _, rest = text.partition(BEGIN)
    marked, _, after = rest.partition("\n")
    _, _, after = after.partition(END)
    return f"{before}{BEGIN}{marked}\n{methods}{END}{after}"


def formatted(text, path):
    """Return the text as ruff formats it, where that formatter is at hand."""
    command = ["ruff", "format", "--stdin-filename", str(path), "-"]
    beside = Path(sys.executable).with_name("ruff")
    command[0] = str(beside) if beside.exists() else "ruff"
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def wanted():
    """Return the files that are made here with the text that each must have: {path: text}."""
    kernels = reference()
    files = {
        FAST / f"{module}.pyi": stub(names, kernels, module) for module, names in compiled().items()
    }
    files[TYPING] = protocol(TYPING.read_text(encoding="utf-8"), kernels)
    return files


def syntax(text):
    """Return what is compared: the syntax, not the layout, so that the test needs no formatter."""
    comments = re.findall(r"#.*", text)
    return ast.dump(ast.parse(text)), comments


def differing():
    """Return the files that differ from what the reference gives."""
    return [
        path
        for path, text in wanted().items()
        if not path.exists() or syntax(path.read_text(encoding="utf-8")) != syntax(text)
    ]


def main(arguments):
    """Write the files that differ with ``--write``; else say which they are."""
    for path in differing():
        print(path.relative_to(ROOT))
        if "--write" in arguments:
            path.write_text(formatted(wanted()[path], path), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
