"""A small result of every class that :mod:`refimpl.results` knows, by its public name."""

import numpy as np
from sklearn.datasets import load_iris
from trainings import TRAININGS

from refimpl.ball_trees import impostors, nearest_neighbors
from refimpl.ftune import FTuneOptions, ftune, random_landmarks
from refimpl.kernels import build_tree
from refimpl.rivals.dboost import dboost
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lipschitz import random_singletons
from refimpl.rivals.lsh import lsh
from refimpl.rivals.metricmap import metricmap
from refimpl.rivals.nda import nonparametric_discriminant_analysis
from refimpl.rivals.nearest_neighbor import fit_distance
from refimpl.rivals.rotated_scan import rotated_scan
from refimpl.rivals.sparsemap import sparsemap
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import ForestOptions, InvertedIndex, neighbor_similarity, search_forest
from refimpl.spaces import CallableSpace


def examples():
    """One result of each class, from small trainings that always end alike."""
    X, y = load_iris(return_X_y=True)
    X = np.ascontiguousarray(X[::5])
    y = y[::5]
    names = np.array(["setosa", "versicolor", "virginica"])
    rng = np.random.default_rng(0)
    space = CallableSpace(lambda a, b: float(np.abs(a - b).sum()), list(X))
    D = np.abs(X[:, None] - X).sum(axis=2)
    pairs = random_landmarks(names[y], 4, rng=rng)
    forest = search_forest(
        X, neighbor_similarity(X, 5), 2, 0.05, rng=rng, options=ForestOptions(max_depth=2)
    )
    trees = kmeans_trees(X, 2, rng=rng, branching=3)
    return {
        "BallTree": build_tree(X, leaf_size=8),
        "BoostedDistance": TRAININGS["boosted_distance"](),
        "BoostMap": TRAININGS["boostmap, query-sensitive"](),
        "Candidates": trees.candidates(X[:3], 5),
        "DBoostClassifier": dboost(-D, names[y], 3, rng=rng),
        "Distance": fit_distance("Mah-CD", X, names[y]),
        "FastMapEmbedding": fastmap(space, 2, rng=rng),
        "HashTables": lsh(X, 2, 2, 1.0, rng=rng),
        "Impostors": impostors(X, y, np.full(len(X), 2.0)),
        "KMeansTrees": trees,
        "LMNNResult": TRAININGS["lmnn"](),
        "FTuneTraining": TRAININGS["ftune"].steps()[1][0].result,
        "LandmarkClassifier": ftune(
            -D, names[y], pairs, options=FTuneOptions(bound=20.0, C=1.0, choose="training")
        ),
        "Landmarks": pairs,
        "LipschitzEmbedding": random_singletons(space, 3, rng=rng),
        "MetricMapEmbedding": metricmap(space, 2, rng=rng),
        "NDA": nonparametric_discriminant_analysis(X, y),
        "Neighbors": nearest_neighbors(X[:4], X, 3),
        "Scan": rotated_scan(X[:4], X, 3),
        "SearchForest": forest,
        "Selection": InvertedIndex(forest, X).candidates(X[:3]),
        "SparseMapEmbedding": sparsemap(space, 3, rng=rng),
        "SpectralHashing": spectral_hashing(X, 6),
        "StumpEnsemble": TRAININGS["adaboost"](),
        "TreeEnsemble": TRAININGS["adaboost, trees"](),
    }
