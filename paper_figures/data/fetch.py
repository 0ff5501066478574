"""Find a data file or download it; a file whose sha256 differs from the table's is refused."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from paper_figures.data.files import FILES, DataFile
from paper_figures.extras import require_extra

VARIABLE = "REFIMPL_DATA"


class DataNotAvailable(Exception):
    """A data file is not here and could not be had; the message says what to put where."""

    def __init__(self, message: str, reason: str, by_hand: bool = False) -> None:
        super().__init__(message, reason, by_hand)
        self.reason = reason  # without a folder of this machine: it may be stored with a result
        self.by_hand = by_hand  # only its user can supply the file: its absence is no failure

    def __str__(self) -> str:
        return str(self.args[0])


def search_path(data_dir: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the folders searched for data files: `data_dir`, REFIMPL_DATA's, the user's cache."""
    require_extra("pooch")
    import pooch

    folders = [data_dir, os.environ.get(VARIABLE)]
    return [Path(folder) for folder in folders if folder] + [Path(pooch.os_cache("refimpl"))]


def fetch(name: str, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Return the path of a file of FILES with its sha256, downloaded into the cache if missing."""
    # KeyError: not in the table; ValueError: another sha256; DataNotAvailable: cannot be had
    file = FILES[name]
    path = find(name, data_dir)
    if path is not None:
        _check(file, path)
        return path
    folders = search_path(data_dir)
    if file.url is None:
        note = f" ({file.note})" if file.note else ""
        reason = f"{file.name} is missing{note} and cannot be downloaded; licence: {file.licence}"
        remedy = f"If you have it, put it at {folders[0] / file.name}."
        raise DataNotAvailable(f"{reason}. {remedy}", reason, by_hand=file.sha256 is None)
    return _download(file, folders)


def find(name: str, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the path of a data file if a folder has it, else None; nothing is downloaded."""
    paths = (folder / name for folder in search_path(data_dir))
    return next((path for path in paths if path.is_file()), None)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check(file: DataFile, path: Path) -> None:
    actual = sha256_of(path)
    if file.sha256 is not None and actual != file.sha256:
        remedy = "put the right file in its place"
        if file.url:
            remedy = f"it will be downloaded from {file.url}"
        raise ValueError(
            f"{path} must have the sha256 {file.sha256}; got {actual}. "
            f"Remove it ({remedy}){'; ' + file.note if file.note else ''}."
        )


def _download(file: DataFile, folders: Sequence[Path]) -> Path:
    import pooch

    target = folders[-1] / file.name
    by_hand = f"Put it by hand at {folders[0] / file.name} (sha256 {file.sha256})."
    try:
        pooch.retrieve(file.url, file.sha256, fname=target.name, path=target.parent)
    except ValueError as error:  # pooch: the hash of what came is another one
        reason = f"{file.name}: the file from {file.url} does not have the sha256 of the table"
        raise DataNotAvailable(f"{reason} ({error}). {by_hand}", reason) from error
    except OSError as error:  # the errors of requests are OSErrors
        reason = f"{file.name} is missing and could not be downloaded from {file.url}"
        raise DataNotAvailable(f"{reason} ({type(error).__name__}). {by_hand}", reason) from error
    return target
