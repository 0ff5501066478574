"""At every scale of the columns, 1e-300 to 1e300: the right answer, or an error that says so."""

import re
import warnings

import numpy as np
import pytest

import refimpl.boosted_distance as bd
import refimpl.boostmap as bm
import refimpl.lmnn as lm
import refimpl.search_forest as sf
from refimpl import ball_trees, estimators, spaces
from refimpl.boosted_distance import algorithm as bd_print
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lipschitz import random_singletons
from refimpl.rivals.lsh import lsh
from refimpl.rivals.metricmap import metricmap
from refimpl.rivals.nda import nonparametric_discriminant_analysis
from refimpl.rivals.nearest_neighbor import fit_distance, nearest_neighbor
from refimpl.rivals.rotated_scan import rotated_scan
from refimpl.rivals.sparsemap import sparsemap
from refimpl.rivals.spectral_hashing import spectral_hashing

RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 3))
Q = RNG.normal(size=(12, 3))
y = np.arange(48) % 2
X[:, 0] += 2 * y
SCALES = [2.0**e for e in (-995, -900, -664, -540, -500, -300, 300, 460, 470, 540, 700, 995)]
REFUSED = re.compile(
    "scale|Scale|within|hold values|lie between|spread|varies|summed|min_eigenvalue"
)


def seed():
    return np.random.default_rng(3)


def nearest(name):
    return lambda X, Q: nearest_neighbor(fit_distance(name, X, y), Q, X, y)


def by_estimator(name, **options):
    def run(X, Q):
        model = getattr(estimators, name)(**options).fit(X, y)
        if hasattr(model, "predict"):
            return model.predict(Q)
        if hasattr(model, "kneighbors"):
            return model.kneighbors(Q)[1]
        return ball_trees.nearest_neighbors(model.transform(Q), model.transform(X), 3).indices

    return run


def landmark_features(X, Q):
    model = estimators.LandmarkTransformer(n_components=5, random_state=0).fit(X, y)
    return model.transform(Q).round(9)


def boosted(X, Q):
    return bd.nearest_neighbor_boosted_distance(bd.boosted_distance(X, y, 4), Q, X, y)


def printed(X, Q):
    model = bd_print.boosted_distance(X, y, 3)
    return bd_print.nearest_neighbor_boosted_distance(Q, model, X, y)


def distances(X):
    return np.abs(X[:, np.newaxis] - X).sum(axis=2)


def trained_boostmap(X, Q):
    D = distances(X)
    triples = bm.random_triples(D, 99, rng=seed())
    options = bm.BoostMapOptions(query_sensitive=4)
    model = bm.boostmap(bm.CandidateDistances(D, D), triples, 12, rng=seed(), options=options)
    return np.argsort(model.embed(spaces.PrecomputedSpace(D)), axis=0, kind="stable")


def forest(X, Q):
    return sf.to_terms(sf.search_forest(X, sf.label_similarity(y), 2, 0.2, rng=seed()), Q)


def embedded(train, what):
    """The digits of the coordinates, or of the distances between them, whatever the unit."""

    def run(X, Q):
        space = spaces.PrecomputedSpace(distances(X))
        embedding = train(space)
        F = embedding.embed(space)
        return np.frexp(F if what == "embed" else embedding.pairwise(F, F))[0]

    return run


