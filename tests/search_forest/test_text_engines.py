"""Index words in real text engines: the same candidates as from the inverted index.

SQLite's FTS5 holds a document of words for each point; PostgreSQL an array of them under a GIN
index. The latter is started here, in a folder of its own, and is skipped where it is not installed.
"""

import sqlite3

import numpy as np
import postgresql
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


@pytest.fixture(scope="module")
def psql():
    with postgresql.server() as run:
        yield run


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
