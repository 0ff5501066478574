"""Stored answers through the command: logs of trainings, metrics, neighbours, embeddings, landmarks
and trees, each right, wrong, of another convention, and in files that cannot be used.

Not tested here: the numbers of `embedding` beyond a case by hand.
"""

import json

import numpy as np
import pytest

from refimpl.check import cli
from refimpl.check.subjects import TRAININGS
from refimpl.ftune import algorithm
from refimpl.ftune.similarities import Similarity
from refimpl.kernels import build_tree
from refimpl.lmnn import lmnn


@pytest.fixture
def files(tmp_path):
    """Write arrays; return their paths as text."""

    def write(name, array=None, **arrays):
        path = tmp_path / name
        if arrays:
            np.savez(path, **arrays)
        elif name.endswith(".npy"):
            np.save(path, array)
        else:
            path.write_text(array, encoding="utf-8")
        return str(path)

    return write


def run(capsys, *arguments):
    """Return the exit code and what was said."""
    code = cli.main(list(arguments))
    said = capsys.readouterr()
    return code, said.err if code == 2 else said.out


# ------------------------------------------------------------------------------------------- rounds


@pytest.fixture
def log(files):
    """The log of a training on points of two classes, and the points."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=30) > 0).astype(int)
    states = TRAININGS["adaboost"].run({"P": X[y == 1], "N": X[y == 0], "T": 6})
    names = {"f": "feature", "p": "polarity", "theta": "threshold", "alpha": "alpha"}
    rounds = [{names[part]: float(state[part]) for part in names} for state in states]

    def text(changed=None):
        lines = [dict(round) for round in rounds]
        if changed:
            changed(lines)
        return files("log.jsonl", "\n".join(json.dumps(line) for line in lines))

    return text, files("X.npz", X=X, y=y), X, y


def test_a_right_log_agrees(log, capsys):
    text, data, *_ = log
    assert run(capsys, "rounds", text(), "--data", data)[0] == 0


def another_feature(rounds):
    rounds[2]["feature"] = (rounds[2]["feature"] + 1) % 3


def test_the_first_round_that_differs_is_named(log, capsys):
    text, data, *_ = log
    code, said = run(
        capsys, "rounds", text(lambda r: r[3].update(alpha=r[3]["alpha"] * 2)), "--data", data
    )
    assert code == 1 and "adaboost, BD:A.2:12: wrong" in said and "round 4: alpha" in said
    code, said = run(capsys, "rounds", text(another_feature), "--data", data)
    assert code == 1 and "BD:A.2:8" in said and "round 3" in said


def test_a_threshold_elsewhere_is_another_choice_and_later_rounds_are_followed(log, capsys):
    text, data, X, _ = log

    def moved(lines):
        x = np.sort(X[:, int(lines[0]["feature"])])
        above = x[x > lines[0]["threshold"]].min()
        lines[0]["threshold"] = 0.75 * lines[0]["threshold"] + 0.25 * above
        lines[4]["alpha"] += 1

    code, said = run(capsys, "rounds", text(moved), "--data", data, "--json")
    (difference,) = json.loads(said)["differences"]
    assert difference["kind"] == "wrong" and difference["words"].startswith("round 5: alpha")
    code, said = run(capsys, "rounds", text(lambda r: moved(r) or r.__delitem__(slice(4, 6))),
                     "--data", data)  # fmt: skip
    assert code == 1 and "another choice of equal worth" in said and "round 1" in said


def test_logs_that_cannot_be_used(log, files, capsys):
    text, data, *_ = log

    def refused(log, data, *more):
        code, said = run(capsys, "rounds", log, "--data", data, *more)
        assert code == 2
        return said

    assert "must be JSON" in refused(files("a.jsonl", "{"), data)
    assert "must have f, p, theta" in refused(files("b.jsonl", '{"f": 0}'), data)
    assert "has no rounds" in refused(files("c.jsonl", "\n"), data)
    assert "cannot read" in refused("/no/such/log", data)
    assert "has Z; Algorithm A.2 takes P and N, or X and y" in refused(
        text(), files("d.npz", Z=np.ones(3))
    )
    assert "must be an .npz file" in refused(text(), files("e.npz", "text"))
    assert "--algorithm must be one of A.1, A.2" in refused(text(), data, "--algorithm", "B.7")
    bad = files("f.npz", X=np.full((4, 2), np.nan), y=np.arange(4))
    assert "X must be finite" in refused(text(), bad)


def test_the_rounds_of_each_class(files, capsys):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    states = TRAININGS["boosted_distance"].run({"Omega": X, "l": y, "T": 3})
    lines = [
        json.dumps({name: float(state[name]) for name in ("C", "f", "p", "theta", "alpha")})
        for state in states
    ]
    data = files("X.npz", X=X, y=y)
    path = files("log.jsonl", "\n".join(lines))
    assert run(capsys, "rounds", path, "--data", data, "--algorithm", "A.1")[0] == 0
    path = files("one.jsonl", "\n".join(lines[:3]))
    code, said = run(capsys, "rounds", path, "--data", data, "--algorithm", "A.1")
    assert code == 2 and "has no round of the class 1" in said


# ------------------------------------------------------------------------------------------- metric


@pytest.fixture(scope="module")
def learnt():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 3))
    y = np.arange(40) % 2
    X[:, 0] += 1.5 * y
    return X, y, lmnn(X, y, 2, 1.0).L[0], lmnn(X, y, 2, 4.0).L[0]


def metric(capsys, files, learnt, L, *more):
    data = files("X.npz", X=learnt[0], y=learnt[1])
    code, said = run(capsys, "metric", files("L.npy", L), "--data", data, "--k", "2", *more)
    return code, said


def test_the_optimum_agrees_and_eq_3_is_that_of_the_reference(learnt, files, capsys):
    X, y, L, _ = learnt
    code, said = metric(capsys, files, learnt, L, "--json")
    facts = json.loads(said)["facts"]
    assert code == 0
    assert facts["eq. 3"] == pytest.approx(lmnn(X, y, 2, 1.0).objective, rel=1e-9)
    assert facts["no metric is below"] <= facts["eq. 3"] * (1 + 1e-9)
    assert metric(capsys, files, learnt, L.T @ L, "--squared")[0] == 0


def test_other_conventions_are_named(learnt, files, capsys):
    code, said = metric(capsys, files, learnt, 0.5 * learnt[2], "--accept", "choices,ties")
    assert code == 1 and "lmnn, LM:eq3: wrong" in said
    assert "a margin of 0.25" in said
    code, said = metric(capsys, files, learnt, learnt[3])
    assert code == 1 and "lmnn, LM:eq3: wrong" in said
    assert "optimal for mu = 4, metric-learn's regularization 0.2" in said
    code, said = metric(capsys, files, learnt, np.diag([1.0, 3.0, 9.0]))
    assert code == 1 and "lmnn, LM:eq3: wrong" in said and "slack of i = " in said


def test_a_matrix_that_is_optimal_as_m_wants_squared(learnt, files, capsys):
    L = learnt[2]
    code, said = metric(capsys, files, learnt, L.T @ L)
    assert code == 1 and "as M the matrix is optimal: --squared?" in said and "margin" not in said
    assert "--squared" not in metric(capsys, files, learnt, np.diag([1.0, 3.0, 9.0]))[1]


def test_metrics_that_cannot_be_used(learnt, files, capsys):
    def refused(L, *more):
        code, said = metric(capsys, files, learnt, L, *more)
        assert code == 2
        return said

    assert "must be of shape (r, 3)" in refused(np.eye(4))
    assert "positive semidefinite" in refused(np.diag([1.0, 1.0, -1.0]), "--squared")
    assert "must be symmetric" in refused(np.triu(np.ones((3, 3))), "--squared")
    assert "must be finite" in refused(np.full((3, 3), np.nan))
    assert "must have 2 dimensions" in refused(np.ones(3))
    assert "the smallest class, 20; got 20" in refused(np.eye(3), "--k", "20")
    assert "--mu must be a number above 0" in refused(np.eye(3), "--mu", "0")


# ------------------------------------------------------------------------------ neighbours and more


def test_neighbours(files, capsys):
    X, Q = np.array([[0.0], [1.0], [1.0], [4.0]]), np.array([[0.0], [1.0]])
    data = files("X.npz", X=X, Q=Q)

    def check(rows):
        return run(capsys, "neighbors", files("I.npy", np.array(rows)), "--data", data, "--json")

    assert check([[0, 1], [1, 2]])[0] == 0
    kinds = [d["kind"] for d in json.loads(check([[0, 2], [2, 1]])[1])["differences"]]
    assert kinds == ["a tie broken otherwise"]
    code, said = check([[0, 0], [1, -1]])
    facts = json.loads(said)["facts"]
    assert code == 1 and json.loads(said)["differences"][0]["kind"] == "wrong"
    assert (facts["duplicates"], facts["-1 as padding"], facts["short rows"]) == (1, 1, 1)
    assert facts["true neighbours found"] == 2 and facts["share"] == 0.5
    truth = files("T.npy", np.array([[0, 1], [1, 2]]))
    path = files("J.npy", np.array([[1, 0], [1, 2]]))
    for accept in ("ties", "choices,last-bits"):
        code, said = run(capsys, "neighbors", path, "--truth", truth, "--accept", accept)
        assert code == 1 and "another choice; what follows it was not compared" in said
    assert (
        "name --truth or --data, not both"
        in run(capsys, "neighbors", path, "--truth", truth, "--data", data)[1]
    )
    assert (
        "of at least 2 neighbours"
        in run(capsys, "neighbors", path, "--truth", files("S.npy", np.array([[0], [1]])))[1]
    )
    assert "--truth, or X and Q with --data" in run(capsys, "neighbors", path)[1]
    assert run(capsys, "neighbors", files("F.npy", np.ones((2, 2))), "--truth", truth)[0] == 2


def test_the_cost_is_said_beforehand_and_what_does_not_fit_is_refused(
    log, files, capsys, monkeypatch
):
    truth = files("T.npy", np.array([[0, 1]]))
    rounds = ["rounds", log[0](), "--data", log[1]]
    neighbors = ["neighbors", truth, "--truth", truth]
    for command, what in (
        (rounds, "6 rounds on 30 rows of 3 numbers: about 1 s, 1 MiB"),
        (neighbors, "1 row of 2 neighbours: about 1 s, 1 MiB"),
    ):
        assert cli.main(command) == 0
        assert what in capsys.readouterr().err

    def full(bytes, what, fewer):
        raise MemoryError(f"{what} need more than is free; take fewer {fewer}")

    monkeypatch.setattr("refimpl.check.reading.check_free_memory", full)
    assert "take fewer points or rounds" in run(capsys, *rounds)[1]
    assert "take fewer rows" in run(capsys, *neighbors)[1]


def test_an_embedding_by_hand(files, capsys):
    """Objects on a line, kept as they are: every first neighbour has rank 1."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    data = files("X.npz", X=X)
    code, said = run(capsys, "embedding", files("F.npy", 2 * X), "--data", data, "--json")
    facts = json.loads(said)["facts"]
    assert code == 0 and facts["L1: median rank, k = 1"] == 1
    assert facts["L1: stress"] == pytest.approx(0, abs=1e-12)
    code, said = run(capsys, "embedding", files("G.npy", 0 * X), "--data", data)
    assert (
        code == 0
        and "pairs of different objects that are mapped to one place: 6, as 0 and 1" in said
    )
    assert run(capsys, "embedding", files("H.npy", X[:3]), "--data", data)[0] == 2


