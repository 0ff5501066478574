"""What is cut from the files that Sphinx wrote, and the pages of files, by hand.

That the pages remain whole stands in the other tests of the built site.
"""

import json
import re

import pytest

from paper_figures.site import finish, listings


def test_code_has_one_element_for_neighbours_of_one_colour():
    html = (
        '<span class="k">if</span> <span class="n">x</span><span class="o">==</span>'
        '<span class="sa">f</span><span class="s2">"a</span><span class="si">{</span>'
        '<span class="mi">1</span><span class="nn">np</span><span class="nf">f</span>'
        '<span class="c1"># &lt;</span><span class="gp">&gt;&gt;&gt; </span>'
    )
    assert finish.lighter(html) == (
        '<b>if</b> x==<q>f"a{</q><u>1</u>np<em>f</em><b class=c># &lt;</b>'
        '<span class="gp">&gt;&gt;&gt; </span>'
    )


def test_no_class_has_two_looks():
    kinds = [kind for kinds in (finish.PLAIN, *finish.LOOKS.values()) for kind in kinds]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_classes_of_a_look_have_one_colour(scheme):
    pytest.importorskip("a11y_pygments")
    from pygments.styles import get_style_by_name
    from pygments.token import STANDARD_TYPES

    style = get_style_by_name(f"a11y-high-contrast-{scheme}")
    looks = {kind: style.style_for_token(token) for token, kind in STANDARD_TYPES.items()}
    for kinds in finish.LOOKS.values():
        assert len({str(looks[kind]) for kind in kinds if kind in looks}) == 1, kinds


def test_rules_that_nothing_names_are_cut():
    css = (
        "/*! MIT 1.0 */ a.used, .gone { b: c } /* of .x */ html .used { d: e }\n"
        ".gone:hover{f:g} .bs-tooltip-top{h:i} @media (w: 1px) { .gone { j: k } .used{l:m} }\n"
        ".a:not(.gone,.b) {n:o} .highlight .k { p: q }"
    )
    assert re.sub(r"\s+", "", finish.used(css, {"used", "highlight"})) == (
        "/*!MIT1.0*/a.used{b:c}html.used{d:e}.bs-tooltip-top{h:i}@media(w:1px){.used{l:m}}"
        ".a:not(.gone,.b){n:o}.highlightb{p:q}"
    )


def test_the_icons_of_the_theme_have_no_font():
    css = "a{b:c}@font-face{font-family:Font;src:url(../webfonts/fa-solid-900.woff2)}d{e:f}"
    assert finish.used(css, set()) == "a{b:c}d{e:f}"


def test_the_rows_of_a_record_have_columns():
    record = {"title": "t", "rows": [{"a": 1, "b": 0.1}, {"a": None, "why": "x"}]}
    expected = {"title": "t", "rows": [[1, 0.1, None], [None, None, "x"]]}
    assert finish.columns(record) == {**expected, "columns": ["a", "b", "why"]}


def test_a_folder_is_made_lighter(tmp_path):
    pytest.importorskip("minify_html")
    (tmp_path / "figures" / "p").mkdir(parents=True)
    record = tmp_path / "figures" / "p" / "table1.json"
    record.write_text(json.dumps({"rows": [{"a": 1}]}, indent=1))
    (tmp_path / "theme.js.map").write_text("{}")
    page = '<p class="a"  >one\n  two</p>\n<span class="is">1  0\n0  1</span><pre>  x\n y</pre>'
    (tmp_path / "page.html").write_text(f'{page}<a class="reference internal" href="#b">b</a>')
    (tmp_path / "style.css").write_text(".a{b:c}.d{e:f}")
    finish.finish(tmp_path)
    assert json.loads(record.read_text()) == {"columns": ["a"], "rows": [[1]]}
    assert not (tmp_path / "theme.js.map").exists()
    assert (tmp_path / "style.css").read_text() == ".a{b:c}"
    assert (tmp_path / "page.html").read_text() == (
        "<p class=a>one two</p><span class=is>1  0\n0  1</span><pre>  x\n y</pre><a href=#b>b</a>"
    )


def test_the_address_of_a_line():
    to = "../source/refimpl/lmnn/algorithm.py.html#L3"
    assert listings.address("refimpl/lmnn/algorithm.py", 3) == to
    assert listings.address("setup.py", 3) == ""
    assert listings.link_of("py", {"module": "refimpl_fast", "fullname": "nothing"}) is None


def test_lines_of_one_colour_share_an_element(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text('"""Say.\n\nMore.\n"""\nx = 1\n# one\n# two\n')
    monkeypatch.setattr(listings, "ROOT", tmp_path)
    shown = listings.body("a.py").partition('<pre tabindex="0">')[2].removesuffix("</pre></div>")
    assert shown == (
        '<q><i id=L1>"""Say.</i>\n<i id=L2></i>\n<i id=L3>More.</i>\n<i id=L4>"""</i></q>\n'
        "<i id=L5>x = 1</i>\n<b class=c><i id=L6># one</i>\n<i id=L7># two</i></b>"
    )
