"""What all estimators share: checks of their parameters, and what their docstrings say of some."""

import importlib
import inspect
import numbers
import re
import warnings
from collections.abc import Callable, Mapping
from functools import cache, wraps
from itertools import takewhile
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from refimpl.arrays import (
    as_array,
    as_label_array,
    as_reals,
    for_kernel,
    plain_labels,
    require_reals,
)
from refimpl.checks import as_kernels, one_of
from refimpl.resources import processors
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, KernelsName, Labels

Estimator = TypeVar("Estimator")
Options = TypeVar("Options")

Fit = TypeVar("Fit", bound=Callable[..., Any])

_KERNELS = {"reference": "refimpl.kernels", "fast": "refimpl_fast"}
SHARED = """\
kernels : {"fast", "reference"} or None, default None
    Which kernel module does the work: the compiled ``refimpl_fast`` or :mod:`refimpl.kernels`.
    Both give the same result, bit for bit. None is "fast"; where the compiled kernels are not
    built, None warns and is "reference".
n_jobs : int or None, default -1
    The number of threads: None is 1, -1 is all processors, -2 is all but one. The result does
    not depend on it.
max_memory : int, optional
    The most bytes that the training may take; see :func:`ROOM.estimate_memory`.
    ``fit`` raises MemoryError if it could need more, or turns out to. By default what is free when
    the training starts (:func:`refimpl.resources.free_memory`), and no limit where that is unknown.
"""
RAISES = """\
Raises
------
TypeError, ValueError
    From ``fit``, if a parameter or the data do not fit; from the other methods, if their arguments
    do not.
MemoryError
    From ``fit``, if it would take more memory than is free, or than `max_memory` if there is one.
sklearn.exceptions.NotFittedError
    From the other methods, before ``fit``.

"""


ENTRY = re.compile(r"^(\w+(?:, \w+)*) : .*\n(?: .*\n)*", re.MULTILINE)
ELSEWHERE = re.compile(
    r"^([\w, ]+)\n    As for (?:all|:(?:class|func):`)(?:[\w.]*\.)?([\w ]+)`?\.\n", re.MULTILINE
)


def described(
    room: str, *others: Callable[..., Any]
) -> Callable[[type[Estimator]], type[Estimator]]:
    """Write out the parameters that a docstring has "As for" all estimators, or `others`."""
    sources = {" estimators": SHARED} | {c.__name__: inspect.getdoc(c) or "" for c in others}

    def entries(found: re.Match[str]) -> str:
        if found[2] not in sources:
            return found[0]
        known = {n: e[0] for e in ENTRY.finditer(sources[found[2]]) for n in e[1].split(", ")}
        return "".join(dict.fromkeys(known[name] for name in found[1].split(", ")))

    def decorate(cls: type[Estimator]) -> type[Estimator]:
        text = ELSEWHERE.sub(entries, inspect.cleandoc(cls.__doc__ or ""))
        text = re.sub(r"^(?=(Warns|See Also)\n---)", RAISES, text, count=1, flags=re.MULTILINE)
        cls.__doc__ = text.replace("ROOM", room) + "\n"
        return cls

    return decorate


def kernels_named(name: KernelsName | None) -> Kernels:
    """Return the kernel module called "reference" or "fast"; None is :func:`default_name`."""
    if name is None:
        name = default_name()
    one_of(name, _KERNELS, "kernels")
    kernels: Any = importlib.import_module(_KERNELS[name])
    return as_kernels(kernels)


@cache
def default_name() -> KernelsName:
    """Return "fast", or "reference" where the compiled kernels cannot be imported: warn once."""
    try:
        importlib.import_module(_KERNELS["fast"])
    except ImportError as error:
        warnings.warn(
            f"the compiled kernels cannot be imported: {error}\nThe reference kernels give the "
            'same results and take longer. kernels="reference" chooses them without this warning.',
            UserWarning,
            stacklevel=level_of_caller(),
        )
        return "reference"
    return "fast"


def level_of_caller() -> int:
    """Return the `stacklevel` of the first frame outside of this package and scikit-learn."""
    frames = inspect.stack(context=0)[1:]
    names = (str(frame.frame.f_globals.get("__name__")) for frame in frames)
    inside = takewhile(lambda name: name.startswith(("refimpl.", "sklearn.")), names)
    return 1 + sum(1 for _ in inside)


