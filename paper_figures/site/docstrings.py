"""What Sphinx must know of this project's docstrings.

A bar means a size or a norm: in reStructuredText ``|K|`` is a substitution. The docstrings have
none, and read better with plain bars. Examples and literals are left as they are.
"""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["escaped", "setup"]


def escaped(line: str) -> str:
    """Return a line of a docstring with its bars escaped."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = re.split(r"(``.*?``)", line)
    return "".join(p if i % 2 else p.replace("|", "\\|") for i, p in enumerate(parts))


def setup(app: "Sphinx") -> dict[str, Any]:
    """Escape the bars after numpydoc has read the docstrings."""

    def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        lines[:] = [escaped(line) for line in lines]

    app.connect("autodoc-process-docstring", process, priority=900)  # numpydoc's is 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
