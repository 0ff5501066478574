"""The task that trains LMNN beside other packages: environments of their own, the script that runs
in them, and what is measured of their factors.

Stand-ins have the packages' interfaces; rows come from values by hand. Not here: the packages
themselves.
"""

import itertools
import subprocess
import sys
import types

import lmnn_toy
import numpy as np
import pytest
from figure_runs import run
from lmnn_toy import N_TRAIN, fast_or_reference
from oracles_lmnn import objective, target_neighbours
from toy_sets import components, nn_error, provide, ticking

import refimpl.kernels
from paper_figures.lmnn import rival_script, rivals
from paper_figures.lmnn.rivals_results import rivals as rows_of
from paper_figures.registry import Context, Job, Result
from refimpl.lmnn import lmnn
from refimpl.lmnn.problem import LargeMarginProblem


@pytest.fixture
def toy(monkeypatch):
    return lmnn_toy.points(monkeypatch)


def sample(X, y, n):
    """Return n random training images on 4 components of their own, and the test images."""
    chosen = np.sort(Job(0, {}, "reference").rng_for("rivals", n).choice(N_TRAIN, n, replace=False))
    both = np.concatenate([X[chosen], X[N_TRAIN:]]) / X.max()
    Z = components(both, n, 4)
    return Z[:n], y[chosen], Z[n:], y[N_TRAIN:]


def test_ours_is_measured_after_each_full_check_and_at_its_end(toy, monkeypatch):
    X, y = toy
    provide(monkeypatch, "lmnn rivals", X, y, N_TRAIN)
    monkeypatch.setattr(rivals, "perf_counter", itertools.count(5, 2).__next__)
    params = {"data_set": "lmnn rivals", "n": 40, "d": 4, "k": 3, "names": (), "limit": 1.0}
    value = run(rivals, "rivals", params, fast_or_reference).value
    Z, z, Q, q = sample(X, y, 40)
    checks = []
    model = lmnn(Z, z, 3, callback=lambda step: checks.append(step.state))
    ours = value["ours"]
    assert list(value) == ["ours", "Euclidean"]
    assert ours["seconds"] == [2 * place for place in range(1, len(checks) + 1)]
    np.testing.assert_allclose(ours["objective"], [check.objective for check in checks], rtol=1e-6)
    np.testing.assert_allclose(ours["bound"], [check.bound for check in checks], rtol=1e-3)
    assert ours["end"] == pytest.approx(model.objective, rel=1e-6) and ours["gap"] <= 1e-3
    assert ours["bound"][-1] <= ours["scaled"] <= ours["end"] and ours["ended"]
    M = [model.L[0].T @ model.L[0]]
    assert ours["test"] == pytest.approx(nn_error(Q, q, Z, z, 3, M))
    assert value["Euclidean"]["test"] == pytest.approx(nn_error(Q, q, Z, z, 3))


def test_the_least_of_all_multiples():
    """Points 0, 1 and 3, 4 on a line, k = 1, a metric of m: from m = 1/8 to 1/3 only the hinges of
    1 and 3 are left, and eq. 3 is 4 m + 2 (1 + m - 4 m) = 2 - 2 m; from 1/3 on it is 4 m.
    """
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    targets = np.array([[1], [0], [3], [2]])
    partition = np.zeros(4, dtype=np.int64)
    problem = LargeMarginProblem(X, y, targets, 1.0, partition, refimpl.kernels)
    assert rivals.objective(problem, np.eye(1)) == pytest.approx(4.0)
    for scale in (0.1, 1.0, 5.0):
        least = rivals.least_of_multiples(problem, scale * np.eye(1))
        assert least == pytest.approx(4 / 3, rel=1e-2) and least >= 4 / 3 - 1e-9


