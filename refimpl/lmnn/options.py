"""The options of LMNN's trainings that are seldom changed.

Not handled here: the checks that need the points (``arguments.py``).
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from refimpl.checks import as_count, one_of, positive
from refimpl.results import immutable
from refimpl.typing import ArrayLike

__all__ = ["LMNNOptions", "Search", "Solver"]

Solver: TypeAlias = Literal["smoothed", "printed"]
Search: TypeAlias = Literal["product", "tree"]


@immutable
@dataclass(frozen=True, eq=False)
class LMNNOptions:
    """How :func:`refimpl.lmnn.lmnn` and :func:`refimpl.lmnn.lmnn_rect` train.

    Options are compared by value. They cannot be hashed, because `validation` may hold arrays.

    Parameters
    ----------
    solver : {"smoothed", "printed"}, optional
        "smoothed" takes L-BFGS steps on smoothed hinges and proves how near the optimum is
        (:func:`refimpl.lmnn.smoothed.descend`). "printed" takes the steps of § 3 as in
        ``algorithm.py``. They come within 0.5 % of the optimum if the columns have similar scales.
        Otherwise they may stop early; the `message` and `converged` of the result then say so. The
        default is "smoothed", but "printed" if a validation set stops the training of several
        metrics, because early stopping needs the path of the printed steps. `lmnn_rect` has its own
        solver and accepts only None.
    search : {"product", "tree"}, default "product"
        How full checks look for impostors: by filtered scalar products, or in ball trees (§ 4.2),
        which are faster in few dimensions. The result is the same.
    tol : float, optional
        The tolerance that ends the training. `lmnn` ends when the gap between the objective and its
        lower bound is at most `tol` times the objective; the default is 1e-3. An objective below a
        thousandth of n k, or of the objective of M = 0 (mu for each triple) if that is smaller,
        counts as 0, and the gap is compared with `tol` times this thousandth. `lmnn_rect` ends when
        the steps between two full checks lower the objective by less than `tol` times its value;
        the default is 1e-4.
    max_checks : int, default 200
        The largest number of full checks of all triples in each round of target neighbours.
    n_target_rounds : int, default 1
        How many times target neighbours are chosen: first as `targets` says, then under the metric
        just learnt. `lmnn_rect` accepts only 1.
    validation : (array_like, array_like), optional
        Points, shape (m, d), and their labels, shape (m,), of the type of y. The training ends when
        their k-NN error has not fallen for `patience` full checks, and the metrics with the lowest
        error are returned. A training of several metrics starts from a single metric, whose
        training ends in the same way.
    patience : int, default 5
        How many full checks without a lower validation error to wait for.

    Raises
    ------
    TypeError, ValueError
        If a value has the wrong type or is out of range.

    See Also
    --------
    refimpl.lmnn.lmnn, refimpl.lmnn.lmnn_rect : The trainings that take them.

    Examples
    --------
    >>> from refimpl.lmnn import LMNNOptions
    >>> LMNNOptions(tol=1e-2).max_checks
    200
    >>> LMNNOptions(search="hash")
    Traceback (most recent call last):
        ...
    ValueError: search must be 'product' or 'tree'; got 'hash'
    """

    solver: Solver | None = None
    search: Search = "product"
    tol: float | None = None
    max_checks: int = 200
    n_target_rounds: int = 1
    validation: tuple[ArrayLike, ArrayLike] | None = None
    patience: int = 5

    def __post_init__(self) -> None:
        if self.solver is not None:
            one_of(self.solver, ("smoothed", "printed"), "solver")
        one_of(self.search, ("product", "tree"), "search")
        if self.tol is not None:
            object.__setattr__(self, "tol", positive(self.tol, "tol"))
        for name in ("max_checks", "n_target_rounds", "patience"):
            object.__setattr__(self, name, as_count(getattr(self, name), name))
        if self.validation is not None:
            object.__setattr__(self, "validation", _as_pair(self.validation))


def _as_pair(validation: object) -> tuple[ArrayLike, ArrayLike]:
    """Return points and labels as a tuple."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise TypeError(
            "validation must be a pair (points, labels), or None; "
            f"got an object of type {type(validation).__name__}"
        )
    points, labels = validation
    return points, labels
