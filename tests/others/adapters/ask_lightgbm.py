"""LightGBM: ``python ask_lightgbm.py VARIANT``. Stumps: trees with two leaves."""

import sys

import lightgbm
import numpy as np
from lines import serve

OPTIONS = {
    "objective": "regression", "num_leaves": 2, "min_data_in_leaf": 1, "min_data_in_bin": 1,
    "min_sum_hessian_in_leaf": 0.0, "max_bin": 255, "learning_rate": 1.0, "verbosity": -1,
    "num_threads": 1, "deterministic": True, "seed": 1, "boost_from_average": True,
    "zero_as_missing": False, "feature_pre_filter": False, "enable_bundle": False,
}  # fmt: skip


def stump(A, B, w, l):
    """Return the first tree for the labels -1 and 1 under weighted squares."""
    X = A if B is None else (A[:, None] - B).reshape(-1, A.shape[1])
    data = lightgbm.Dataset(X, np.where(l, 1.0, -1.0), weight=w, params=OPTIONS)
    tree = lightgbm.train(OPTIONS, data, 1).dump_model()["tree_info"]
    root = tree[0]["tree_structure"] if tree else {"leaf_value": 2 * (w[l].sum() > w[~l].sum()) - 1}
    if "split_feature" not in root:
        chosen = {"f": 0, "p": -1 if root["leaf_value"] > 0 else 1, "theta": -np.inf}
    else:
        left, right = (root[side]["leaf_value"] > 0 for side in ("left_child", "right_child"))
        f, theta = root["split_feature"], root["threshold"]  # left: x <= theta
        if left == right:
            chosen = {"f": 0, "p": -1 if left else 1, "theta": -np.inf}
        else:
            theta = float(np.nextafter(theta, np.inf)) if left else float(theta)
            chosen = {"f": f, "p": 1 if left else -1, "theta": theta}
    f, p, theta = (chosen[name] for name in ("f", "p", "theta"))
    wrong = (p * X[:, f] < p * theta) != l
    return {"epsilon": float((np.rint(w * 2.0**52) * 2.0**-52)[wrong].sum()), **chosen}


VARIANTS = {"stump": {"best_stump": stump}}

if __name__ == "__main__":
    serve(VARIANTS[sys.argv[1]])
