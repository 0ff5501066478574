"""claims.toml is read or refused; claims are decided by rules, and written as JSON.

The helpers that rules are made of are in test_claims_evidence.py, the papers' own claims in
test_claims_boosted_distance.py and beside it. Not tested: how a page shows claims.
"""

import json
import types

import pytest

from paper_figures import claims, registry
from paper_figures.claims import Claim, Decided, Decision, InvalidClaims, Number
from paper_figures.claims.evidence import Missing
from paper_figures.registry import Figure, Paper
from paper_figures.store import Store

FIRST = """
[[claim]]
id = "first-wins"
where = "Table 1"
claim = "The first method errs less than the second."
figures = ["table1"]
settle = "More runs."
"""
LICENSED = """
[[claim]]
id = "faces"
where = "Section 2"
claim = "It works on faces."
why = "The faces are licensed."
"""
NOT_COMPUTED = """
[[claim]]
id = "time"
where = "Section 3"
claim = "It is fast."
settle = "Time it."
"""


def record(figure, scale="paper", rows=(), paper="toy"):
    return {
        "paper": paper,
        "figure": figure,
        "title": "t",
        "scale": scale,
        "kernels": "fast",
        "seed": 0,
        "seconds": 1.0,
        "versions": {},
        "data": [],
        "rows": list(rows),
        "notes": [],
        "key": "k",
    }


# ------------------------------------------------------------------------------- claims.toml


def test_claims_keep_their_order_and_their_fields():
    read = claims.parse("toy", FIRST + LICENSED + NOT_COMPUTED)
    text = "The first method errs less than the second."
    assert read == [
        Claim("first-wins", "toy", "Table 1", text, ("table1",), "", "More runs."),
        Claim("faces", "toy", "Section 2", "It works on faces.", (), "The faces are licensed.", ""),
        Claim("time", "toy", "Section 3", "It is fast.", (), "", "Time it."),
    ]


@pytest.mark.parametrize(
    "text, words",
    [
        ("[[claim", "must be TOML"),
        ("", "must hold [[claim]] tables only; got"),
        ("[claim]\nid = 'a'", "must hold [[claim]] tables only; got claim"),
        (FIRST + "[more]\na = 1", "must hold [[claim]] tables only; got claim, more"),
        ("claim = [1]", "claim 1 must be a table; got 1"),
        (FIRST + "colour = 'red'", "claim 1 has fields id, where, claim, figures, why, settle"),
        (FIRST.replace('where = "Table 1"\n', ""), "where must be a text; it is missing"),
        (FIRST.replace('"Table 1"', "1"), "where must be a text; got 1"),
        (FIRST.replace('"Table 1"', '" "'), "where must be a text; got ' '"),
        (FIRST.replace('"More runs."', '""'), "settle must be a text; got ''"),
        (FIRST.replace("first-wins", "First wins"), "id must be lower case letters and digits"),
        (FIRST.replace("first-wins", "-wins"), "id must be lower case letters and digits"),
        (FIRST.replace('["table1"]', '"table1"'), "figures must be a list of names; got 'table1'"),
        (FIRST.replace('["table1"]', "[1]"), "figures must be a list of names; got [1]"),
        (NOT_COMPUTED.replace("settle", "#"), "needs figures that decide it, or why, or settle"),
        (FIRST + LICENSED + FIRST, "the id 'first-wins' must stand once; it stands 2 times"),
    ],
)
def test_a_wrong_file_is_refused(text, words):
    with pytest.raises(InvalidClaims) as error:
        claims.parse("toy", text)
    assert words in str(error.value)
    assert str(error.value).startswith("claims.toml of toy")


def test_the_second_claim_is_named_by_its_place():
    with pytest.raises(InvalidClaims, match="claim 2: id must be a text; it is missing"):
        claims.parse("toy", FIRST + LICENSED.replace('id = "faces"', ""))


def test_a_paper_without_the_file_has_no_claims(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "PUBLISHED", tmp_path)
    assert claims.load("toy") == []
    assert claims.rules("toy") == {}
    assert claims.decide("toy", {}) == []


def test_rules_and_claims_must_match():
    read = claims.parse("toy", FIRST + LICENSED + NOT_COMPUTED)

    def rule(records):
        return Decision("holds")

    claims.match_rules(read, {"first-wins": rule})
    for table, words in (
        ({}, "claim 'first-wins' names figures; it must have a rule or a why"),
        ({"first-wins": rule, "other": rule}, "these have none: other"),
        (
            {"first-wins": rule, "faces": rule},
            "'faces' has a rule; it must name figures and no why",
        ),
        ({"first-wins": rule, "time": rule}, "'time' has a rule; it must name figures and no why"),
    ):
        with pytest.raises(InvalidClaims, match=words):
            claims.match_rules(read, table)


# ------------------------------------------------------------------------------- deciding


def holds(records):
    return Decision(
        "holds", (Number("n", 1.0, 0.1, 1.2, ("toy.table1",)),), "so", (("a", "holds"),)
    )


def misses(records):
    raise Missing("there is no record of table1")


def decide_text(text, rule, records):
    return claims.decide_claim(claims.parse("toy", text)[0], rule, records)


