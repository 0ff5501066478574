"""The demos, each opened from the disk in headless Chromium as a single file.

The numbers that a page shows are computed here once more from the definitions, with refimpl's
models and without the code that made the page. Not tested: a touch screen, whose ranges are the
browser's own.
"""

import numpy as np
import pytest
from browser import browser_only, press, set_media, set_width, show

from paper_figures.site import demos
from paper_figures.site.demos import boosted_distance, boostmap, ftune, lmnn, pages, search_forest
from refimpl.boosted_distance import algorithm as of_boosted_distance
from refimpl.boostmap import algorithm as of_boostmap
from refimpl.ftune import algorithm as of_ftune
from refimpl.ftune.similarities import Similarity
from refimpl.lmnn import algorithm as of_lmnn
from refimpl.search_forest import algorithm as of_search_forest

ROOMS = ["boosted_distance", "boostmap", "search_forest", "lmnn", "ftune"]
LIMIT = 200_000
SHOWN = """
const shown = {};
for (const output of document.querySelectorAll("[data-value]")) {
  shown[output.dataset.value] = output.textContent;
}
return shown;
"""


def lmnn_numbers(k, mu, step, space):
    """Eq. 3 by its sums, with the metric of a step."""
    k, mu, step = lmnn.K[k], lmnn.MU[mu], lmnn.STEPS[step]
    X, y = lmnn.X, lmnn.y
    kin = [[j for j in range(len(X)) if y[j] == y[i] and j != i] for i in range(len(X))]
    near = [
        sorted(kin[i], key=lambda j, i=i: ((X[i] - X[j]) ** 2).sum())[:k] for i in range(len(X))
    ]
    targets = of_lmnn.target_neighbors(X, y, k)
    examples = of_lmnn.Examples(X, y, targets, np.zeros(len(X), dtype=np.int64))
    runs = of_lmnn.steps(examples, mu, np.eye(2)[None], between=1)
    L = next(state.L[0] for state in runs if state.t == step)
    d2 = (((X[:, None] - X) @ L.T) ** 2).sum(axis=-1)
    pull = sum(d2[i, j] for i in range(len(X)) for j in near[i])
    push = sum(
        max(0.0, 1 + d2[i, j] - d2[i, l])
        for i in range(len(X))
        for j in near[i]
        for l in np.flatnonzero(y != y[i])
    )
    return {"pull": pull, "push": push, "objective": pull + mu * push}


def boosted_distance_numbers(T, noise):
    """The last weight, and the mistakes of the weighted vote."""
    P, N = boosted_distance.labelled(boosted_distance.NOISE[noise])
    Phi = of_boosted_distance.adaboost(P, N, T + 1)
    votes = of_boosted_distance.H(np.vstack([P, N]), Phi) - Phi.alpha.sum() / 2
    wrong = (votes[: len(P)] <= 0).sum() + (votes[len(P) :] >= 0).sum()
    return {"alpha": Phi.alpha[-1], "wrong": wrong}


def boostmap_numbers(d, candidates):
    """The triples whose weighted L1 distances are in the wrong order."""
    H = of_boostmap.strong_classifier(
        boostmap.trained(boostmap.DIMENSIONS[d], boostmap.CANDIDATES[candidates])
    )
    F = of_boostmap.embeddings(boostmap.PROBLEM, list(H))
    alpha = np.array(list(H.values()))[:, None]
    q, a, b = boostmap.TRIPLES.T
    order = (alpha * (abs(F[:, q] - F[:, b]) - abs(F[:, q] - F[:, a]))).sum(axis=0)
    wrong = (np.sign(order) != boostmap.ORDERS).sum()
    assert len(H) <= boostmap.DIMENSIONS[d]
    return {"wrong": wrong, "error": wrong / len(order), "dimension": len(H)}


def search_forest_numbers(lam, M):
    """The pairs that share a leaf in any tree, and c of the last tree by eq. 15."""
    lam = search_forest.LAMBDAS[lam]
    rounds = of_search_forest.search_forest(
        search_forest.X, search_forest.SIMILAR, lam, M + 1, search_forest.DEPTH
    )
    leaves = [one.tree.leaf for one in rounds]
    n = len(search_forest.X)
    together = {(i, j) for leaf in leaves for i in range(n) for j in range(n) if leaf[i] == leaf[j]}
    extra = sum(i != j and not search_forest.SIMILAR[i, j] for i, j in together)
    last = rounds[-1]
    c = np.log((1 - lam) * last.similar / (lam * max(last.dissimilar, 1)))
    return {"extra": extra, "c": c, "trees": len(rounds)}


