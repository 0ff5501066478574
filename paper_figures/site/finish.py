"""What is done to the files that Sphinx wrote, so that they have less weight."""

import json
import re
from pathlib import Path
from typing import Any

__all__ = ["finish", "lighter"]

PLAIN = "n p w o bp nn".split()
"""Classes of highlighted code that keep the text's own colour: names, operators, punctuation."""
LOOKS = {
    "k": "k kc kd kn kp kr ow ne".split(),
    "m": "m mb mf mh mi mo il nb nd kt vm".split(),
    "nf": "nf nc fm no".split(),
    "s": "s s1 s2 sa sb sc sd se sh si sx dl".split(),
    "c": "c c1 ch cm cp cpf cs".split(),
}
"""{class: those that have its colour in both schemes}."""
SHORT = {kind: look for look, kinds in LOOKS.items() for kind in kinds}
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
BESIDE = re.compile(r"<b class=(\w+)>([^<]*)</b><b class=\1>")
NO_FILES = ("*.map", "fontawesome.js*", "fa-brands-*", "fa-regular-*", "file.png", "*plus.png", "claims.json")
"""Files that no page asks for: for whoever changes the theme, and icons that are not here."""
NO_TAGS = re.compile(r'<script[^>]*fontawesome\.js[^>]*></script>|<link rel="preload"[^>]*>')


def lighter(code: str) -> str:
    """Return highlighted code with one short element for neighbours of one colour."""

    def short(match: re.Match[str]) -> str:
        kind, text = match.groups()
        if kind in PLAIN:
            return text
        return f"<b class={SHORT[kind]}>{text}</b>" if kind in SHORT else match[0]

    code, joined = TOKEN.sub(short, code), 1
    while joined:
        code, joined = BESIDE.subn(r"<b class=\1>\2", code)
    return code


def finish(out: Path) -> None:
    """Take out what no reader sees of the files below a folder."""
    from minify_html import minify

    for pattern in NO_FILES:
        for path in out.rglob(pattern):
            path.unlink()
    for path in out.rglob("*.html"):
        text = lighter(NO_TAGS.sub("", path.read_text(encoding="utf-8")))
        path.write_text(minify(text), encoding="utf-8")
    for path in out.glob("figures/*/*.json"):
        record = columns(json.loads(path.read_text(encoding="utf-8")))
        short = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        path.write_text(short, encoding="utf-8")


def columns(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose rows are lists, with the names of their columns once."""
    names = list(dict.fromkeys(name for row in record["rows"] for name in row))
    rows = [[row.get(name) for name in names] for row in record["rows"]]
    return record | {"columns": names, "rows": rows}
