"""The figures and claims: the pages of the committed results, and the links to them."""

import shutil
from html import escape
from pathlib import Path

from paper_figures import judge, registry, report
from paper_figures.site import printed
from paper_figures.store import Store

__all__ = ["claims_on", "write_links", "write_pages"]

REPRODUCED = Path(registry.__file__).parent / "reproduced"
FOLDER = "figures"


def write_pages(out: Path) -> None:
    """Draw the committed results, and write their pages into the site's folder ``figures``.

    Parameters
    ----------
    out : Path
        The folder of the site.
    """
    folder = out / FOLDER
    shutil.copytree(REPRODUCED, folder, ignore=shutil.ignore_patterns("*.html", "*.svg", ".parts"))
    store, papers = Store(folder), registry.load_papers()
    for paper in papers:
        for figure in paper.figures:
            report.redraw(store, paper, figure)
    report.write_pages(store, papers)
    _add_way(folder / "index.html", '<a href="../index.html">refimpl</a>')
    for room in registry.PAPERS:
        reader = f'<a href="../../reader/{room}.html">The paper, line by line</a>'
        way = f'<a href="../../index.html">refimpl</a> · {reader}'
        _add_way(folder / room / "index.html", way)


def _add_way(page: Path, links: str) -> None:
    """Add the way back into the site at the top of a page."""
    text = page.read_text(encoding="utf-8")
    if text.count("<header>") != 1:
        raise ValueError(f"{page} must have one header; got {text.count('<header>')}")
    way = f'<header>\n<nav aria-label="Site">{links}</nav>'
    page.write_text(text.replace("<header>", way), encoding="utf-8")


def claims_on(room: str, figures: set[str]) -> list[judge.Claim]:
    """Return the claims of a paper that any of some figures decides.

    Parameters
    ----------
    room : str
    figures : set of str
        Their names, without the paper's.

    Returns
    -------
    list of Claim
    """
    return [claim for claim in judge.load_claims(room).claims if figures & set(claim.figures)]


def address(figure: str, top: str) -> str:
    """Return the link to a figure ``paper.name`` from a page that lies `top` below the site."""
    paper, _, name = figure.partition(".")
    return f"{top}{FOLDER}/{paper}/index.html#{name}"


def write_links(sources: Path) -> None:
    """Write the page that leads to the figures, and the list of papers of the first page."""
    title = "Figures and claims"
    text = [title, "=" * len(title), ""]
    text += ["Each table and figure of the papers, reproduced beside the published numbers, and"]
    text += ["each claim that a paper makes of its experiments, with its state.", ""]
    text += [".. raw:: html", ""]
    rows = [f'<li><a href="{FOLDER}/pays/index.html">Which of their methods when</a></li>']
    for paper in registry.load_papers():
        if paper.name not in registry.PAPERS:
            continue
        page = f"{FOLDER}/{paper.name}/index.html"
        count = len(judge.load_claims(paper.name).claims)
        rows.append(
            f'<li><a href="{page}">{escape(printed.read(paper.name).title)}</a>: '
            f"{len(paper.figures)} tables and figures, "
            f'<a href="{page}#claims">{count} claims</a></li>'
        )
    text += [f'   <ul><li><a href="{FOLDER}/index.html">All papers on one page</a></li>']
    text += [f"   {row}" for row in rows] + ["   </ul>", ""]
    (sources / "figures_and_claims.rst").write_text("\n".join(text), encoding="utf-8")
