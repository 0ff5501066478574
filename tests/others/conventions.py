"""Documented objectives of other libraries: whether an answer is right by its own.

Each function gets an :class:`~tests.others.judging.Answer` and computes from the arguments alone
what the library says that it does.

Not handled here: LMNN (:mod:`tests.others.large_margin`); where a convention is documented
(``tests/others/table.py``).
"""

import numpy as np

from refimpl.check.judging import differences, squares

CLOSE = 1e-9

# --------------------------------------------------------------------------------------- neighbours


def single_precision(answer):
    """Whether neighbours are right for points rounded to float32, with sums in float32.

    A sum of d squares, or ``x x - 2 x q + q q``, may be off by 4 (d + 2) units of its terms.
    """
    return _as_near(answer, 1)


def expanded_squares(answer):
    """Whether neighbours are right but for the rounding of ``x x - 2 x q + q q`` in float64."""
    return _as_near(answer, 1, np.float64)


def approximate(answer):
    """Whether the answer holds different points in the order of their distances.

    The search is documented as approximate; how many of the true neighbours it finds is a number.
    """
    return _as_near(answer, None)


def _as_near(answer, places, dtype=np.float32):
    given = answer.case.arguments
    Q, X = (given[name].astype(dtype).astype(np.float64) for name in ("Q", "X"))
    (state,) = answer.got
    indices, got = np.asarray(state["indices"]), np.asarray(state["squares"])
    k = min(given["k"], len(X) - (given["skip"] is not None))
    if indices.shape != (len(Q), k) or got.shape != indices.shape:
        return False
    if (indices < 0).any() or (indices >= len(X)).any():
        return False
    if any(len(set(row)) < len(row) for row in indices.tolist()):
        return False
    D = squares(Q, X)
    size = (Q**2).sum(axis=1)[:, None] + (X**2).sum(axis=1).max(initial=0.0)
    slack = 4 * (X.shape[1] + 2) * np.finfo(dtype).eps * size
    own = np.take_along_axis(D, indices, axis=1)
    if (np.abs(got - own) > slack).any() or (np.diff(own, axis=1) < -2 * slack).any():
        return False
    if given["skip"] is not None:
        skip = np.asarray(given["skip"])
        if (indices == skip[:, None]).any():
            return False
        D[np.flatnonzero(skip >= 0), skip[skip >= 0]] = np.inf
    if places is None:
        return True
    return bool((own <= np.sort(D, axis=1)[:, :k] + 2 * slack).all())


def at_radius(answer):
    """Whether only points at the limit, within rounding, are missed: the radius is its root."""
    given, (got,), (want,) = answer.case.arguments, answer.got, answer.case.expected
    D = squares(given["Q"], given["X"])
    for i, limit in enumerate(given["limits"]):
        rows = [
            set(np.asarray(side["indices"])[side["starts"][i] : side["starts"][i + 1]].tolist())
            for side in (want, got)
        ]
        if any(abs(D[i, l] - limit) > 2.0**-50 * abs(limit) for l in rows[0] ^ rows[1]):
            return False
    return True


# ------------------------------------------------------------------------------------------ k-means


def relocated(answer):
    """Whether the centres are those of Lloyd's iterations that move a centre without points.

    It takes the point farthest from its own centre, which leaves its cluster.
    """
    given = answer.case.arguments
    X, centres = given["X"][given["rows"]], given["centres"]
    before = None
    for _ in range(given["iterations"]):
        D = squares(X, centres)
        labels = D.argmin(axis=1)
        if before is not None and (labels == before).all():
            break
        before = labels
        own = np.take_along_axis(D, labels[:, None], axis=1)[:, 0]
        member = labels[:, None] == np.arange(len(centres))
        empty = np.flatnonzero(~member.any(axis=0))
        if not own.any():
            empty = empty[:0]
        for centre, point in zip(empty, np.argsort(-own, kind="stable"), strict=False):
            member[point] = False
            member[point, centre] = True
        counts = member.sum(axis=0)
        means = (member.T @ X) / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return bool(np.allclose(answer.got[0]["centres"], centres, rtol=1e-9, atol=1e-12))


