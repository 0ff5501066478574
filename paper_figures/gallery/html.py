"""The pages as HTML: the templates of ``paper_figures/assets``, and what they ask for."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from paper_figures import judge
from paper_figures.gallery import signs, tables, words
from paper_figures.gallery.entries import REPRODUCED
from paper_figures.gallery.numbers import duration_text, number_text, with_error
from paper_figures.gallery.texts import entry_address, linked
from paper_figures.judge import verdicts
from paper_figures.registry import spoken

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def page(title: str, kind: str, body: str) -> str:
    """Return a whole page, with style and script inside; `kind` is the body's class."""
    return render("frame", title=title, kind=kind, body=body)


def render(name: str, **values: Any) -> str:
    """Return what a template of ``paper_figures/assets`` makes of some values."""
    return template(name).render(values)


def template(name: str) -> "Template":
    """Return a template, whose macros are attributes of its ``module``."""
    return _gallery().get_template(f"{name}.jinja")


def environment(package: str, folder: str, *functions: Callable[..., Any]) -> "Environment":
    """Return what reads the templates of a folder; they have some functions by their names."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    named = {function.__name__: function for function in functions}
    made.filters.update(named)
    made.globals.update(named)
    return made


@cache
def _gallery() -> "Environment":
    made = environment("paper_figures", "assets", *FUNCTIONS)
    made.globals.update(judge=judge, signs=signs, REPRODUCED=REPRODUCED)
    return made


def asset(name: str) -> str:
    """Return the text of a file of ``paper_figures/assets``."""
    return files("paper_figures").joinpath("assets", name).read_text(encoding="utf-8")


FUNCTIONS = (
    *(asset, duration_text, number_text, with_error, entry_address, linked, spoken),
    *(signs.slug, signs.claim_states),
    *(tables.blocks, tables.absences, verdicts.notes),
    *(words.printed_parts, words.of_entry, words.of_claim),
)
"""What the templates use."""
