"""The files of claims and verdicts have their form: that of ``published/*.schema.json``, and what
no schema says. A fault is named with its claim.

Not tested here: whether what they say of the records is so (test_judge_verdicts.py).
"""

import json
import tomllib

import pytest

from paper_figures.judge.reading import named_figures, parse
from paper_figures.registry import PAPERS, ROOMS, load_papers
from paper_figures.rows import PUBLISHED

jsonschema = pytest.importorskip("jsonschema")


def of_schema(kind, content):
    """Yield what the schema refuses, with the place: claim[0].test[1].is."""
    schema = json.loads((PUBLISHED / f"{kind}.schema.json").read_text(encoding="utf-8"))
    for error in jsonschema.Draft202012Validator(schema).iter_errors(content):
        yield f"{error.json_path.removeprefix('$.')}: {error.message}"


def faults_of_claims(content, figures):
    """Yield what is wrong in a claims.toml, with its place or the id of the claim."""
    yield from of_schema("claims", content)
    ids = [claim.get("id") for claim in content.get("claim", [])]
    yield from (f"{id}: the id is there twice" for id in {id for id in ids if ids.count(id) > 1})
    for claim in content.get("claim", []):
        tests = claim.get("test", [])
        readings = {test["reading"] for test in tests if "reading" in test}
        if len(readings) == 1 or ("readings" in claim) != bool(readings):
            yield f"{claim.get('id')}: readings, and tests of two readings, need each other"
        for name in [*named_figures(tests), *claim.get("figures", [])]:
            if name not in figures:
                yield f"{claim.get('id')}: no figure {name!r}"
        for test in tests:
            keys = {*test.get("apart", []), *({test["steps"]} if "steps" in test else ())}
            if not keys <= set(test.get("rows", {})):
                yield f"{claim.get('id')}: apart and steps must name keys of rows; got {keys}"


FIGURES = {paper.name: frozenset(f.name for f in paper.figures) for paper in load_papers()}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_papers_own_claims_have_their_form(paper):
    claims = tomllib.loads((PUBLISHED / paper / "claims.toml").read_text(encoding="utf-8"))
    assert list(faults_of_claims(claims, FIGURES[paper])) == [] and claims["claim"]


@pytest.mark.parametrize("room", ROOMS)
def test_the_papers_own_verdicts_have_their_form(room):
    verdicts = tomllib.loads((PUBLISHED / room / "verdicts.toml").read_text(encoding="utf-8"))
    assert list(of_schema("verdicts", verdicts)) == [] and verdicts["rule"]


GOOD = """# two claims
[lists]
few = [30, 50]

[[claim]]
id = "first-wins"
where = "Table 1"
claim = "The first method errs less than the second."
settle = "More runs."

[[claim.test]]
figure = "table1"
rows = { landmarks = "$few" }
of = "first"
over = { method = "second", figure = "table2" }
is = "below"
need = 1

[[claim]]
id = "faces"
where = "Section 2"
claim = "It works on faces."
why = "The faces are licensed."
"""
TEST = "claim[0].test[0]"


