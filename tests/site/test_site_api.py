"""The API reference lists every public name once, and the small parts of the pages are right.

Not tested: what Sphinx makes of the docstrings; the build itself fails on every warning.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from public_names import everything

import refimpl.lmnn
import refimpl_fast
from paper_figures.site import api, docstrings, figures
from paper_figures.site.examples import lmnn
from paper_figures.site.pictures import EDGE, HEIGHT, WIDTH, Picture


def test_every_public_name_is_listed_once():
    paths = [entry.path for entry in api.entries()]
    assert len(set(paths)) == len(paths)
    assert set(everything()) <= set(paths)
    assert {f"refimpl_fast.{name}" for name in refimpl_fast.__all__} - set(paths) == {
        "refimpl_fast.BallTree",  # those of refimpl.kernels
        "refimpl_fast.SearchForest",
        "refimpl_fast.SortedFeatures",
    }
    assert "paper_figures.study.Study" in paths


def test_a_name_is_found_by_every_path():
    addresses = api.addresses()
    place = "api/refimpl.lmnn.html#refimpl.lmnn.LMNNResult"
    assert addresses["refimpl.lmnn.LMNNResult"] == place
    assert addresses[f"{refimpl.lmnn.LMNNResult.__module__}.LMNNResult"] == place
    assert addresses["refimpl.lmnn.low_rank.project"].endswith("#refimpl.lmnn.project")


def test_a_page_lists_the_methods_that_are_written_here(tmp_path):
    api.write(tmp_path)
    page = (tmp_path / "api" / "refimpl.estimators.rst").read_text(encoding="utf-8")
    assert ".. autoclass:: refimpl.estimators.LMNN\n   :members: " in page
    members = page.split(".. autoclass:: refimpl.estimators.LMNN\n   :members: ")[1].splitlines()[0]
    assert "fit" in members.split(", ") and "get_params" not in members.split(", ")
    index = (tmp_path / "api" / "index.rst").read_text(encoding="utf-8")
    for module in api.documented():
        assert index.count(f"   {module.__name__}\n") == 1, module


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sup |K| is", r"sup \|K\| is"),
        ("``a | b`` or |c|", r"``a | b`` or \|c\|"),
        (">>> a | b", ">>> a | b"),
        ("    ... a | b", "    ... a | b"),
        ("plain", "plain"),
    ],
)
def test_bars_are_escaped_outside_of_code(line, expected):
    assert docstrings.escaped(line) == expected


def test_a_parameter_without_words_gets_those_of_the_table():
    lines = "Say.||Parameters|---|X : array|Q : array|    Own.|zzz, v : f||Raises|---|X : a".split(
        "|"
    )
    name = "refimpl.kernels.matrix_vector"
    with pytest.raises(ValueError, match=f"must have 'zzz, v' of {name}"):
        docstrings.described(name, lines)
    lines[7] = "v : array"
    described = docstrings.described(name, lines)
    assert described == [*lines[:5], "    The points.", *lines[5:8], "    The vector.", *lines[8:]]


def test_figures_and_their_claims():
    assert figures.figure_of("lmnn.table1") == "../figures/lmnn/index.html#table1"
    found = figures.claims_on("boosted_distance", {"table2"})
    assert "adaboost-13-of-15" in [claim.id for claim in found]
    assert figures.claims_on("boosted_distance", {"no-such-figure"}) == []


def test_the_corners_of_a_picture():
    picture = Picture([(0.0, 0.0), (100.0, 10.0)], "two points")
    assert picture.x_range == (-6.0, 106.0) and picture.y_range == pytest.approx((-0.6, 10.6))
    assert picture.at(-6, -0.6) == (EDGE, HEIGHT - EDGE)
    assert picture.at(106, 10.6) == (WIDTH - EDGE, EDGE)


def test_the_side_of_a_stump():
    """Polarity 1 says yes below the threshold, polarity -1 above it."""
    for polarity, ends in ((1, (0, 5)), (-1, (5, 10))):
        picture = Picture([(0.0, 0.0), (10.0, 1.0)], "a stump")
        picture.x_range = (0.0, 10.0)
        picture.half(0, polarity, 5.0)
        corners = picture.parts[0].split('points="')[1].split('"')[0].split()
        across = {float(corner.split(",")[0]) for corner in corners}
        assert across == {picture.at(end, 0)[0] for end in ends}


def test_a_circle_stays_round_on_equal_axes():
    picture = Picture([(0.0, 0.0), (1.0, 9.0)], "a circle", equal=True)
    picture.ellipse([0.5, 4.5], np.eye(2))
    places = np.array([p.split(",") for p in picture.parts[0].split('points="')[1][:-3].split()])
    width, height = np.ptp(places.astype(float), axis=0)
    assert width == pytest.approx(height, abs=0.3)


def test_words_of_a_picture_are_escaped():
    picture = Picture([0.0], "<&>")
    picture.point(0, 0.5, 1, ring=True, words="<b>")
    picture.text(0, 0.5, "<i>")
    svg = picture.svg()
    assert "<b>" not in svg and "<i>" not in svg and "&lt;&amp;&gt;" in svg


@pytest.mark.parametrize("narrow", [1.9, 0.5, 0.02])
def test_the_points_of_a_metric_s_ellipse_are_equally_far(narrow, monkeypatch):
    drawn = []
    monkeypatch.setattr(Picture, "ellipse", lambda picture, centre, root: drawn.append(root))
    L = np.array([[2.0, 0.3], [0.0, narrow]])
    lmnn.draw_metric(SimpleNamespace(latest=lambda name, round: L[None]), 1)
    angle = np.linspace(0, 2 * np.pi, 61)
    away = np.linalg.norm(L @ drawn[0] @ np.array([np.cos(angle), np.sin(angle)]), axis=0)
    np.testing.assert_allclose(away, lmnn.NEAR * np.linalg.norm(L, 2))
