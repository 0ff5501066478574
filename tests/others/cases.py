"""The cases of a subject: the project's vectors, and some drawn here.

``neighbors`` is a set large enough for approximate search, ``lmnn`` has a set of 60 points beside
its vectors, and the vectors with ties once more without them, ``lda`` has two classes. Their
generator is that of the vectors, from :data:`SEED`.

Not handled here: who is asked.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.encoding import encode
from refimpl.check.files import decoded_cases
from refimpl.check.judging import squares
from refimpl.check.subjects import KERNELS, TRAININGS
from refimpl.rivals.nda import nonparametric_discriminant_analysis

SEED = 24


@dataclass(frozen=True)
class Case:
    """A case: its arguments as JSON has them and as arrays, and what the reference gives."""

    id: str
    flags: tuple[str, ...]
    encoded: dict[str, Any]
    arguments: dict[str, Any]
    expected: Any


def of(subject, where):
    """Return the cases of a subject."""
    if subject in OWN:
        return OWN[subject](where)
    return _vectors(where, KERNELS.get(subject) or TRAININGS[subject])


def _vectors(where, subject):
    """Return the vectors of a kernel, or of a training: the states of its rounds are a list."""
    return [
        Case(
            case["id"],
            tuple(case["flags"]),
            case["arguments"],
            arguments,
            expected if subject.kind == "training" else expected[0],
        )
        for case, arguments, expected in decoded_cases(where, subject)
    ]


def _own(id, arguments, expected):
    encoded = {name: encode(value) for name, value in arguments.items()}
    return Case(id, ("drawn here",), encoded, arguments, expected)


def _neighbors(where):
    s = Lcg(SEED)
    X, Q = s.points(2000, 8, "plain"), s.points(100, 8, "plain")
    return [_own("neighbors/2000", {"Q": Q, "X": X, "k": 10, "skip": None}, None)]


def _lmnn(where):
    """All vectors, and those whose target neighbours a tie leaves open once more without ties."""
    listed = _vectors(where, TRAININGS["lmnn"])
    moved = [_moved(case) for case in listed if not one_choice(case.arguments)]
    X = Lcg(SEED).points(60, 3, "plain")
    y = np.arange(60) % 3
    X[:, 0] += y
    return [*listed, *moved, _own("lmnn/60", {"X": X, "y": y, "k": 3, "mu": 1.0}, None)]


def _moved(case):
    """Return a case whose points are moved by at most 2**-12, so that no distances are equal."""
    given = dict(case.arguments)
    given["X"] = given["X"] + 2.0**-14 * Lcg(SEED).points(*given["X"].shape, "plain")
    return _own(f"{case.id} without ties", given, None)


def one_choice(given):
    """Whether no tie leaves a target neighbour open."""
    X, y, k = (given[name] for name in ("X", "y", "k"))
    D = np.where(y[:, None] == y, squares(X, X), np.inf)
    np.fill_diagonal(D, np.inf)
    D.sort(axis=1)
    return bool((D[:, k - 1] < D[:, k] * (1 - 1e-9)).all())


def _lda(where):
    """The first direction of NDA with all neighbours and alpha = 0 is that of LDA."""
    X = Lcg(SEED).points(12, 3, "plain")
    y = np.arange(12) % 2
    X[:, 1] += y
    direction = nonparametric_discriminant_analysis(X, y, k=6, alpha=0.0).projection[:, 0]
    return [_own("lda/12", {"X": X, "y": y}, {"direction": direction})]


OWN = {"neighbors": _neighbors, "lmnn": _lmnn, "lda": _lda}
