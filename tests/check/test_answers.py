"""Stored answers through the command: metrics, neighbours, embeddings, landmarks and trees, each
right, wrong, or of another convention.

Not tested here: logs (test_logs.py), files that cannot be used (test_refusals.py), the numbers of
`embedding` beyond a case by hand.
"""

import json

import numpy as np
import pytest

from refimpl.check import cli
from refimpl.ftune import algorithm
from refimpl.ftune.similarities import Similarity
from refimpl.kernels import build_tree
from refimpl.lmnn import lmnn

# ------------------------------------------------------------------------------------------- metric


@pytest.fixture(scope="module")
def learnt():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 3))
    y = np.arange(40) % 2
    X[:, 0] += 1.5 * y
    return X, y, lmnn(X, y, 2, 1.0).L[0], lmnn(X, y, 2, 4.0).L[0]


@pytest.fixture
def metric(check, learnt):
    """Judge a metric on the points of `learnt`."""
    X, y, *_ = learnt
    words = "metric a.npy --data data.npz --k 2"
    return lambda L, *more: check(words, *more, array=L, X=X, y=y)


def test_the_optimum_agrees_and_eq_3_is_that_of_the_reference(learnt, metric):
    X, y, L, _ = learnt
    code, said = metric(L, "--json")
    facts = json.loads(said)["facts"]
    assert code == 0
    assert facts["eq. 3"] == pytest.approx(lmnn(X, y, 2, 1.0).objective, rel=1e-9)
    assert facts["no metric is below"] <= facts["eq. 3"] * (1 + 1e-9)
    assert metric(L.T @ L, "--squared")[0] == 0


def test_other_conventions_are_named(learnt, metric):
    _, _, L, other = learnt
    for given, words in (
        (0.5 * L, "a margin of 0.25"),
        (other, "optimal for mu = 4, metric-learn's regularization 0.2"),
        (np.diag([1.0, 3.0, 9.0]), "slack of i = "),
        (L.T @ L, "as M the matrix is optimal: --squared?"),
    ):
        code, said = metric(given, "--accept", "choices,ties")
        assert code == 1 and "lmnn, LM:eq3: wrong" in said and words in said
    assert "margin" not in said
    assert "--squared" not in metric(np.diag([1.0, 3.0, 9.0]))[1]


# ------------------------------------------------------------------------------ neighbours and more


def test_neighbours(check):
    X, Q = np.array([[0.0], [1.0], [4.0], [1.0]]), np.array([[0.0], [1.0]])

    def neighbors(rows):
        code, said = check("neighbors a.npy --data data.npz --json", array=np.array(rows), X=X, Q=Q)
        return code, json.loads(said)

    assert neighbors([[0, 1], [1, 3]])[0] == 0
    for rows, kind in (([[0, 3], [3, 1]], "a tie broken otherwise"), ([[0, -1], [1, 3]], "wrong")):
        assert [one["kind"] for one in neighbors(rows)[1]["differences"]] == [kind]
    code, report = neighbors([[0, 0], [1, -1]])
    facts = report["facts"]
    assert code == 1 and report["differences"][0]["kind"] == "wrong"
    assert (facts["duplicates"], facts["-1 as padding"], facts["short rows"]) == (1, 1, 1)
    assert facts["true neighbours found"] == 2 and facts["share"] == 0.5


def test_neighbours_by_the_true_ones_alone(check):
    np.save("T.npy", np.array([[0, 1], [1, 2]]))
    swapped = np.array([[1, 0], [1, 2]])
    for accept in ("ties", "choices,last-bits"):
        code, said = check("neighbors a.npy --truth T.npy --accept", accept, array=swapped)
        assert code == 1 and "another choice; what follows it was not compared" in said
    np.save("S.npy", np.array([[0], [1]]))
    assert "of at least 2 neighbours" in check("neighbors a.npy --truth S.npy")[1]
    assert check("neighbors a.npy --truth T.npy", array=np.ones((2, 2)) / 2)[0] == 2


def test_the_cost_is_said_beforehand_and_what_does_not_fit_is_refused(check, capsys, monkeypatch):
    rounds, neighbors = "rounds log.jsonl --data data.npz", "neighbors a.npy --truth a.npy"
    log = [{"f": 0, "p": 1, "theta": 0.5}] * 6
    tree = {"order": np.arange(800), "starts": [0], "ends": [800]}
    data = {"P": np.ones((10, 3)), "N": np.zeros((20, 3)), "X": np.ones((800, 300))}
    check(rounds, log=log, array=np.array([[0, 1]]), tree=tree, **data)
    for words, what in (
        (rounds, "6 rounds on 30 rows of 3 numbers: about 1 s, 1 MiB"),
        (neighbors, "1 row of 2 neighbours: about 1 s, 1 MiB"),
        ("tree tree.npz --data data.npz", "1 balls of 800 points: about 1 s, 5 MiB"),
    ):
        cli.main(words.split())
        assert what in capsys.readouterr().err

    def full(bytes, what, fewer):
        raise MemoryError(f"{what} need more than is free; take fewer {fewer}")

    monkeypatch.setattr("refimpl.check.reading.check_free_memory", full)
    assert "take fewer points or rounds" in check(rounds)[1]
    assert "take fewer rows" in check(neighbors)[1]


