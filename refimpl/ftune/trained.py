"""The state of a training of FTUNE or BBS: the one-vs-all problems trained so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from refimpl.results import result
from refimpl.typing import FloatArray

__all__ = ["FTuneTraining", "TrainedProblem"]


@dataclass(frozen=True, eq=False)
class TrainedProblem:
    """One one-vs-all problem, trained under every transfer function f and for every C.

    It is the `state` of a :class:`refimpl.Step` of :func:`refimpl.ftune.ftune`.

    Attributes
    ----------
    w : ndarray, shape (m, n_C, d + 1), float64
        w_f, with the bias last.
    losses : ndarray, shape (m, n_C), float64
        L_f, the mean training loss.
    gaps : ndarray, shape (m, n_C), float64
        The largest possible distance of TRAIN's objective from the optimum, relative to it.
    scores : ndarray, shape (m, n_C, k), float64
        g(x) of the validation objects.

    See Also
    --------
    FTuneTraining : Several trained problems, in a form that can be saved.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, bbs
    >>> shapes = []
    >>> model = bbs(np.eye(4), [0, 0, 1, 1], [0, 3], options=FTuneOptions(C=1.0),
    ...             callback=lambda step: shapes.append(step.state.w.shape))
    >>> shapes
    [(1, 1, 3)]
    """

    w: FloatArray
    losses: FloatArray
    gaps: FloatArray
    scores: FloatArray


@result
@dataclass(frozen=True, eq=False)
class FTuneTraining:
    """The first k trained problems, from which :func:`refimpl.ftune.ftune` can continue.

    It is the `result` of a :class:`refimpl.Step`. It can be saved to a file, so
    ``refimpl.Checkpoint`` can be the callback.

    Attributes
    ----------
    digest : str
        The sha256 of the arguments. Only a training with the same arguments can continue.
    w : ndarray, shape (k, m, n_C, d + 1), float64
    losses, gaps : ndarray, shape (k, m, n_C), float64
    scores : ndarray, shape (k, m, n_C, n_held), float64
        The arrays of :class:`TrainedProblem`, for each problem.

    Raises
    ------
    ValueError
        If the arrays do not hold the same problems, at least one.

    See Also
    --------
    TrainedProblem : One problem.
    refimpl.ftune.ftune : Takes it as ``start=``.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, bbs
    >>> K, y, options = np.eye(6), [0, 0, 1, 1, 2, 2], FTuneOptions(C=1.0)
    >>> results = []
    >>> model = bbs(K, y, [0, 2, 4], options=options,
    ...             callback=lambda step: results.append(step.result))
    >>> [len(result.w) for result in results]
    [1, 2, 3]
    >>> bbs(K, y, [0, 2, 4], options=options, start=results[0]) == model
    True
    """

    digest: str
    w: FloatArray
    losses: FloatArray
    gaps: FloatArray
    scores: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", str(self.digest))  # a file gives an array back
        if not len(self.w) == len(self.losses) == len(self.gaps) == len(self.scores) > 0:
            raise ValueError("w, losses, gaps and scores must hold the same problems, at least one")

    @property
    def problems(self) -> list[TrainedProblem]:
        """The trained problems, one after the other."""
        rows = zip(self.w, self.losses, self.gaps, self.scores, strict=True)
        return [TrainedProblem(*row) for row in rows]


def stacked(problems: Sequence[TrainedProblem], digest: str) -> FTuneTraining:
    """Return the first problems of a training, with the digest of its arguments."""

    def all_of(name: str) -> Any:
        return np.array([getattr(problem, name) for problem in problems])

    return FTuneTraining(digest, all_of("w"), all_of("losses"), all_of("gaps"), all_of("scores"))
