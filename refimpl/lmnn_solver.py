"""The default steps of :mod:`refimpl.lmnn`: a smoothed problem with a barrier, solved in the factor L, and the proof.

The paper's sub-gradient steps (``lmnn.subgradient_descent``) need very many small ones. Here the hinges are smoothed to
a width h, M is kept inside the cone by -epsilon log det M, and L of M = L^T L is found by L-BFGS in coordinates where
the pull of the target neighbours is the identity; then h and epsilon shrink. The problem in L is not convex, but that
in M is, and its dual tells how far from the optimum a metric can be: for slopes 0 <= alpha_ijl <= mu of the hinges with

    G(alpha) = sum C_ij + sum alpha_ijl (C_ij - C_il)  positive semidefinite,

the sum of the alphas is no more than the least value of eq. 3 over all triples, whatever the working set. Slopes at
successive steps are mixed, and scaled down, until G is in the cone. The objective is that of a full check of all
triples; the metric returned is the best of the full checks.

Not handled here: validation (``lmnn.lmnn`` does it).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog, minimize
from threadpoolctl import ThreadpoolController

SHRINK = 3.0
ITERATIONS = 60  # of L-BFGS between two full checks
MEMORY = 60  # gradients that L-BFGS remembers
MIXED = 40  # steps whose slopes are mixed for the bound
EARLY = 4  # full checks after a quarter of that, while the working set still grows
RIDGE = 1e-6
CROWD = 3  # pairs of LMNN-RECT's working set for each impostor, beyond which it is made anew while it is early
CLEAR = 0.5  # pairs that miss the margin by up to this stay in the working set


@dataclass(frozen=True)
class Step:
    """State after a full check.

    Attributes
    ----------
    t : int
        Full checks made.
    L : ndarray, shape (partitions, r, d)
        Best maps so far.
    objective : float
        Eq. 3 over all triples at `L`. It never rises from step to step.
    bound : float
        No metric has a lower objective.
    active : int
        Triples with positive slack at the last maps tried.
    pairs : int
        Size of the working set.
    evaluations : int
        Looks at the working set so far.
    h, epsilon : float
        Width of the smoothed hinges and strength of the barrier.
    gradient_norm : float
        Norm of the gradient by L of the smoothed problem, relative to that of the pull alone.
    final : bool
        Whether the solver has come to its end by itself.
    """

    t: int
    L: np.ndarray
    objective: float
    bound: float
    active: int
    pairs: int
    evaluations: int
    h: float
    epsilon: float
    gradient_norm: float
    final: bool = False

    @property
    def gap(self):
        """How much the objective can be above the optimum, relative to it."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0


