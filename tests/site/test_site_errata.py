"""The page of errata: its formulas, and what it marks."""

import pytest

from paper_figures.site import printed
from paper_figures.site.typeset import compared, typeset
from tests.site.built import SITE, built

ALL = [(room, e) for room in printed.PREFIXES for e in printed.read(room).errata]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("alpha_t >= 2**-52", "<i>α</i><sub>t</sub> ≥ 2<sup>−52</sup>"),
        ("sum_t alpha'_c", "Σ<sub>t</sub> <i>α′</i><sub>c</sub>"),
        ("2^(i-1) and f(x)^2", "2<sup>i-1</sup> and <i>f</i>(<i>x</i>)<sup>2</sup>"),
        ("the sum of a t-test", "the sum of a t-test"),
        ("Table 1's d^2", "Table 1&#x27;s <i>d</i><sup>2</sup>"),
        ("c* < 0 in `normalize=False`", "<i>c</i>* &lt; 0 in <code>normalize=False</code>"),
        (
            "M_alpha_l and d_M^2",
            "<i>M</i><sub>α<sub>l</sub></sub> and <i>d</i><sub>M</sub><sup>2</sup>",
        ),
        ("w_{i,j} of FT:phi", "<i>w</i><sub>i,j</sub> of FT:phi"),
        ("Bourgain's [z]_+", "Bourgain&#x27;s [<i>z</i>]<sub>+</sub>"),
    ],
)
def test_formulas_are_set(text, html):
    assert typeset(text) == html


def test_what_differs_is_marked():
    published, corrected = compared("w <- w exp(-c t)", "w <- w exp(-z c t)")
    assert "<mark" not in published
    assert "<mark><i>z</i> </mark>" in corrected
    assert "<mark" not in "".join(compared("no rule for 0", "an error is at least 2**-52"))


def test_no_formula_of_an_erratum_is_left_in_ascii():
    for _, erratum in ALL:
        for side in compared(erratum.printed, erratum.corrected):
            assert not any(sign in side for sign in ("_", "^", "**", "lt;-", "alpha"))
            assert "<sup></sup>" not in side and "<sub></sub>" not in side


@built
def test_the_page_has_every_erratum_and_the_readers_lead_to_it():
    page = (SITE / "errata.html").read_text(encoding="utf-8")
    for room, erratum in ALL:
        assert page.count(f"id={erratum.id}>") == 1
        reader = (SITE / "reader" / f"{room}.html").read_text(encoding="utf-8")
        at_a_line = any(
            erratum in printed.read(room).errata_of(id) for id in printed.read(room).lines
        )
        assert (f"errata.html#{erratum.id}" in reader) == at_a_line
