"""A claims.toml is read, or refused with the line of what is wrong in it."""

import pytest

from paper_figures.judge.reading import InvalidClaims, parse
from paper_figures.registry import PAPERS, load_papers
from paper_figures.study import PUBLISHED

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


SECOND_TEST = """[[claim.test]]
figure = "table9"
is = "above"
"""


def test_a_file_is_read():
    first, second = parse("toy", GOOD, frozenset({"table1", "table2"})).claims
    assert first.figures == ("table1", "table2")
    assert first.tests[0]["rows"] == {"landmarks": [30, 50]}
    assert second.tests == () and second.why == "The faces are licensed."


@pytest.mark.parametrize(
    "old, new, line, message",
    [
        ("need = 1", "neeed = 1", 17, "no field 'neeed'"),
        ("settle =", "setle =", 9, "no field 'setle'"),
        ("[lists]", "[list]", 2, "no such table: list"),
        ('figure = "table1"\n', "", 11, "must have figure"),
        ('figure = "table1"', 'figure = "table9"', 12, "no figure 'table9'"),
        ('figure = "table2" }', 'figure = "table8" }', 12, "no figure 'table8'"),
        ('is = "below"', 'is = "lower"', 16, "is must be one of above, below"),
        ('is = "below"', 'is = "near"', 16, "near must have a limit above 0"),
        ('is = "below"', 'is = "as published"', 16, "has no limit, and nothing beside it"),
        ('is = "below"\n', "", 11, "must have is"),
        ("need = 1", "need = 0", 17, "need must be every, most"),
        ("need = 1", 'need = "all"', 17, "need must be every, most"),
        ('of = "first"', "of = { geometric_mean = { d = [1] } }", 14, "must have a limit above 0"),
        ("need = 1", "worth = -1", 17, "worth must be above 0"),
        ("need = 1", 'apart = ["data_set"]', 17, "apart must name keys of rows"),
        ("need = 1", 'apart = ["of"]', 17, "apart must name keys of rows"),
        ("need = 1", 'steps = "data_set"', 17, "steps must name a key of rows"),
        ("need = 1", 'over_all = ["a"]', 17, "over or over_all, not both"),
        ("need = 1", 'missing = "fails"', 17, "missing must be one of open"),
        ("need = 1", "points = 1000", 17, "no field 'points'"),
        ("need = 1", 'also = [{ is = "above", over = "a" }]', 17, "further test compares nothing"),
        ("need = 1", 'also = [{ is = "above", why = "" }]', 11, "no field 'why'"),
        ('why = "The faces are licensed."', SECOND_TEST, 24, "no figure 'table9'"),
        ("landmarks = ", "data_set__d = ", 13, "data_set__d must have lists of 2 values"),
        ("need = 1", 'limit = "a"', 17, "limit must be a number; got 'a'"),
        ("need = 1", 'reading = "one"', 6, "readings, and tests of two readings at least"),
        ('"$few"', '"$many"', 11, "there is no list '$many'"),
        ('id = "faces"', 'id = "first-wins"', 20, "the id 'first-wins' is there twice"),
        ('id = "faces"', 'id = "Faces"', 20, "lower case"),
        ('why = "The faces are licensed."\n', "", 20, "must have tests, or why"),
        ('claim = "It works on faces."\n', "", 19, "must have claim"),
        ('why = "The', 'at_best = "holds"\nwhy = "The', 23, "at_best must be one of open"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(old, new, line, message):
    assert old in GOOD
    with pytest.raises(InvalidClaims) as raised:
        parse("toy", GOOD.replace(old, new, 1), frozenset({"table1", "table2"}))
    said = str(raised.value)
    assert said.startswith(f"claims.toml of toy, line {line}: ") and message in said, said


def test_what_is_no_toml_is_refused():
    with pytest.raises(InvalidClaims, match="of toy must be TOML"):
        parse("toy", "[[claim]")


FIGURES = {paper.name: frozenset(f.name for f in paper.figures) for paper in load_papers()}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_papers_own_files_name_figures_that_there_are(paper):
    text = (PUBLISHED / paper / "claims.toml").read_text(encoding="utf-8")
    assert parse(paper, text, FIGURES[paper]).claims


def test_what_is_wrong_in_an_inline_test_is_not_refused_with_the_line_of_another_claim():
    head = '[[claim]]\nid = "{}"\nwhere = "Table 1"\nclaim = "It works."\nsettle = "More runs."\n'
    inline = 'test = [{ figure = "table9", is = "above" }]\n'
    text = head.format("a") + inline + head.format("b") + SECOND_TEST
    with pytest.raises(InvalidClaims, match=r"line 1: .*no figure 'table9'"):
        parse("toy", text, frozenset({"table1", "table2"}))
