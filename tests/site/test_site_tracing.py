"""The tracer and the runs of the examples: what the lines computed.

Expected values are counted by hand on a few made-up lines, and on the definitions of Algorithm A.2.
Not tested: the pages that show them (test_site_pages.py), that both kernels leave the same values
(tests/kernels).
"""

import ast
import html
import textwrap
import threading

import numpy as np
import pytest

from paper_figures.site import printed, rows, runs, snippets, steps, tracing, values
from paper_figures.site.snippets import Snippet

SECTIONS = [(room, section) for room in printed.PREFIXES for section in steps.read(room).sections]
sections = pytest.mark.parametrize(
    ("room", "section"), SECTIONS, ids=[f"{room}-{section.id}" for room, section in SECTIONS]
)


@sections
def test_every_round_can_be_drawn(room, section):
    live = runs.live(room, section)
    assert len(live.pictures) in (0, len(runs.rounds(live.trace)))
    assert all(picture.startswith("<svg") for picture in live.pictures)


@sections
def test_every_line_leaves_what_its_step_shows(room, section):
    """A statement of each printed line runs, and each expression of its step has a value."""
    live, page = runs.live(room, section), rows.Page(room)
    for id in live.snippets:
        shown = "".join(page.values(id, live, t) for t in runs.rounds(live.trace))
        assert '<span class="is">' in shown, id
        for text in page.steps[id].show:
            assert f'<span class="name">{html.escape(text)}' in shown, (id, text)


@pytest.mark.parametrize("room", printed.PREFIXES)
def test_the_examples_run_every_marked_statement(room):
    """Those of the algorithm as printed, and where it has none, those that PAPER.md names."""
    marked, seen = set(), set()
    for section in steps.read(room).sections:
        live = runs.live(room, section)
        marked |= {one.key for listed in live.snippets.values() for one in listed}
        seen |= {record.key for record in live.trace.records}
    assert marked - seen == set()


def test_the_rounds_of_adaboost_are_those_of_the_print():
    section = next(s for s in steps.read("boosted_distance").sections if s.id == "A.2")
    live = runs.live("boosted_distance", section)
    trace = live.trace
    assert trace.rounds == 6
    for t in range(1, 7):
        value = {name: trace.latest(name, t) for name in ("epsilon_t", "beta_t", "alpha_t", "t")}
        assert value["t"] == t
        assert value["beta_t"] == value["epsilon_t"] / (1 - value["epsilon_t"])
        assert value["alpha_t"] == pytest.approx(-np.log(value["beta_t"]))
    (normalised,) = live.snippets["BD:A.2:6"]
    for t in range(1, 7):
        assert trace.of(normalised, t)[-1].values["w"].sum() == pytest.approx(1)
    first = trace.of(live.snippets["BD:A.2:4"][0], 0)[-1].values["w"]
    assert first.tolist() == [1 / 24] * 24
    assert trace.seen(live.snippets["BD:A.2:11"][0]) == [1, 2, 3, 4, 5, 6]


AT_MOST = 3
"""How often a line may run in a section without a slider: a line for two reference objects."""
OF_LOOPS = {("ftune", "goodness"): 30, ("search_forest", "selection"): 3}
"""The rounds of sections whose algorithms have none: thrice each of ten flowers; forests."""


@sections
def test_a_run_whose_lines_run_again_and_again_has_rounds(room, section):
    live = runs.live(room, section)
    assert live.trace.rounds != 1
    assert live.trace.rounds == OF_LOOPS.get((room, section.id), live.trace.rounds)
    if not live.trace.rounds:
        listed = [snippet for snippets in live.snippets.values() for snippet in snippets]
        assert max(len(live.trace.of(snippet, 0)) for snippet in listed) <= AT_MOST


# ------------------------------------------------------------------------------ made-up lines


