"""The methods of the Protocol ``Kernels`` in ``refimpl/typing.py``, made from the reference.

Each kernel of :mod:`refimpl.kernels` is written down with its types once, in the reference. After a
change of a kernel's signature run, from the top of the checkout,

    PYTHONPATH=tests/support python -m stubs --write

Without ``--write`` it says whether the file differs, as ``tests/project/test_stubs.py`` does.
The stub of refimpl_fast takes names and types from the reference.

Not handled here: whether the compiled functions have these signatures (tests/kernels).
"""

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import refimpl.kernels
from refimpl.kernels.contract import CONTRACT

ROOT = Path(__file__).resolve().parents[2]
TYPING = ROOT / "refimpl" / "typing.py"
BEGIN = "    # ---- made by tests/support/stubs.py, from here"
END = "    # ---- to here\n"


def signature(name):
    """Return the def line of a kernel as a method, without its body."""
    source = textwrap.dedent(inspect.getsource(getattr(refimpl.kernels, name)))
    node = ast.parse(source).body[0]
    node.args.posonlyargs = [ast.arg("self"), *node.args.posonlyargs]
    arguments = ast.unparse(node.args).replace("self, /", "self", 1)
    return f"def {name}({arguments}) -> {ast.unparse(node.returns)}: ..."


def wanted(text):
    """Return the text of refimpl/typing.py with the methods that it must have."""
    methods = "".join(f"    {signature(name)}\n" for name in sorted(CONTRACT))
    before, _, rest = text.partition(BEGIN)
    marked, _, after = rest.partition("\n")
    _, _, after = after.partition(END)
    return f"{before}{BEGIN}{marked}\n{methods}{END}{after}"


def same(text, other):
    """Return whether two texts have the same syntax and comments, however they are laid out."""
    dumps = [(ast.dump(ast.parse(each)), re.findall(r"#.*", each)) for each in (text, other)]
    return dumps[0] == dumps[1]


def main(arguments):
    """Write the file with ``--write``, as ruff formats it; else say whether it differs."""
    text = TYPING.read_text(encoding="utf-8")
    if same(text, wanted(text)):
        return 0
    print(TYPING.relative_to(ROOT))
    if "--write" in arguments:
        TYPING.write_text(wanted(text), encoding="utf-8")
        subprocess.run(["ruff", "format", "--quiet", TYPING], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
