"""The memory that is free, as the kernel's files tell it, and who asks for it by default."""

import sys
from unittest.mock import Mock

import numpy as np
import pytest
from agreement import KERNELS
from processes import output
from trainings import each

import refimpl.kernels as reference
from refimpl import resources
from refimpl.boosted_distance import adaboost, boosted_distance, similarity, staged_nearest_neighbor
from refimpl.boosted_distance.weak_learners import Differences
from refimpl.boostmap import nearby_triples, random_triples, selective_triples
from refimpl.ftune import random_landmarks
from refimpl.lmnn import LMNNOptions, lmnn, lmnn_rect
from refimpl.lmnn import estimate_memory as estimate_lmnn
from refimpl.lmnn.arguments import least_bytes
from refimpl.resources import check_free_memory, check_memory, expected, free_memory
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lipschitz import lipschitz
from refimpl.rivals.lsh import lsh
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import estimate_memory, label_similarity, search_forest, selection
from refimpl.search_forest.pairs import MeetingPairs
from refimpl.spaces import CallableSpace

MANY = 10**15
V2 = "0::/a/b\n"
V1 = "7:cpu,cpuacct:/x\n4:memory:/a/b\n0::/\n"
MOUNT_V2 = "30 23 0:26 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
MOUNT_V1 = (
    "31 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A function that lays files below a folder that stands in for the root of the file system."""
    monkeypatch.setattr(resources, "ROOT", tmp_path)
    monkeypatch.setattr(resources, "ALWAYS_FREE", 0)

    def lay(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(text))

    return lay


def available(machine, kilobytes):
    text = f"MemTotal: {MANY} kB\nMemFree: 1 kB\nMemAvailable:   {kilobytes} kB\nBuffers: 2 kB\n"
    machine(proc__meminfo=text)


def groups(machine, cgroup, mounts, folder, names, sizes):
    """Lay a control group's limit, use and cache."""
    machine(proc__self__cgroup=cgroup, proc__self__mountinfo=mounts)
    for name, size in zip(names, sizes, strict=True):
        machine(**{f"sys__fs__cgroup__{folder}{name}": size})


def test_the_kernel_says_what_is_available(machine):
    available(machine, 5000)
    assert free_memory() == 5000 * 1024


@pytest.mark.parametrize(
    ("limit", "used", "cache", "free"),
    [
        ("1000000", "400000", "50000", 650_000),
        ("1000000", "1200000", "0", 0),  # a limit that was lowered
        ("max", "400000", "0", 5000 * 1024),
        ("900000000000", "0", "0", 5000 * 1024),
        ("broken", "0", "0", 5000 * 1024),
    ],
)
@pytest.mark.parametrize("folder", ["", "a__", "a__b__"], ids=["top", "above", "own"])
def test_control_groups_of_version_2(machine, folder, limit, used, cache, free):
    available(machine, 5000)
    machine(**{"sys__fs__cgroup__a__b__cgroup.procs": ""})
    names = ("memory.max", "memory.current", "memory.stat")
    stat = f"anon 7\nfile 9\ninactive_file {cache}\nactive_file 0\n"
    groups(machine, V2, MOUNT_V2, folder, names, (limit, used, stat))
    assert free_memory() == free


def test_control_groups_of_version_1(machine):
    available(machine, 5000)
    names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")
    stat = "inactive_file 1\ntotal_inactive_file 400\ntotal_active_file 600\n"
    groups(machine, V1, MOUNT_V1, "memory__a__b__", names, (90_000, 60_000, stat))
    groups(machine, V1, MOUNT_V1, "memory__", names, (9223372036854771712, 60_000, stat))
    groups(machine, V1, MOUNT_V1, "cpu__a__b__", names, (1, 1, stat))  # limits no memory
    assert free_memory() == 31_000


def test_a_container_that_sees_its_own_group_as_the_top(machine):
    available(machine, 5000)
    mounts = MOUNT_V2.replace(" / /sys", " /docker/1f /sys")
    names = ("memory.max", "memory.current")
    groups(machine, "0::/docker/1f/inner\n", mounts, "inner__", names, (70_000, 20_000))
    groups(machine, "0::/docker/1f/inner\n", mounts, "", names, (80_000, 20_000))
    assert free_memory() == 50_000
    groups(machine, "0::/elsewhere\n", mounts, "", names, (80_000, 20_000))
    assert free_memory() == 60_000


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v")
def test_a_limit_of_address_space():
    script = (
        "import resource, sys; from refimpl.resources import free_memory\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 2**24, resource.RLIM_INFINITY))\n"
        "print(free_memory())"
    )
    assert 0 < int(output("-c", script, OPENBLAS_NUM_THREADS="1")) <= 2**24


def test_nothing_is_refused_where_nothing_is_known(machine, monkeypatch):
    monkeypatch.setattr(resources.os, "sysconf", lambda name: -1, raising=False)
    assert free_memory() is None
    check_memory(MANY, None, "points")
    check_free_memory(MANY, "the matrix", "points")


def test_other_systems_tell_the_memory_of_the_machine(machine, monkeypatch):
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 16384}
    monkeypatch.setattr(resources.os, "sysconf", sizes.__getitem__, raising=False)
    assert free_memory() == 1000 * 16384