def traced(source, shows, tick=None, monkeypatch=None, tmp_path=None, thread=False):
    """Trace chosen lines of a made-up module; `shows` is {line: expressions}."""
    text = textwrap.dedent(source)
    path = tmp_path / "made_up.py"
    path.write_text(text)
    monkeypatch.setattr(tracing, "ROOT", tmp_path)
    by_line = {n.lineno: n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt)}

    def snippet(line):
        first, last = snippets.head(by_line[line])
        return Snippet("made_up.py", first, last, "", "", (), by_line[line])

    space = {}
    exec(compile(text, str(path), "exec"), space)

    def example(kernels):
        if not thread:
            return space["run"]()
        worker = threading.Thread(target=space["run"])
        worker.start()
        return worker.join()

    watched = [(snippet(line), show) for line, show in shows.items()]
    trace = tracing.run(example, None, watched, None if tick is None else snippet(tick))
    return trace, {line: snippet(line) for line in shows}


LOOP = """\
def run():
    total = 0
    for i in range(3):
        total += i
        if total > 1:
            total = -(
                total
            )
    return total
"""


@pytest.mark.parametrize("thread", [False, True])
def test_a_loop_by_hand(monkeypatch, tmp_path, thread):
    shows = {2: (), 3: (), 4: (), 5: (), 6: ("total * 2",), 9: ()}
    trace, at = traced(LOOP, shows, 3, monkeypatch, tmp_path, thread)
    got = [(r.key[1], r.round, r.values) for r in trace.records]
    assert got == [
        (2, 0, {"total": 0}),
        (3, 1, {"i": 0}),
        (4, 1, {"total": 0}),
        (5, 1, {"holds": False}),
        (3, 2, {"i": 1}),
        (4, 2, {"total": 1}),
        (5, 2, {"holds": False}),
        (3, 3, {"i": 2}),
        (4, 3, {"total": 3}),
        (5, 3, {"holds": True}),
        (8, 3, {"total * 2": -6}),
        (9, 3, {"returns": -3}),
    ]
    assert trace.rounds == 3
    assert trace.seen(at[6]) == [3] and len(trace.of(at[4], 2)) == 1
    assert trace.of(at[4], 2)[0].values == {"total": 1} and trace.of(at[5], 4) == []
    assert trace.of(at[6], 1) == trace.of(at[6], 3) != []  # it ran in a single round
    assert trace.latest("total", 2) == 1 and trace.latest("nothing", 3) is None


def test_generators_go_on_in_the_round_that_they_left(monkeypatch, tmp_path):
    source = """\
    def rounds():
        w = 1
        for t in (1, 2, 3):
            yield t
            w = w * 2
    def run():
        for t in rounds():
            if t == 3:
                break
    """
    trace, at = traced(source, {3: (), 5: ()}, 3, monkeypatch, tmp_path)
    assert trace.seen(at[3]) == [1, 2, 3]
    assert [(r.round, r.values["w"]) for r in trace.records if "w" in r.values] == [(1, 2), (2, 4)]


def test_kept_arrays_are_copies():
    array = np.zeros(2)
    kept = tracing.plain({"a": array, 1: (array, np.float64(2.0))})
    array += 1
    assert kept["a"].tolist() == [0, 0] and kept["1"][0].tolist() == [0, 0]
    assert type(kept["1"][1]) is float
    assert tracing.plain(object()) == "object"


# ------------------------------------------------------------------------------ how values look


def test_large_arrays_are_shown_by_their_beginning():
    assert values.shown(np.arange(100)) == " ".join(map(str, range(16))) + " …"
    lines = values.shown(np.zeros((20, 20))).splitlines()
    assert len(lines) == 9 and lines[0] == "0 " * 8 + "…" and lines[-1] == "…"
    assert '<span class="shape">(3,)</span>' in values.html("w", np.zeros(3))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (-1, "−1"),
        (1 / 3, "0.3333"),
        (-0.0, "0"),
        (float("-inf"), "−∞"),
        (np.array([True, False]), "1 0"),
        (np.array(["a", "b"]), "a b"),
        (np.array([]), "empty"),
        ([1, 2.5], "(1, 2.5)"),
        ({}, "empty"),
        ({"w": np.array([1.0, 2.0])}, "w: [1 2]"),
        ("text", "text"),
    ],
)
def test_values_as_text(value, text):
    assert values.shown(value) == text