def ftune_numbers(slope, d, choice):
    """The loss of Algorithm 2 when it has a single slope to choose from, and its choice of all."""
    landmarks = ftune.landmarks(ftune.LANDMARKS[d], bool(choice))
    slope, l = ftune.SLOPES[slope], ftune.l
    run = [Similarity(ftune.K), "hinge", l, len(landmarks), np.random.default_rng(0)]
    f, w, _ = of_ftune.ftune([slope], *run, select=lambda *_: landmarks)
    differences = ftune.K[:, landmarks[:, 0]] - ftune.K[:, landmarks[:, 1]]
    g = np.clip(f * differences, -1, 1) @ w.w + w.b
    best = of_ftune.ftune(ftune.SLOPES, *run, select=lambda *_: landmarks)[0]
    return {"loss": np.maximum(0, 1 - l * g).mean(), "best": best}


NUMBERS = {
    "lmnn": lmnn_numbers,
    "boosted_distance": boosted_distance_numbers,
    "boostmap": boostmap_numbers,
    "search_forest": search_forest_numbers,
    "ftune": ftune_numbers,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The pages, each alone in its folder."""
    top = tmp_path_factory.mktemp("demos")
    for room in ROOMS:
        (top / room).mkdir()
        (top / room / "page.html").write_text(pages.page(pages.load(room)), encoding="utf-8")
    return top


def open_page(browser, folder, room):
    show(browser, (folder / room / "page.html").as_uri())


def places(browser):
    script = "return [...document.querySelectorAll('input[type=range]')].map(i => Number(i.value))"
    return tuple(browser.execute_script(script))


@pytest.mark.parametrize("room", ROOMS)
def test_a_page_is_small_and_names_no_other_file(folder, room):
    text = (folder / room / "page.html").read_text(encoding="utf-8")
    assert len(text.encode()) < LIMIT
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "src=" not in text and "<link" not in text


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_the_keys_move_each_slider_and_the_numbers_are_refimpls(browser, folder, room):
    open_page(browser, folder, room)
    demo = pages.load(room)
    before = browser.execute_script("return document.getElementById('picture').innerHTML")
    for i, slider in enumerate(demo.sliders):
        was = places(browser)
        browser.execute_script("document.getElementById(arguments[0]).focus()", slider.id)
        key = ("ArrowRight", 39) if was[i] + 1 < len(slider.values) else ("ArrowLeft", 37)
        press(browser, *key)
        now = places(browser)
        assert abs(now[i] - was[i]) == 1
        shown = browser.execute_script(SHOWN)
        assert shown.items() <= dict(demo.frames[now].values).items()
        for name, value in NUMBERS[room](*now).items():
            assert float(shown[name]) == pytest.approx(float(value), rel=1e-3, abs=1e-9), name
        label = browser.execute_script(
            "return document.querySelector(`label[for=${arguments[0]}] output`).textContent",
            slider.id,
        )
        assert label == slider.values[now[i]]
    after = browser.execute_script("return document.getElementById('picture').innerHTML")
    assert before != after


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_each_thing_to_try_says_what_one_sees(browser, folder, room):
    open_page(browser, folder, room)
    demo = pages.load(room)
    for i, one in enumerate(demo.tries):
        browser.execute_script("document.querySelectorAll('button')[arguments[0]].click()", i)
        assert (
            browser.execute_script("return document.getElementById('seen').textContent")
            == one["seen"]
        )
        now = dict(zip([slider.id for slider in demo.sliders], places(browser), strict=True))
        assert now == now | one["places"]


@browser_only
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("room", ROOMS)
def test_a_phone_shows_it_whole(browser, folder, room, scheme):
    set_width(browser, 390)
    set_media(browser, scheme)
    open_page(browser, folder, room)
    script = """
      const wide = [...document.querySelectorAll("body *")].filter(e =>
        !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 1);
      const targets = [...document.querySelectorAll("input, button")];
      return [document.documentElement.scrollWidth, wide.map(e => e.outerHTML.slice(0, 60)),
        Math.min(...targets.map(e => e.getBoundingClientRect().height)),
        getComputedStyle(document.body).backgroundColor];
    """
    width, wide, height, page = browser.execute_script(script)
    assert (width, wide) == (390, [])
    assert height >= 28
    assert page == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}[scheme]


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_without_a_script_the_first_picture_and_its_numbers_show(browser, folder, room):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        open_page(browser, folder, room)
        shapes = browser.find_elements("css selector", "#picture path")
        values = browser.find_elements("css selector", "dd output")
        demo = pages.load(room)
        assert len(shapes) > 4 and shapes[0].is_displayed()
        first = demo.frames[demo.start].values
        assert [value.text for value in values] == [first[name] for name, _ in demo.readouts]
        assert not browser.find_element("css selector", "input").is_displayed()
        assert "With JavaScript" in browser.find_element("css selector", "noscript").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_the_script_draws_the_still_picture(browser, folder, room):
    """Both writers of pictures, in Python and in the script, write the same paths."""
    open_page(browser, folder, room)
    demo = pages.load(room)
    first = demo.frames[demo.start]
    still = [demos.drawn(s, first.points) for name, s in first.layers if name != "t"]
    script = "return [...document.querySelectorAll('#picture path')].map(p => p.getAttribute('d'))"
    assert browser.execute_script(script) == still