def test_an_embedding_by_hand(check):
    """Objects on a line, kept as they are: every first neighbour has rank 1."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    code, said = check("embedding a.npy --data data.npz --json", array=2 * X, X=X)
    facts = json.loads(said)["facts"]
    assert code == 0 and facts["L1: median rank, k = 1"] == 1
    assert facts["L1: stress"] == pytest.approx(0, abs=1e-12)
    code, said = check("embedding a.npy --data data.npz", array=0 * X)
    words = "pairs of different objects that are mapped to one place: 6, as 0 and 1"
    assert code == 0 and words in said


@pytest.fixture
def landmarks(check):
    """Judge landmarks on similarities."""
    words = "landmarks a.npy --data data.npz"
    return lambda K, L, *more: check(words, *more, array=np.array(L), K=K)


def test_landmarks(landmarks):
    K = np.random.default_rng(8).integers(-3, 4, (8, 8)) / 4
    L = algorithm.diverse(Similarity(K), np.arange(8), 5, np.random.default_rng(0)).tolist()
    assert landmarks(K, L)[0] == 0
    code, said = landmarks(K, [*L[:2], L[1]])
    assert code == 1 and "landmark 3" in said and "FT-1" in said
    sums = K[:, L[:2]].sum(axis=1)
    worst = max((i for i in range(8) if i not in L[:2]), key=lambda i: sums[i])
    code, said = landmarks(K, [*L[:2], worst])
    assert code == 1 and "dselect, FT:1:3: wrong" in said


def test_landmarks_of_equal_worth_are_near_in_their_own_sums(landmarks):
    """A large similarity elsewhere, here of an object to itself, makes no two sums equal."""
    accept = ("--accept", "choices,ties")
    K = np.array([[1e17, 0.5, 1.0, 2.0], [0.5, 0, 0, 0], [1.0, 0, 0, 0], [2.0, 0, 0, 0]])
    assert landmarks(K, [0, 1], *accept)[0] == 0
    code, said = landmarks(K, [0, 2], *accept)
    assert code == 1 and "dselect, FT:1:3: wrong" in said
    K[2, 0] = np.nextafter(0.5, 1)
    assert landmarks(K, [0, 2], *accept)[0] == 0
    K = np.zeros((5, 5))  # after 0, 1, 2: the sums of 3 and 4 are 0 up to rounding, and 0
    K[1, 0] = K[2, :2] = -1.0
    K[3, :3], K[4, :3] = [0.1, 0.2, -0.3], 0.0
    assert landmarks(K, [0, 2, 1, 3], *accept)[0] == 0
    K = 2.0**-60 * np.array([[0.0, 1, 2], [1, 0, 0], [2, 0, 0]])  # near beside 1, and not beside it
    assert landmarks(K, [0, 2], *accept)[0] == 1


@pytest.fixture
def tree(check):
    """Judge a ball tree on points."""
    return lambda X, **tree: check("tree tree.npz --data data.npz", tree=tree, X=X)


@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200])
def test_a_tree_of_points_of_any_size(tree, unit):
    """The points 0, 1, 2, 3 times a unit whose square is no float; a warning is an error here."""
    given = {"order": [0, 1, 2, 3], "starts": [0, 0, 2], "ends": [4, 2, 4]}
    given["centres"] = unit * np.array([[1.5], [0.5], [2.5]])
    X = unit * np.arange(4.0)[:, np.newaxis]
    assert tree(X, **given, radii=unit * np.array([1.5, 0.5, 0.5]))[0] == 0
    code, said = tree(X, **given, radii=unit * np.array([1.5, 0.5, 0.4]))
    assert code == 1 and "node 2: the ball of radius" in said and "at inf" not in said


def test_a_tree_divided_at_the_mean_and_one_with_empty_leaves(tree):
    """The mean of 0, 1, 2, 9 is 3: three points and one. The leaf of no point has no mean."""
    X = np.array([[0.0], [1], [2], [9]])
    code, said = tree(X, order=[0, 1, 2, 3], starts=[0, 0, 3], ends=[4, 3, 4])
    assert code == 0 and "not divided at the median: 1" in said
    assert tree(np.ones((1, 2)), order=[0], starts=[0, 0, 1], ends=[1, 1, 1])[0] == 0


def test_a_tree(tree):
    X = np.random.default_rng(9).normal(size=(11, 2))
    built = build_tree(X, leaf_size=3)
    names = ("order", "starts", "ends", "centres", "radii")
    arrays = {name: getattr(built, name) for name in names}
    assert tree(X, **arrays)[0] == 0
    moved = {"order": np.roll(built.order, 5), "radii": built.radii + 9}
    assert tree(X, **{**arrays, **moved})[0] == 0  # another division in halves, with larger balls
    ends = built.ends.copy()
    ends[1] -= 2
    for change, words in (
        ({"radii": 0.9 * built.radii}, "tree, LM:4.1:3: wrong"),
        ({"radii": 0.9 * built.radii}, "misses a point"),
        ({"order": np.zeros(11, dtype=int)}, "tree, LM:4.1:2: wrong"),
        ({"order": built.order[:5]}, "order must hold each of 11 points once"),
        ({"ends": ends}, "must divide its points"),
    ):
        code, said = tree(X, **{**arrays, **change})
        assert code == 1 and words in said