def test_landmarks(files, capsys):
    rng = np.random.default_rng(8)
    K = rng.integers(-3, 4, (8, 8)) / 4
    data = files("K.npz", K=K)
    L = algorithm.diverse(Similarity(K), np.arange(8), 5, np.random.default_rng(0))

    def check(landmarks):
        path = files("L.npy", np.array(landmarks))
        return run(capsys, "landmarks", path, "--data", data)

    assert check(L)[0] == 0
    code, said = check([*L[:2], L[1]])
    assert code == 1 and "landmark 3" in said and "FT-1" in said
    sums = K[:, L[:2]].sum(axis=1)
    left = [i for i in range(8) if i not in L[:2]]
    worst = max(left, key=lambda i: sums[i])
    code, said = check([*L[:2], worst])
    assert code == 1 and "dselect, FT:1:3: wrong" in said
    assert check([9])[0] == 2 and check(L.tolist())[0] == 0


def test_landmarks_of_equal_worth_are_near_in_their_own_sums(files, capsys):
    """A large similarity elsewhere, here of an object to itself, makes no two sums equal."""
    K = np.array([[1e13, 0.5, 1.0, 2.0], [0.5, 0, 0, 0], [1.0, 0, 0, 0], [2.0, 0, 0, 0]])

    def check(K, *landmarks):
        arguments = (files("L.npy", np.array(landmarks)), "--data", files("K.npz", K=K))
        return run(capsys, "landmarks", *arguments, "--accept", "choices,ties")

    assert check(K, 0, 1)[0] == 0
    code, said = check(K, 0, 2)
    assert code == 1 and "dselect, FT:1:3: wrong" in said
    K[2, 0] = np.nextafter(0.5, 1)
    assert check(K, 0, 2)[0] == 0
    K = np.zeros((5, 5))  # after 0, 1, 2: the sums of 3 and 4 are 0 up to rounding, and 0
    K[1, 0] = K[2, :2] = -1.0
    K[3, :3], K[4, :3] = [0.1, 0.2, -0.3], 0.0
    assert check(K, 0, 2, 1, 3)[0] == 0


