"""Index words in real text engines: the same candidates as from the inverted index.

SQLite's FTS5 holds a document of words for each point; PostgreSQL an array of them under a GIN
index. The latter is started here, in a folder of its own, and is skipped where it is not installed.
"""

import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from agreement import KERNELS

from refimpl.search_forest import InvertedIndex, neighbor_similarity, search_forest


@pytest.fixture(scope="module")
def index():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8)) + 2 * rng.integers(0, 2, (500, 8))
    forest = search_forest(X, neighbor_similarity(X, 10), 6, 0.05, rng=rng, kernels=KERNELS[-1])
    index = InvertedIndex(forest, X, kernels=KERNELS[-1])
    index.vectors = X
    return index


def expected(index, Q):
    found = index.candidates(Q)
    both = list(zip(found.ids.tolist(), found.scores.tolist(), strict=True))
    return [dict(both[a:b]) for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)]


def scores(index, query_terms, documents):
    """T(q, x) from the words that an engine gives back: {id: words} -> {id: T}."""
    c = index.forest.c.tolist()
    return {
        i: sum(c_m for c_m, own, asked in zip(c, words, query_terms, strict=True) if own == asked)
        for i, words in documents.items()
    }


def queries(index):
    return index.vectors[:40] + 0.1 * np.random.default_rng(1).normal(size=(40, 8))


def test_sqlite_fts5(index):
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("create virtual table points using fts5(words)")
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite has no FTS5 ({error})")
    terms = index.to_terms(index.vectors)
    connection.executemany(
        "insert into points(rowid, words) values (?, ?)",
        ((i, " ".join(map(str, words))) for i, words in enumerate(terms.tolist())),
    )
    Q = queries(index)
    for one, of_query in zip(expected(index, Q), index.to_terms(Q).tolist(), strict=True):
        asked = " OR ".join(map(str, of_query))
        rows = connection.execute("select rowid, words from points where words match ?", (asked,))
        documents = {i: list(map(int, words.split())) for i, words in rows}
        assert scores(index, of_query, documents) == pytest.approx(one)
    connection.execute("delete from points where rowid < 100")
    smaller = InvertedIndex(index.forest, index.vectors, kernels=index.kernels)
    smaller.delete(np.arange(100))
    for one, of_query in zip(expected(smaller, Q), index.to_terms(Q).tolist(), strict=True):
        rows = connection.execute(
            "select rowid from points where words match ?", (" OR ".join(map(str, of_query)),)
        )
        assert {i for (i,) in rows} == set(one)


# --------------------------------------------------------------------------------------- PostgreSQL


def programs():
    """The folder with initdb, pg_ctl and psql of the newest PostgreSQL, or None."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True
    )
    folders += [Path(found).parent] if (found := shutil.which("initdb")) else []
    return next(
        (f for f in folders if all((f / name).exists() for name in ("initdb", "pg_ctl", "psql"))),
        None,
    )


@pytest.fixture(scope="module")
def psql():
    """Runs SQL on a server of its own; gives back the rows as lists of strings."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (Debian's package: postgresql)")
    user = None
    place = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path must be short
    if os.getuid() == 0:  # the server refuses to be root
        user = next((name for name in ("postgres", "nobody") if _exists(name)), None)
        if user is None:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")
        shutil.chown(place, user)

    def run(*command, **options):
        return subprocess.run(
            [folder / command[0], *command[1:]],
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
            user=user,
            cwd=place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            **options,
        ).stdout

    options = f"-c listen_addresses= -c unix_socket_directories={place} -c fsync=off"
    try:
        run("initdb", "-D", place / "data", "-U", "test", "--auth=trust", "--no-sync")
        run("pg_ctl", "-D", place / "data", "-l", place / "log", "-w", "-o", options, "start")
        try:
            yield lambda text: [
                line.split("|")
                for line in run(
                    "psql",
                    "-h",
                    place,
                    "-U",
                    "test",
                    "-d",
                    "postgres",
                    "-XAtq",
                    "-v",
                    "ON_ERROR_STOP=1",
                    input=text,
                ).splitlines()
            ]
        finally:
            run("pg_ctl", "-D", place / "data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _exists(name):
    try:
        return pwd.getpwnam(name) is not None
    except KeyError:
        return False


def test_postgresql_gin(index, psql):
    terms = index.to_terms(index.vectors)
    Q = queries(index)
    rows = "\n".join(
        f"{i}\t{{{','.join(map(str, words))}}}" for i, words in enumerate(terms.tolist())
    )
    psql(
        "create table points (id int primary key, words int[]);\n"
        f"copy points from stdin;\n{rows}\n\\.\n"
        "create index on points using gin (words); analyze points;"
    )
    wanted = index.to_terms(Q).tolist()
    select = "select {n}, id, words from points where words && array[{words}];"
    text = "\n".join(
        select.format(n=n, words=",".join(map(str, words))) for n, words in enumerate(wanted)
    )
    documents = [{} for _ in wanted]
    for n, i, words in psql("set enable_seqscan = off;\n" + text):
        documents[int(n)][int(i)] = list(map(int, words.strip("{}").split(",")))
    for one, of_query, found in zip(expected(index, Q), wanted, documents, strict=True):
        assert scores(index, of_query, found) == pytest.approx(one)
    plan = psql(
        "set enable_seqscan = off; explain "
        + select.format(n=0, words=",".join(map(str, wanted[0])))
    )
    assert any("Bitmap Index Scan" in line[0] for line in plan)
