"""Refuse a wheel that holds what nobody needs: generated or other sources, modules with debugging
information, or 8 MB and more.
"""

import sys
import zipfile
from pathlib import Path

MOST = 8_000_000  # bytes of the file
SOURCES = Path(__file__).resolve().parents[2] / "refimpl_fast"
MODULES = len(list(SOURCES.glob("*.pyx"))) + 1  # and what they share


def faults(path):
    with zipfile.ZipFile(path) as wheel:
        entries = wheel.infolist()
        sections = {e.filename: wheel.read(e) for e in entries if e.filename.endswith(".so")}
    size = sum(e.compress_size for e in entries)
    modules = [name for name in sections if name.startswith("refimpl_fast/")]
    print(f"{path}: {size:,} bytes, {len(entries)} files, {len(modules)} modules of "
          f"{sum(len(sections[name]) for name in modules):,} bytes")  # fmt: skip
    if size >= MOST:
        yield f"{size:,} bytes"
    if len(modules) != MODULES:
        yield f"{len(modules)} modules; there should be {MODULES}"
    for entry in entries:
        if entry.filename.endswith((".c", ".cpp", ".h", ".pyx", ".pxd")):
            yield f"{entry.filename} is a source"
    for name, content in sections.items():
        if b".debug_info" in content or b".symtab\0" in content:
            yield f"{name} is not stripped"
    names = {entry.filename for entry in entries}
    vectors = "refimpl/check/vectors/index.json"
    for name in ("refimpl/py.typed", "refimpl_fast/py.typed", "refimpl_fast/__init__.pyi", vectors):
        if name not in names:
            yield f"{name} is missing"


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: wheel.py WHEEL ...")
    every = [f"{path}: {fault}" for path in sys.argv[1:] for fault in faults(path)]
    sys.exit("\n".join(every) or None)
