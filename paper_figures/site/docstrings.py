"""What Sphinx must know of this project's docstrings.

A bar means a size or a norm: in reStructuredText ``|K|`` is a substitution. The docstrings have
none, and read better with plain bars. Examples and literals are left as they are.

A kernel in Cython has its twin's arguments, results and errors, and refers to it. Its entry shows
the twin's sections, with the twin's example run on the kernel in Cython.
"""

import importlib
import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["escaped", "of_kernel", "setup"]

FAST, READABLE = "refimpl_fast", "refimpl.kernels"


def escaped(line: str) -> str:
    """Return a line of a docstring with its bars escaped.

    Parameters
    ----------
    line : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(escaped("sup |K| is ``a | b``"))
    sup \\|K\\| is ``a | b``
    """
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = re.split(r"(``.*?``)", line)
    return "".join(p if i % 2 else p.replace("|", "\\|") for i, p in enumerate(parts))


def of_kernel(name: str) -> str:
    """Return the docstring of a kernel in Cython with the sections of its readable twin.

    Parameters
    ----------
    name : str
        ``"best_stump"``.

    Returns
    -------
    str

    Examples
    --------
    >>> ">>> from refimpl_fast import best_stump" in of_kernel("best_stump")
    True
    """
    own = inspect.getdoc(getattr(importlib.import_module(FAST), name)) or ""
    twin = inspect.getdoc(getattr(importlib.import_module(READABLE), name)) or ""
    sections = twin[twin.index("Parameters\n-----") :]
    lines = [
        re.sub(r"\bfrom refimpl\.kernels import\b", f"from {FAST} import", line)
        if line.lstrip().startswith((">>>", "..."))
        else line
        for line in sections.splitlines()
    ]
    text = "\n".join(lines)
    text = text.replace("Not used by the reference.", "The number of threads; by default all.")
    see = f"See Also\n--------\n{READABLE}.{name} : The readable twin, which gives the same.\n"
    if "See Also\n--------\n" not in text:
        raise ValueError(f"{READABLE}.{name} must have a section See Also")
    return f"{own}\n\n{text.replace('See Also' + chr(10) + '--------' + chr(10), see)}"


def setup(app: "Sphinx") -> dict[str, Any]:
    """Give each kernel its sections before numpydoc reads them, and escape the bars after it."""

    def complete(
        app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
    ) -> None:
        if what == "function" and name.startswith(f"{FAST}."):
            lines[:] = [*of_kernel(name.removeprefix(f"{FAST}.")).splitlines(), ""]

    def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        lines[:] = [escaped(line) for line in lines]

    app.connect("autodoc-process-docstring", complete, priority=100)  # numpydoc's is 500
    app.connect("autodoc-process-docstring", process, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
