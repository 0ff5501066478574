"""The cases of a subject: the project's vectors, and some drawn here.

``neighbors`` is a set large enough for approximate search, ``lmnn`` has a set of 60 points beside
its vectors, and the vectors with ties once more without them, ``lda`` has two classes. Their
generator is that of the vectors, from :data:`SEED`.

Not handled here: who is asked.
"""

import dataclasses

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.encoding import encode
from refimpl.check.files import cases_of
from refimpl.check.judging import squares
from refimpl.check.subject import Case
from refimpl.check.subjects import KERNELS, TRAININGS, subject_of
from refimpl.rivals.nda import nonparametric_discriminant_analysis

SEED = 24
LDA = dataclasses.replace(TRAININGS["relevant_component_analysis"], name="lda")  # takes the same


def of(subject):
    """Return the cases of a subject."""
    return OWN[subject]() if subject in OWN else cases_of(subject_of(subject))


def _own(subject, id, expected=(), **arguments):
    encoded = {name: encode(value) for name, value in arguments.items()}
    return Case(subject, id, arguments, list(expected), encoded, ("drawn here",))


def _neighbors():
    s = Lcg(SEED)
    X, Q = s.points(2000, 8, "plain"), s.points(100, 8, "plain")
    return [_own(KERNELS["scan_nearest"], "neighbors/2000", Q=Q, X=X, k=10, skip=None)]


def _lmnn():
    """All vectors, and those whose target neighbours a tie leaves open once more without ties."""
    listed = cases_of(TRAININGS["lmnn"])
    moved = [_moved(case) for case in listed if not one_choice(case.arguments)]
    X = Lcg(SEED).points(60, 3, "plain")
    y = np.arange(60) % 3
    X[:, 0] += y
    return [*listed, *moved, _own(TRAININGS["lmnn"], "lmnn/60", X=X, y=y, k=3, mu=1.0)]


def _moved(case):
    """Return a case whose points are moved by at most 2**-12, so that no distances are equal."""
    X = case.arguments["X"]
    given = {**case.arguments, "X": X + 2.0**-14 * Lcg(SEED).points(*X.shape, "plain")}
    return _own(case.subject, f"{case.id} without ties", **given)


def one_choice(given):
    """Whether no tie leaves a target neighbour open."""
    X, y, k = (given[name] for name in ("X", "y", "k"))
    D = np.where(y[:, None] == y, squares(X, X), np.inf)
    np.fill_diagonal(D, np.inf)
    D.sort(axis=1)
    return bool((D[:, k - 1] < D[:, k] * (1 - 1e-9)).all())


def _lda():
    """The first direction of NDA with all neighbours and alpha = 0 is that of LDA."""
    X = Lcg(SEED).points(12, 3, "plain")
    y = np.arange(12) % 2
    X[:, 1] += y
    direction = nonparametric_discriminant_analysis(X, y, k=6, alpha=0.0).projection[:, 0]
    return [_own(LDA, "lda/12", [{"direction": direction}], X=X, y=y)]


OWN = {"neighbors": _neighbors, "lmnn": _lmnn, "lda": _lda}