def test_a_rule_decides():
    decided = decide_text(FIRST, holds, {"table1": record("table1")})
    assert (decided.state, decided.because, decided.cells) == ("holds", "so", (("a", "holds"),))
    assert decided.numbers == (Number("n", 1.0, 0.1, 1.2, ("toy.table1",)),)


def test_a_missing_record_leaves_a_claim_open_and_is_named():
    decided = decide_text(FIRST, misses, {})
    assert (decided.state, decided.numbers) == ("open", ())
    assert decided.because == "not decided: there is no record of table1"


def test_a_rule_that_looks_up_a_missing_record_leaves_its_claim_open():
    claim = Claim("c", "toy", "Table 1", "It is so.", ("table1", "table2"))
    decided = claims.decide_claim(claim, lambda r: r["table2"], {"table1": record("table1")})
    assert decided.state == claims.OPEN
    assert decided.because == "not decided: there is no record of table2"


def test_no_claim_is_testable_in_a_folder_of_the_small_scale():
    records = {"table1": record("table1"), "table2": record("table2", scale="small")}
    decided = decide_text(FIRST, holds, records)
    assert (decided.state, decided.numbers, decided.cells) == ("not testable here", (), ())
    assert "small scale" in decided.because


def test_a_why_is_the_reason_at_every_scale():
    for scale in ("small", "paper"):
        decided = decide_text(LICENSED, None, {"table1": record("table1", scale=scale)})
        assert (decided.state, decided.because) == ("not testable here", "The faces are licensed.")


def test_a_claim_that_no_entry_computes_is_open():
    decided = decide_text(NOT_COMPUTED, None, {"table1": record("table1")})
    assert (decided.state, decided.because) == ("open", "no entry decides it")


def test_a_state_must_be_one_of_four():
    with pytest.raises(ValueError, match="state must be one of holds, fails, open, not testable"):
        Decision("maybe")


def test_states_are_counted():
    claim = claims.parse("toy", FIRST)[0]
    decided = [Decided(claim, state, (), "") for state in ("open", "holds", "open")]
    assert claims.count(decided) == {"holds": 1, "fails": 0, "open": 2, "not testable here": 0}


# ------------------------------------------------------------------------------- writing


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A paper with three claims, one rule and one figure; returns (Paper, Store)."""
    published = tmp_path / "published"
    (published / "toy").mkdir(parents=True)
    (published / "toy" / "claims.toml").write_text(FIRST + LICENSED + NOT_COMPUTED, "utf-8")
    monkeypatch.setattr(claims, "PUBLISHED", published)
    rules = types.SimpleNamespace(RULES={"first-wins": holds})
    monkeypatch.setattr(claims, "importlib", types.SimpleNamespace(import_module=lambda _: rules))
    figure = Figure("table1", "t", tasks=lambda c: [], reduce=lambda c, r: registry.Gathered([]))
    return Paper("toy", "Toy", "nowhere", (figure,)), Store(tmp_path / "out")


def test_claims_are_written_by_id_each_on_a_line(toy):
    paper, store = toy
    store.write(record("table1"))
    claims.write(store, [paper])
    text = (store.out / "toy" / "claims.json").read_text("utf-8")
    lines = [line.strip().rstrip(",") for line in text.splitlines() if line.startswith('  {"id"')]
    assert [json.loads(line)["id"] for line in lines] == ["faces", "first-wins", "time"]
    content = json.loads(text)
    states = {"holds": 1, "fails": 0, "open": 1, "not testable here": 1}
    assert (content["paper"], content["count"]) == ("toy", states)
    assert content["claims"][1] == {
        "id": "first-wins",
        "where": "Table 1",
        "claim": "The first method errs less than the second.",
        "state": "holds",
        "because": "so",
        "settle": "More runs.",
        "figures": ["toy.table1"],
        "cells": {"a": "holds"},
        "numbers": [
            {
                "name": "n",
                "ours": 1.0,
                "std_error": 0.1,
                "published": 1.2,
                "entries": ["toy.table1"],
                "runs": None,
            }
        ],
    }


def test_writing_twice_gives_the_same_bytes(toy):
    paper, store = toy
    store.write(record("table1"))
    claims.write(store, [paper])
    first = (store.out / "toy" / "claims.json").read_bytes()
    claims.write(store, [paper])
    assert (store.out / "toy" / "claims.json").read_bytes() == first


def test_numbers_are_written_with_eight_digits(toy):
    claim = claims.parse("toy", FIRST)[0]
    number = Number("n", 1 / 3, 0.1 + 0.2, 12, ("toy.table1",))
    line = json.loads(claims.dump("toy", [Decided(claim, "open", (number,), "")]))["claims"][0]
    assert line["numbers"][0]["ours"] == 0.33333333
    assert line["numbers"][0]["std_error"] == 0.3
    assert line["numbers"][0]["published"] == 12


def test_records_that_the_folder_lacks_are_left_out(toy):
    paper, store = toy
    assert claims.read_records(store, paper) == {}
    store.write(record("table1"))
    assert list(claims.read_records(store, paper)) == ["table1"]


def test_a_paper_without_claims_gets_no_file(toy):
    paper, store = toy
    claims.write(store, [Paper("other", "Other", "nowhere", paper.figures)])
    assert not store.out.exists()
