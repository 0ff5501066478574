"""Shared by all tests: which of them run, and a switch that refuses every download.

Some tests have many slow cases. One case of each runs, the last: of those marked ``one_case``, and
of the tests of tracing and of browsers. A single case marked ``further`` is skipped, too. All of
them run with ``--all`` (``make test ARGS="--all"``), and if the tests are named. ``--part traced``
runs the tests that ``make coverage`` traces, ``--part others`` the rest.

A test that reads a real data set carries ``@pytest.mark.real_data("MNIST-10")`` with the names of
the sets. It is skipped where their files are not at hand. They are looked for where the loader
looks (REFIMPL_DATA, then the user's cache) and, if REFIMPL_DATA is not set, in ../shared/data.

REFIMPL_OFFLINE=1 makes a run behave as on a machine without a network: a connection to anything but
this machine raises OfflineError at once, and ../shared/data is not looked at.
"""

import ipaddress
import os
import sys
from functools import cache
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

if "PYTEST_XDIST_WORKER" in os.environ:  # other workers share the processors
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded

OFFLINE = os.environ.get("REFIMPL_OFFLINE", "") not in ("", "0")
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NEEDS = "needs REFIMPL_DATA: "

ONE_CASE = ("tests/site/test_gallery_browser.py", "tests/site/test_site_tracing.py")

# They reach over 95 % of refimpl. Not traced are slow tests that reach little more.
TRACED = tuple(
    f"tests/{room}/"
    for room in (
        *("promises", "shared", "rivals", "boosted_distance", "boostmap", "ftune", "lmnn"),
        *("search_forest", "estimators", "check"),
    )
)
NOT_TRACED = ("scikit_learns_checks", "test_memory")

if "REFIMPL_DATA" not in os.environ and SHARED_DATA.is_dir() and not OFFLINE:
    os.environ["REFIMPL_DATA"] = str(SHARED_DATA)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Leave the docstrings of tests alone: ``--doctest-modules`` is for the package's examples.

    A hook of this file sees the files of its folder only.
    """
    collectors = yield
    return [c for c in collectors if not isinstance(c, DoctestModule)]


def pytest_generate_tests(metafunc):
    """Run a test that takes `kernels` on both modules, unless it has a mark that says on which."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "kernels" in metafunc.fixturenames and not any("kernels" in mark.args[0] for mark in marks):
        from agreement import KERNELS  # coverage begins after this file is read

        metafunc.parametrize("kernels", KERNELS, ids=lambda module: module.__name__)


# -------------------------------------------------------------------------------------- the network


class OfflineError(ConnectionRefusedError):
    """REFIMPL_OFFLINE is set and something asked for another machine."""


def on_this_machine(address):
    """Whether a socket's address is of this machine: loopback, or not of the internet at all."""
    if not isinstance(address, tuple):
        return True  # a path: a Unix socket
    host = address[0]
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def refuse(event, arguments):
    """An audit hook: raise before a socket reaches for another machine."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = (arguments[0] or "",)
        if arguments[0] == OWN_NAME:
            return
    else:
        return
    if address is not None and not on_this_machine(address):
        raise OfflineError(f"REFIMPL_OFFLINE is set; refused to reach {address[0]}")


if OFFLINE:
    OWN_NAME = os.uname().nodename
    sys.addaudithook(refuse)
    for scheme in ("http_proxy", "https_proxy", "all_proxy"):  # for processes that the tests start
        os.environ[scheme] = os.environ[scheme.upper()] = "http://127.0.0.1:9"
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "localhost,127.0.0.1,::1"


# ------------------------------------------------------------------------------------ the real data


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run all cases of tests that have many")
    parser.addoption("--part", choices=("traced", "others"), help="run this part of the tests")


def pytest_configure(config):
    # who names tests gets all of their cases
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not whole or config.option.keyword or config.option.markexpr:
        config.option.all = True
    config.addinivalue_line("markers", "one_case: without --all only the last case runs")
    config.addinivalue_line("markers", "further: a case that runs with --all alone")
    config.addinivalue_line(
        "markers",
        "real_data(*names): reads these real data sets; skipped where their files are not at hand",
    )


@cache
def is_at_hand(name):
    """Whether all files of a data set can be read without a download."""
    from paper_figures.data import at_hand

    return at_hand(name)


def further_cases(items):
    """Return what runs with --all alone."""
    many = [
        item
        for item in items
        if item.get_closest_marker("one_case") or item.nodeid.startswith(ONE_CASE)
    ]
    last = {item.nodeid.partition("[")[0]: item for item in many}
    marked = [item for item in items if item.get_closest_marker("further")]
    return [*(item for item in many if item not in last.values()), *marked]


def is_traced(item):
    """Return whether `make coverage` runs a test."""
    return item.nodeid.startswith(TRACED) and not any(word in item.nodeid for word in NOT_TRACED)


def pytest_collection_modifyitems(config, items):
    """Skip further cases, and what needs data that are not at hand.

    All cases of a test get one reason, so that it is one line.
    """
    if not config.getoption("all", False):
        for item in further_cases(items):
            item.add_marker(pytest.mark.skip(reason="a further case: --all"))
    part = config.getoption("part", None)
    if part:
        parts = {True: [], False: []}
        for item in items:
            parts[is_traced(item) == (part == "traced")].append(item)
        config.hook.pytest_deselected(items=parts[False])
        items[:] = parts[True]
    needed = {}
    for item in items:
        names = {name for mark in item.iter_markers("real_data") for name in mark.args}
        if lacking := {name for name in names if not is_at_hand(name)}:
            absent, cases = needed.setdefault(item.nodeid.partition("[")[0], (set(), []))
            absent |= lacking
            cases.append(item)
    for absent, cases in needed.values():
        for item in cases:
            item.add_marker(pytest.mark.skip(reason=NEEDS + ", ".join(sorted(absent))))
