"""What the kernel of BLAS may change in a training, and what it must not.

Trainings without BLAS must give the same bits. LMNN must stay within the tolerance that its result
proves, FTUNE and BBS within theirs. For the others no tolerance is documented.
"""

import platform

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
    """Return the finds in answers by BLAS kernel and by case, each with the number of its case.

    `answers` has a dict for each BLAS kernel: number of the case -> (training, answer).
    """
    first, *others = answers
    finds = []
    for number, (name, one) in sorted(answers[first].items()):
        for kernel in others:
            if number not in answers[kernel]:
                continue  # its own find
            fault = _fault(name, one, answers[kernel][number][1])
            if fault:
                finds.append((number, f"{name}: BLAS kernels {first} and {kernel}: {fault}"))
    return finds


def _fault(name, one, other):
    """What is wrong with two answers, or None. Those that chose otherwise are not compared."""
    if one["digest"] == other["digest"]:
        return None
    if name in WITHOUT_BLAS:
        return f"must not differ: {one['digest']} and {other['digest']}"
    a, b = one["facts"], other["facts"]
    if not (a and b):
        return None
    if "objective" in a:
        return _lmnn_fault(a, b) if a["comparable"] and b["comparable"] else None
    return _linear_fault(a, b) if a["f"] == b["f"] and a["C"] == b["C"] else None


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
