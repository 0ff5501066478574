"""The site's reading of the marks, the PAPER.md files and the steps: nothing printed is left out.

Every printed line has a step in our words or says why not, and a statement of the code or no code
in PAPER.md. Not tested: what PAPER.md says (tests/project/test_papers.py), that a step says what
the paper means, and what the pages look like (test_site_pages.py).
"""

import importlib
import re

import numpy as np
import pytest

from paper_figures.site import mathml, printed, rows, runs, snippets, steps, values

rooms = pytest.mark.parametrize("room", printed.PREFIXES)


@rooms
def test_every_printed_line_has_a_step(room):
    written = steps.read(room)
    missing = [id for id in printed.read(room).lines if id not in written.steps]
    assert missing == []
    for id, step in written.steps.items():
        assert step.words.endswith((".", "?", ":")), id
        assert id in printed.read(room).lines, id


@rooms
def test_every_place_stands_in_one_section(room):
    paper, written = printed.read(room), steps.read(room)
    places = [place for section in written.sections for place in section.places]
    assert sorted(places) == sorted({line.place for line in paper.lines.values()})
    ids = [id for section in written.sections for id in runs.ids_of(room, section)]
    assert sorted(ids) == sorted(paper.lines)
    names = [section.example for section in written.sections]
    module = importlib.import_module(f"paper_figures.site.examples.{room}")
    assert sorted(names) == sorted(module.EXAMPLES)


@rooms
def test_every_line_with_code_has_its_statement(room):
    """Those of the form as printed come first; a line without code says so in PAPER.md."""
    paper = printed.read(room)
    for id, line in paper.lines.items():
        shown = snippets.reference(paper, id)
        assert bool(shown) == bool(line.code), id
        for snippet in shown:
            assert id in snippet.text, (id, snippet)


@rooms
def test_a_line_with_a_kernel_shows_its_twin(room):
    for id, line in printed.read(room).lines.items():
        if line.kernels:
            twins = snippets.cython(id)
            assert twins, id
            for twin in twins:
                lines = twin.text.splitlines()
                assert all(id in lines[n - twin.first] for n in twin.marked), id
                assert twin.inside and '"""' not in twin.text, (id, twin)


@rooms
def test_every_test_of_the_index_can_be_shown(room):
    for line in printed.read(room).lines.values():
        for name in line.tests:
            file, _, function = name.partition("::")
            source = snippets.function(file, function)
            assert source is not None and source.text.startswith(("def ", "@")), name


def test_a_comment_alone_belongs_to_the_statement_below():
    file = "refimpl/boosted_distance/algorithm.py"
    (mark,) = [m for m in printed.marks()["BD:A.2:7"] if m.file == file]
    snippet = snippets.statement(mark)
    first, second = snippet.text.splitlines()
    assert first.startswith("# BD:A.2:7") and second.startswith("epsilon_t, h_t = ")
    assert snippet.inside == "adaboost_rounds"


def test_a_loop_is_shown_by_its_head():
    paper = printed.read("boosted_distance")
    heads = [snippet.text for snippet in snippets.reference(paper, "BD:A.3:2")]
    assert heads == ["for i in range(len(Omega)):  # BD:A.3:2"]


def test_a_mark_at_the_end_of_a_long_statement_shows_all_of_it():
    found = [m for m in printed.marks()["BD:A.2:7"] if m.file == "refimpl/kernels/stumps.py"]
    assert snippets.statement(found[0]).text.startswith("best = (")


def test_errata_stand_at_their_lines():
    paper = printed.read("boosted_distance")
    assert [e.id for e in paper.errata_of("BD:A.2:12")] == ["BD-1"]
    assert [e.id for e in paper.errata_of("BD:A.3:4")] == ["BD-2"]
    assert paper.errata_of("BD:A.2:1") == []


