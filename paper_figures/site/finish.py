"""What is done to the files that Sphinx wrote, so that they have less weight."""

import json
import re
from pathlib import Path
from typing import Any

PLAIN = "n p w o bp nn".split()
"""Classes of highlighted code that keep the text's own colour: names, operators, punctuation."""
LOOKS = {
    "<b>": "k kc kd kn kp kr ow ne".split(),
    "<u>": "m mb mf mh mi mo il nb nd kt vm".split(),
    "<em>": "nf nc fm no".split(),
    "<q>": "s s1 s2 sa sb sc sd se sh si sx dl".split(),
    "<b class=c>": "c c1 ch cm cp cpf cs".split(),
}
"""{element: the classes that have one colour in both schemes}."""
SHORT = {kind: tag for tag, kinds in LOOKS.items() for kind in kinds}
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
BESIDE = re.compile(r"(<(b|u|q|em)\b[^>]*>)([^<]*)</\2>\1")
NO_FILES = (
    *("*.map", "fontawesome.js*", "fa-*.woff2", "file.png", "*plus.png", "webpack-macros.html"),
)
"""Files that no page asks for: for whoever changes the theme, and icons, which reader.css draws."""
CUTS = {
    r'<script[^>]*fontawesome\.js[^>]*></script>|<link rel="preload"[^>]*>': "",
    # the styles do not name these
    r'(?<!has-children"><a) class="(?:reference internal|reference external|toctree-l\d)"': "",
    r'<span class="pre">([\w.=*\'\[\]]+)</span>': r"\1",
    r" nav-internal": "",
    r' data-cfasync="false"|<script>DOCUMENTATION_OPTIONS.search_as_you_type = false;</script>': "",
    r"\?(?:digest|v)=(\w{4})\w*": r"?v=\1",
}
"""{what no reader sees in a page: what remains of it}."""
VALUE = re.compile(r'(?<=<span class="is">)[^<]*')
KEPT, GIVEN = str.maketrans("\n ", "\ue000\ue001"), str.maketrans("\ue000\ue001", "\n ")
"""White space of values, which their style keeps: `minify` must not see it."""
SPHINX = "searchtools.js doctools.js sphinx_highlight.js base-stemmer.js english-stemmer.js".split()
"""Scripts of Sphinx, which come with their indentation and comments."""
COMPOSED = ("bs-", "kind-")
"""How classes begin whose names a script puts together."""


def element(tag: str) -> str:
    """Return the name of the element that a tag begins."""
    return tag.strip("<>").partition(" ")[0]


def lighter(code: str) -> str:
    """Return highlighted code with one short element for neighbours of one colour."""

    def short(match: re.Match[str]) -> str:
        kind, text = match.groups()
        if kind in PLAIN:
            return text
        tag = SHORT.get(kind)
        return f"{tag}{text}</{element(tag)}>" if tag else match[0]

    code, joined = TOKEN.sub(short, code), 1
    while joined:
        code, joined = BESIDE.subn(r"\1\3", code)
    return code


def finish(out: Path) -> None:
    """Take out what no reader sees of the files below a folder."""
    from minify_html import minify

    for pattern in NO_FILES:
        for path in out.rglob(pattern):
            path.unlink()
    for folder in sorted(out.rglob("*/"), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    words: set[str] = set()
    for path in out.rglob("*.html"):
        text = lighter(path.read_text(encoding="utf-8"))
        for pattern, left in CUTS.items():
            text = re.sub(pattern, left, text)
        text = VALUE.sub(lambda value: value[0].translate(KEPT), text)
        path.write_text(minify(text).translate(GIVEN), encoding="utf-8")
        words.update(re.findall(r"[\w-]+", text))
    for path in out.rglob("*.js"):
        words.update(re.findall(r"[\w-]+", path.read_text(encoding="utf-8")))
    for path in filter(Path.is_file, (out / "_static" / name for name in SPHINX)):
        script = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"(?m)^(?:\s*//.*\n)*\s+", "", script), encoding="utf-8")
    for path in out.rglob("*.css"):
        path.write_text(used(path.read_text(encoding="utf-8"), words), encoding="utf-8")
    for path in out.glob("figures/*/*.json"):
        record = columns(json.loads(path.read_text(encoding="utf-8")))
        short = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        path.write_text(short, encoding="utf-8")


def used(css: str, words: set[str]) -> str:
    """Return a style without the rules for classes that no page and no script names."""

    def known(selector: str) -> bool:
        names = re.findall(r"\.([A-Za-z_][\w-]*)", selector)
        return all(name in words or name.startswith(COMPOSED) for name in names)

    def rule(match: re.Match[str]) -> str:
        selectors, body = match.groups()
        if re.search(r"[@(\\]", selectors):
            return match[0]
        kept = ",".join(filter(known, selectors.split(",")))
        return f"{kept}{{{body}}}" if kept else ""

    # a token of code has a short element where it has no class
    for tag, kind in (("b", "k"), ("u", "m"), (":is(q,.s)", "s"), (":is(em,.nf)", "nf")):
        css = re.sub(rf"(\.highlight) \.{kind} {{", rf"\1 {tag} {{", css)
    licences = "".join(re.findall(r"/\*!.*?\*/", css, re.DOTALL))
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    css = re.sub(r"@font-face\s*\{[^{}]*/fa-[^{}]*\}", "", css)  # see NO_FILES
    return licences + re.sub(r"([^{}]+)\{([^{}]*)\}", rule, css)


def columns(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose rows are lists, with the names of their columns once."""
    names = list(dict.fromkeys(name for row in record["rows"] for name in row))
    rows = [[row.get(name) for name in names] for row in record["rows"]]
    return record | {"columns": names, "rows": rows}
