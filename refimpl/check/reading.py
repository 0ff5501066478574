"""Read arrays from files, and say clearly what is wrong with them.

Not handled here: logs (:mod:`refimpl.check.rounds`), vectors (:mod:`refimpl.check.files`).
"""

import sys
from typing import Any

import numpy as np

from refimpl.check.running import UnusableError
from refimpl.resources import check_free_memory

SPEED = 1e8
"""Operations a second: less than most machines do."""

__all__ = ["announce", "counted", "numbers", "points", "read_array", "read_data"]


def counted(number: int, name: str, several: str = "") -> str:
    """Return a number with its noun: 1 round, 2 rounds."""
    return f"{number} {name if number == 1 else several or name + 's'}"


def announce(what: str, operations: float, bytes: float, fewer: str) -> None:
    """Say how long a check takes and how much memory; refuse what does not fit.

    Parameters
    ----------
    what : str
        What is computed, such as "all distances of 10 objects".
    operations : float
        Additions and multiplications.
    bytes : float
        The largest arrays together.
    fewer : str
        What to reduce.
    """
    print(
        f"{what}: about {max(1.0, operations / SPEED):.0f} s, {max(1.0, bytes / 2**20):.0f} MiB",
        file=sys.stderr,
    )
    try:
        check_free_memory(int(bytes), what, fewer)
    except MemoryError as error:
        raise UnusableError(str(error)) from error


def read_data(path: str) -> dict[str, Any]:
    """Return the arrays of an .npz file."""
    try:
        content = np.load(path, allow_pickle=False)
        if isinstance(content, np.ndarray):
            raise UnusableError(f"{path} must be an .npz file; it holds a single array")
        with content:
            return {name: content[name] for name in content.files}
    except UnusableError:
        raise
    except Exception as error:
        raise UnusableError(f"cannot read {path} as an .npz file: {error}") from error


def read_array(path: str, dimensions: int, kinds: str = "f") -> Any:
    """Return the array of an .npy file, refusing another number of dimensions or another dtype.

    `kinds` are the letters of dtypes; integers are taken for floats.
    """
    try:
        array = np.load(path, allow_pickle=False)
    except Exception as error:
        raise UnusableError(f"cannot read {path} as an .npy file: {error}") from error
    if not isinstance(array, np.ndarray):
        raise UnusableError(f"{path} must be an .npy file; it holds several arrays")
    if array.ndim != dimensions:
        raise UnusableError(f"{path} must have {dimensions} dimensions; got shape {array.shape}")
    if array.dtype.kind not in kinds + ("iu" if "f" in kinds else ""):
        wanted = "real numbers" if "f" in kinds else "integers"
        raise UnusableError(f"{path} must hold {wanted}; got {array.dtype}")
    array = array.astype(np.float64) if "f" in kinds else array.astype(np.int64)
    if "f" in kinds and not np.isfinite(array).all():
        raise UnusableError(f"{path} must be finite; it holds NaN or infinity")
    return np.ascontiguousarray(array)


def numbers(arrays: dict[str, Any], name: str, path: str, dimensions: int) -> Any:
    """Return an array of the data as float64, refusing what is not finite or of another form."""
    if name not in arrays:
        raise UnusableError(f"{path} must have {name}; it has {sorted(arrays)}")
    array = arrays[name]
    if array.dtype.kind not in "fiu":
        raise UnusableError(f"{path}: {name} must hold real numbers; got {array.dtype}")
    if array.ndim != dimensions:
        raise UnusableError(
            f"{path}: {name} must have {dimensions} dimensions; got shape {array.shape}"
        )
    array = np.array(array, dtype=np.float64, order="C")
    if not np.isfinite(array).all():
        raise UnusableError(f"{path}: {name} must be finite; it holds NaN or infinity")
    return array


def points(arrays: dict[str, Any], path: str, who: str = "it must have") -> tuple[Any, Any]:
    """Return X and y of the data; `who` begins the message if they are not there."""
    if not {"X", "y"} <= arrays.keys():
        raise UnusableError(f"{path} has {', '.join(sorted(arrays)) or 'nothing'}; {who} X and y")
    X, y = arrays["X"], arrays["y"]
    if X.ndim != 2 or y.shape != (len(X),) or not len(X):
        raise UnusableError(
            f"{path}: X and y must be of shapes (n, d) and (n,) with n >= 1; "
            f"got {X.shape} and {y.shape}"
        )
    if X.dtype.kind not in "fiu" or not np.isfinite(X).all():
        raise UnusableError(f"{path}: X must be finite numbers")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise UnusableError(f"{path}: y must be classes; it holds NaN or infinity")
    if y.dtype.kind == "S":
        try:
            y = np.char.decode(y, "utf-8")
        except UnicodeDecodeError as error:
            raise UnusableError(f"{path}: y must be classes; {error}") from error
    return np.ascontiguousarray(X, dtype=np.float64), y
