"""What Sphinx must know of this project's docstrings.

A bar means a size or a norm: in reStructuredText ``|K|`` is a substitution. The docstrings have
none, and read better with plain bars. Examples and literals are left as they are. A parameter
without words gets those of ``parameters.toml``; one that has none there is a warning.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SECTIONS = ("Parameters", "Other Parameters", "Attributes", "Returns", "Yields")
PARAMETER = re.compile(r"(\w+(?:, \w+)*) : ")


def escaped(line: str) -> str:
    """Return a line of a docstring with its bars escaped."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = re.split(r"(``.*?``)", line)
    return "".join(p if i % 2 else p.replace("|", "\\|") for i, p in enumerate(parts))


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("parameters.toml").read_text(encoding="utf-8"))


def described(name: str, lines: Sequence[str]) -> list[str]:
    """Return the docstring of a name of the API, in which each parameter has words."""
    words = _words()["words"] | _words().get(name, {})
    found, section = [], ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        section = line if re.fullmatch("-{3,}", below) else section
        found.append(line)
        parameter = PARAMETER.match(line) if section in SECTIONS else None
        if parameter and not below.startswith(" "):
            if parameter[1] not in words:
                raise ValueError(f"parameters.toml must have {parameter[1]!r} of {name}")
            found.append(f"    {words[parameter[1]]}")
    return found


def setup(app: "Sphinx") -> dict[str, Any]:
    """Describe the parameters before numpydoc reads them, and escape the bars after it."""

    def before(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        lines[:] = described(name, lines)

    def after(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        lines[:] = [escaped(line) for line in lines]

    app.connect("autodoc-process-docstring", before, priority=400)  # numpydoc's is 500
    app.connect("autodoc-process-docstring", after, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
