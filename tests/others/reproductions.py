"""Five lines for each finding, to paste where the library is installed.

An argument of the shown case stands in braces; ``{X}`` of a stump's case are its rows.

Not handled here: running them (:mod:`tests.others.reproducing`).
"""

from .cases import SEED

STUMP = """\
X, l, w = np.array({X}), np.array({l}), np.array({w})
FIT
sides = [x <= t for x in X.T for t in x]
print("error:", w[h != l].sum(), "least:", min(w[(s ^ p) != l].sum() for s in sides \
for p in (0, 1)))\
"""
CLASSIFIER = """\
import numpy as np; from sklearn.tree import DecisionTreeClassifier
""" + STUMP.replace(
    "FIT", "h = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, l, w).predict(X)"
)  # fmt: skip
REGRESSOR = """\
import numpy as np; from sklearn.tree import DecisionTreeRegressor
""" + STUMP.replace(
    "FIT",
    'h = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, l, w).predict(X) > '
    "0.5",
)  # fmt: skip

BOOSTED = """\
import numpy as np; from sklearn.ensemble import AdaBoostClassifier
P, N = {P}, {N}
w = WEIGHTS
model = AdaBoostClassifier(STUMP, n_estimators={T}, random_state=0).fit(P + N, [1] * len(P) + \
[0] * len(N), w)
print("errors:", model.estimator_errors_[: len(model)], "alpha:", \
model.estimator_weights_[: len(model)])\
"""
LEAST = """; from sklearn.base import BaseEstimator, ClassifierMixin; \
from sklearn.tree import DecisionTreeRegressor as Tree; \
Least = type("Least", (ClassifierMixin, BaseEstimator), {"fit": lambda self, X, y, \
sample_weight=None: self.__dict__.update(classes_=np.unique(y), tree=Tree(max_depth=1, \
criterion="absolute_error", random_state=0).fit(X, y, sample_weight)) or self, \
"predict": lambda self, X: (self.tree.predict(X) > 0.5).astype(int)})"""
HALVES = "[0.5 / len(P)] * len(P) + [0.5 / len(N)] * len(N)"


def _boosted(weights, stump="None", imported=""):
    head, rest = BOOSTED.split("\n", 1)
    return head + imported + "\n" + rest.replace("WEIGHTS", weights).replace("STUMP", stump)


METRIC = """\
IMPORT
X, y, k, mu = np.array({X}), np.array({y}), {k}, {mu}
L = FIT; D, E = ((((X[:, None] - X) @ A.T) ** 2).sum(2) for A in (L, np.eye(len(X.T))))
T = [(i, j) for i in range(len(X)) for j in sorted(set(np.flatnonzero(y == y[i])) - {i}, \
key=lambda j: E[i, j])[:k]]
print("eq. 3:", sum(D[i, j] + mu * np.maximum(0, 1 + D[i, j] - D[i, y != y[i]]).sum() \
for i, j in T))\
"""


def _metric(imported, fit):
    return METRIC.replace("IMPORT", f"import numpy as np; {imported}").replace("FIT", fit)


METRIC_LEARN = "from metric_learn import LMNN"

FLAT = """\
import numpy as np, faiss
Q, X = np.array({Q}), np.array({X})
index = faiss.IndexFlatL2(X.shape[1]); index.add(X.astype("f4"))
squares, places = index.search(Q.astype("f4"), min({k} + 1, len(X)))
print(squares, "in float64:", ((Q[:, None] - X[places]) ** 2).sum(2))\
"""
BRUTE = """\
import numpy as np, hnswlib
Q, X = np.array({Q}), np.array({X})
index = hnswlib.BFIndex("l2", X.shape[1]); index.init_index(len(X)); index.add_items(X)
places, squares = index.knn_query(Q, min({k} + 1, len(X))); places = places.astype(int)
print(squares, "in float64:", ((Q[:, None] - X[places]) ** 2).sum(2))\
"""
SHARE = """\
IMPORT; x = [SEED]; [x.append((6364136223846793005 * x[-1] + 1442695040888963407) % 2**64) \
for _ in range(33600)]
X = np.reshape([((a >> 33 << 31 | b >> 33) % (2**53 + 1) - 2**52) / 2**50 \
for a, b in zip(x[1::2], x[2::2])], (2100, 8)); Q, X = X[2000:], X[:2000]
true = np.argsort(((Q[:, None] - X) ** 2).sum(2))[:, :10]; X, Q = X.astype("f4"), Q.astype("f4")
BUILD; places = ASK
print("share found:", sum(len(set(a) & set(b)) for a, b in zip(true, places)) / 1000)\
"""