def test_a_file_is_read():
    first, second = parse("toy", GOOD).claims
    assert first.figures == ("table1", "table2")
    assert first.tests[0]["rows"] == {"landmarks": [30, 50]}
    assert second.tests == () and second.why == "The faces are licensed."
    assert list(faults_of_claims(tomllib.loads(GOOD), {"table1", "table2"})) == []
    with pytest.raises(KeyError, match="many"):
        parse("toy", GOOD.replace("$few", "$many"))


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("need = 1", "neeed = 1", f"{TEST}: Additional properties"),
        ("settle =", "setle =", "claim[0]: Additional properties"),
        ("[lists]", "[list]", "'list' was unexpected"),
        ('figure = "table1"\n', "", f"{TEST}: 'figure' is a required property"),
        ('figure = "table1"', 'figure = "table9"', "first-wins: no figure 'table9'"),
        ('figure = "table2" }', 'figure = "table8" }', "first-wins: no figure 'table8'"),
        ('is = "below"', 'is = "lower"', f"{TEST}.is: 'lower' is not one of"),
        ('is = "below"', 'is = "near"', f"{TEST}: 'limit' is a required property"),
        ('is = "below"', 'is = "as published"', f"{TEST}: False schema"),
        ('is = "below"\n', "", f"{TEST}: 'is' is a required property"),
        ("need = 1", "need = 0", f"{TEST}.need: 0 is not valid"),
        ("need = 1", 'need = "all"', f"{TEST}.need: 'all' is not valid"),
        ('of = "first"', "of = { geometric_mean = { d = [1] } }", "'limit' is a required"),
        ("need = 1", "worth = -1", f"{TEST}.worth: -1 is less than or equal to"),
        ('need = 1', 'apart = ["data_set"]', "first-wins: apart and steps must name keys of rows"),
        ("need = 1", 'steps = "data_set"', "first-wins: apart and steps must name keys of rows"),
        ("need = 1", 'over_all = ["a"]', f"{TEST}: "),
        ("need = 1", 'missing = "fails"', f"{TEST}.missing: 'fails' is not one of"),
        ("need = 1", 'also = [{ is = "above", over = "a" }]', f"{TEST}.also[0]: "),
        ("need = 1", 'also = [{ is = "above", why = "" }]', f"{TEST}.also[0]: Additional"),
        ("need = 1", 'limit = "a"', f"{TEST}.limit: 'a' is not of type 'number'"),
        ("need = 1", 'reading = "one"', "first-wins: readings, and tests of two readings"),
        ('id = "faces"', 'id = "first-wins"', "first-wins: the id is there twice"),
        ('id = "faces"', 'id = "Faces"', "claim[1].id: 'Faces' does not match"),
        ('why = "The faces are licensed."\n', "", "claim[1]: "),
        ('claim = "It works on faces."\n', "", "claim[1]: 'claim' is a required property"),
        ('why = "The', 'at_best = "holds"\nwhy = "The', "claim[1].at_best: 'holds' is not one of"),
        ('"The faces are licensed."', '""', "claim[1].why: '' does not match"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_claims_is_named(old, new, message):
    assert old in GOOD
    content = tomllib.loads(GOOD.replace(old, new, 1))
    found = list(faults_of_claims(content, {"table1", "table2"}))
    assert any(message in fault for fault in found), found


WHY = """
[[explanation]]
id = "why"
text = "because"
experiment = "trials"
rows = { figure = "table1", set = ["a", "b"] }
bind = ["set"]
shows = "same"
named_by_the_paper = true
"""


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("[[explanation]]", "[[explain]]", "'explain' was unexpected"),
        ("shows =", "show =", "'show' was unexpected"),
        ('"same"', '"much"', "explanation[0].shows: 'much' is not one of"),
        ('text = "because"\n', "", "'text' is a required property"),
        ('"because"', '""', "explanation[0].text: '' does not match"),
        ('figure = "table1", ', "", "explanation[0].rows: 'figure' is a required property"),
        ("named_by_the_paper = true\n", "", "explanation[0]: "),
        ("[[explanation]]", "[[rule]]\nbettr = 1\n[[explanation]]", "'bettr' was unexpected"),
        ("[[explanation]]", "[[rule]]\nruns = 1\n[[explanation]]", "rule[0]: 'figure' is a"),
        ("[[explanation]]", '[[note]]\nfigure = "a"\n[[explanation]]', "note[0]: "),
    ],
)
def test_what_is_wrong_in_verdicts_is_named(old, new, message):
    assert old in WHY and list(of_schema("verdicts", tomllib.loads(WHY))) == []
    found = list(of_schema("verdicts", tomllib.loads(WHY.replace(old, new, 1))))
    assert any(message in fault for fault in found), found
