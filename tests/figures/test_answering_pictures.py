"""Pictures that answer: what their points say, and what happens when one points at them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from browser import browser_only, chromium, show
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from paper_figures import answers, plots, registry
from paper_figures.plots import hollow, key, mean_line, series_style
from paper_figures.store import Store
from paper_figures.themes import our_settings

REPRODUCED = Path(registry.__file__).parent / "reproduced"
DRAWN = [(p, view) for p in registry.load_papers() for view in p.figures if view.draw]

ROWS = [
    {"method": method, "data_set": "iris", "k": k, "published": 9.5}
    | {"ours": ours, "error": e, "n": n}
    for method, k, ours, e, n in [
        ("ours", 1, 8.25, 0.125, 20),
        ("ours", 3, 7.0, None, 1),
        ("rival", 1, 12345.6, 3.0, 5),
        ("rival", 3, 7.0, 0.5, 5),
    ]
]


def two_lines(record, figure):
    """Draw a line for each method, and the published numbers of the first."""
    axis = figure.subplots()
    handles = {}
    for place, method in enumerate(["ours", "rival"]):
        mine = [row for row in record["rows"] if row["method"] == method]
        handles[method] = mean_line(axis, [row["k"] for row in mine], mine, **series_style(place))
    (handles["published"],) = axis.plot([1], [9.5], **hollow(series_style(0)))
    axis.plot([1, 3], [20.0, 30.0], color="#777777")  # a line that nothing names
    axis.set(xlabel="$k$, neighbours")
    key(figure, handles)


def drawn():
    return plots.draw(two_lines, {"rows": ROWS}, (5, 3))[".svg"].decode()


def points(svg):
    """Return the places of the points, and what each of them says."""
    picture = json.loads(re.search(r"const picture = (.*);", svg).group(1))
    lines = picture["lines"]
    said = ["\n".join(lines[i] for i in words) for _, _, _, *words in picture["places"]]
    return [tuple(place[:3]) for place in picture["places"]], said


def test_each_point_says_its_row():
    assert points(drawn())[1] == [
        "ours\ndata set: iris\nk: 1\n8.25 ± 0.125 (n = 20)\npublished 9.5",
        "ours\ndata set: iris\nk: 3\n7\npublished 9.5",
        "rival\ndata set: iris\nk: 1\n12,346 ± 3 (n = 5)\npublished 9.5",
        "rival\ndata set: iris\nk: 3\n7 ± 0.5 (n = 5)\npublished 9.5",
        "published\nk, neighbours: 1\n9.5",  # two rows have this number
    ]


def test_places_are_on_the_markers():
    svg = drawn()
    line = re.search(r'<g class="series of0">(.*?)</g></g>', svg, re.S).group(1)
    markers = re.findall(r'<use x="([\d.]+)" y="([\d.]+)"', line)
    places = [place for series, *place in points(svg)[0] if series == 0]
    assert len(markers) == 2
    for marker, place in zip(markers, places, strict=True):
        assert [*map(float, marker)] == pytest.approx(place, abs=0.21)  # both are rounded


@pytest.mark.parametrize("paper, view", DRAWN, ids=lambda one: one.name)
def test_each_point_of_a_committed_picture_shows_its_row(paper, view):
    """The row that a point names has its number, and its place is in its panel."""
    record = Store(REPRODUCED).read(paper.name, view.name)
    with our_settings():
        figure = Figure(figsize=view.size, layout="constrained")
        FigureCanvasAgg(figure)
        view.draw(record, figure)
        names, curves = answers.mark_series(figure)
    assert not any(set("$\\\n") & set(name) for name in names)
    for curve in curves:
        points = np.column_stack(curve.line.get_data())
        rows = answers.rows_of(curve.line) or [None] * len(points)
        for point, row in zip(points, rows, strict=True):
            numbers = [] if row is None else [row["ours"], row["published"]]
            near = [np.isclose(point, number).any() for number in numbers if number is not None]
            assert row is None or any(near)


def test_lines_across_a_panel_and_the_ends_of_bars():
    def crossed(record, figure):
        axis = figure.subplots()
        handles = {"level": axis.axhline(2.5, color="#0072B2", marker="o")}
        look = {"color": "#D55E00", "marker": "s", "capsize": 2}
        handles["bars"] = axis.errorbar([1, 2], [1.0, 4.0], yerr=[0.5, 0.5], **look)
        axis.set(xlabel="x", ylabel="error")
        key(figure, handles)

    svg = plots.draw(crossed, {"rows": ROWS}, (5, 3))[".svg"].decode()
    assert points(svg)[1] == ["level\nerror: 2.5"] * 2 + [
        "bars\nx: 1\nerror: 1",
        "bars\nx: 2\nerror: 4",
    ]


def test_a_picture_without_rows_has_no_script_and_the_same_bytes():
    drawn, again = (plots.draw(two_lines, {"rows": []}, (5, 3)) for _ in "12")
    assert drawn == again and b"<script" not in drawn[".svg"]


def test_a_picture_without_points_has_no_script():
    def empty(record, figure):
        figure.subplots()

    assert b"<script" not in plots.draw(empty, {"rows": []}, (2, 2))[".svg"]


@browser_only
def test_a_page_wakes_its_pictures_and_a_key_hides_its_curve(tmp_path):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    from paper_figures.gallery import html

    (tmp_path / "two.svg").write_text(drawn())
    size = 'width="480" height="288"'
    shown = (
        f'<figure><div class="picture"><img src="two.svg" alt="Two lines" {size}></div></figure>'
    )
    (tmp_path / "page.html").write_text(html.page("Page", "paper", shown))
    with chromium(tmp_path / "profile") as driver:
        driver.implicitly_wait(5)
        show(driver, (tmp_path / "page.html").as_uri())
        assert driver.find_elements(By.CSS_SELECTOR, "figure img")
        ActionChains(driver).send_keys(Keys.TAB).perform()
        driver.switch_to.frame(driver.find_element(By.CSS_SELECTOR, "figure object"))
        points = driver.find_elements(By.CSS_SELECTOR, ".point")
        ActionChains(driver).move_to_element(points[2]).perform()
        assert driver.find_element(By.CSS_SELECTOR, ".words").text.startswith("rival")
        driver.execute_script("arguments[0].focus()", points[1])
        points[1].send_keys(Keys.ARROW_RIGHT)
        assert "12,346 ± 3 (n = 5)" in driver.find_element(By.CSS_SELECTOR, ".words").text
        first = driver.find_element(By.CSS_SELECTOR, ".key[aria-label=ours]")
        for hidden in True, False:
            driver.execute_script("arguments[0].focus()", first)
            first.send_keys(Keys.ENTER)
            assert first.get_attribute("aria-pressed") == str(not hidden).lower()
            for part in driver.find_elements(By.CSS_SELECTOR, ".series.of0, .point.of0"):
                assert part.is_displayed() != hidden
            assert points[2].is_displayed()
        assert driver.get_log("browser") == []