def _share(imported, build, ask):
    """Return lines on the points of the case, which its generator makes again."""
    lines = SHARE.replace("SEED", str(SEED)).replace("IMPORT", f"import numpy as np; {imported}")
    return lines.replace("BUILD", build).replace("ASK", ask)


LINES = {
    ("scikit-learn", "brute"): """\
import numpy as np; from sklearn.neighbors import NearestNeighbors
Q, X = np.array({Q}), np.array({X})
index = NearestNeighbors(algorithm="brute").fit(X)
roots, places = index.kneighbors(Q, min({k}, len(X)))
print(roots**2, "not expanded:", ((Q[:, None] - X[places]) ** 2).sum(2))""",
    ("scikit-learn", "ball-tree-within"): """\
import numpy as np; from sklearn.neighbors import BallTree
tree = BallTree({X})
for q, limit in zip({Q}, np.maximum(0, {limits})):
    for r in (limit**0.5, np.nextafter(limit**0.5, np.inf)):
        print("limit", limit, "radius", r, "points", len(tree.query_radius([q], r)[0]))""",
    ("scikit-learn", "stump"): CLASSIFIER,
    ("scikit-learn", "stump-absolute"): REGRESSOR,
    ("scikit-learn", "adaboost"): _boosted("None"),
    ("scikit-learn", "adaboost-halves"): _boosted(HALVES),
    ("scikit-learn", "adaboost-absolute"): _boosted(HALVES, "Least()", LEAST),
    ("scikit-learn", "lloyd"): """\
import numpy as np; from sklearn.cluster import KMeans
X, C = np.array({X}, float)[{rows}], np.array({centres}, float)
model = KMeans(len(C), init=C, n_init=1, max_iter={iterations}, tol=0).fit(X)
print("of the first centres:", ((X[:, None] - C) ** 2).sum(2).argmin(1))
print(model.cluster_centers_)""",
    ("metric-learn", "lmnn"): _metric(
        METRIC_LEARN,
        'LMNN(init="identity", n_neighbors=k, regularization=1 / (1 + mu)).fit(X, y).components_',
    ),
    ("metric-learn", "lmnn-long"): _metric(
        METRIC_LEARN,
        'LMNN(init="identity", n_neighbors=k, regularization=1 / (1 + mu), max_iter=100000, '
        "convergence_tol=1e-9, learn_rate=1e-3).fit(X, y).components_",
    ),
    ("metric-learn", "rca"): """\
import numpy as np; from metric_learn import RCA
X, y = np.array({X}, float), np.array({y})
L = RCA().fit(X, y).components_; print("metric:", (L.T @ L).tolist())
n, several = len(y), sum(np.bincount(y)[np.bincount(y) > 1]); print("points:", n, "in", several)""",
    ("mlpack", "lmnn"): _metric(
        "from mlpack import lmnn",
        'lmnn(X, labels=y, k=k, regularization=mu / (1 + mu), optimizer="lbfgs", '
        'tolerance=1e-12)["output"].T',
    ),
    ("faiss", "flat"): FLAT,
    ("faiss", "hnsw"): _share(
        "import faiss; faiss.omp_set_num_threads(1)",
        "index = faiss.IndexHNSWFlat(8, 32); index.hnsw.efSearch = 16; index.add(X)",
        "index.search(Q, 10)[1]",
    ),
    ("hnswlib", "brute"): BRUTE,
    ("hnswlib", "default"): _share(
        "import hnswlib",
        'index = hnswlib.Index("l2", 8); index.init_index(len(X), random_seed=1); '
        "index.add_items(X, num_threads=1)",
        "index.knn_query(Q, 10)[0]",
    ),
}
