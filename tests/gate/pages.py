"""The pages of results of two made-up papers, and made-up tables: an element a line."""

import json
import re
import tempfile
from pathlib import Path
from unittest import mock

from paper_figures import gallery, judge
from paper_figures.gallery.entries import Entry, Judged, Room
from paper_figures.gallery.html import template
from paper_figures.judge import verdicts
from paper_figures.judge.numbers import Number
from paper_figures.store import Store
from paper_figures.study import Gathered, Grid, View
from tests.support.fake_paper import paper_of, record_of

TABLES = Path(__file__).parent / "planted" / "tables.json"
DRAWN = View("figure1", "Curves", Gathered, "no page draws", size=(5.0, 2.5))
PAPERS = [
    paper_of(
        *("first_paper", "On <distances>", "Journal & Co. 1 (2001)", DRAWN),
        *(View("table1", "Sizes", Gathered), View("table3", "Failed", Gathered)),
    ),
    paper_of(
        *("second", "Other", "Elsewhere"),
        *(View("table10", "Not run", Gathered), View("codings", "C", Gathered)),
    ),
]
EXPLAINED = verdicts.Explanation("a", "w", "first_paper.table1", (), {}, (), "same")
WORSE = verdicts.Verdict(verdicts.WORSE, 1.0, 0.1, EXPLAINED)
LOW = judge.Claim("all-low", "first_paper", "§ 3", "All <errors> are low.", ("table1",))
MORE = judge.Claim("more", "first_paper", "§ 4", "More.", (), settle="five runs of table1")
NUMBERS = (
    Number("x", 1.2345, 0.125, 1.5, ("first_paper.table1",)),
    Number("y", 2.0, None, None, ("second.codings", "first_paper.figure1"), 1),
    Number("z", 4.0, 0.5, None, (), 1000),
    Number("w", 5.0, 0.0),
)


def pages():
    """The lines of each page in each state of a folder, and of each table, as [line, []]."""
    decided = [
        judge.Decided(LOW, "holds", NUMBERS, "both are low"),
        judge.Decided(MORE, "open", (), "no entry decides it"),
    ]
    undecided = [judge.Decided(LOW, "not testable here", (), "the small scale")]
    explained = mock.patch.object(verdicts, "judge", lambda of: [WORSE] * len(of["rows"]))
    found = {
        "at the paper's scale": _written(_fill),
        "at the small scale": _written(lambda out: _fill(out, "small")),
        "with claims": _written(_fill, decided),
        "with claims, nothing made": _written(lambda out: None, decided),
        "with claims, in a checkout": _written(_checkout, undecided),
        "with an experiment": _written(_fill, patched=explained),
    }
    made = {f"{page}, {state}": lines for state, of in found.items() for page, lines in of.items()}
    cases = json.loads(TABLES.read_text(encoding="utf-8"))
    return made | {f"a table: {about}": _table(case) for about, case in cases.items()}


def _row(published, ours, **keys):
    return keys | {"published": published, "ours": ours, "error": None, "n": 1}


def _fill(out, scale="paper"):
    """Store what was made, and a failure."""
    store = Store(out)
    data = [{"name": "uci/a.data", "sha256": "ab" * 32}]
    more = {"notes": ["first & note", "see `table1`", "third"], "data": data, "scale": scale}
    rows = [_row(70, 70, set="x"), _row(70, 60, set="<y>"), _row(None, None, set="z", why="no")]
    store.write(record_of("first_paper", "figure1", rows, **more))
    for name in ("figure1.svg", "figure1.png", "table1.svg"):  # a table has no picture
        (out / "first_paper" / name).write_text("")
    store.write(record_of("first_paper", "table1", [_row(1.0, 1.0, set="x")], scale=scale))
    store.write(record_of("first_paper", "table3", [_row(1.0, 1.0, n=1)]))
    failure = {"error": "Traceback <x>\nValueError: bad", "scale": "small", "kernels": "fast"}
    store.write_failure("first_paper", "table3", failure | {"seed": 0})
    rows = [_row(None, n, n=n) for n in range(40)]
    store.write(record_of("second", "codings", rows, scale=scale))


def _checkout(out):
    """Fill a folder that lies in a checkout, which has a committed record of table1."""
    committed = out.parent / "paper_figures/reproduced/first_paper"
    code = out.parent / "refimpl/first_paper/algorithm.py"
    for path in (committed / "README.md", committed / "table1.json", code):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    _fill(out, "small")
    (out / "first_paper" / "table3.json").unlink()


def _written(prepare, decided=(), patched=None):
    """Return the lines of the pages of a prepared folder, by their names."""
    claims = {"first_paper": list(decided)}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures"
        out.mkdir()
        prepare(out)
        with (
            mock.patch.object(judge, "decide", lambda paper, records: claims.get(paper, [])),
            patched or mock.patch.object(judge, "HOLDS", judge.HOLDS),
        ):
            gallery.write(Store(out), PAPERS)
        return {
            str(path.relative_to(out).parent): _lines(path.read_text(encoding="utf-8"))
            for path in sorted(out.rglob("index.html"))
        }


def _table(case):
    """Return the lines of the tables and the footnotes of an entry."""
    grids = []
    for given in case["grids"]:
        plain = {key: tuple(of) if isinstance(of, list) else of for key, of in given.items()}
        names = {key: dict(of) for key, of in given.get("names", {}).items()}
        grids.append(Grid(**plain | {"names": names}))
    judged = []
    for row, said in case["rows"]:
        why = said.pop("explanation", None)
        why = why and verdicts.Explanation(*why, (), {}, (), "same")
        judged.append(Judged(row, verdicts.Verdict(**said, explanation=why)))
    view = View("table1", "T", Gathered, layout=tuple(grids))
    paper = paper_of("made_up", "Title", "Source", view)
    entry = Entry(paper, view, {"rows": []}, None, tuple(judged), tuple(case.get("pictures", ())))
    room = Room(paper, (entry,), (), Path("/nowhere"), None, frozenset({"made_up.table1"}))
    notes = {}
    macros = template("tables").module
    return _lines(macros.numbers(entry, notes) + macros.written_notes(notes, "table1", room))


def _lines(page):
    """Return a page without style and script, an element with its text a line."""
    bare = re.sub(r"(?s)<(style|script)>.*?</\1>", "", page)
    lines = [" ".join(line.split()) for line in re.split(r"(?=<[^/])", bare)]
    return [[line, []] for line in lines if line]