def all_or_nothing(fit: Fit) -> Fit:
    """Return a ``fit`` that leaves the estimator as it was if it fails or is interrupted."""

    @wraps(fit)
    def whole(self: Any, *arguments: Any, **named: Any) -> Any:
        before = self.__dict__.copy()
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return cast(Fit, whole)


def params_of(params: Any, name: str) -> dict[str, Any]:
    """Return a copy of the further arguments of a metric or kernel; None stands for none."""
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"{name} must be a dict of further arguments, or None; got {params!r}")
    return dict(params or {})


def threads_of(n_jobs: int | None) -> int | None:
    """Return the argument `threads` for scikit-learn's `n_jobs`: None is 1, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int | np.integer) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0; got {n_jobs!r}")
    if n_jobs == -1:
        return None
    return int(n_jobs) if n_jobs > 0 else max(1, processors() + 1 + int(n_jobs))


def work_of(estimator: Any) -> dict[str, Any]:
    """Return the arguments `kernels` and `threads` of the functions that the estimator calls."""
    return {"kernels": kernels_named(estimator.kernels), "threads": threads_of(estimator.n_jobs)}


def options_from(estimator: Any, cls: Callable[..., Options], **others: Any) -> Options:
    """Return options made of the estimator's parameters of the same names, and of others."""
    names = set(inspect.signature(cls).parameters) & set(estimator.get_params(deep=False))
    return cls(**{name: getattr(estimator, name) for name in names} | others)


def agreeing(P: FloatArray, best: IntArray) -> FloatArray:
    """Return probabilities whose largest is that of the class `best`, also where rounding ties."""
    # scores that differ in the last bit, or are far from 0, may have equal probabilities
    tied = np.flatnonzero(P.argmax(axis=1) != best)
    P[tied, best[tied]] = np.nextafter(P.max(axis=1)[tied], 2.0)
    return P


def classes_of(y: ArrayLike, X: Any, least: int = 1) -> tuple[Labels, IntArray]:
    """Return the sorted classes, `least` or more, and the class's index of each object of X."""
    classes, places = np.unique(labels_of(y, X), return_inverse=True)
    if len(classes) < least:
        raise ValueError("y must have at least two classes; got one class")
    return classes, places


def labels_of(y: Any, X: Any) -> Labels:
    """Return the labels of the objects X as an array of the type that they have."""
    # X may be a sequence of objects; scikit-learn's ``validate_data`` refuses such an X with y,
    # and has other words for y=None
    if y is None:
        raise ValueError(
            "y must hold a label for each row of X: the estimator requires y to be passed, but "
            "the target y is None"
        )
    array = as_label_array(y, "y")
    if array.ndim == 0:
        raise ValueError(f"y must hold a label for each row of X; got one {type(y).__name__}")
    labels: Labels = plain_labels(column_or_1d(array, warn=True))
    assert_all_finite(labels, input_name="y")
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    return labels


def validated(estimator: Any, X: Any, **options: Any) -> Any:
    """Return what scikit-learn's ``validate_data`` returns for X, as kernels take it."""
    # ``validate_data`` drops masks, takes text and dates for numbers, and leaves arrays misaligned
    if isinstance(X, np.ma.MaskedArray):
        X = as_array(X, "X", "a matrix")
    try:
        points = validate_data(estimator, X, **options)
    except OverflowError:  # of 10**400, in words that do not name X
        return as_reals(X, "X")
    require_reals(np.asarray(X), "X")
    return for_kernel(points, points.dtype)


def queries_of(estimator: Any, X: Any, dtype: DTypeLike = np.float64) -> Any:
    """Return the points that a method of a fitted estimator takes, checked against ``fit``."""
    check_is_fitted(estimator, "model_")
    return validated(estimator, X, dtype=dtype, order="C", reset=False)


def as_random_generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy generator; from a RandomState its seed is drawn, so the next call differs."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    if random_state is not None and not isinstance(
        random_state, numbers.Integral | np.random.Generator
    ):
        raise TypeError(
            "random_state must be an integer, None, a RandomState or a Generator; got "
            f"{random_state!r}"
        )
    if isinstance(random_state, numbers.Integral) and random_state < 0:
        raise ValueError(f"random_state must be at least 0; got {random_state}")
    seed: Any = random_state  # default_rng takes any Integral, but its hints say int
    return np.random.default_rng(seed)