def test_a_rival_is_measured_by_eq_3_in_an_environment_of_its_own(toy, monkeypatch):
    """The commands are those of a new environment; the rival's factors are written by hand."""
    X, y = toy
    commands = []
    factors = np.array([np.eye(4), 0.5 * np.eye(4)])

    def pretend(command, timeout=600):
        command = [str(part) for part in command]
        commands.append((command, timeout))
        if command[1:3] == ["-m", "venv"]:
            (tasks_python := rivals.Path(command[3]) / "bin").mkdir(parents=True)
            (tasks_python / "python").touch()
        if command[1] == rival_script.__file__:
            with np.load(command[3]) as given:
                assert given["X"].shape == (40, 4) and given["k"] == 3
                assert sorted(set(given["y"].tolist())) == [0, 1, 2]
            np.savez(command[4], seconds=[1.0, 2.0], L=factors, ended=command[2] == "pylmnn")

    monkeypatch.setattr(rivals, "run_script", pretend)
    names = ("pylmnn", "metric-learn")
    params = {"data_set": "lmnn toy", "n": 40, "d": 4, "k": 3, "names": names, "limit": 7.0}
    value = run(rivals, "rivals", params, fast_or_reference).value
    Z, z, Q, q = sample(X, y, 40)
    targets = target_neighbours(Z, z, 3)
    expected = [objective(Z, z, targets, 1.0, [L.T @ L], [0] * 40) for L in factors]
    for name in names:
        np.testing.assert_allclose(value[name]["seconds"], [1.0, 2.0])
        np.testing.assert_allclose(value[name]["objective"], expected, rtol=1e-9)
        assert value[name]["end"] == pytest.approx(expected[1])
        assert value[name]["test"] == pytest.approx(nn_error(Q, q, Z, z, 3))
        assert value[name]["scaled"] == pytest.approx(value["Euclidean"]["scaled"], rel=1e-4)
    assert [value[name]["ended"] for name in names] == [True, False]
    (made, _), (beside, _), *rest = commands
    python = f"{made[3]}/bin/python"
    pip = [python, "-m", "pip", "install", "--quiet"]
    assert made[:3] == [sys.executable, "-m", "venv"]
    assert beside == [*pip, "numpy==1.26.4", "scipy==1.10.1", "scikit-learn==1.5.2"]
    folder = made[3].removesuffix("/venv")
    assert rest == [
        ([*pip, "--no-deps", "pylmnn==1.6.4", "six"], 600),
        (
            [
                python,
                rival_script.__file__,
                "pylmnn",
                f"{folder}/given.npz",
                f"{folder}/pylmnn.npz",
                "7.0",
            ],
            127.0,
        ),
        ([*pip, "--no-deps", "metric-learn==0.7.0"], 600),
        (
            [
                python,
                rival_script.__file__,
                "metric-learn",
                f"{folder}/given.npz",
                f"{folder}/metric-learn.npz",
                "7.0",
            ],
            127.0,
        ),
    ]


@pytest.mark.parametrize(
    "error",
    [
        OSError("no such file"),
        subprocess.CalledProcessError(1, "pip"),
        subprocess.TimeoutExpired("pip", 5),
    ],
)
def test_a_rival_that_cannot_be_had_says_so(monkeypatch, tmp_path, error):
    def offline(command, timeout=0):
        raise error

    monkeypatch.setattr(rivals, "run_script", offline)
    curve = rivals.rival_run("pylmnn", np.eye(4), np.arange(4) % 2, 1, tmp_path, 5.0)
    assert curve == {
        "why": f"pylmnn was not installed: {type(error).__name__}; it needs the network"
    }


@pytest.mark.parametrize("shown", [False, True])
def test_a_rival_that_is_ended_from_outside_counts_with_what_it_wrote(monkeypatch, tmp_path, shown):
    def late(command, timeout=600):
        if timeout == 600:
            return  # the environment
        if shown:
            rival_script.write(command[4], [1.0], [np.eye(4)], ended=False)
        raise subprocess.TimeoutExpired("python", timeout)

    monkeypatch.setattr(rivals, "run_script", late)
    run = rivals.rival_run("mlpack", np.eye(4), np.arange(4) % 2, 1, tmp_path, 5.0)
    if not shown:
        assert run == {"why": f"mlpack {rivals.NOTHING} after 125 s"}
        return
    assert run["seconds"].tolist() == [1.0] and run["L"].shape == (1, 4, 4) and not run["ended"]


def test_a_rival_that_fails_is_told_from_one_that_is_not_there(monkeypatch, tmp_path):
    def fails(command, timeout=600):
        if timeout != 600:
            raise subprocess.CalledProcessError(-9, "python")

    monkeypatch.setattr(rivals, "run_script", fails)
    run = rivals.rival_run("mlpack", np.eye(4), np.arange(4) % 2, 1, tmp_path, 5.0)
    assert run == {"why": "mlpack did not run: CalledProcessError"}


def test_a_script_that_fails_is_an_error():
    rivals.run_script([sys.executable, "-c", ""])
    with pytest.raises(subprocess.CalledProcessError):
        rivals.run_script([sys.executable, "-c", "raise SystemExit(1)"])


class Fitted:
    def __init__(self, components):
        self.components_ = components


def fake_pylmnn():
    """A module with pylmnn's interface: it imports GPyOpt and gives its callback flat factors."""
    from GPyOpt.methods import BayesianOptimization

    assert BayesianOptimization is object

    class LargeMarginNearestNeighbor:
        def __init__(self, n_neighbors, max_iter, callback):
            assert max_iter == 1000
            self.k, self.callback = n_neighbors, callback

        def fit(self, X, y):
            assert (self.k, y.tolist()) == (3, [0, 0, 1])
            for scale in (1.0, 2.0):
                self.callback(scale * np.eye(X.shape[1]).ravel(), "and what else it says")
            return Fitted(3.0 * np.eye(X.shape[1]))

    module = types.ModuleType("pylmnn")
    module.LargeMarginNearestNeighbor = LargeMarginNearestNeighbor
    return module