def test_values_are_escaped():
    assert "&lt;b&gt;" in values.html("<b>", "x") and "<b>" not in values.html("<b>", "<b>")


# ------------------------------------------------------------------------------ lines that rest


@sections
def test_a_line_that_rests_in_a_round_says_why(room, section):
    """And no line says so that runs in each round, or in a single one, whose values stay."""
    live, written = runs.live(room, section), steps.read(room).steps
    every = range(1, live.trace.rounds + 1)
    for id in live.snippets:
        rests = rests_in(live, id, every)
        assert bool(rests) == bool(written[id].rests), (id, rests)


def rests_in(live, id, every):
    """Return the rounds in which no statement of a line ran."""
    ran = [live.trace.seen(snippet) for snippet in live.snippets[id]]
    ran = [rounds for rounds in ran if rounds]
    if any(len(rounds) == 1 for rounds in ran):
        return []
    return [round for round in every if not any(round in rounds for rounds in ran)]


@pytest.mark.parametrize(
    ("id", "names"),
    [
        ("FT:1:4", ["L", "taken"]),  # L grows, then z is taken: two statements beside each other
        ("FT:1:7", ["z_1", "z_2"]),  # z_1 is drawn, then z_2
    ],
)
def test_the_values_of_statements_beside_each_other_are_those_that_they_leave(id, names):
    section = next(s for s in steps.read("ftune").sections if s.id == "1")
    live = runs.live("ftune", section)
    shown = rows.Page("ftune").values(id, live, 2)
    assert [shown.count(f'<span class="name">{name}') for name in names] == [1, 1]
    assert "in <code>" not in shown
    first, second = live.snippets[id]
    assert first.inside == second.inside
    last = live.trace.of(second, live.trace.seen(second)[-1] if id == "FT:1:7" else 2)[-1]
    assert values.html(names[1], last.values[names[1]]) in shown


def test_the_meaning_of_a_name_is_that_of_its_symbol():
    """By hand from two rows as PAPER.md has them."""
    rows_of_table = [
        ("x_i, y_i", "`X`; `y`, `classes`", "(n, d); (n,)"),
        ("w(x', x'') (eq. 3)", "`w`", "(n, n)"),
        ("w_{t,i}", "`w`", "(n,)"),
        ("Omega; lambda, alphabet", "`lam`", "-"),
        ("s_i, s_max", "`s_i`, `s_max`; `alpha` of `Phi`", "-; (T,)"),
        ("y, l_y (Algorithm A.3)", "`y`, `l_y`; `Q` in the form for use", "(n_y, d), (n_y,)"),
    ]
    assert rows.meanings(rows_of_table) == {
        "X": "x_i, y_i, shape (n, d)",
        "y": "y_i, shape (n,); y, shape (n_y, d)",
        "classes": "x_i, y_i, shape (n,)",
        "lam": "Ω; λ, alphabet",
        "w": "w(x', x'') (eq. 3), shape (n, n); w_{t,i}, shape (n,)",
        "s_i": "s_i",
        "s_max": "s_max",
        "alpha": "s_i, s_max, shape (T,)",
        "Phi": "s_i, s_max, shape (T,)",
        "l_y": "l_y (Algorithm A.3), shape (n_y,)",
        "Q": "y, l_y (Algorithm A.3), shape (n_y, d), (n_y,)",
    }


def test_a_line_that_rests_keeps_the_values_of_the_round_before():
    section = next(s for s in steps.read("lmnn").sections if s.id == "3")
    live = runs.live("lmnn", section)
    page = rows.Page("lmnn")
    (statement,) = live.snippets["LM:3:8"]
    shown = page.values("LM:3:8", live, 6)  # full checks come after 1, 3 and 7 steps
    assert "Not in step 6." in shown and "From step 3:" in shown
    assert values.html("len(i)", live.trace.of(statement, 3)[-1].values["len(i)"]) in shown
    assert "Not in" not in page.values("LM:3:8", live, 7)
