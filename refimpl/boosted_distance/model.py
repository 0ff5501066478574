"""What Amores, Sebe & Radeva's (2006) trainings give: the rounds of Algorithm A.2, and an ensemble
for each class, the result of Algorithm A.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from refimpl.boosted_distance.ensembles import Ensemble
from refimpl.results import result
from refimpl.typing import FloatArray, Labels

__all__ = ["BoostedDistance", "Round"]


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of Algorithm A.2 computes; the `state` of a :class:`refimpl.Step`.

    Attributes
    ----------
    t : int
        Number of the round, from 1.
    epsilon : float
        Weighted error of the weak classifier.
    alpha : float
        Its weight in the ensemble.
    h : tuple
        Its parameters; (f, p, theta) for a stump.
    w : ndarray, shape (n,), float64
        The normalised weights under which it was chosen, positives first.

    See Also
    --------
    refimpl.boosted_distance.algorithm.adaboost_rounds : Yield the rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boosted_distance.algorithm import adaboost_rounds
    >>> round = next(adaboost_rounds(np.array([[0.0], [1.0]]), np.array([[2.0], [3.0]])))
    >>> round.t, round.h, round.w.tolist()
    (1, (0, 1, 1.5), [0.25, 0.25, 0.25, 0.25])
    """

    t: int
    epsilon: float
    alpha: float
    h: tuple[Any, ...]
    w: FloatArray = field(repr=False)


@result
@dataclass(frozen=True, eq=False, repr=False)
class BoostedDistance(Mapping[Any, Ensemble]):
    """A trained boosted distance: the ensembles {Phi_C} of Algorithm A.1.

    Source: Amores, Sebe & Radeva (2006), p. 208.

    ``model[label]`` is the ensemble of a class. The other methods of a mapping from labels to
    ensembles work as well: ``len(model)``, ``label in model``, ``for label in model``,
    ``model.items()``.

    Attributes
    ----------
    classes : ndarray, shape (n_classes,)
        The labels, ascending.
    ensembles : tuple of Ensemble
        The ensemble of each class, in the order of `classes`. All are of one type, such as
        :class:`StumpEnsemble`; they may differ in their numbers of rounds.

    Raises
    ------
    TypeError, ValueError
        If the fields do not fit together.

    See Also
    --------
    boosted_distance : Train a boosted distance.
    nearest_neighbor_boosted_distance : Label queries.
    refimpl.save : Write a result to a file.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance
    >>> model = boosted_distance([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"], 3)
    >>> model
    BoostedDistance(2 classes, 3 rounds of StumpEnsemble)
    >>> model.classes.tolist(), len(model), len(model["a"])
    (['a', 'b'], 2, 3)
    """

    classes: Labels
    ensembles: tuple[Ensemble, ...]

    def __post_init__(self) -> None:
        classes = np.asarray(self.classes)
        ensembles = tuple(self.ensembles)
        if classes.ndim != 1 or not np.array_equal(np.unique(classes), classes):
            raise ValueError(
                f"classes must be different labels in ascending order; got {self.classes!r}"
            )
        if len(ensembles) != len(classes) or not len(classes):
            raise ValueError(
                f"ensembles must have an entry for each of the {len(classes)} classes, at least 1; "
                f"got {len(ensembles)}"
            )
        types = {type(ensemble) for ensemble in ensembles}
        if len(types) > 1 or not all(isinstance(ensemble, Ensemble) for ensemble in ensembles):
            names = ", ".join(sorted(kind.__name__ for kind in types))
            raise TypeError(f"ensembles must be Ensembles of one type; got {names}")
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "ensembles", ensembles)

    def __getitem__(self, label: Any) -> Ensemble:
        """Return the ensemble of a class."""
        try:
            place: int = self.classes.tolist().index(label)
        except ValueError:
            raise KeyError(label) from None
        return self.ensembles[place]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the labels, ascending."""
        return iter(self.classes.tolist())

    def __len__(self) -> int:
        return len(self.ensembles)

    def __repr__(self) -> str:
        rounds = [len(ensemble) for ensemble in self.ensembles]
        least, most = min(rounds), max(rounds)
        numbers = f"{most}" if least == most else f"{least} to {most}"
        kind = type(self.ensembles[0]).__name__
        return f"BoostedDistance({len(self)} classes, {numbers} rounds of {kind})"

    def rounds(self, first: int, last: int) -> Self:
        """Return the model with only the rounds first, ..., last - 1 of each class.

        Rounds are counted from 0. ``model.rounds(0, t)`` is the model that a training of t rounds
        returns.
        """
        parts = tuple(ensemble.rounds(first, last) for ensemble in self.ensembles)
        return type(self)(self.classes, parts)