def fake_metric_learn():
    """A module with metric-learn's interface: fit evaluates the loss at each factor."""

    class LMNN:
        def __init__(self, n_neighbors, max_iter, convergence_tol):
            assert (max_iter, convergence_tol) == (100_000, 1e-5)
            self.k = n_neighbors

        def _loss_grad(self, X, L, more, *, least=0):
            return more, least

        def fit(self, X, y):
            assert (self.k, y.tolist()) == (3, [0, 0, 1])
            for scale in (1.0, 2.0):
                assert self._loss_grad(X, scale * np.eye(X.shape[1]), scale) == (scale, 0)
            return Fitted(3.0 * np.eye(X.shape[1]))

    module = types.ModuleType("metric_learn")
    module.LMNN = LMNN
    return module


def fake_mlpack():
    """A module with mlpack's interface: it returns the transposed factor.

    Two iterations change it, more do not.
    """

    def lmnn(input_, labels, k, optimizer, max_iterations):
        assert (k, labels.tolist(), optimizer) == (3, [0, 0, 1], "lbfgs")
        return {"output": min(max_iterations, 2) * np.array([[1.0, 0.0], [5.0, 1.0]])}

    module = types.ModuleType("mlpack")
    module.lmnn = lmnn
    return module


@pytest.fixture
def script(monkeypatch, tmp_path):
    """Run the script on three points, with fake libraries and a clock that is given."""
    np.savez(tmp_path / "in.npz", X=np.arange(6.0).reshape(3, 2), y=np.array([0, 0, 1]), k=3)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    stub = types.ModuleType("GPyOpt.methods")
    stub.BayesianOptimization = object
    monkeypatch.setitem(sys.modules, "GPyOpt.methods", stub)
    sys.modules |= {"pylmnn": fake_pylmnn(), "metric_learn": fake_metric_learn()}
    sys.modules["mlpack"] = fake_mlpack()

    def ran(name, *times, limit=()):
        monkeypatch.setattr(rival_script.time, "perf_counter", ticking(*times))
        rival_script.main(name, tmp_path / "in.npz", tmp_path / "out.npz", *limit)
        with np.load(tmp_path / "out.npz") as curve:
            assert bool(curve["ended"]) == (not limit)
            return curve["seconds"].tolist(), curve["L"].tolist()

    return ran


@pytest.mark.parametrize("name", ["pylmnn", "metric-learn"])
def test_the_script_keeps_factors_and_times(script, name):
    eye = np.eye(2)
    seconds, L = script(name, 10.0, 10.5, 11.0, 12.0, 13.0)
    assert seconds == [0.5, 1.0, 2.0, 3.0]
    assert L == [eye.tolist(), (2 * eye).tolist(), (3 * eye).tolist(), (3 * eye).tolist()]


@pytest.mark.parametrize("name", ["metric-learn", "mlpack"])
def test_importing_a_program_is_not_in_its_seconds(monkeypatch, tmp_path, name):
    """Nobody asks for the time before the program is imported."""
    np.savez(tmp_path / "in.npz", X=np.zeros((3, 2)), y=np.array([0, 0, 1]), k=3)
    events = []

    def clock():
        events.append("clock")
        return float(len(events))

    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    sys.modules |= {"metric_learn": fake_metric_learn(), "mlpack": fake_mlpack()}
    monkeypatch.setattr(rival_script.time, "perf_counter", clock)
    monkeypatch.setattr(rival_script.importlib, "import_module", events.append)
    rival_script.main(name, tmp_path / "in.npz", tmp_path / "out.npz")
    assert events[:2] == [name.replace("-", "_"), "clock"]


def test_the_script_ends_when_its_time_is_over(script):
    seconds, L = script("pylmnn", 0.0, 1.0, 2.5, 3.0, limit=("2",))
    assert seconds == [1.0, 2.5, 3.0] and [factor[0][0] for factor in L] == [1.0, 2.0, 2.0]


def test_mlpack_is_run_anew_for_more_iterations(script):
    """Each run counts its own seconds: the clock is asked at the start, before and after a run, and
    when its factor is kept.
    """
    times = (0.0, *(1.0, 2.0, 2.0), *(3.0, 6.0, 6.0), *(7.0, 12.0, 12.0))
    seconds, L = script("mlpack", *times)
    assert seconds == [1.0, 3.0, 5.0] and [factor[0][0] for factor in L] == [1.0, 2.0, 2.0]
    assert L[0] == [[1.0, 5.0], [0.0, 1.0]]
    seconds, L = script("mlpack", *times, limit=("5",))
    assert seconds == [1.0, 3.0] and [factor[0][0] for factor in L] == [1.0, 2.0]


