"""Cases for the kernels of BoostMap: triples, losses, the weighted L1 scan, chamfer distances."""

import numpy as np

from refimpl.check.drawing import Source, floats
from refimpl.check.encoding import Generated
from refimpl.check.judging import by_worth, nearest
from refimpl.check.kernel import AGREES, EQUAL_WORTH, WRONG, Values, enter
from refimpl.kernels import best_ranges as reference_ranges
from refimpl.kernels import chamfer_distances as reference_chamfer
from refimpl.kernels import z_values as reference_z
from refimpl.kernels.chamfer import grid
from refimpl.typing import FloatArray

__all__ = [
    "best_ranges",
    "chamfer_distances",
    "chamfer_nearest",
    "margin_sums",
    "minimize_z",
    "next_weights",
    "weighted_errors",
    "weighted_l1",
    "weighted_l1_nearest",
    "z_values",
]

FLAGS = "ties, plain, negative zero, denormals, extreme weights, duplicates"


def _triples(s: Source, flag: str) -> Values:
    n, t, m = s.length(6, 2), s.length(9), s.length(3)
    kind = "plain" if flag == "extreme weights" else flag
    return {
        "F": s.points(m, n, kind),
        "triples": s.array((t, 3), 0, n - 1).astype(np.int32),
        "y": s.signs(t),
        "w": s.weights(t, flag),
    }


def _splitters(s: Source, F: FloatArray) -> FloatArray | None:
    return floats(s.array(F.shape, 0, 1)) if s.integer(0, 1) else None


def _large_triples() -> Values:
    t = 2**16 + 1
    return {
        "F": Generated(dtype="float64", seed=5, shape=[2, 9], low=-3, high=3, exponent=0),
        "triples": Generated(dtype="int32", seed=6, shape=[t, 3], low=0, high=8),
        "y": Generated(dtype="float64", seed=0, shape=[t], low=1, high=1, exponent=0),
        "w": Generated(dtype="float64", seed=7, shape=[t], low=0, high=2**20, exponent=-37),
    }


@enter("Lambda BM:7.3:8 bits", flags=FLAGS, large=_large_triples)
def weighted_errors(s: Source, flag: str) -> Values:
    return _triples(s, flag)


@enter("sums BM:eq12 digits", flags="ties, plain, negative zero, extreme weights, duplicates")
def margin_sums(s: Source, flag: str) -> Values:
    return _triples(s, flag)


def _with_margins(s: Source, flag: str) -> Values:
    """Return triples with margins instead of weights; the least margin is not 0."""
    values = _triples(s, flag)
    w = values.pop("w")
    kind = "quarters" if flag == "ties" else "plain"
    spread = 200.0 if flag == "extreme weights" else 1.0
    return {**values, "margin": spread * s.reals((len(w),), kind)}


@enter("Z BM:7.3:11 digits", flags=FLAGS)
def z_values(s: Source, flag: str) -> Values:
    values = _with_margins(s, flag)
    F = values["F"]
    return {**values, "alpha": s.reals((len(F),), "quarters"), "S": _splitters(s, F)}


def _same_z(arguments: Values, want: Values, got: Values) -> str:
    """Judge alphas by the Z that they give: the minimum of Z is flat.

    Of a constant classifier every alpha is as good, but the contract names one.
    """
    alpha = np.asarray(got["alpha"], dtype=np.float64)
    if alpha.shape != np.shape(want["alpha"]) or not (alpha >= arguments["least"]).all():
        return WRONG
    names = ("F", "triples", "y", "margin")
    with np.errstate(over="ignore", invalid="ignore"):
        Z = reference_z(**{name: arguments[name] for name in names}, alpha=alpha, S=arguments["S"])
    if by_worth(want["Z"], Z) == WRONG:
        return WRONG
    near = np.allclose(alpha, want["alpha"], rtol=1e-5, atol=1e-300)
    return AGREES if near else EQUAL_WORTH


@enter(
    "alpha BM:7.3:10 optimum; Z BM:7.3:9 digits",
    flags="ties, plain, negative zero, extreme weights, duplicates, negative least",
    judge=_same_z,
)
def minimize_z(s: Source, flag: str) -> Values:
    values = _with_margins(s, flag)
    F = values["F"]
    least = -s.reals((len(F),), "quarters") if flag == "negative least" else np.zeros(len(F))
    return {**values, "least": least, "S": _splitters(s, F)}


