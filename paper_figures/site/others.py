"""The page "Other implementations": what other libraries give on the vectors.

It is written from ``others.json``, the record of ``python -m tests.others``.
"""

import json
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["OUTCOMES", "RECORD", "anchor", "page", "read", "text", "write"]

RECORD = Path(__file__).parent / "others.json"
OUTCOMES = ("same", "stops early", "approximate", "other convention", "differs", "not available")
TITLE = "Other implementations"
INTRODUCTION = """\
The vectors are small problems with known results, by which this project checks itself (version
{version}). Here other libraries answer those that they have a function for. Each library ran in an
environment of its own, in the versions below, and was asked by ``python -m refimpl.check --
PROGRAM``, as in :doc:`guides/check`.

*Same*
   All cases agree, up to last bits, ties broken otherwise and choices of equal worth.
*Stops early*
   The library minimises the paper's objective, and its steps end short of the least value. How far
   is a number. The same steps, computed here, end there, too.
*Approximate*
   The library documents that its search may miss neighbours. The share that it finds is a number.
*Other convention*
   Every answer is right by another objective or rule of the library, which its documentation or
   the named source file states. The report computes that objective for each case. Where another
   call gives the papers' result, it is named.
*Differs*
   A case that no convention of the library explains.
*Not available*
   The library could not be installed.

No case is left out because of its answer.

A metric of LMNN is *same* if its objective, eq. 3 of the paper, is at most a thousandth above the
proven lower bound; ``python -m refimpl.check metric`` has the same limit. If two target neighbours
are equally near, the library's own choice is taken, and the library is asked once more with the
points moved apart. A library that minimises another objective must come as near to the optimum of
its own.

``python -m tests.others`` asks all libraries again. To ask one library, run its adapter in an
environment that has it::

    cd tests/others/adapters
    python -m refimpl.check --only best_stump -- python ask_scikit_learn.py stump
"""


def read(path: Path = RECORD) -> dict[str, Any]:
    """Return the record."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def text(record: dict[str, Any]) -> str:
    """Return a record as its file has it."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def write(sources: Path) -> None:
    """Write the page into the site's sources."""
    (sources / "others.rst").write_text(page(read()), encoding="utf-8")


def page(record: dict[str, Any]) -> str:
    """Return the page of a record, as Sphinx reads it."""
    parts = [TITLE, "=" * len(TITLE), ""]
    parts += [INTRODUCTION.format(version=record["vectors"]["version"])]
    parts += _html(_summary(record["libraries"]))
    for library in record["libraries"]:
        parts += [library["name"], "-" * len(library["name"]), ""]
        parts += _html(_library(library))
    return "\n".join(parts)


def anchor(library: str, variant: str) -> str:
    """Return the id of an item on the page."""
    return f"{library}-{variant}"


def _html(content: str) -> list[str]:
    return [".. raw:: html", "", *(f"   {line}" for line in content.split("\n")), ""]


def _summary(libraries: list[dict[str, Any]]) -> str:
    rows = []
    for library in libraries:
        name = escape(library["name"])
        if not library["items"]:
            rows.append(f"<tr><td>{name}</td><td>not available</td><td></td><td></td></tr>")
        for item in library["items"]:
            link = f'<a href="#{anchor(library["name"], item["variant"])}">{item["outcome"]}</a>'
            rows.append(
                f"<tr><td>{name}</td><td>{link}</td><td><code>{escape(item['subject'])}</code></td>"
                f"<td><code>{escape(item['call'])}</code></td></tr>"
            )
            name = ""
    head = "<tr><th>library</th><th>outcome</th><th>held against</th><th>call</th></tr>"
    table = f'<table class="table"><thead>{head}</thead><tbody>\n' + "\n".join(rows)
    return f'<div class="others">{table}\n</tbody></table></div>'


def _library(library: dict[str, Any]) -> str:
    if not library["items"]:
        return f"<p>Not available: <code>{escape(library['why'])}</code></p>"
    versions = ", ".join(f"{name} {one}" for name, one in library["versions"].items())
    parts = [f"<p>{escape(versions)}</p>"]
    conversions = {item["converts"]: item for item in library["items"] if item["converts"]}
    for item in library["items"]:
        parts += _item(library["name"], item, conversions.get(item["variant"]))
    return "\n".join(parts)


def _item(library: str, item: dict[str, Any], conversion: dict[str, Any] | None) -> list[str]:
    cases = f"{item['cases']} case{'s' if item['cases'] != 1 else ''}"
    skipped = f", {item['skipped']} skipped ({escape(item['skips'])})" if item["skipped"] else ""
    parts = [
        f'<h3 id="{anchor(library, item["variant"])}"><code>{escape(item["call"])}</code></h3>',
        f"<p><strong>{item['outcome'].capitalize()}</strong> as <code>{escape(item['subject'])}"
        f"</code>: {cases}{skipped}{escape(_kinds(item['kinds']))}.{escape(_facts(item))}</p>",
    ]
    if item["convention"]:
        source = f" ({escape(item['documented'])})" if item["documented"] else ""
        parts.append(f"<p>{escape(item['convention'])}{source}</p>")
    if item["note"]:
        parts.append(f"<p>{escape(item['note'])}</p>")
    if conversion is not None and item["outcome"] != "same":
        link = f'<a href="#{anchor(library, conversion["variant"])}">{conversion["outcome"]}</a>'
        parts.append(f"<p>With <code>{escape(conversion['call'])}</code>: {link}.</p>")
    first = item["first"]
    if first:
        flags = ", ".join(first["flags"])
        parts.append(f"<p>{escape(first['id'])} ({escape(flags)}): {escape(first['words'])}</p>")
    if item["reproduction"]:
        lines, prints = (escape(item["reproduction"][name]) for name in ("lines", "prints"))
        parts.append("<details><summary>Lines to paste, and what they print</summary>")
        parts.append(f'<pre class="lines">{_kept(lines)}</pre><pre>{_kept(prints)}</pre></details>')
    return parts


def _kept(content: str) -> str:
    """Return text whose line breaks a block of raw HTML keeps, empty lines too."""
    return content.replace("\n", "&#10;")


def _kinds(kinds: dict[str, int]) -> str:
    return "".join(f"; {kind}: {count}" for kind, count in kinds.items())


def _facts(item: dict[str, Any]) -> str:
    listed = ", ".join(f"{name}: {value}" for name, value in item["facts"].items())
    return f" {listed[0].upper()}{listed[1:]}." if listed else ""
