"""The suite's own switches: downloads are refused, and skipped tests are named."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REACHES_OUT = """
import http.server, socket, threading, urllib.request
import pytest

def test_names_are_not_asked_for():
    refused = "REFIMPL_OFFLINE is set; refused to reach example.org"
    with pytest.raises(ConnectionRefusedError, match=refused):
        socket.create_connection(("example.org", 80))

@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8", "2001:db8::1"])
def test_addresses_are_not_tried(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(family, kind) as made:
            for reach in (made.connect, made.connect_ex, lambda to: made.sendto(b"x", to)):
                with pytest.raises(ConnectionRefusedError, match="REFIMPL_OFFLINE"):
                    reach((address, 443))

def test_this_machine_may_be_reached():
    handler = http.server.SimpleHTTPRequestHandler
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for host in ("127.0.0.1", "localhost"):
            assert urllib.request.urlopen(f"http://{host}:{server.server_port}/").status == 200
        server.shutdown()
    a, b = socket.socketpair()
    with a, b:
        a.sendall(b"x")
        assert b.recv(1) == b"x"

def test_a_download_ends_at_once(tmp_path, monkeypatch):
    import pooch
    from paper_figures import data
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path)
    with pytest.raises(data.DataNotAvailable, match="could not be downloaded"):
        data.load("sonar")
"""
NEEDS_DATA = """
import pytest

@pytest.mark.real_data("sonar", "digits")
@pytest.mark.parametrize("i", range(3))
def test_sonar(i):
    from paper_figures.data import load
    load("sonar")

@pytest.mark.real_data("MNIST")
def test_mnist():
    raise AssertionError("there is no such file")

def test_without():
    pass
"""


def suite(tmp_path, text, *arguments, **environment):
    """Run a suite of one file with this suite's conftest; give its output.

    It loads no plugins unless they are named: some take longer than its tests.
    """
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(text)
    own = ("REFIMPL_DATA", "REFIMPL_OFFLINE")
    known = {name: value for name, value in os.environ.items() if name not in own}
    known |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    known |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    command += [*arguments, "test_one.py"]
    run = subprocess.run(command, cwd=tmp_path, env=known, capture_output=True, text=True)
    return run.stdout + run.stderr


def test_offline_refuses_every_machine_but_this_one(tmp_path):
    assert "6 passed" in suite(tmp_path, REACHES_OUT, REFIMPL_OFFLINE="1")


def test_what_needs_real_data_is_skipped_and_named(tmp_path):
    said = suite(tmp_path, NEEDS_DATA, "-rs")
    assert "1 passed, 4 skipped" in said
    assert "needs REFIMPL_DATA: sonar\n" in said and "needs REFIMPL_DATA: MNIST\n" in said


def test_what_needs_real_data_runs_where_the_files_are(tmp_path):
    sonar = tmp_path / "data" / "uci" / "sonar"
    sonar.mkdir(parents=True)
    (sonar / "sonar.all-data").write_text("not the file of the table")
    where = {"REFIMPL_DATA": str(tmp_path / "data")}
    said = suite(tmp_path, NEEDS_DATA, "-m", "real_data", **where)
    assert "3 failed, 1 skipped, 1 deselected" in said and "must have the sha256" in said
    said = suite(tmp_path, NEEDS_DATA.replace("load(", "print("), **where)
    assert "4 passed, 1 skipped" in said


def test_offline_does_not_look_for_shared_data(tmp_path):
    text = "import os\ndef test_data():\n    assert os.environ.get('REFIMPL_DATA') == {!r}\n"
    (tmp_path / "shared" / "data").mkdir(parents=True)
    place = tmp_path / "project" / "tests"
    place.mkdir(parents=True)
    assert "1 passed" in suite(place, text.format(str(tmp_path / "shared" / "data")))
    assert "1 passed" in suite(place, text.format(None), REFIMPL_OFFLINE="1")
