"""The table of data files, ``files.csv``: sha256, address, licence. A file is a line of it.

The names are paths relative to any folder of :func:`paper_figures.data.fetch.search_path`.
"""

import csv
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Attributes
    ----------
    name : str
        Path relative to the data folder, with forward slashes.
    sha256 : str or None
        What the file must hash to; None for a file that only its user can supply.
    url : str or None
        The address it is downloaded from; None if it has to be put in place by hand.
    licence : str
        As far as it is stated.
    note : str
        What is special about it, such as a re-encoding of the official file.
    """

    name: str
    sha256: str | None
    url: str | None
    licence: str
    note: str = ""


def _read() -> dict[str, DataFile]:
    table = files("paper_figures").joinpath("data", "files.csv").read_text(encoding="utf-8")
    lines = csv.reader(table.splitlines()[1:])
    listed = [DataFile(name, sha or None, url or None, *more) for name, sha, url, *more in lines]
    return {file.name: file for file in listed}


FILES = _read()
