"""The landmarked space of Kar & Jain (2011), § 2, and the linear classifiers on it that FTUNE and BBS learn.

Not handled here: choosing landmarks (:mod:`refimpl.ftune.landmarks`) and training (:mod:`refimpl.ftune.training`).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.checks import as_kernels
from refimpl.ftune.similarities import as_similarity
from refimpl.results import result

__all__ = ["ALONE", "LandmarkClassifier", "Landmarks", "Ramp", "classes_of", "landmarked"]

ALONE = -1  # in the place of x^- where a landmark has no partner


@dataclass(frozen=True)
class Ramp:
    """The transfer function clip(slope x, -1, 1), a ramp function of § 3.

    An infinite slope is the sign function; slope 1 is the identity on [-1, 1].

    Attributes
    ----------
    slope : float
    """

    slope: float

    def __call__(self, x):
        """f(x) for an array of differences."""
        return np.sign(x) if np.isinf(self.slope) else np.clip(self.slope * np.asarray(x), -1.0, 1.0)


@result
@dataclass(frozen=True, eq=False)
class Landmarks:
    """Landmarks, and pairs of them for each problem: one for two classes, one for each of more classes.

    Attributes
    ----------
    L : ndarray, shape (r,), int64
        Landmarks as places among the training objects, in the order in which they were chosen. Pairs are drawn from
        them, unless they are fresh pairs of :func:`refimpl.ftune.random_landmarks`, which come from all objects.
    plus, minus : ndarray, shape (problems, d), int64
        x_i^+ and x_i^- as places among the training objects. x_i^+ is of the problem's class (of two classes the second
        in sorted order), x_i^- of another.
    """

    L: np.ndarray
    plus: np.ndarray
    minus: np.ndarray


def landmarked(S, plus, minus, F, *, kernels=None, threads=None):
    """Return Phi_L(x) = (f(K(x, x_i^+) - K(x, x_i^-)))_i for every transfer function f of a family: § 2.

    Parameters
    ----------
    S : ndarray, shape (n, r), float64
        K from the points to the landmarks.
    plus, minus : ndarray, shape (d,), int64
        Columns of `S`.
    F : sequence of m floats or callables
        Slopes of ramps (infinity: the sign), or functions of an array of differences.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional

    Returns
    -------
    ndarray, shape (m, n, d), float64
    """
    kernels = as_kernels(kernels)
    slopes = np.array([np.nan if callable(f) else f for f in F], dtype=np.float64)
    ramps = ~np.isnan(slopes)
    out = kernels.transferred_differences(S, plus, minus, slopes[ramps], threads=threads)  # FT:phi
    if ramps.all():
        return out
    whole = np.empty((len(F), len(S), len(plus)))
    difference = S[:, plus] - S[:, minus]
    whole[ramps] = out
    for i in np.flatnonzero(~ramps):
        whole[i] = F[i](difference)  # FT:phi
    return whole


@result
@dataclass(frozen=True, eq=False)
class LandmarkClassifier:
    """What FTUNE and BBS learn: linear classifiers on landmarked spaces, one against the rest.

    Attributes
    ----------
    classes : ndarray, shape (c,)
        The labels, sorted.
    landmarks : ndarray, shape (r,), int64
        The training objects that a new object is compared with, ascending: its cost is r look-ups of K.
    plus, minus : ndarray, shape (problems, d), int64
        Places in `landmarks`; `minus` is -1 for BBS. There is one problem for two classes, whose g is positive for the
        second, and one for each of more classes.
    slopes : ndarray, shape (m,), float64
        The family F; NaN for a function that is not a ramp.
    f : ndarray, shape (problems,), int64
        The place of f* in F; the same for all problems unless each chose its own.
    C : ndarray, shape (problems,), float64
    w : ndarray, shape (problems, d), float64
    b : ndarray, shape (problems,), float64
    scale : float
        Similarities are divided by it, such that sup |K| <= 1.
    losses : ndarray, shape (problems, m, n_C), float64
        L(w_f), the mean training loss, for each transfer function and C.
    accuracies : ndarray, shape (1 or problems, m, n_C), float64, or (0,)
        On the validation set: of all classes together, or of each problem with ``per_class``.
    gaps : ndarray, shape (problems, m, n_C), float64
        How far TRAIN can be from its optimum, relative to it.
    """

    classes: np.ndarray
    landmarks: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    slopes: np.ndarray
    f: np.ndarray
    C: np.ndarray
    w: np.ndarray
    b: np.ndarray
    scale: float
    losses: np.ndarray
    accuracies: np.ndarray
    gaps: np.ndarray
    _unsaved = ("functions",)

    def __post_init__(self):
        object.__setattr__(self, "scale", float(self.scale))  # a file gives an array back
        object.__setattr__(self, "functions", tuple(None if np.isnan(s) else s for s in self.slopes))

    def decision(self, S, *, kernels=None, threads=None):
        """Return g(x) of every problem.

        Parameters
        ----------
        S : ndarray, shape (k, r), float64
            K from new objects to `landmarks`, -d for a distance, not scaled.
        kernels : module, optional
        threads : int, optional

        Returns
        -------
        ndarray, shape (k, problems), float64
        """
        S = np.ascontiguousarray(S, dtype=np.float64)
        if self.scale != 1:
            S = S / self.scale
        g = np.empty((len(S), len(self.w)))
        for p, (f, w, b) in enumerate(zip(self.f, self.w, self.b, strict=True)):
            if self.minus[p, 0] == ALONE:
                Phi = S[:, self.plus[p]]
            else:
                if self.functions[f] is None:
                    raise ValueError(f"functions: number {f} of F is no ramp and not in the file; set_functions(F)")
                F = [self.functions[f]]
                Phi = landmarked(S, self.plus[p], self.minus[p], F, kernels=kernels, threads=threads)[0]
            g[:, p] = Phi @ w + b  # FT:thm2  the 1 / d is in w
        return g

    def predict(self, K, queries, *, kernels=None, threads=None):
        """Return the labels of new objects, from their similarities to the landmarks alone.

        Parameters
        ----------
        K : refimpl.ftune.similarities.Similarity
            That of the training.
        queries : sequence of k objects; for a matrix array_like, shape (k, n)
        kernels : module, optional
        threads : int, optional

        Returns
        -------
        ndarray, shape (k,)
            Of classes with equal g the first.
        """
        g = self.decision(as_similarity(K).between(queries, self.landmarks), kernels=kernels, threads=threads)
        return self.classes[classes_of(g)]

    def set_functions(self, F):
        """Give a loaded classifier the transfer functions that no file holds."""
        if len(F) != len(self.slopes):
            raise ValueError(f"F has {len(F)} functions; the classifier was trained with {len(self.slopes)}")
        object.__setattr__(self, "functions", tuple(F))


def classes_of(g):
    """Return the places of the classes: h(x) = sgn g(x) of Theorem 2; of more than two the one with the largest g."""
    return (g[:, 0] > 0).astype(np.int64) if g.shape[1] == 1 else g.argmax(axis=1)  # FT:thm2  h(x)
