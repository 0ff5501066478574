"""The loader: a data set's name, its files, and the function that reads them."""

import hashlib
import inspect
from dataclasses import dataclass

import numpy as np

from paper_figures.data.fetch import fetch, find, sha256_of
from paper_figures.data.files import FILES
from paper_figures.extras import require_extra


@dataclass(frozen=True)
class DataSet:
    """A data set in memory.

    Attributes
    ----------
    name : str
    X : (n, d) float64
    y : (n,) int64
        Labels.
    classes : dict[int, str]
        What each label stands for.
    files : tuple of dict
        ``{"name", "sha256"}`` of each file it was read from.
    n_train : int or None
        The first ``n_train`` rows are the official training part, the rest the test part; None: no parts.
    notes : tuple of str
        What was decided in reading it.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    classes: dict
    files: tuple = ()
    n_train: int | None = None
    notes: tuple = ()


def _recipes():
    require_extra("sklearn")
    from paper_figures.data import bundled, ftune_sets, lmnn_sets, mnist, tiny_images, uci

    modules = (bundled, mnist, uci, lmnn_sets, ftune_sets, tiny_images)
    return {name: recipe for module in modules for name, recipe in module.RECIPES.items()}


def names():
    """Give the names that :func:`load` knows, sorted."""
    return sorted(_recipes())


def load(name, data_dir=None, **options):
    """Read a data set with its paper's preprocessing.

    Parameters
    ----------
    name : str
        One of :func:`names`; upper and lower case are different.
    data_dir : path or None
        Where to look first; see :func:`paper_figures.data.fetch.search_path`.
    **options
        Alternatives that the papers leave open, such as ``missing="drop"`` or ``order="frequency"``; an
        option that the set does not have is an error which lists those it has.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        For an unknown name or option, or a file with the wrong sha256.
    DataNotAvailable
        If a file is nowhere and cannot be downloaded.
    """
    recipe = recipe_of(name)
    known = [p.name for p in inspect.signature(recipe.read).parameters.values() if p.kind is p.KEYWORD_ONLY]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(
            f"{unknown[0]}: data set {name!r} has no such option; it has {', '.join(known) or 'none'}"
        )
    paths = [fetch(file, data_dir) for file in recipe.files]
    parsed = recipe.read(*paths, **options)
    X = np.ascontiguousarray(parsed.X, dtype=np.float64)
    y = np.ascontiguousarray(parsed.y, dtype=np.int64)
    if X.ndim != 2 or y.shape != (len(X),) or not np.isfinite(X).all():
        raise ValueError(f"{name}: expected finite X (n x d) and y (n); found shapes {X.shape} and {y.shape}")
    files = _file_list(recipe, paths) or _bundled_file(name, X, y)
    for array in (X, y):
        array.setflags(write=False)
    return DataSet(name, X, y, parsed.classes, files, parsed.n_train, parsed.notes)


def reader(name):
    """Give the function that reads a data set; its module is part of the code behind a result.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    callable
    """
    return recipe_of(name).read


def describe(name, data_dir=None):
    """Give the files of a data set with their sha256, fetching what is missing.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    data_dir : path or None

    Returns
    -------
    tuple of dict
        ``{"name", "sha256"}`` each; a set without files is described by the sha256 of its arrays.
    """
    recipe = recipe_of(name)
    if not recipe.files:
        return load(name, data_dir).files
    return _file_list(recipe, [fetch(file, data_dir) for file in recipe.files])


def at_hand(name, data_dir=None):
    """Whether all files of a data set are in the folders that are searched, so that nothing has to be downloaded.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    data_dir : path or None

    Returns
    -------
    bool
    """
    return all(find(file, data_dir) is not None for file in recipe_of(name).files)


def recipe_of(name):
    recipes = _recipes()
    if name not in recipes:
        raise ValueError(f"name: no data set {name!r}; there are {', '.join(sorted(recipes))}")
    return recipes[name]


def _file_list(recipe, paths):
    pairs = zip(recipe.files, paths, strict=True)
    return tuple({"name": name, "sha256": FILES[name].sha256 or sha256_of(path)} for name, path in pairs)


def _bundled_file(name, X, y):
    digest = hashlib.sha256(str(X.shape).encode() + X.tobytes() + y.tobytes()).hexdigest()
    return ({"name": f"{name} (bundled with scikit-learn)", "sha256": digest},)
