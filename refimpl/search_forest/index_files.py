"""An inverted index as a folder: its lists and vectors as .npy files, its forest, and a header.

The header, ``index.json``, names the folder of the arrays and has a sha256 over all of them.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.checks import as_count
from refimpl.kernels import SearchForest
from refimpl.kernels.arguments import Kind, check_all, int32s, int64s, points
from refimpl.results import FileFormatError, beside, digest, load, naming, save
from refimpl.typing import Int32Array, IntArray

VERSION = 3
MOST = int(np.iinfo(np.int32).max)  # points of an index
FIELDS: dict[str, Kind] = {
    "planes": points("P", "d"),
    "starts": int64s("words+1", ascends_to="items"),
    "items": int32s("items"),
    "ids": int64s("n"),
    "vectors": points("n", "d", like="planes"),
}
"""What the arrays of an index must be, beside the planes of its forest."""


def write_index(
    path: str | os.PathLike[str],
    forest: SearchForest,
    arrays: Callable[[], tuple[dict[str, Any], int]],
) -> None:
    """Write an index, of arrays by name and the next id; a call that fails changes nothing."""
    path = Path(path)
    if path.exists():
        if not (path / "index.json").is_file():
            raise FileExistsError(f"path must be new or an index; got {path}, which is no index")
        with naming(path):
            _write(path, forest, *arrays())
        return
    temporary = beside(path, ".tmp")
    try:
        with naming(path):
            temporary.mkdir()
            _write(temporary, forest, *arrays())
            os.replace(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _write(path: Path, forest: SearchForest, arrays: dict[str, Any], following: int) -> None:
    """Write arrays to a new folder in `path`, then the header that names it; remove old arrays."""
    folder = beside(path / "arrays")
    header = {
        "refimpl": "InvertedIndex",
        "version": VERSION,
        "arrays": folder.name,
        "next": following,
        "vectors": "vectors" in arrays,
    }
    try:
        folder.mkdir()
        save(folder / "forest.npz", forest)
        header["forest"] = _file_digest(folder / "forest.npz")
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
        header["sha256"] = digest(header, arrays)
        (folder / "index.json").write_text(json.dumps(header), encoding="utf-8")
        os.replace(folder / "index.json", path / "index.json")
    except BaseException:
        current = path / "index.json"  # an interrupt may come after the replacement
        if not current.exists() or folder.name.encode() not in current.read_bytes():
            shutil.rmtree(folder, ignore_errors=True)
        raise
    for other in path.glob("arrays-*"):
        if other.name != folder.name:
            shutil.rmtree(other, ignore_errors=True)


def read_index(
    path: str | os.PathLike[str], *, mmap: bool
) -> tuple[SearchForest, dict[str, Any], int]:
    """Return the forest, the arrays by name and the next id of an index in a folder, checked."""
    # with `mmap` the items and vectors stay in their files
    path = Path(path)
    header = _header(path)
    expected = header.pop("sha256", None)
    folder = path / header["arrays"]
    if _file_digest(folder / "forest.npz") != header.get("forest"):
        raise FileFormatError(
            f"{path}: damaged: forest.npz is not what was saved; save the index again"
        )
    forest = load(folder / "forest.npz")
    if not isinstance(forest, SearchForest):
        raise FileFormatError(
            f"{path}: forest.npz must hold a SearchForest; got {type(forest).__name__}; "
            "save the index again"
        )
    names = ["starts", "items", "ids", *(["vectors"] if header["vectors"] else [])]
    arrays = {name: _mapped(folder / f"{name}.npy") for name in names}
    if digest(header, arrays) != expected:
        raise FileFormatError(
            f"{path}: damaged: its sha256 is not that of its arrays; save the index again"
        )
    for name in arrays:
        if not (mmap and name in ("items", "vectors")):
            arrays[name] = np.array(arrays[name])
    if not _fit(forest, header["next"], arrays):
        raise FileFormatError(f"{path}: its arrays do not fit together; save the index again")
    return forest, arrays, header["next"]


def _header(path: Path) -> dict[str, Any]:
    """Return the checked content of index.json."""
    content = (path / "index.json").read_bytes()
    try:
        header: dict[str, Any] = json.loads(content)
        if header["refimpl"] != "InvertedIndex" or header["version"] != VERSION:
            raise FileFormatError(
                f"{path}: its version must be {VERSION} for this release; got {header['version']}"
            )
        if as_count(header["next"], "next", 0) > MOST or not isinstance(header["vectors"], bool):
            raise ValueError("next must be a number of points, and vectors true or false")
        if not re.fullmatch("arrays-[0-9a-f]+", header["arrays"]):
            raise ValueError("arrays must be the name of a folder that save makes")
    except FileFormatError:
        raise
    except Exception as error:  # the errors of json are not all documented
        raise FileFormatError(
            f"{path}: damaged or not an index of refimpl ({error!r}); save it again"
        ) from error
    return header


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mapped(path: Path) -> Any:
    """Return the array of a .npy file, mapped into memory."""
    try:
        array: Any = np.lib.format.open_memmap(path, mode="r")
        if array.offset + array.nbytes != path.stat().st_size:
            raise ValueError("longer than its shape says")
    except OSError:
        raise
    except Exception as error:  # the errors of NumPy for damaged files are not documented
        raise FileFormatError(
            f"{path}: damaged or not an array ({error!r}); save the index again"
        ) from error
    return array


def _fit(forest: SearchForest, following: int, arrays: Mapping[str, Any]) -> bool:
    """Return whether the arrays can be those of an index. The kernels rely on this check."""
    try:
        lengths = check_all(FIELDS, {**arrays, "planes": forest.planes})
    except (TypeError, ValueError):
        return False
    ids: IntArray = arrays["ids"]
    given = not len(ids) or bool(0 <= ids[0] <= ids[-1] < following)
    return (
        lengths["words"] == forest.n_words
        and given
        and bool((ids[1:] > ids[:-1]).all())
        and _all_points_in_each_tree(
            arrays["starts"], arrays["items"], len(forest.roots), lengths["n"]
        )
    )


def _all_points_in_each_tree(starts: IntArray, items: Int32Array, M: int, n: int) -> bool:
    """Return whether each of M trees has the items 0, ..., n - 1, in its own lists."""
    if len(items) != M * n or not np.isin(n * np.arange(M), starts).all():
        return False
    for of_tree in items.reshape(M, n):
        if n and (of_tree.min() < 0 or of_tree.max() >= n):
            return False
        present = np.zeros(n, dtype=bool)
        present[of_tree] = True
        if not present.all():
            return False
    return True
