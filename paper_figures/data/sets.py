"""The loader: a data set's name, its files, and the function that reads them."""

import hashlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from paper_figures.data import bundled, ftune_sets, lmnn_sets, mnist, tiny_images, uci
from paper_figures.data.fetch import fetch, find, sha256_of
from paper_figures.data.files import FILES
from paper_figures.data.recipes import DataSet, Recipe
from paper_figures.extras import require_extra
from refimpl.typing import FloatArray, IntArray

RECIPES: Mapping[str, Recipe] = {
    name: recipe
    for module in (bundled, mnist, uci, lmnn_sets, ftune_sets, tiny_images)
    for name, recipe in module.RECIPES.items()
}
Folder: TypeAlias = str | PathLike[str] | None
FileList: TypeAlias = tuple[dict[str, str], ...]


def names() -> list[str]:
    """Return the names that :func:`load` knows, sorted."""
    return sorted(RECIPES)


def load(name: str, data_dir: Folder = None, **options: Any) -> DataSet:
    """Read a data set with its paper's preprocessing; its files are looked for in `data_dir` first.

    `options` are what the papers leave open, such as ``order="frequency"``. ValueError: an unknown
    name or option, or a file with the wrong sha256; DataNotAvailable: a file cannot be had.
    """
    require_extra("sklearn")
    recipe = recipe_of(name)
    allowed = [
        p.name
        for p in inspect.signature(recipe.read).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    ]
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise ValueError(
            f"an option of {name!r} must be one of {', '.join(allowed) or '(it has none)'}; "
            f"got {unknown[0]!r}"
        )
    paths = [fetch(file, data_dir) for file in recipe.files]
    parsed = recipe.read(*paths, **options)
    X = np.ascontiguousarray(parsed.X, dtype=np.float64)
    y = np.ascontiguousarray(parsed.y, dtype=np.int64)
    if X.ndim != 2 or y.shape != (len(X),) or not np.isfinite(X).all():
        raise ValueError(
            f"{name}: X must be finite, n x d, and y have n labels; got {X.shape} and {y.shape}"
        )
    files = _file_list(recipe, paths) or _bundled_file(name, X, y)
    for array in (X, y):
        array.setflags(write=False)
    return replace(parsed, name=name, X=X, y=y, files=files)


def describe(name: str, data_dir: Folder = None) -> FileList:
    """Return the files of a data set with their sha256, fetching missing files."""
    recipe = recipe_of(name)
    if not recipe.files:
        return load(name, data_dir).files
    return _file_list(recipe, [fetch(file, data_dir) for file in recipe.files])


def at_hand(name: str, data_dir: Folder = None) -> bool:
    """Tell whether all files of a data set are here, so that nothing has to be downloaded."""
    return all(find(file, data_dir) is not None for file in recipe_of(name).files)


def recipe_of(name: str) -> Recipe:
    """Return the files and the reader of a data set."""
    if name not in RECIPES:
        raise ValueError(f"name must be one of {', '.join(names())}; got {name!r}")
    return RECIPES[name]


def _file_list(recipe: Recipe, paths: Iterable[Path]) -> FileList:
    pairs = zip(recipe.files, paths, strict=True)
    return tuple(
        {"name": name, "sha256": FILES[name].sha256 or sha256_of(path)} for name, path in pairs
    )


def _bundled_file(name: str, X: FloatArray, y: IntArray) -> FileList:
    digest = hashlib.sha256(str(X.shape).encode() + X.tobytes() + y.tobytes()).hexdigest()
    return ({"name": f"{name} (bundled with scikit-learn)", "sha256": digest},)
