"""The pages as HTML: the templates of ``paper_figures/assets``, and what they ask for."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from paper_figures import judge
from paper_figures.gallery import signs, tables, words
from paper_figures.gallery.entries import REPRODUCED, Room
from paper_figures.gallery.numbers import duration_text, number_text, with_error
from paper_figures.gallery.texts import entry_address, sentence, with_links
from paper_figures.judge import verdicts
from paper_figures.registry import spoken

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["page", "render", "template"]


def page(title: str, kind: str, body: str) -> str:
    """Return a whole page, with style and script inside; `kind` is the body's class."""
    return render("frame", title=title, kind=kind, body=body)


def render(name: str, **values: Any) -> str:
    """Return what a template of ``paper_figures/assets`` makes of some values."""
    return template(name).render(values)


def template(name: str) -> "Template":
    """Return a template, whose macros are attributes of its ``module``."""
    return _environment().get_template(f"{name}.jinja")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("paper_figures", "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(
        duration=duration_text,
        entry_address=entry_address,
        linked=_linked,
        slug=signs.slug,
        spaced=lambda name: name.replace("_", " "),
        spoken=spoken,
    )
    environment.globals.update(
        {name: getattr(signs, name) for name in ("VERDICTS", "ENTRIES", "CLAIMS", "PLURALS")},
        SIGNS=signs.SIGNS,
        OPEN_SIGN=signs.OPEN_SIGN,
        HOLDS=judge.HOLDS,
        FAILS=judge.FAILS,
        OPEN=judge.OPEN,
        NOT_TESTABLE=judge.NOT_TESTABLE,
        REPRODUCED=REPRODUCED,
        absences=tables.absences,
        asset=_asset,
        blocks=tables.blocks,
        notes_of=verdicts.notes,
        number_text=number_text,
        printed_parts=words.printed_parts,
        slug=signs.slug,
        with_error=with_error,
        words_of_claim=words.of_claim,
        words_of_entry=words.of_entry,
    )
    return environment


def _asset(name: str) -> str:
    """Return the text of a file of ``paper_figures/assets``."""
    return files("paper_figures").joinpath("assets", name).read_text(encoding="utf-8")


def _linked(text: str, room: Room) -> str:
    """Return a text of a paper's page as a sentence, with links where it names entries."""
    return with_links(sentence(text), room.name, room.names)