class Whitened:
    """The problem in the coordinates L' = L R^-T of each partition, where the pull's gradient is R^T C R = I.

    Where the pull leaves directions free, a share rho of its mean is added to eq. 3: a metric would grow without end.
    """

    def __init__(self, problem, epsilon):
        self.problem, self.evaluations, self.epsilon, self.h = problem, 0, epsilon, 0.3
        C = problem.pull_gradient()
        self.rho = _ridge(C, problem.X)
        C = C + self.rho[:, None, None] * np.eye(problem.d)
        values, vectors = np.linalg.eigh(C)
        self.R = vectors / np.sqrt(values)[:, None, :]
        self.R_inverse = (vectors * np.sqrt(values)[:, None, :]).transpose(0, 2, 1)
        self.C = self.R.transpose(0, 2, 1) @ C @ self.R

    def maps(self, V):
        return V @ self.R.transpose(0, 2, 1)

    def coordinates(self, L):
        return L @ self.R_inverse.transpose(0, 2, 1)

    def __call__(self, v):
        """The smoothed objective with the barrier, and its derivative, at the coordinates v of L."""
        V = v.reshape(len(self.C), -1, self.C.shape[2])
        L = self.maps(V)
        evaluation = self.problem.evaluate(L, self.h)
        gradient = (self.problem.gradient_L(evaluation) + 2 * self.rho[:, None, None] * L) @ self.R
        smooth = evaluation.smooth + float((self.rho * (L * L).sum(axis=(1, 2))).sum())
        self.evaluations += 1
        self.last = v.copy(), evaluation.alpha, gradient
        if self.epsilon == 0:
            return smooth, gradient.ravel()
        log_det = sum(np.linalg.slogdet(one)[1] for one in V)
        barrier = np.linalg.inv(V).transpose(0, 2, 1)
        return smooth - 2 * self.epsilon * log_det, (gradient - 2 * self.epsilon * barrier).ravel()

    def descend(self, V, iterations):
        """L-BFGS from V; returns where it ends, and the slopes' sums and gradients G of the last steps."""
        kept = []

        def keep(intermediate_result):
            kept.append(self.last)
            del kept[: -MIXED // 2]

        found = minimize(
            self, V.ravel(), jac=True, method="L-BFGS-B", callback=keep,
            options={"maxiter": iterations, "maxfun": 10 * iterations, "maxcor": MEMORY, "ftol": 0.0, "gtol": 0.0},
        )  # fmt: skip
        duals = []
        for v, alpha, gradient in kept if V.shape[1] == V.shape[2] else ():
            G = np.linalg.solve(v.reshape(V.shape), gradient / 2)  # of 2 V G
            duals.append((alpha, (G + G.transpose(0, 2, 1)) / 2))
        norm = np.linalg.norm(found.jac) / max(1e-300, np.linalg.norm(2 * found.x))
        return found.x.reshape(V.shape), duals, norm


def _ridge(C, X):
    """rho of each partition: 0 where its pull C is well conditioned."""
    d = C.shape[1]
    means = np.trace(C, axis1=1, axis2=2) / d
    means = np.where(means > 0, means, means.mean())
    means = np.where(means > 0, means, max((X * X).sum() / d, 1e-300))
    return np.where(np.linalg.eigvalsh(C)[:, 0] < RIDGE * means, RIDGE * means, 0.0)


def descend(problem, L, tol, *, max_checks):
    """Steps of the solver, one for each full check of all triples; endless but for `max_checks`.

    Parameters
    ----------
    problem : LargeMarginProblem
    L : ndarray, shape (partitions, r, d)
        Where to start.
    tol : float
        The relative gap that is wanted; the smoothing shrinks towards it. The caller stops.

    Yields
    ------
    Step
    """
    white = Whitened(problem, 0.0)
    V = _inside(white.coordinates(L))
    problem.add_pairs(*problem.impostors(white.maps(V)))
    size = V.shape[0] * V.shape[1]
    white.epsilon = 0.03 * max(problem.evaluate(white.maps(V)).pull, 1e-12) / size
    best, bound, duals, iterations = (np.inf, None), 0.0, [], ITERATIONS
    for t in range(1, max_checks + 1):
        V, new_duals, norm = white.descend(V, iterations if t > EARLY else ITERATIONS // 4)
        added = problem.add_pairs(*problem.impostors(white.maps(V)))  # the full check
        now = problem.evaluate(white.maps(V), white.h)
        if now.objective < best[0]:
            best = now.objective, white.maps(V)
        duals = (duals + new_duals)[-MIXED:]
        mixed = dual_bound(duals, white.C)
        bound = max(bound, mixed)
        yield Step(
            t, best[1], best[0], bound, now.active, len(problem.i), white.evaluations, white.h, white.epsilon, norm
        )
        smoothing, barrier = (now.objective - now.smooth) / 2, white.epsilon * size
        settled = added <= 1e-3 * len(problem.i)
        if settled and best[0] - bound > 2 * (smoothing + barrier):
            iterations = min(2 * iterations, 16 * ITERATIONS) if t > EARLY else iterations
        elif settled:
            iterations = ITERATIONS
            white.epsilon = max(white.epsilon / SHRINK, 0.1 * tol * best[0] / size)
            white.h /= SHRINK if smoothing > 0.1 * tol * best[0] else 1.0
            problem.set_pairs(*problem.impostors(white.maps(V), 1.0 + CLEAR))


def descend_low_rank(problem, L, tol, *, max_checks):
    """Steps over a factor L of few rows, LMNN-RECT: no barrier and no bound, the smoothing shrinks to an end.

    Parameters and yields as for :func:`descend`; the last step says that it is final when its gain was below `tol`.
    """
    white = Whitened(problem, 0.0)
    V = white.coordinates(L)
    problem.add_pairs(*problem.impostors(white.maps(V)))
    best, before = (np.inf, None), np.inf
    for t in range(1, max_checks + 1):
        V, _, norm = white.descend(V, ITERATIONS if t > EARLY else ITERATIONS // 4)
        i, l = problem.impostors(white.maps(V))
        added = problem.add_pairs(i, l)
        now = problem.evaluate(white.maps(V), white.h)
        if now.objective < best[0]:
            best = now.objective, white.maps(V)
        settled = added <= 1e-3 * len(problem.i) and before - now.smooth < tol * now.objective
        before = now.smooth
        final = settled and now.objective - now.smooth < 10 * tol * now.objective
        yield Step(t, best[1], best[0], 0.0, now.active, len(problem.i), white.evaluations, white.h, 0.0, norm, final)
        if final:
            return
        if settled:
            white.h /= SHRINK
            before = np.inf
        if settled or (t <= EARLY and len(problem.i) > CROWD * len(i)):  # at the start nearly all pairs may be near
            problem.set_pairs(*problem.impostors(white.maps(V), 1.0 + CLEAR))


def on_one_blas_thread(steps):
    """The steps, without threads in BLAS: its products are many and small, and the kernels have threads of their own.

    On two cores that takes two thirds of the time for 6,000 points.
    """
    controller = ThreadpoolController()
    while True:
        with controller.limit(limits=1, user_api="blas"):
            step = next(steps, None)
        if step is None:
            return
        yield step


def _inside(V):
    """V square with no singular value near zero: the barrier needs M inside the cone."""
    d = V.shape[2]
    V = np.concatenate([V, np.zeros((len(V), max(0, d - V.shape[1]), d))], axis=1)
    if V.shape[1] > d:
        V = np.stack([np.linalg.qr(one)[1] for one in V])
    for alpha, one in enumerate(V):
        left, values, right = np.linalg.svd(one)
        V[alpha] = (left * np.maximum(values, 1e-3 * max(values[0], 1e-12))) @ right
    return V


def scaled(problem, L, sample=200):
    """c L with the c that is best for eq. 3 on some of the points."""
    rows = np.unique(np.linspace(0, problem.n - 1, min(sample, problem.n)).astype(np.int64))
    Z = problem.mapped(L).reshape(problem.partitions, problem.n, -1)
    D = np.empty((len(rows), problem.n))
    for alpha in range(problem.partitions):
        members = problem.partition == alpha
        A, B = Z[alpha][rows], Z[alpha][members]
        D[:, members] = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2 * A @ B.T
    pull = np.take_along_axis(D, problem.targets[rows], axis=1)
    D[problem.classes[rows][:, None] == problem.classes] = np.inf
    D.sort(axis=1)
    nearest = np.maximum(D[:, :5000], 0.0)
    def loss(log_c):
        c = np.exp(log_c)
        hinges = sum(np.maximum(1 + c * (pull[:, j : j + 1] - nearest), 0.0).sum() for j in range(problem.k))
        return c * pull.sum() + problem.mu * hinges

    usual = np.median(nearest[:, 0])
    middle = -np.log(usual if usual > 0 else max(pull.mean(), 1e-300))
    grid = middle + np.linspace(-8, 12, 41)
    return np.exp(0.5 * min(grid, key=loss)) * L


def dual_bound(duals, C, cuts_at_most=25):
    """The largest lower bound on eq. 3 that a mixture of slopes gives.

    Parameters
    ----------
    duals : list of (float, ndarray of shape (partitions, d, d))
        Sums of alpha, and G(alpha).
    C : ndarray, shape (partitions, d, d)
        G(0), the pull's gradient.

    Returns
    -------
    float
        A scaled mixture's sum of alphas, whose G is in the cone.
    """
    if not duals:
        return 0.0
    sums = np.array([alpha for alpha, _ in duals])
    S = np.stack([G - C for _, G in duals])
    mixture, cuts, best = np.eye(len(sums))[-1], [], 0.0
    for _ in range(cuts_at_most):
        mixed = np.tensordot(mixture, S, axes=1)
        scale = _feasible_scale(C, mixed)
        best = max(best, scale * float(mixture @ sums))
        if scale == 1.0:
            break
        for alpha in range(len(C)):
            values, vectors = np.linalg.eigh(C[alpha] + mixed[alpha])
            for v in vectors[:, : min(5, int((values < 0).sum()))].T:
                cuts.append(([v @ one[alpha] @ v for one in S], v @ C[alpha] @ v))
        A = np.array([row for row, _ in cuts])
        program = linprog(
            -sums, A_ub=np.vstack([-A, np.ones(len(sums))]), b_ub=np.append([b for _, b in cuts], 1.0), bounds=(0, None)
        )
        if program.x is None or -program.fun <= best * (1 + 1e-7):
            break
        mixture = program.x
    return best


def _feasible_scale(C, S):
    """The largest s in [0, 1] found with C + s S in the cone, for every partition; C is near the identity."""
    scale = 1.0
    for one, other in zip(C, S, strict=True):
        values = np.linalg.eigvalsh(one)
        lowest = values[0]
        if lowest <= 1e-12 * values[-1]:  # C itself is singular: only s = 0 is sure
            return 0.0
        while (least := np.linalg.eigvalsh(one + scale * other)[0]) < 0:
            scale *= (1 - 1e-12) * lowest / (lowest - least)  # by concavity in s this one is in the cone
    return scale