SAME_IN_EVERY_UNIT = {
    "boosted_distance": boosted,
    "printed boosted_distance": printed,
    "adaboost_classifier": lambda X, Q: adaboost_classifier(X, y, 4).predict(Q),
    "boostmap": trained_boostmap,
    "search_forest": forest,
    "neighbor_similarity": lambda X, Q: sf.neighbor_similarity(X, 3).toarray(),
    "lmnn": lambda X, Q: lm.classify(lm.lmnn(X, y, 3, 1.0), Q, X, y, 3),
    "lmnn_rect": lambda X, Q: lm.classify(lm.lmnn_rect(X, y, 2, 3, 1.0), Q, X, y, 3),
    "lmnn_svd": lambda X, Q: np.frexp(lm.lmnn_svd(X, 2))[0],
    "target_neighbors": lambda X, Q: lm.target_neighbors(X, y, 3),
    "kmeans_partition": lambda X, Q: lm.kmeans_partition(X, 3, rng=seed()),
    "metric_neighbors": lambda X, Q: lm.metric_neighbors(np.eye(3), Q, X, 3)[1],
    "nearest_neighbors": lambda X, Q: ball_trees.nearest_neighbors(Q, X, 3).indices,
    "nearest_neighbors tree":
        lambda X, Q: ball_trees.nearest_neighbors(Q, X, 3, method="tree").indices,
    "fastmap": lambda X, Q: fastmap(spaces.PrecomputedSpace(distances(X)), 2, rng=seed()).pivots,
    "metricmap":
        lambda X, Q: metricmap(spaces.PrecomputedSpace(distances(X)), 2, rng=seed()).references,
    "sparsemap": embedded(lambda space: sparsemap(space, 2, rng=seed()), "embed"),
    "resampled sparsemap": embedded(lambda space: sparsemap(space, 2, rng=seed(), d=4), "embed"),
    "lipschitz": embedded(lambda space: random_singletons(space, 4, rng=seed()), "pairwise"),
    "nda":
        lambda X, Q: np.sign(nonparametric_discriminant_analysis(X, y).transform(Q).round(9)),
    "RCA": nearest("RCA"),
    "Mah-C": nearest("Mah-C"),
    "RCA-D": nearest("RCA-D"),
    "L2": nearest("L2"),
    "L1": nearest("L1"),
    "kmeans_trees":
        lambda X, Q: kmeans_trees(X, 2, branching=3, leaf_size=4, rng=seed()).members,
    "lsh": lambda X, Q: lsh(X, 2, 2, 4 * np.ptp(X[:, 0]), rng=seed()).members,
    "rotated_scan": lambda X, Q: rotated_scan(Q, X, 3).indices,
    "spectral_hashing": lambda X, Q: spectral_hashing(X, 6).encode(Q),
    "BoostedDistanceClassifier": by_estimator("BoostedDistanceClassifier", n_estimators=4),
    "BoostMapClassifier": by_estimator("BoostMapClassifier", n_components=3, random_state=0),
    "FTuneClassifier": by_estimator("FTuneClassifier", random_state=0),
    "LandmarkTransformer": landmark_features,
    "LMNN": by_estimator("LMNN"),
    "MultiMetricLMNN": by_estimator("MultiMetricLMNN", random_state=0),
    "SearchForestNeighbors":
        by_estimator("SearchForestNeighbors", n_neighbors=3, random_state=0),
}  # fmt: skip
AT_EVERY_SCALE = {
    "boosted_distance",
    "printed boosted_distance",
    "adaboost_classifier",
    "BoostedDistanceClassifier",
    "RCA",
    "L1",
    "lmnn_svd",
    "lipschitz",
}


def answered(run, X, Q):
    """The answer, or None after an error that says what to do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run(X, Q)
        except ValueError as error:
            assert REFUSED.search(str(error)), error
            return None


@pytest.mark.parametrize("name", SAME_IN_EVERY_UNIT)
def test_another_unit_gives_the_same_answer_or_an_error(name):
    run = SAME_IN_EVERY_UNIT[name]
    want = answered(run, X, Q)
    assert want is not None
    answers = {scale: answered(run, X * scale, Q * scale) for scale in SCALES}
    for scale, answer in answers.items():
        assert answer is None or np.array_equal(answer, want), scale
    refused = [scale for scale, answer in answers.items() if answer is None]
    assert not refused or name not in AT_EVERY_SCALE
    assert 2.0**300 not in refused


@pytest.mark.parametrize("name", ["nearest_neighbors", "search_forest", "FTuneClassifier", "L2"])
@pytest.mark.parametrize("scale", [2.0**-995, 2.0**-700, 2.0**-540])
def test_a_tiny_column_beside_others_counts_as_a_constant(name, scale):
    run = SAME_IN_EVERY_UNIT[name]
    columns = np.array([1.0, scale, 1.0])
    flat = np.array([1.0, 0.0, 1.0])
    assert np.array_equal(run(X * columns, Q * columns), run(X * flat, Q * flat))


def test_the_error_names_the_argument_and_what_to_do():
    with pytest.raises(ValueError, match=r"X must have a column that varies by 1e-140.*Scale the"):
        ball_trees.nearest_neighbors(Q * 1e-200, X * 1e-200, 1)
    with pytest.raises(ValueError, match=r"X must have a column that varies by 1e-140"):
        estimators.FTuneClassifier().fit(X * 1e-200, y)
    with pytest.raises(ValueError, match=r"space must have distances within 1e-140"):
        fastmap(spaces.PrecomputedSpace(distances(X) * 1e-200), 2, rng=seed())


def test_equal_points_are_allowed():
    assert ball_trees.nearest_neighbors([[0.0]], np.zeros((3, 1)), 1).indices.tolist() == [[0]]


@pytest.mark.parametrize(
    "search",
    [
        lambda L, X, y: lm.classify(L, X[:3], X, y, 3),
        lambda L, X, y: ball_trees.nearest_neighbors(X[:3], X, 2, L),
        lambda L, X, y: ball_trees.impostors(X, y, np.ones(len(X)), L),
        lambda L, X, y: rotated_scan(X[:3], X, 2, L),
    ],
    ids=["classify", "nearest_neighbors", "impostors", "rotated_scan"],
)
def test_a_factor_under_which_distances_vanish_is_refused(search):
    """All points would be equally near, and the first of them the nearest."""
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 2
    with pytest.raises(ValueError, match=r"^L x must have a column that varies by 1e-140 or more"):
        search(1e-200 * np.eye(2), X, y)
    search(np.zeros((2, 2)), X, y)  # a metric of rank 0
