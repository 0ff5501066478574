"""What a training tells its callback, and two callbacks that suit every training.

``callback(step)`` is called after each step of a training: a round, a tree, a check of all triples,
a one-vs-all problem. If it returns True, the part that the step belongs to ends there: a class, a
phase, or, in a training without parts, the training. The training returns what it has.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any, Generic, Self, TextIO, TypeAlias, TypeVar

from refimpl.results import save

__all__ = ["Callback", "Checkpoint", "Progress", "Step"]

State = TypeVar("State")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False, repr=False)
class Step(Generic[State, Result]):
    """One step of a training, as a callback gets it.

    Attributes
    ----------
    number : int
        Steps that are done, including the steps of an earlier training (``start=``).
    total : int or None
        The largest number of steps; None where it is not known.
    state : object
        What this step has computed. Each training has its own type, such as
        :class:`refimpl.boosted_distance.Round`.
    label : object
        The class or problem that the step belongs to; None where a training has no such parts.
    make_result : callable
        Makes `result` when it is asked for. A training that calls a callback gives it.

    See Also
    --------
    Checkpoint : Save `result` now and then.
    Progress : Print how far a training is.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boosted_distance import boosted_distance
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> model = boosted_distance(X, y, 10, callback=lambda step: step.number == 2)
    """

    number: int
    total: int | None
    state: State
    label: Any = None
    make_result: Callable[[], Result] = field(kw_only=True)

    def __repr__(self) -> str:
        state = type(self.state).__name__
        return f"Step(number={self.number}, total={self.total}, label={self.label!r}, {state})"

    @property
    def result(self) -> Result:
        """What the training returns if it ends here.

        It is made when it is asked for, and stays valid after the callback has returned. With
        ``start=step.result`` the same training goes on from here.
        """
        return self.make_result()


Callback: TypeAlias = Callable[[Step[Any, Any]], bool | None]
"""A function of a :class:`Step`; True ends the part of the training that the step belongs to."""


def _as_seconds(every: Any) -> float:
    """Return the checked number of seconds; `refimpl.checks` imports more than a callback needs."""
    is_number = isinstance(every, Real) and not isinstance(every, bool)
    if not is_number or not 0 <= every <= sys.float_info.max:
        raise ValueError(f"every must be a number of at least 0; got {every!r}")
    return float(every)


class Checkpoint:
    """Callback that saves what a training has so far, about once a minute.

    In a ``with`` statement it also saves the last step when the training ends or is interrupted.

    Parameters
    ----------
    path : str or os.PathLike
        File for :func:`refimpl.save`; ``start=refimpl.load(path)`` goes on from it.
    every : float, default 60
        Seconds between two writes at least.

    Raises
    ------
    ValueError
        If `every` is no number of at least 0.
    FileNotFoundError, IsADirectoryError
        If the folder of `path` does not exist, or `path` is a folder.

    See Also
    --------
    Progress : Print how far a training is.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import refimpl
    >>> from refimpl.boosted_distance import boosted_distance
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> path = os.path.join(tempfile.mkdtemp(), "training.npz")
    >>> with refimpl.Checkpoint(path) as checkpoint:
    ...     model = boosted_distance(X, y, 2, callback=checkpoint)
    >>> longer = boosted_distance(X, y, 4, start=refimpl.load(path))
    >>> longer == boosted_distance(X, y, 4)
    True
    """

    def __init__(self, path: str | os.PathLike[str], every: float = 60.0) -> None:
        self.path = Path(path)
        self.every = _as_seconds(every)
        self._written = time.monotonic()
        self._unsaved: Step[Any, Any] | None = None
        if self.path.is_dir():
            raise IsADirectoryError(f"path must name a file; got the folder {str(path)!r}")
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"path must be in a folder that exists; got {str(path)!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle and copy, without the step of the training that runs here."""
        return self.__dict__ | {"_unsaved": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # the clock of another machine may be behind by days
        self.__dict__.update(state, _written=time.monotonic())

    def __call__(self, step: Step[Any, Any]) -> None:
        """Save the step's result if the last write is long enough ago."""
        self._unsaved = step
        if time.monotonic() - self._written >= self.every:
            self.write()

    def write(self) -> None:
        """Save the last step's result now, if it is not saved yet."""
        if self._unsaved is not None:
            save(self.path, self._unsaved.result)
            self._unsaved = None
            self._written = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.write()


class Progress:
    """Callback that prints how far a training is, in one line every few seconds.

    Parameters
    ----------
    every : float, default 10
        Seconds between two lines at least.
    stream : file object, optional
        Standard error by default.

    Raises
    ------
    ValueError
        If `every` is no number of at least 0.

    See Also
    --------
    Checkpoint : Save what a training has so far.

    Examples
    --------
    >>> import sys
    >>> import numpy as np
    >>> from refimpl import Progress
    >>> from refimpl.boosted_distance import boosted_distance
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> model = boosted_distance(X, y, 1, callback=Progress(every=0, stream=sys.stdout))
    step 1 of 1, 0
    step 1 of 1, 1
    """

    def __init__(self, *, every: float = 10.0, stream: TextIO | None = None) -> None:
        self.every = _as_seconds(every)
        self.stream = stream
        self._printed = -float("inf")

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle and copy, without the time of this machine's clock."""
        return self.__dict__ | {"_printed": -float("inf")}

    def __call__(self, step: Step[Any, Any]) -> None:
        """Print the step's number if the last line is long enough ago."""
        now = time.monotonic()
        if now - self._printed < self.every:
            return
        self._printed = now
        total = "" if step.total is None else f" of {step.total}"
        label = "" if step.label is None else f", {step.label}"
        print(f"step {step.number}{total}{label}", file=self.stream or sys.stderr, flush=True)
