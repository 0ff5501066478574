"""The least Z among many classifiers of triples: BoostMap of Athitsos et al. (2005), § 7.3 steps 1, 3 and 9.

Every round of § 7.3 looks at every classifier chosen so far. A lower bound on Z that needs no exponential per triple
rules most of them out; the others are evaluated in the order of their bounds, until no bound is low enough. The answer
is that of the full search, ties included.
"""

import numpy as np

AT_ONCE = 8  # classifiers that are evaluated before the bounds are looked at again
SLACK = 1e-9  # far above the rounding errors of a bound or of Z


def least_z(F, triples, y, w, alpha, kernels, threads, *, below=np.inf):
    """Return argmin over c of Z_j(h_c, alpha_c) and that Z; None if no Z is below `below`. The first of equals.

    What the full search over ``kernels.z_values`` gives; a classifier that :func:`z_bound` rules out is not evaluated.
    """
    bound = z_bound(_sums(F, triples, y, w, kernels, threads), w.sum(), alpha)

    def evaluate(places):
        return kernels.z_values(np.array([F[c] for c in places]), triples, y, w, alpha[places], threads=threads)

    g, z, _ = _least(bound, lambda places: (evaluate(places), places), below)
    return g, z


def least_z_min(F, triples, y, w, least, kernels, threads, *, below=np.inf):
    """Return argmin over c of Z_min(h_c, j, l_c), with its alpha and Z; None as for :func:`least_z`."""
    sums = _sums(F, triples, y, w, kernels, threads)
    bound = z_bound(sums, w.sum(), best_of_bound(sums, least))

    def evaluate(places):
        chosen = np.array([F[c] for c in places])
        alpha, z = kernels.minimize_z(chosen, triples, y, w, least[places], threads=threads)
        return z, alpha

    g, z, alpha = _least(bound, evaluate, below)
    return g, alpha, z


def _sums(F, triples, y, w, kernels, threads):
    return kernels.margin_sums(np.array(F), triples, y, w, threads=threads) if len(F) else np.empty((0, 4))


def z_bound(sums, total, alpha):
    """Return a lower bound of Z_j(h, alpha) from ``kernels.margin_sums``: Jensen's inequality on either side of 0.

    Over the triples with u > 0, the weighted mean of exp(-alpha u) is at least exp(-alpha times the mean of u); the
    same for u < 0; triples with u = 0 add their weights.
    """
    right, wrong, right_u, wrong_u = sums.T
    with np.errstate(over="ignore"):
        bound = right * np.exp(-_times(alpha, _mean(right_u, right))) + wrong * np.exp(
            _times(alpha, _mean(wrong_u, wrong)))
    return bound + (total - right - wrong)


def best_of_bound(sums, least):
    """Return the alpha >= least at which :func:`z_bound` is least."""
    right, wrong, right_u, wrong_u = sums.T
    both = (right_u > 0) & (wrong_u > 0)
    alpha = np.where(right_u > 0, np.inf, least)
    slope = _mean(right_u, right)[both] + _mean(wrong_u, wrong)[both]
    alpha[both] = np.log(right_u[both] / wrong_u[both]) / slope
    return np.maximum(alpha, least)


def _times(alpha, mean):
    """Return alpha times the mean margin; 0 where there is none, even if alpha is infinite (nothing is wrong)."""
    return np.multiply(alpha, mean, out=np.zeros_like(mean), where=mean > 0)


def _mean(total, weight):
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def _least(bound, evaluate, below):
    """Return the place of the least value among those below `below`; values are at least their bounds."""
    g, best, extra = None, below, 0.0
    order = np.argsort(bound, kind="stable")
    for first in range(0, len(order), AT_ONCE):
        places = order[first : first + AT_ONCE]
        places = np.sort(places[bound[places] <= best + SLACK])  # what rounding may do to a bound
        if len(places) == 0:
            break
        z, also = evaluate(places)
        for c, z_c, also_c in zip(places.tolist(), z.tolist(), also.tolist(), strict=True):
            if z_c < best or (z_c == best and g is not None and c < g):
                g, best, extra = c, z_c, also_c
    return g, best, extra
