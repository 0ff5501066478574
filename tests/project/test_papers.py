"""Every printed line has its place in the code, its test and its figure: PAPER.md and the marks,
both ways.
"""

import pkgutil
import re

import pytest

import refimpl.kernels
from paper_figures.registry import load_papers
from paper_figures.site import snippets
from paper_figures.site.printed import PREFIXES, ROOT, code_files, comments, marks, read
from refimpl.check.reports import MARK, tables, whole_tables

SECTIONS = ("Symbols", "Errata", "Open readings", "Printed lines", "Index", "More")
ID_OF_ERRATUM = {"BD": "BD", "BM": "BM", "SF": "BSF", "LM": "LM", "FT": "FT"}
MARKS = marks()
FIGURES = {f"{paper.name}.{figure.name}" for paper in load_papers() for figure in paper.figures} | {
    "-"
}
rooms = pytest.mark.parametrize("room", PREFIXES)


def plain(cell):
    return cell.strip("`")


def all_of(cell):
    """The names in backquotes of a cell."""
    return re.findall(r"`([^`]+)`", cell)


def require_test(cell, where):
    for one in all_of(cell):
        file, _, name = one.partition("::")
        assert (ROOT / file).is_file(), (where, one)
        assert not name or re.search(
            rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.M
        ), (where, one)


@rooms
def test_a_paper_has_its_sections(room):
    sections = whole_tables(room)
    assert tuple(sections) == SECTIONS
    for section, rows in sections.items():
        assert len(rows) > 1, section
        assert {len(row) for row in rows} == {len(rows[0])}, section


@rooms
def test_every_printed_line_stands_in_the_index_once(room):
    indexed = [name for row in tables(room)["Index"] for name in MARK.findall(row[0])]
    assert sorted(indexed) == sorted(read(room).lines)
    assert len(set(indexed)) == len(indexed)


def test_every_mark_is_a_printed_line():
    printed = {name for room in PREFIXES for name in read(room).lines}
    assert {name: MARKS[name][0] for name in set(MARKS) - printed} == {}


@rooms
def test_the_function_of_a_line_holds_its_mark(room):
    for printed, words, code, *_ in tables(room)["Index"]:
        if code == "-":
            assert words, printed
            continue
        for path in all_of(code):
            place = snippets.located(path)
            assert place, (printed, path)
            lines = snippets.span(*place)
            assert lines, (printed, path)
            for one in MARK.findall(printed):
                places = [mark.line for mark in MARKS.get(one, []) if mark.file == place[0]]
                assert any(lines[0] <= line <= lines[1] for line in places), (one, path)


@rooms
def test_a_line_with_a_kernel_is_marked_in_both_twins(room):
    for printed, _, _, kernel, *_ in tables(room)["Index"]:
        for name in [] if kernel == "-" else all_of(kernel):
            home = getattr(refimpl.kernels, name).__module__.rpartition(".")[2]
            for file in (f"refimpl/kernels/{home}.py", f"refimpl_fast/{fast_file(name)}"):
                for one in MARK.findall(printed):
                    assert file in [mark.file for mark in MARKS.get(one, [])], (one, name, file)


def fast_file(name):
    """The name of the Cython file that has a kernel."""
    defined = re.compile(rf"^(?:def|cpdef|class|cdef class) {name}\b", re.M)
    (file,) = [
        path.name
        for path in (ROOT / "refimpl_fast").glob("*.pyx")
        if defined.search(path.read_text(encoding="utf-8"))
    ]
    return file


DISPATCH = re.compile(r"^(for|while) .*:|\.(run|each|search|fill)\(")


def test_a_mark_of_a_kernel_is_on_the_statement_that_computes():
    """Neither on a loop's header nor on the call that gives a loop to threads."""
    for mark in (mark for places in MARKS.values() for mark in places):
        if mark.file.startswith(("refimpl/kernels/", "refimpl_fast/")):
            lines = (ROOT / mark.file).read_text(encoding="utf-8").splitlines()[mark.line - 1 :]
            statement = next(text for line in lines if (text := line.split("#")[0].strip()))
            assert not DISPATCH.search(statement), (mark, statement)


@rooms
def test_tests_and_figures_of_the_index_exist(room):
    sections = tables(room)
    for printed, _, code, _, test, figure in sections["Index"]:
        assert code == "-" or test != "-", printed
        require_test(test, printed)
        assert all(name in FIGURES for name in (all_of(figure) or [figure])), (printed, figure)
    for what, code, test, figure in sections["More"]:
        for path in all_of(code):
            assert callable(pkgutil.resolve_name(path)), (what, path)
        require_test(test, what)
        assert all(name in FIGURES for name in (all_of(figure) or [figure])), (what, figure)


@rooms
def test_errata_have_a_test_that_exists(room):
    for row in tables(room)["Errata"]:
        require_test(row[-1], row[0])


def errata_in_code():
    """Return the ids of the errata that a comment or a docstring names."""
    text = "".join(path.read_text(encoding="utf-8") for path in code_files())
    groups = re.findall(r"ERRATUM ([A-Z]+-\d+(?:, [A-Z]+-\d+)*)", text)
    return {name for group in groups for name in group.split(", ")}


def test_errata_of_the_code_are_listed():
    known = {row[0] for room in PREFIXES for row in tables(room)["Errata"]}
    assert errata_in_code() <= known
    for room, prefix in PREFIXES.items():
        for row in tables(room)["Errata"]:
            assert row[0].startswith(ID_OF_ERRATUM[prefix] + "-")
            assert row[-1] == "-" or row[0] in errata_in_code(), (
                f"{row[0]} has a test and no line of code"
            )


@rooms
def test_open_lines_are_listed_and_stand_once(room):
    said = (text for _, text in comments(ROOT / "refimpl" / room / "algorithm.py"))
    in_code = [name for text in said for name in re.findall(r"\bopen: ([\w-]+)", text)]
    names = [row[0] for row in tables(room)["Open readings"]]
    assert len(set(names)) == len(names)
    assert sorted(in_code) == sorted(name for name in names if not name.endswith("*"))


def test_every_printed_line_can_be_searched_by_its_number():
    """Neither in the code nor in the index a mark is a range: a search for a line within it would
    not find it.
    """
    marked = [(path, line, text) for path in code_files() for line, text in comments(path)]
    indexed = [(room, row[0], row[0]) for room in PREFIXES for row in tables(room)["Index"]]
    for place, line, text in marked + indexed:
        assert not re.search(rf"{MARK.pattern}-\d", text), (place, line)


def test_no_mark_of_the_old_form_is_left():
    old = re.compile(r"#.*\b(A\.[123] l\.\d|Alg\. ?[12] l\.\d)")
    for path in code_files():
        assert not old.search(path.read_text(encoding="utf-8")), path
