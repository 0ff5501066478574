"""How large a difference is, in numbers that fit the subject.

Not handled here: whether it is one.
"""

import numpy as np

from refimpl.check.judging import squares


def of(subject, case, got):
    """Return names and numbers for the answer to a case; {} where nothing fits."""
    if got is None or subject == "adaboost":  # the words name the round
        return {}
    if subject in ("scan_nearest", "tree_nearest"):
        return _nearest(case, got)
    if subject == "best_stump":
        excess = float(got["epsilon"]) - float(case.expected["epsilon"])
        return {"weighted error above the least": excess}
    if isinstance(got, dict) and isinstance(case.expected, dict):
        return _numbers(case.expected, got)
    if isinstance(got, list) and len(got) == len(case.expected):
        listed = [_numbers(want, state) for want, state in zip(case.expected, got, strict=True)]
        return max(listed, key=lambda size: max(size.values(), default=0.0))
    return {}


def _nearest(case, got):
    D = squares(case.arguments["Q"], case.arguments["X"])
    wanted, places = case.expected["indices"], np.asarray(got["indices"])
    size = {}
    if places.shape == wanted.shape and wanted.size and (places >= 0).all():
        rows = zip(wanted.tolist(), places.tolist(), strict=True)
        found = sum(len(set(true) & set(row)) for true, row in rows)
        size["true neighbours found"] = found / wanted.size
        true = np.take_along_axis(D, wanted, axis=1)
        excess = (np.take_along_axis(D, places, axis=1) - true)[true > 0] / true[true > 0]
        size["squared distance above the true, relative"] = float(excess.max(initial=0.0))
        error = np.abs(np.asarray(got["squares"]) - true)[true > 0] / true[true > 0]
        size["error of a squared distance, relative"] = float(error.max(initial=0.0))
    return size


def _numbers(want, got):
    largest = 0.0
    for name, value in want.items():
        a, b = np.asarray(value), np.asarray(got.get(name))
        if a.dtype.kind == "f" and b.shape == a.shape and b.dtype.kind in "fiu" and a.size:
            with np.errstate(invalid="ignore"):
                error = np.abs(a - b)
            scale = np.abs(a[np.isfinite(a)]).max(initial=0.0) or 1.0
            largest = max(largest, float(error[np.isfinite(error)].max(initial=0.0) / scale))
    return {"largest error, relative": largest} if largest else {}