# ------------------------------------------------------------------------------------------- stumps


def split_by(criterion):
    """Return whether a stump divides the points as a best split by `criterion` does.

    ``gini`` is the mean impurity of the two sides, ``error`` their weighted error; each side gives
    its heavier label. Only values that differ in float32 are divided.
    """

    def holds(answer):
        given = answer.case.arguments
        X = differences(given["A"], given["B"])
        return predicts(X, given["w"], given["l"], answer.got[0], criterion)

    return holds


def predicts(X, w, l, stump, criterion):
    """Whether the stump's labels are those of a best split."""
    f, p, theta = (stump[name] for name in ("f", "p", "theta"))
    h = p * X[:, int(f)] < p * theta
    splits = list(_splits(X.astype(np.float32), w, l, criterion))
    best = min(value for value, _ in splits)
    total = w.sum()
    return any(_gives(h, left, w, l) for value, left in splits if value <= best + CLOSE * total)


def _splits(X, w, l, criterion):
    """Yield the value and the left side of each split; where there is none, of the whole."""
    sides = [x <= value for x in X.T for value in np.unique(x)[:-1]]
    for left in sides:
        yield sum(_impurity(w, l, side, criterion) for side in (left, ~left)), left
    if not sides or criterion == "error":
        left = np.ones(len(X), dtype=bool)
        yield _impurity(w, l, left, criterion), left


def _impurity(w, l, side, criterion):
    a, b = w[side & l].sum(), w[side & ~l].sum()
    if criterion == "error":
        return min(a, b)
    return 2 * a * b / (a + b) if a + b > 0 else 0.0


def _gives(h, left, w, l):
    """Whether h gives each side its heavier label; either one where they weigh the same."""
    for side in (left, ~left):
        if not side.any():
            continue
        if h[side].any() != h[side].all():
            return False
        a, b = w[side & l].sum(), w[side & ~l].sum()
        heavier = a >= b if h[side].all() else b >= a
        if not heavier and abs(a - b) > CLOSE * w.sum():
            return False
    return True


def boosting(criterion, halves):
    """Return whether rounds are those of SAMME with stumps by `criterion`.

    Its weights begin equal, or with half on each class. It ends at a stump without error, whose
    weight is 1, and before one that errs on half of the weight.
    """

    def holds(answer):
        given = answer.case.arguments
        P, N = given["P"], given["N"]
        X = np.concatenate([P, N])
        l = np.arange(len(X)) < len(P)
        w = np.where(l, 1 / (2 * len(P)), 1 / (2 * len(N))) if halves else np.ones(len(X))
        w = w / w.sum()
        for round in answer.got:
            if not predicts(X, w, l, round, criterion):
                return False
            h = round["p"] * X[:, int(round["f"])] < round["p"] * round["theta"]
            epsilon = w[h != l].sum()
            if epsilon == 0:
                return round is answer.got[-1] and round["alpha"] == 1 and round["epsilon"] == 0
            alpha = np.log((1 - epsilon) / epsilon)
            if abs(round["alpha"] - alpha) > 1e-6 or abs(round["epsilon"] - epsilon) > CLOSE:
                return False
            w = w * np.exp(alpha * (h != l))
            w = w / w.sum()
        if len(answer.got) == given["T"]:
            return True
        splits = list(_splits(X.astype(np.float32), w, l, criterion))
        best = min(value for value, _ in splits) + CLOSE
        sides = [left for value, left in splits if value <= best]
        errors = [
            _impurity(w, l, left, "error") + _impurity(w, l, ~left, "error") for left in sides
        ]
        return max(errors) >= 0.5 - CLOSE

    return holds


# ---------------------------------------------------------------------------------------------- RCA


def divided_by_all(answer):
    """Whether RCA's matrix is of a mean over all points, not of those in classes of several."""
    _, counts = np.unique(answer.case.arguments["y"], return_counts=True)
    share = counts.sum() / counts[counts > 1].sum()
    return np.allclose(answer.got[0]["W"], answer.case.expected[0]["W"] * share, rtol=1e-6)