@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200])
def test_a_tree_of_points_of_any_size(files, capsys, unit):
    """The points 0, 1, 2, 3 times a unit whose square is no float; a warning is an error here."""
    tree = {"order": [0, 1, 2, 3], "starts": [0, 0, 2], "ends": [4, 2, 4]}
    tree["centres"] = unit * np.array([[1.5], [0.5], [2.5]])
    data = files("X.npz", X=unit * np.arange(4.0)[:, np.newaxis])

    def check(*radii):
        path = files("tree.npz", **tree, radii=unit * np.array(radii))
        return run(capsys, "tree", path, "--data", data)

    assert check(1.5, 0.5, 0.5)[0] == 0
    code, said = check(1.5, 0.5, 0.4)
    assert code == 1 and "node 2: the ball of radius" in said and "at inf" not in said


def test_a_tree_divided_at_the_mean(files, capsys):
    """The mean of 0, 1, 2, 9 is 3: three points and one."""
    tree = files("tree.npz", order=[0, 1, 2, 3], starts=[0, 0, 3], ends=[4, 3, 4])
    X = files("X.npz", X=np.array([[0.0], [1], [2], [9]]))
    code, said = run(capsys, "tree", tree, "--data", X)
    assert code == 0 and "not divided at the median: 1" in said


