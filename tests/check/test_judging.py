"""Judgements of small answers, which no faulty kernel of the other tests meets: leaves by other
names, thresholds of another cut, and what is refused before anything is judged.

Not tested here: whole reports (test_answers.py), vectors (test_kernels.py, test_trainings.py).
"""

import subprocess
import sys

import numpy as np
import pytest

from refimpl.check import answers, files, judging, programs
from refimpl.check.files import UnusableError
from refimpl.check.subject import AGREES, EQUAL_WORTH, WRONG
from refimpl.check.subjects import KERNELS, TRAININGS
from refimpl.check.subjects import search_forest as trainings


def test_leaves_by_other_names_are_the_same_tree():
    """Committed leaves carry the number of their first point."""
    arguments = {"S": np.arange(16.0).reshape(4, 4) ** 2, "lam": 1.0}
    want = {"leaf": np.array([0, 0, 2, 2]), "T": np.zeros((4, 4))}
    want["J"] = trainings.worth(want["leaf"], arguments, want["T"])
    renamed, moved = {"leaf": np.array([7, 7, 2, 2])}, {"leaf": np.array([0, 1, 0, 1])}
    assert trainings.same_leaves(arguments, want, renamed) == AGREES
    assert trainings.same_leaves(arguments, want, moved) == WRONG


def test_a_cut_is_the_sum_of_the_weights_that_cross():
    """Three points on a line; each pair of neighbours weighs 1, the pair of the ends -3."""
    arguments = {
        "A": np.array([[0.0], [1.0], [2.0]]),
        "first": np.array([0, 1, 0]),
        "second": np.array([1, 2, 2]),
        "v": np.array([1.0, 1.0, -3.0]),
        "base": 0.0,
    }
    want = {"threshold": np.array([0.5]), "crossing": np.array([-2.0])}
    verdicts = [
        KERNELS["best_thresholds"].judge(arguments, want, {"threshold": np.array([at])})
        for at in (0.5, 0.7, 2.5)
    ]
    assert verdicts[:2] == [EQUAL_WORTH, EQUAL_WORTH] and verdicts[2] == WRONG


def test_candidates_are_named_once():
    """One query, one tree, two items of the same score."""
    arguments = {
        "words": np.array([[0]]),
        "starts": np.array([0, 2]),
        "items": np.array([0, 1]),
        "c": np.array([1.0]),
        "alive": np.array([True, True]),
    }
    want = {"offsets": np.array([0, 2]), "rows": np.array([0, 1])}
    verdicts = [
        KERNELS["gather_candidates"].judge(arguments, want, {"offsets": [0, 2], "rows": rows})
        for rows in ([0, 1], [1, 0], [0, 0])
    ]
    assert WRONG not in verdicts[:2] and verdicts[2] == WRONG


@pytest.mark.parametrize(
    "stump, verdict",
    [
        ({"f": 0, "p": 1, "theta": 0.5}, EQUAL_WORTH),
        ({"f": 2, "p": 1, "theta": 0.5}, WRONG),
        ({"f": -1, "p": 1, "theta": 0.5}, WRONG),
        ({"f": 0, "p": 2, "theta": 0.5}, WRONG),
        ({"f": 0, "p": 1, "theta": np.nan}, WRONG),
    ],
)
def test_a_stump_has_a_feature_a_polarity_and_a_threshold(stump, verdict):
    arguments = {
        "A": np.array([[0.0, 0.0], [1.0, 0.0]]),
        "B": None,
        "w": np.array([0.5, 0.5]),
        "l": np.array([True, False]),
    }
    want = {"f": 0, "p": 1, "theta": 0.25}
    assert judging.stump(arguments, want, stump) == verdict


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (0, 0)])
def test_landmarks_need_a_square_matrix(tmp_path, shape):
    np.save(tmp_path / "L.npy", np.array([0]))
    np.savez(tmp_path / "data.npz", K=np.zeros(shape))
    with pytest.raises(UnusableError, match="K, a square matrix; got shape"):
        answers.check_landmarks(str(tmp_path / "L.npy"), str(tmp_path / "data.npz"))


def test_a_training_without_its_arguments_cannot_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "load", lambda *_: {"cases": [{"id": "mine/0", "expected": []}]})
    with pytest.raises(UnusableError, match="mine/0 cannot be read"):
        files.decoded_cases(tmp_path, TRAININGS["dselect"])


def test_a_program_that_has_ended_is_told_by_its_output_alone():
    process = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)
    process.stdin.close()
    programs.send(process, b"{}\n")
    assert process.wait() == 0


def test_a_ball_tree_says_how_much_memory_it_takes(monkeypatch, tmp_path):
    said = []
    monkeypatch.setattr(answers, "announce", lambda *words: said.append(words))
    X = np.array([[0.0, 1.0], [2.0, 3.0]])
    np.savez(tmp_path / "tree.npz", order=[0, 1], starts=[0], ends=[2])
    np.savez(tmp_path / "data.npz", X=X)
    answers.check_tree(str(tmp_path / "tree.npz"), str(tmp_path / "data.npz"))
    assert said == [("1 balls of 2 points", 6 * 1 * 4, 3 * 32, "points")]
