"""Estimates of the memory of a training of FTUNE or BBS."""

from refimpl.ftune.arguments import as_classes, as_singletons
from refimpl.ftune.options import DEFAULTS, FTuneOptions, for_bbs
from refimpl.ftune.problems import Arguments, Training, as_arguments, as_training
from refimpl.ftune.similarities import Objects, Similarity
from refimpl.ftune.space import Landmarks
from refimpl.ftune.trained import FTuneTraining
from refimpl.progress import Callback
from refimpl.resources import check_memory
from refimpl.typing import ArrayLike, Kernels

__all__ = ["estimate_memory"]

OBJECT_BYTES = 2**12  # an upper bound of the bytes of a Python object of the training


def estimate_memory(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks | ArrayLike,
    *,
    validation: tuple[Objects, ArrayLike] | None = None,
    options: FTuneOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: FTuneTraining | None = None,
    max_memory: int | None = None,
) -> int:
    """Return an upper bound of the bytes that :func:`ftune` or :func:`bbs` takes.

    The estimate makes no look-up of K. It does not include `K`, its objects and the memory of the
    function K. Most of it is Phi_L under all transfer functions, for all problems that are trained
    at the same time.

    Parameters
    ----------
    K, y, validation, options, threads
        As for :func:`ftune`.
    landmarks : Landmarks, or array_like of int, shape (d,)
        For :func:`ftune` landmark pairs; for :func:`bbs` indices of landmarks, such as
        ``landmarks.L``.
    kernels, callback, start, max_memory
        Taken as :func:`ftune` takes them. They do not change the estimate.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    ftune, bbs : Compare `max_memory` with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, estimate_memory, random_landmarks
    >>> K, y = np.eye(40), np.arange(40) % 2
    >>> few, many = (random_landmarks(y, d, rng=np.random.default_rng(0)) for d in (5, 50))
    >>> options = FTuneOptions(C=1.0, choose="training")
    >>> estimate_memory(K, y, few, options=options) < estimate_memory(K, y, many, options=options)
    True
    """
    if isinstance(landmarks, Landmarks):
        pairs = landmarks
    else:
        pairs = as_singletons(landmarks, len(as_classes(y)))
        options = for_bbs(options, validation)
    how = as_training(options, kernels, threads)
    return training_bytes(as_arguments(K, y, pairs, validation, how), how)


def require_memory(arguments: Arguments, how: Training, max_memory: int | None) -> None:
    """Raise MemoryError if a training could take more than `max_memory`, or than what is free."""
    needed = training_bytes(arguments, how)
    check_memory(needed, max_memory, "threads, landmark pairs or transfer functions", "up to")


def training_bytes(arguments: Arguments, how: Training) -> int:
    """Return the most bytes that a training takes, from the sizes of its arguments."""
    n = len(arguments.codes)
    n_validation = 0 if arguments.validation_codes is None else len(arguments.validation_codes)
    r = len(arguments.landmarks)
    problems, d = arguments.plus.shape
    m = len(how.family)
    n_C = int(how.C.size)
    at_a_time = min(problems, how.threads)
    functions = min(m, how.threads) if problems == 1 else 1  # that are tried at a time
    # differences of similarities, in memory while Phi_L is computed
    differences = (3 + (m + 2) * any(map(callable, how.family))) * max(n, n_validation) * d
    # rows with a positive loss, their factor, the steps
    train = 5 * n * (d + 1) + 6 * (d + 1) ** 2 + 32 * n
    train += min(n * (d + 1), 2**22)  # copies that BLAS makes
    of_a_problem = m * (n + n_validation) * d + max(differences, functions * train)
    results = problems * m * n_C * (2 * (d + 1) + 3 * n_validation)
    labels = (problems + 8) * (n + n_validation) + 6 * problems * d
    look_ups = 2.25 * (n + n_validation) * r  # the look-ups, and a scaled or negated copy
    at_once = (n + n_validation) * r + at_a_time * of_a_problem + results
    arrays = 8 * int(max(look_ups, at_once) + labels)
    objects = OBJECT_BYTES * int(16 + problems * (4 + m * n_C))
    return arrays + objects