def test_messages_say_what_is_needed_what_is_free_and_what_to_do(machine):
    available(machine, 2)
    check_memory(2048, None, "points")
    with pytest.raises(MemoryError) as refused:
        check_memory(2049, None, "points", "up to")
    assert str(refused.value) == (
        "the training needs up to 2,049 bytes; 2,048 are free. Free some memory, or pass fewer "
        "points, or max_memory to train anyway"
    )
    check_memory(2049, 2049, "points")  # a limit that is passed alone counts
    check_free_memory(2048, "the matrix", "points")
    with pytest.raises(MemoryError) as refused:
        check_free_memory(2049, "the matrix", "points")
    assert str(refused.value) == (
        "the matrix needs 2,049 bytes; 2,048 are free. Free some memory, or pass fewer points"
    )


def test_a_little_is_always_free(machine, monkeypatch):
    available(machine, 0)
    monkeypatch.setattr(resources, "ALWAYS_FREE", 2**24)
    check_memory(2**24, None, "points")
    with pytest.raises(MemoryError):
        check_memory(2**24 + 1, None, "points")


# ---------------------------------------------------------------------------------------- trainings


@each()
def test_every_training_asks_what_is_free(training, machine):
    available(machine, 1)
    steps = []
    asks = r"^the training .*needs .* bytes; 1,024 are free\. Free "
    with pytest.raises(MemoryError, match=asks):
        training(callback=steps.append)
    assert not steps
    training(max_memory=10**9)
    available(machine, 10**6)
    training()


def test_rounds_without_end_are_not_refused_by_default(machine):
    """10**9 rounds mean "until it ends"; they count only against a limit that is passed."""
    available(machine, 60_000)
    P = np.array([[0.0], [2.0]])

    def train(**more):
        return adaboost(P, P + 1, 10**9, callback=lambda step: step.number == 2, **more)

    assert len(train()) == 2
    with pytest.raises(MemoryError, match="max_memory is 61,440,000 bytes"):
        train(max_memory=61_440_000)
    assert (expected(10**9, None), expected(7, None), expected(10**9, 1)) == (10_000, 7, 10**9)


def points(n=120, d=4):
    y = np.arange(n) % 3
    return np.random.default_rng(0).normal(size=(n, d)) + 2 * y[:, None], y