@enter("margin BM:eq10 digits; w BM:7.3:12 digits; z BM:7.3:11 digits", flags=FLAGS)
def next_weights(s: Source, flag: str) -> Values:
    values = _with_margins(s, flag)
    alpha = float(s.integer(-8, 8) / 4)
    return {**values, "F": values["F"][0].copy(), "alpha": alpha}


def _same_ranges(arguments: Values, want: Values, got: Values) -> str:
    """Judge ranges by the error of each, which the reference gives when it may try no other."""
    best = np.asarray(got["best"])
    if best.shape != np.shape(want["best"]) or best.dtype.kind not in "iu":
        return WRONG
    if (best < 0).any() or (best >= len(arguments["ranges"])).any():
        return WRONG
    errors = []
    for row, place in enumerate(best):
        one = {name: arguments[name][[row]] for name in ("values", "F", "thresholds")}
        ranges = arguments["ranges"][[place]]
        errors.append(reference_ranges(**{**arguments, **one, "ranges": ranges})[0][0])
    return by_worth(want["error"], errors, len(arguments["w"]) * 2.0**-53)


@enter("error BM:8.3:2 bits; best BM:8.3:2 optimum", flags=FLAGS, judge=_same_ranges)
def best_ranges(s: Source, flag: str) -> Values:
    values = _triples(s, flag)
    k = s.integer(0, 3)
    kind = "plain" if flag == "extreme weights" else flag
    thresholds = np.sort(s.reals((len(values["F"]), k), kind), axis=1)
    ranges = [(i, j) for i in range(k + 2) for j in range(k + 2) if i != j]
    return {
        "values": s.reals(values["F"].shape, kind),
        **values,
        "thresholds": thresholds,
        "ranges": np.array(ranges, dtype=np.int64),
    }


# --------------------------------------------------------------------------------------------- scan


@enter("D BM:eq22 digits", flags="ties, plain, negative zero, denormals, scales, duplicates, empty")
def weighted_l1(s: Source, flag: str) -> Values:
    n, d = s.length(4), s.length(4)
    n_X = 0 if flag == "empty" else s.length(6)
    A = np.abs(s.reals((n, d), "ties" if flag == "denormals" else flag))
    return {"Q": s.points(n, d, flag), "A": A, "X": s.points(n_X, d, flag)}


def _weighted_l1(arguments: Values) -> FloatArray:
    Q, A, X = (arguments[name] for name in ("Q", "A", "X"))
    return np.asarray((A[:, np.newaxis] * np.abs(Q[:, np.newaxis] - X)).sum(axis=2))


@enter(
    "distances BM:4.3:2 digits; indices BM:4.3:2 optimum",
    flags="ties, plain, negative zero, scales, duplicates",
    judge=nearest(_weighted_l1),
)
def weighted_l1_nearest(s: Source, flag: str) -> Values:
    values = weighted_l1(s, flag)
    return {**values, "k": s.integer(0, len(values["X"]))}


# ------------------------------------------------------------------------------------------ chamfer


def _images(s: Source, flag: str, n: int, height: int, width: int) -> np.ndarray:
    images = s.booleans((n, height, width))
    images[:, s.integer(0, height - 1), s.integer(0, width - 1)] = True
    if flag == "duplicates":
        images[-1] = images[0]
    return images


def _chamfer_rounding(arguments: Values, expected: Values) -> Values:
    """Return what the contract allows: twice the grid of the pixel distances, on both sides."""
    name = "A" if "A" in arguments else "X"
    step = 4 * grid(arguments[name].shape[1:])
    return {
        output: np.full(np.shape(expected[output]), step)
        for output in ("D", "distances")
        if output in expected
    }


@enter(
    "D Athitsos et al. (2005), § 11 digits",
    flags="plain, duplicates, one pixel",
    rounding=_chamfer_rounding,
)
def chamfer_distances(s: Source, flag: str) -> Values:
    height, width = (1, 1) if flag == "one pixel" else (s.length(4), s.length(5, 2))
    width = min(width, max(2, 2000 // height))  # more pixels take the reference minutes
    A = _images(s, flag, s.length(3), height, width)
    return {"A": A, "B": _images(s, flag, s.length(3), height, width)}


@enter(
    "distances Athitsos et al. (2005), § 11 digits; indices Athitsos et al. (2005), § 11 optimum",
    flags="plain, duplicates, one pixel",
    judge=nearest(lambda arguments: reference_chamfer(arguments["Q"], arguments["X"])),
    rounding=_chamfer_rounding,
)
def chamfer_nearest(s: Source, flag: str) -> Values:
    values = chamfer_distances(s, flag)
    X = values["B"]
    return {"Q": values["A"], "X": X, "k": s.integer(1, len(X))}