def test_a_tree_with_empty_leaves(files, capsys):
    """One point, three nodes: the second leaf has none, and no mean."""
    tree = files("tree.npz", order=[0], starts=[0, 0, 1], ends=[1, 1, 1])
    assert run(capsys, "tree", tree, "--data", files("X.npz", X=np.ones((1, 2))))[0] == 0


def test_a_tree(files, capsys):
    X = np.random.default_rng(9).normal(size=(11, 2))
    tree = build_tree(X, leaf_size=3)
    names = ("order", "starts", "ends", "centres", "radii")
    arrays = {name: getattr(tree, name) for name in names}
    data = files("X.npz", X=X)

    def check(**changes):
        path = files("tree.npz", **{**arrays, **changes})
        return run(capsys, "tree", path, "--data", data)

    assert check()[0] == 0
    code, said = check(radii=0.9 * tree.radii)
    assert code == 1 and "tree, LM:4.1:3: wrong" in said and "misses a point" in said
    code, said = check(order=np.roll(tree.order, 5), radii=tree.radii + 9)
    assert code == 0  # another division in halves, with balls that hold it
    code, said = check(order=np.zeros(11, dtype=int))
    assert code == 1 and "LM:4.1:2" in said
    ends = tree.ends.copy()
    ends[1] -= 2
    assert "must divide its points" in check(ends=ends)[1]
    assert check(starts=tree.starts[:2])[0] == 2
