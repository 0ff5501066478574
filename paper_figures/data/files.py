"""The table of data files, ``files.csv``: sha256, size, address, licence. A file is a line of it.

The names are paths relative to any folder of :func:`paper_figures.data.fetch.search_path`.
"""

import csv
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class DataFile:
    """One file of a data set."""

    name: str  # its path relative to the data folder, with forward slashes
    sha256: str | None  # None for a file that only its user can supply
    url: str | None  # None if it has to be put in place by hand
    licence: str  # as far as it is stated
    note: str = ""  # what is special about it, such as a re-encoding of the official file
    size: int | None = None  # its bytes; None for a file that only its user can supply


def _read() -> dict[str, DataFile]:
    table = files("paper_figures").joinpath("data", "files.csv").read_text(encoding="utf-8")
    listed = [
        DataFile(name, sha or None, url or None, licence, note, int(size) if size else None)
        for name, sha, size, url, licence, note in csv.reader(table.splitlines()[1:])
    ]
    return {file.name: file for file in listed}


FILES = _read()
