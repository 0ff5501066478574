"""What callbacks get, and the two that come with the library."""

import copy
import io
import os
import pickle

import numpy as np
import pytest

import refimpl
from refimpl.ball_trees import Neighbors
from refimpl.progress import Checkpoint, Progress, Step


def neighbors(number):
    """A small result that tells steps apart."""
    squares = np.full((1, 1), float(number))
    return Neighbors(squares, np.zeros((1, 1), dtype=np.int64), np.ones(1, dtype=np.int64), "scan")


class Training:
    """A stand-in for a training: steps whose results it makes when they are asked for."""

    def __init__(self, total=5, label=None):
        self.total = total
        self.label = label
        self.made = []

    def step(self, number):
        def make_result():
            self.made.append(number)
            return neighbors(number)

        return Step(number, self.total, None, self.label, make_result=make_result)

    def run(self, callback):
        """Return the last step's number."""
        for number in range(1, self.total + 1):
            if callback(self.step(number)) is True:
                return number
        return self.total


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr("refimpl.progress.time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


# --------------------------------------------------------------------------------------------- Step


def test_a_step_makes_its_result_only_when_asked():
    training = Training()
    step = training.step(3)
    assert training.made == [] and "make_result" not in repr(step)
    assert step.result == neighbors(3) and training.made == [3]
    assert (step.number, step.total, step.state, step.label) == (3, 5, None, None)


def test_a_step_does_not_change():
    with pytest.raises(AttributeError):
        Training().step(1).number = 2


# --------------------------------------------------------------------------------------- Checkpoint


def test_a_checkpoint_is_written_now_and_then(tmp_path, clock):
    path = tmp_path / "training.npz"
    training = Training(10)
    checkpoint = Checkpoint(path, every=10)
    for number in range(1, 4):
        clock.now += 4
        assert checkpoint(training.step(number)) is None
    assert refimpl.load(path) == neighbors(3) and training.made == [3]
    for number in range(4, 7):
        clock.now += 4
        checkpoint(training.step(number))
    assert refimpl.load(path) == neighbors(6) and training.made == [3, 6]


def test_the_last_step_is_saved_at_the_end(tmp_path, clock):
    path = tmp_path / "training.npz"
    training = Training(4)
    with Checkpoint(os.fspath(path)) as checkpoint:
        training.run(checkpoint)
        assert not path.exists()
    assert refimpl.load(path) == neighbors(4) and training.made == [4]


def test_nothing_is_written_twice_or_without_a_step(tmp_path, clock):
    path = tmp_path / "training.npz"
    training = Training()
    with Checkpoint(path, every=0) as checkpoint:
        checkpoint.write()
        assert not path.exists()
        checkpoint(training.step(1))
        assert refimpl.load(path) == neighbors(1)
        checkpoint.write()
    assert training.made == [1]


def test_a_failed_write_is_tried_again(tmp_path, clock):
    training = Training()
    (tmp_path / "new").mkdir()
    checkpoint = Checkpoint(tmp_path / "new" / "training.npz", every=0)
    (tmp_path / "new").rmdir()
    with pytest.raises(FileNotFoundError):
        checkpoint(training.step(1))
    (tmp_path / "new").mkdir()
    checkpoint.write()
    assert refimpl.load(tmp_path / "new" / "training.npz") == neighbors(1)


def test_a_path_that_cannot_be_written_is_refused_before_the_training(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must be in a folder that exists; got"):
        Checkpoint(tmp_path / "none" / "training.npz")
    for folder in (tmp_path, ""):
        with pytest.raises(IsADirectoryError, match="path must name a file; got the folder"):
            Checkpoint(folder)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_a_checkpoint_can_be_pickled_after_a_training(tmp_path, copied):
    """As the parameter of an estimator; a step has functions, which pickle refuses."""
    checkpoint = Checkpoint(tmp_path / "training.npz")
    checkpoint(Training().step(1))
    copied(checkpoint).write()
    assert not (tmp_path / "training.npz").exists()
    checkpoint.write()
    assert refimpl.load(tmp_path / "training.npz") == neighbors(1)


def test_what_is_unpickled_goes_by_the_clock_of_its_own_machine(tmp_path, clock, capsys):
    checkpoint, progress = Checkpoint(tmp_path / "training.npz", every=10), Progress(every=10)
    progress(Training().step(1))
    content = pickle.dumps((checkpoint, progress))
    clock.now -= 900  # that machine was started later
    for callback in pickle.loads(content):
        callback(Training().step(2))
        clock.now += 10
        callback(Training().step(3))
    assert refimpl.load(tmp_path / "training.npz") == neighbors(3)
    assert capsys.readouterr().err.count("step") == 3


@pytest.mark.parametrize("every", [-1, float("nan"), "1"])
@pytest.mark.parametrize(
    "make", [lambda every: Checkpoint("x", every), lambda e: Progress(every=e)]
)
def test_seconds_that_cannot_be(make, every):
    with pytest.raises(ValueError, match="every must be a number of at least 0; got"):
        make(every)


# ----------------------------------------------------------------------------------------- Progress


def test_progress_prints_a_line_every_few_seconds(clock):
    stream = io.StringIO()
    progress = Progress(every=10, stream=stream)
    training = Training(6)
    for number in range(1, 7):
        assert progress(training.step(number)) is None
        clock.now += 4
    assert stream.getvalue() == "step 1 of 6\nstep 4 of 6\n" and training.made == []


def test_progress_of_unknown_length_and_of_a_class(clock, capsys):
    progress = Progress(every=0)
    progress(Step(7, None, None, "rare", make_result=lambda: None))
    progress(Step(8, None, None, make_result=lambda: None))
    progress(Step(9, 9, None, 0, make_result=lambda: None))
    out, err = capsys.readouterr()
    assert out == "" and err == "step 7, rare\nstep 8\nstep 9 of 9, 0\n"


def test_how_often_by_default(tmp_path):
    """A line every 10 seconds, a file every minute."""
    assert Progress().every == 10.0 and Progress(every=np.int64(3)).every == 3.0
    with pytest.raises(ValueError, match="every must be a number of at least 0; got 1000"):
        Progress(every=10**400)
    assert Checkpoint(tmp_path / "file.npz").every == 60.0
