"""Reads the marks of printed lines in the code, and the tables of PAPER.md that list them."""

import ast
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "BD": "boosted_distance",
    "BM": "boostmap",
    "SF": "search_forest",
    "LM": "lmnn",
    "FT": "ftune",
}
SECTIONS = ("Symbols", "Errata", "Open readings", "Printed lines", "Index", "More")
MARK = re.compile(r"\b(BD|BM|SF|LM|FT):(\w+(?:\.\w+)*)(?::(\d+)(?:-(\d+))?)?")
ERRATUM = re.compile(r"ERRATUM ([A-Z]+-\d+(?:, [A-Z]+-\d+)*)")
OPEN = re.compile(r"\bopen: ([\w-]+)")
ID_OF_ERRATUM = {"BD": "BD", "BM": "BM", "SF": "BSF", "LM": "LM", "FT": "FT"}


def expanded(text):
    """Return the ids that a text marks, in order: `BD:A.2:7-8` stands for two."""
    ids = []
    for paper, place, first, last in MARK.findall(text):
        if not first:
            ids.append(f"{paper}:{place}")
        else:
            ids += [f"{paper}:{place}:{n}" for n in range(int(first), int(last or first) + 1)]
    return ids


def comments(path):
    """Return the (line, text) of the comments of a .py or .pyx file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return [(t.start[0], t.string) for t in tokens if t.type == tokenize.COMMENT]
    lines = enumerate(text.splitlines(), 1)
    return [(n, "#" + line.split("#", 1)[1]) for n, line in lines if "#" in line]


def code_files():
    """Return all files of both packages that may hold marks."""
    return sorted([*(ROOT / "refimpl").rglob("*.py"), *(ROOT / "refimpl_fast").glob("*.pyx")])


def marks():
    """Return {id: [(file, line), ...]} of all marks in the code."""
    places = {}
    for path in code_files():
        for line, text in comments(path):
            for name in expanded(text):
                places.setdefault(name, []).append((path, line))
    return places


def errata_in_code():
    """Return the ids of the errata that a comment or a docstring names."""
    text = "".join(path.read_text(encoding="utf-8") for path in code_files())
    return {name for group in ERRATUM.findall(text) for name in group.split(", ")}


def open_in(room):
    """Return {name: number of lines} of the lines marked open in a room's algorithm.py."""
    counts = {}
    for _, text in comments(ROOT / "refimpl" / room / "algorithm.py"):
        for name in OPEN.findall(text):
            counts[name] = counts.get(name, 0) + 1
    return counts


def tables(room):
    """Return {section: rows} of a PAPER.md; a row is a list of cells, the first is the head."""
    rows = {}
    section = None
    for line in (ROOT / "refimpl" / room / "PAPER.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:].strip()
            rows[section] = []
        elif line.startswith("|") and section and not re.fullmatch(r"[|\s:-]+", line):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            rows[section].append([cell.strip() for cell in cells])
    return rows


def listed(room):
    """Return the printed lines of a paper, as `Printed lines` counts them."""
    ids = []
    for place, lines, _ in tables(room)["Printed lines"][1:]:
        parts = [""] if lines == "-" else [f":{part.strip()}" for part in lines.split(",")]
        for part in parts:
            ids += expanded(place + part)
    return ids


def span(path, name):
    """(first, last) line of a function, class or method `name`, such as `Forest.split`, in a .py
    file.
    """
    node = ast.parse(path.read_text(encoding="utf-8"))
    for part in name.split("."):
        node = next(
            (
                n
                for n in ast.walk(node)
                if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == part
            ),
            None,
        )
        if node is None:
            return None
    return min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno


def located(dotted, above=ROOT / "refimpl"):
    """(file, name in it) of a dotted path below `above`; None if there is no such file."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        file = above.joinpath(*parts[:cut]).with_suffix(".py")
        package = above.joinpath(*parts[:cut]) / "__init__.py"
        if file.is_file() and cut < len(parts):
            return file, ".".join(parts[cut:])
        if package.is_file() and cut < len(parts):
            return package, ".".join(parts[cut:])
    return None