@rooms
def test_the_reader_shows_every_erratum_of_a_printed_line(room):
    """Those that name a section, a table or a figure have no row of their own."""
    paper = printed.read(room)
    shown = {e.id for id in paper.lines for e in paper.errata_of(id)}
    elsewhere = {"BM-6", "BM-11", "BM-12", "LM-4", "LM-6", "LM-7", "LM-10", "FT-4", "FT-5", "FT-6"}
    elsewhere |= {"BD-5", "BD-6", "BD-7", "BD-8", *(f"BM-{n}" for n in range(15, 20))}
    assert {e.id for e in paper.errata} - shown <= elsewhere


def test_an_erratum_that_the_code_names_at_a_mark_stands_there():
    for room in printed.PREFIXES:
        paper = printed.read(room)
        for id in paper.lines:
            for mark in printed.marks().get(id, []):
                text = (printed.ROOT / mark.file).read_text("utf-8").splitlines()[mark.line - 1]
                named = re.findall(r"ERRATUM (\w+-\d+)", text)
                alone = re.findall(r"\b(?:BD|BM|SF|LM|FT):[\w.:]+", text) == [id]
                if named and alone and mark.file.endswith("algorithm.py"):
                    assert named[0] in [e.id for e in paper.errata_of(id)], (id, mark)


def test_the_code_below_a_comment_is_coloured():
    text = "a = 1\n# BD:A.2:1\nb = 2\nc = 3"
    assert rows.coloured_lines(snippets.Snippet("f.pyx", 10, 13, text, "g", (11,))) == [2, 3]
    text = "# BD:A.2:1\ncdef int b\nb = 2"
    assert rows.coloured_lines(snippets.Snippet("f.pyx", 10, 12, text, "g", (10,))) == [1]
    text = "a = 1  # BD:A.2:1\nb = 2"
    assert rows.coloured_lines(snippets.Snippet("f.pyx", 10, 11, text, "g", (10,))) == [1]


def test_a_row_of_a_matrix_fits_a_phone():
    wide = np.full((2, 8), -0.123456)
    assert values.shown(wide).splitlines() == [" ".join(["−0.1235"] * 5) + " …"] * 2
    assert values.shown(np.eye(3)).splitlines() == ["1 0 0", "0 1 0", "0 0 1"]
    assert values.shown(np.empty((0, 2))) == ""


def test_names_of_lines():
    assert rows.anchor("BD:A.2:7") == "BD-A.2-7"
    assert [rows.short(id) for id in ("BD:A.2:7", "LM:eq8")] == ["7", "eq8"]
    packed = rows.pieces({"x": ["<i>a</i><b>b</b>", "<b>b</b>"], "": ["", "c"]})
    assert packed == {
        "texts": {"x": [[0, 1], [1]], "": [[], [2]]},
        "pieces": ["<i>a</i>", "<b>b</b>", "c"],
    }
    assert mathml.inline("`w` < 1") == "<code>w</code> &lt; 1"


@rooms
def test_formulas_become_mathml(room):
    pytest.importorskip("latex2mathml")
    written = steps.read(room)
    for id, step in written.steps.items():
        html = mathml.inline(step.words) + (mathml.mathml(step.formula) if step.formula else "")
        assert "\\" not in re.sub(r"<[^>]*>", "", html), id
        assert "merror" not in html, id


def test_a_formula_that_mathml_does_not_know_is_refused():
    pytest.importorskip("latex2mathml")
    with pytest.raises(ValueError, match="must have commands that MathML knows"):
        mathml.mathml(r"\arg\min x")
    with pytest.raises(ValueError, match="even number of dollars"):
        mathml.inline("costs $ 5")


@pytest.mark.parametrize(
    ("id", "name", "file"),
    [("LM:3:1", "eight_hinges", "hinges.h"), ("BM:eq11", "eight_errors", "margins.h")],
)
def test_a_line_of_a_kernel_leads_to_the_header_that_it_calls(id, name, file):
    found = [one for snippet in snippets.cython(id) for one in snippets.in_headers(snippet)]
    assert [(one.inside, one.file) for one in found] == [(name, f"refimpl_fast/{file}")]
    assert f"{name}(" in found[0].text