def test_the_script_keeps_fewer_factors_as_time_goes_on(script):
    """After one entry the next comes 0.2 s later, after two 0.28 s later; the last is kept."""
    seconds, L = script("pylmnn", 0.0, 1.0, 1.19, 1.21, 1.5)
    assert seconds == [1.0, 1.21, 1.5] and [factor[0][0] for factor in L] == [1.0, 3.0, 3.0]
    seconds, L = script("pylmnn", 0.0, 1.0, 1.21, 1.48, 2.0)
    assert seconds == [1.0, 1.21, 2.0] and [factor[0][0] for factor in L] == [1.0, 2.0, 3.0]
    seconds, L = script("pylmnn", 0.0, 1.0, 1.21, 1.5, 2.0)
    assert seconds == [1.0, 1.21, 1.5, 2.0] and [factor[0][0] for factor in L] == [1, 2, 3, 3]


# --------------------------------------------------------------------------------------------- rows

OURS = {
    "seconds": [1.0, 2.0, 4.04],
    "objective": [100.0, 50.0, 40.06],
    "bound": [0.0, 30.0, 40.02],
    "end": 40.06,
    "scaled": 40.06,
    "test": 7.126,
    "gap": 0.001,
    "ended": True,
}
EUCLIDEAN = {"end": 500.0, "scaled": 90.0, "test": 9.0}


def gathered(others, scale="paper"):
    value = {"ours": OURS, "Euclidean": EUCLIDEAN, **others}
    return rows_of(Context(scale=scale), [Result("rivals", {"n": 6000}, value)])


def numbers(found, solver):
    return {row["measure"]: row["ours"] for row in found.rows if row["solver"] == solver}


def at_end(end):
    return {"end": end, "scaled": end - 1.0, "test": 8.0, "ended": True}


def test_a_rival_is_timed_to_its_end_and_ours_to_the_same_level():
    """The rival ends at 50, which ours has after 2 s. 50.004 is within a part of 10,000 of its end,
    so that it is there after 8 s; 50.006 is not.
    """
    slow = {"seconds": [4.0, 6.0, 8.0, 9.0], "objective": [90.0, 50.006, 50.004, 50.0]}
    others = {
        "slow": slow | at_end(50.0) | {"ended": False},
        "better": {"seconds": [3.0], "objective": [39.0]} | at_end(39.0),
        "none": {"why": "no network"},
    }
    found = gathered(others)
    first = ["eq. 3 at the end", "eq. 3, best multiple", "test error (%)"]
    ours = [40.1, 40.1, 7.13, 4.0]
    assert numbers(found, "ours") == dict(zip([*first, "seconds"], ours, strict=True))
    assert numbers(found, "Euclidean") == dict(zip(first, [500.0, 90.0, 9.0], strict=True))
    assert numbers(found, "slow") == dict(zip(first, [50.0, 49.0, 8.0], strict=True)) | {
        "seconds until there": 8.0,
        "seconds until ours is as low": 2.0,
        "times sooner": 4.0,
    }
    assert numbers(found, "better") == dict(zip(first, [39.0, 38.0, 8.0], strict=True)) | {
        "seconds until there": 3.0
    }
    assert [row["why"] for row in found.rows if row["solver"] == "none"] == ["no network"]
    assert {row["N"] for row in found.rows} == {6000}
    assert found.drawing["slow"]["ended"] is False
    assert "within 0.10 % of the optimum" in found.notes[0]
    assert found.notes[1:] == ["The limit of time stopped slow at N = 6,000."]


def test_a_rival_that_ends_above_where_it_was_counts_from_its_lowest_point():
    wild = {"seconds": [1.0, 3.0, 5.0], "objective": [90.0, 40.06, 70.0]} | at_end(70.0)
    by = numbers(gathered({"wild": wild}), "wild")
    assert (by["eq. 3 at the end"], by["seconds until there"]) == (70.0, 3.0)
    assert (by["seconds until ours is as low"], by["times sooner"]) == (4.0, 0.7)


def test_without_rivals_the_note_says_why():
    found = gathered({}, "small")
    assert len(found.rows) == 7 and found.notes[1].startswith("The others run at the paper's scale")
    gone = rows_of(Context(), [Result("rivals", {"n": 6000}, None, "gone")])
    assert gone.rows[0]["why"] == "gone" and gone.notes == []
