"""Every printed line has its place in the code, its test and its figure: PAPER.md and the marks,
both ways.
"""

import pkgutil
import re

import pytest
from printed import (
    ID_OF_ERRATUM,
    MARK,
    ROOMS,
    ROOT,
    SECTIONS,
    code_files,
    comments,
    errata_in_code,
    expanded,
    listed,
    located,
    marks,
    open_in,
    span,
    tables,
)

import refimpl.kernels
from paper_figures.registry import load_papers

MARKS = marks()
FIGURES = {f"{paper.name}.{figure.name}" for paper in load_papers() for figure in paper.figures} | {
    "-"
}
rooms = pytest.mark.parametrize("room", ROOMS.values())


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
    sections = tables(room)
    assert tuple(sections) == SECTIONS
    for section, rows in sections.items():
        assert len(rows) > 1, section
        assert {len(row) for row in rows} == {len(rows[0])}, section


@rooms
def test_every_printed_line_stands_in_the_index_once(room):
    indexed = [name for row in tables(room)["Index"][1:] for name in expanded(row[0])]
    assert sorted(indexed) == sorted(listed(room))
    assert len(set(indexed)) == len(indexed)


def test_every_mark_is_a_printed_line():
    printed = {name for room in ROOMS.values() for name in listed(room)}
    assert {name: MARKS[name][0] for name in set(MARKS) - printed} == {}


@rooms
def test_the_function_of_a_line_holds_its_mark(room):
    for printed, words, code, *_ in tables(room)["Index"][1:]:
        if code == "-":
            assert words, printed
            continue
        for path in all_of(code):
            place = located(path)
            assert place, (printed, path)
            file, name = place
            lines = span(file, name)
            assert lines, (printed, path)
            for one in expanded(printed):
                places = [line for where, line in MARKS.get(one, []) if where == file]
                assert any(lines[0] <= line <= lines[1] for line in places), (one, path)


@rooms
def test_a_line_with_a_kernel_is_marked_in_both_twins(room):
    for printed, _, _, kernel, *_ in tables(room)["Index"][1:]:
        for name in [] if kernel == "-" else all_of(kernel):
            home = getattr(refimpl.kernels, name).__module__.rpartition(".")[2]
            for file in (ROOT / "refimpl" / "kernels" / f"{home}.py", fast_file(name)):
                for one in expanded(printed):
                    marked = [where for where, _ in MARKS.get(one, []) if where == file]
                    assert marked, (one, name, file.name)


def fast_file(name):
    """The Cython file that has a kernel."""
    defined = re.compile(rf"^(?:def|cpdef|class|cdef class) {name}\b", re.M)
    (file,) = [
        path
        for path in (ROOT / "refimpl_fast").glob("*.pyx")
        if defined.search(path.read_text(encoding="utf-8"))
    ]
    return file


DISPATCH = re.compile(r"^(for|while) .*:|\.(run|each|search|fill)\(")


def test_a_mark_of_a_kernel_is_on_the_statement_that_computes():
    """Neither on a loop's header nor on the call that gives a loop to threads."""
    for name, places in MARKS.items():
        for file, number in places:
            if file.parent.name not in ("kernels", "refimpl_fast"):
                continue
            lines = file.read_text(encoding="utf-8").splitlines()[number - 1 :]
            statement = next(text for line in lines if (text := line.split("#")[0].strip()))
            assert not DISPATCH.search(statement), (name, file.name, number, statement)


@rooms
def test_tests_and_figures_of_the_index_exist(room):
    sections = tables(room)
    for printed, _, code, _, test, figure in sections["Index"][1:]:
        assert code == "-" or test != "-", printed
        require_test(test, printed)
        assert all(name in FIGURES for name in (all_of(figure) or [figure])), (printed, figure)
    for what, code, test, figure in sections["More"][1:]:
        for path in all_of(code):
            assert callable(pkgutil.resolve_name(path)), (what, path)
        require_test(test, what)
        assert all(name in FIGURES for name in (all_of(figure) or [figure])), (what, figure)


@rooms
def test_errata_have_a_test_that_exists(room):
    for row in tables(room)["Errata"][1:]:
        require_test(row[-1], row[0])


def test_errata_of_the_code_are_listed():
    known = {row[0] for room in ROOMS.values() for row in tables(room)["Errata"][1:]}
    assert errata_in_code() <= known
    for prefix, room in ROOMS.items():
        for row in tables(room)["Errata"][1:]:
            assert row[0].startswith(ID_OF_ERRATUM[prefix] + "-")
            assert row[-1] == "-" or row[0] in errata_in_code(), (
                f"{row[0]} has a test and no line of code"
            )


@rooms
def test_open_lines_are_listed_and_stand_once(room):
    in_code = open_in(room)
    names = [row[0] for row in tables(room)["Open readings"][1:]]
    assert len(set(names)) == len(names)
    assert sorted(in_code) == sorted(name for name in names if not name.endswith("*"))
    assert set(in_code.values()) <= {1}


def test_every_printed_line_can_be_searched_by_its_number():
    """Neither in the code nor in the index a mark is a range: a search for a line within it would
    not find it.
    """
    marked = [(path, line, text) for path in code_files() for line, text in comments(path)]
    indexed = [(room, row[0], row[0]) for room in ROOMS.values() for row in tables(room)["Index"]]
    for place, line, text in marked + indexed:
        ranges = [mark for mark in MARK.findall(text) if mark[-1]]
        assert not ranges, (place, line, ranges)


def test_no_mark_of_the_old_form_is_left():
    old = re.compile(r"#.*\b(A\.[123] l\.\d|Alg\. ?[12] l\.\d)")
    for path in [*(ROOT / "refimpl").rglob("*.py"), *(ROOT / "refimpl_fast").glob("*.pyx")]:
        assert not old.search(path.read_text(encoding="utf-8")), path
