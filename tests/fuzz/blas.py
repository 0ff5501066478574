"""What the kernel of BLAS may change in a training, and what it must not.

Trainings without BLAS must give the same bits. LMNN must stay within the tolerance that its result
proves, FTUNE and BBS within theirs. For the others no tolerance is documented; their differences
are counted.
"""

import platform
from collections import Counter

import numpy as np

WITHOUT_BLAS = (
    "boosted_distance",
    "adaboost",
    "boostmap",
    "dselect",
    "dboost_",
    "kmeans_trees_",
    "lsh_",
)
ROUNDING = 1e-9  # relative, of an objective or a bound


def kernels_of_this_machine():
    """The values of OPENBLAS_CORETYPE to compare; None is OpenBLAS's own choice. OpenBLAS does not
    test whether the processor has the instructions of a kernel.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return (None,)
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    known = {*simd.get("baseline", ()), *simd.get("found", ())}
    kernels = ["Prescott"]
    if known & {"AVX2", "X86_V3"}:
        kernels.append("Haswell")
    if known & {"AVX512_SKX", "X86_V4"}:
        kernels.append("SkylakeX")
    return tuple(kernels)


def compare(answers):
    """Compare answers by BLAS kernel and by case: (finds, counts of cases that moved).

    `answers` has a dict for each BLAS kernel: number of the case -> (training, answer).
    """
    finds = []
    moved = Counter()
    first, *others = answers
    for number in sorted(answers[first]):
        name, one = answers[first][number]
        kinds = set()
        for kernel in others:
            if number not in answers[kernel]:
                continue  # its own find
            other = answers[kernel][number][1]
            if one["digest"] == other["digest"]:
                continue
            kinds.add("moved")
            fault = _fault(name, one, other)
            if fault:
                finds.append((number, f"{name}: BLAS kernels {first} and {kernel}: {fault}"))
            elif not (one["facts"] and other["facts"]):
                kinds.add("without a tolerance")
            elif not _comparable(one["facts"], other["facts"]):
                kinds.add("chose otherwise")
        moved.update((name, kind) for kind in kinds)
    return finds, moved


def _fault(name, one, other):
    """What is wrong with two answers that differ, or None."""
    if name in WITHOUT_BLAS:
        return f"must not differ: {one['digest']} and {other['digest']}"
    a = one["facts"]
    b = other["facts"]
    if not (a and b and _comparable(a, b)):
        return None
    return _lmnn_fault(a, b) if "objective" in a else _linear_fault(a, b)


def _comparable(a, b):
    if "objective" in a:
        return a["comparable"] and b["comparable"]
    return a["f"] == b["f"] and a["C"] == b["C"]


def _lmnn_fault(a, b):
    """No objective is below the other run's bound; two that converged agree to the tolerance."""
    for one, other in ((a, b), (b, a)):
        if one["objective"] < one["bound"] - ROUNDING * abs(one["bound"]):
            return f"the objective {one['objective']!r} is below its bound {one['bound']!r}"
        if one["objective"] < other["bound"] - ROUNDING * abs(other["bound"]):
            return f"the objective {one['objective']!r} is below the bound {other['bound']!r}"
    if a["converged"] and b["converged"]:
        apart = abs(a["objective"] - b["objective"])
        if apart > a["tol"] * max(a["objective"], b["objective"], a["small"]):
            return f"two optima within {a['tol']}: {a['objective']!r} and {b['objective']!r}"
    return None


def _linear_fault(a, b):
    """Two linear classifiers are no further apart than their certificates allow."""
    apart = np.linalg.norm(np.subtract(a["w"], b["w"]), axis=1)
    allowed = np.add(a["radii"], b["radii"])
    if (apart > allowed).any():
        p = int(np.argmax(apart - allowed))
        return f"problem {p}: weights {apart[p]} apart; the gaps allow {allowed[p]}"
    return None