@pytest.mark.parametrize("train", [lmnn, lambda X, y, **more: lmnn_rect(X, y, 2, **more)])
def test_lmnn_ends_when_the_pairs_do_not_fit_and_otherwise_trains_as_ever(
    train, kernels, machine, monkeypatch
):
    X, y = points()
    spy = Mock(wraps=kernels.impostors)
    monkeypatch.setattr(kernels, "impostors", spy)
    arguments = {"options": LMNNOptions(max_checks=3), "kernels": kernels, "threads": 1}
    available(machine, MANY)
    expected = train(X, y, **arguments)
    of_plenty = [len(call.args[0]) for call in spy.call_args_list]
    available(machine, estimate_lmnn(X, y) // 1024 - 1)  # not all pairs would fit
    spy.reset_mock()
    assert train(X, y, **arguments) == expected
    assert [len(call.args[0]) for call in spy.call_args_list] == of_plenty
    available(machine, (least_bytes(120, 4, 3) + 15 * (260 + 48 * 3)) // 1024)
    refused = r"^there must be at most 1\d pairs .* as fit into the free memory \(.*; got"
    with pytest.raises(MemoryError, match=refused):
        train(X, y, **arguments)


# ------------------------------------------------------------------- functions without `max_memory`


def forest_of(X, y):
    return search_forest(X, label_similarity(y), 2, 0.1, rng=np.random.default_rng(0))


def test_matrices_of_all_pairs_are_refused_before_they_are_made(machine):
    available(machine, 10**6)
    X, y = points(60)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    model = boosted_distance(X, y, 2)
    forest = forest_of(X, y)
    space = CallableSpace(lambda a, b: abs(a - b), [1.0, 5.0, 9.0, 12.0])
    embedding = lipschitz(space, [0, 3])
    E = np.ones((60, embedding.d))

    def rng():
        return np.random.default_rng(0)

    calls = {
        "the matrix of similarities needs 60,576": lambda: similarity(model, X, X, y),
        "the matrix of similarities needs 89,376": lambda: next(
            staged_nearest_neighbor(model, X, X, y, [1])
        ),
        "the array of all differences needs 115,200": lambda: np.asarray(Differences(X, X)),
        "the list of all nearest objects needs 14,400": lambda: nearby_triples(D, 5, 9, rng=rng()),
        "the list of all nearest objects needs 28,800": lambda: selective_triples(
            D, y, 5, 9, rng=rng()
        ),
        "the list of triples needs 1,800": lambda: random_triples(D, 9, rng=rng()),
        "the list of pairs needs 16,000": lambda: random_landmarks(y, 100, rng=rng()),
        "the list of hash values needs 12,000": lambda: lsh(X, 2, 3, 1.0, rng=rng()),
        "the list of trees needs 2,560": lambda: kmeans_trees(X, 5, rng=rng()),
        "the list of eigenfunctions needs 2,560": lambda: spectral_hashing(X, 16),
        "the similarity of all pairs of a class needs 16,800": lambda: label_similarity(y),
        "the matrix T(q, x) needs 61,200": lambda: selection(forest, X, X),
        "the matrix of distances needs 28,800": lambda: embedding.pairwise(E, E),
        "the matrix of distances needs 1,920": lambda: space.distances(np.ones(40), [0, 1, 2]),
    }
    for call in calls.values():
        call()
    available(machine, 1)
    for said, call in calls.items():
        with pytest.raises(MemoryError) as refused:
            call()
        assert str(refused.value).startswith(f"{said} bytes; 1,024 are free. Free some memory")


def test_a_search_forest_lists_no_pairs_without_room(machine):
    """The estimate, several times what is taken, is no reason to refuse."""
    X, y = points(60)
    S = label_similarity(y)
    available(machine, 10**6)
    free = forest_of(X, y)
    most = {"rng": np.random.default_rng(0), "max_memory": 2 * estimate_memory(X, S, 2, 0.1)}
    assert search_forest(X, S, 2, 0.1, **most) == free
    pairs = MeetingPairs(S, 0.1, reference, watch=True)
    leaf = np.repeat([1, 2], 30)
    listed = len(pairs.T) + 2 * 435
    available(machine, 17 * listed // 1024 + 1)
    pairs.meet(leaf, 1.0)
    learning = 40 * len(pairs.T)
    available(machine, learning // 1024 + 1)
    pairs.root()
    available(machine, learning // 1024)
    with pytest.raises(MemoryError, match=rf"^the training of a tree on .* needs {learning:,} "):
        pairs.root()
    available(machine, 17 * listed // 1024)
    with pytest.raises(MemoryError, match=r"pairs that meet in a leaf needs .*, a larger lam, or"):
        MeetingPairs(S, 0.1, reference, watch=True).meet(leaf, 1.0)
    MeetingPairs(S, 0.1, reference).meet(leaf, 1.0)
    available(machine, 1)
    with pytest.raises(MemoryError, match="the training needs at least"):
        search_forest(X, S, 2, 0.1, rng=np.random.default_rng(0))


@pytest.mark.parametrize("train", [lmnn, lambda X, y, **more: lmnn_rect(X, y, 2, **more)])
def test_lmnn_of_more_columns_than_points_is_not_refused(train, machine):
    """The solvers work in as many dimensions as the points span."""
    available(machine, 2 * 2**20)  # 2 GiB
    X = np.random.default_rng(0).normal(size=(30, 1500))
    X[:, 0] += 9 * (np.arange(30) % 2)
    assert train(X, np.arange(30) % 2, kernels=KERNELS[-1]).L.shape[2] == 1500
    assert estimate_lmnn(X, np.arange(30) % 2) < 2**30
