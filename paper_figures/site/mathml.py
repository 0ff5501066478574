"""Formulas as MathML, made when the site is built, so that no page needs a script for them."""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def mathml(latex: str, display: str = "inline") -> str:
    """Return a LaTeX formula as a MathML element."""
    from latex2mathml.converter import convert

    converted: str = convert(latex, display=display)
    if "\\" in re.sub(r"<[^>]*>", "", converted):
        raise ValueError(f"the formula must have commands that MathML knows; got {latex!r}")
    # HTML knows the element, and has no tags that end themselves
    short = re.sub(r' xmlns="[^"]*"| display="inline"', "", converted)
    return re.sub(r"<(\w+)([^>]*?) ?/>", r"<\1\2></\1>", short)


def inline(text: str) -> str:
    """Return a text with its formulas between dollars as MathML, and all else escaped."""
    from html import escape

    parts = text.split("$")
    if len(parts) % 2 == 0:
        raise ValueError(f"the text must have an even number of dollars; got {text!r}")
    return "".join(mathml(part) if i % 2 else _code(escape(part)) for i, part in enumerate(parts))


def _code(escaped: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def setup(app: "Sphinx") -> dict[str, Any]:
    """Register the renderer for ``:math:`` and ``.. math::``."""
    from docutils import nodes

    def visit_inline(self: Any, node: Any) -> None:
        self.body.append(mathml(node.astext()))
        raise nodes.SkipNode

    def visit_block(self: Any, node: Any) -> None:
        self.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>')
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
