"""Every committed picture is the one that its record draws, and it can be read."""

import io
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from pictures import crossing, laid_out, outside, written
from PIL import Image

import paper_figures
from paper_figures import plots, registry
from paper_figures.plots import WIDTH
from paper_figures.store import Store
from paper_figures.themes import SMALLEST

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
MADE_WITH = "3.11."  # matplotlib, by `python -m paper_figures --report`
PHONE = 358  # pixels of a page 390 wide, without its margins
DRAWN = [
    pytest.param(paper.name, figure, id=f"{paper.name}.{figure.name}")
    for paper in registry.load_papers()
    for figure in paper.figures
    if figure.draw is not None
]
UNITS = {  # what stands on an axis: numbers with their unit, or numbers that have none
    "(%)", "(points)", "(share)", "(millions)", "(thousands)", "(eq. 3)",
    "(%), k = 3", "rounds T", "seconds",
    "dimensions", "dimensions (at most)", "ENN-k rank", "ENN-k ranks", "the number of neighbours",
    "exact distances a query, mean", "items", "comparisons before", "principal components",
    "lambda", "times a balanced tree's",
    "milliseconds a query", "microseconds a query", "points compared with a query",
    "seconds a query", "landmarks",
    "number of metrics", "sub-gradient steps", "training points", "a scan",
    "principal component", "$F^r$", "x", "y",
    "(log scale of 100 − p)", "mean of the two classes", "class",
}  # fmt: skip


@pytest.fixture(scope="module")
def pictures():
    """The pictures that have been laid out so far, by paper and figure."""
    return {}


def drawn(pictures, paper, figure):
    if (paper, figure.name) not in pictures:
        record = Store(REPRODUCED).read(paper, figure.name)
        if record is None:
            pytest.skip("not among the committed results")
        pictures[paper, figure.name] = laid_out(figure.draw, record, figure.size)
    return pictures[paper, figure.name]


def pixels(png):
    return np.asarray(Image.open(png).convert("RGB"), dtype=float) / 255


@pytest.mark.skipif(
    not matplotlib.__version__.startswith(MADE_WITH), reason="another matplotlib draws otherwise"
)
@pytest.mark.one_case
@pytest.mark.parametrize("paper, figure", DRAWN)
def test_the_committed_picture_is_the_one_of_the_record(paper, figure):
    record = Store(REPRODUCED).read(paper, figure.name)
    drawn = pixels(io.BytesIO(plots.draw(figure.draw, record, figure.size)[".png"]))
    stored = pixels(REPRODUCED / paper / f"{figure.name}.png")
    again = "python -m paper_figures --report --out paper_figures/reproduced"
    assert drawn.shape == stored.shape and np.abs(drawn - stored).mean() < 1e-4, again


@pytest.mark.parametrize("paper, figure", DRAWN)
def test_text_can_be_read_on_a_phone(pictures, paper, figure):
    assert figure.size[0] <= WIDTH
    texts = written(drawn(pictures, paper, figure))
    if not texts:
        assert figure.name == "figure4"  # digits alone
        return
    smallest = min(text.get_fontsize() for text in texts)
    assert smallest >= SMALLEST
    assert smallest * 96 / 72 * PHONE / (96 * figure.size[0]) > 8


@pytest.mark.parametrize("paper, figure", DRAWN)
def test_text_lies_inside_the_picture_and_on_no_other_text(pictures, paper, figure):
    picture = drawn(pictures, paper, figure)
    assert outside(picture) < 0.01
    assert crossing(written(picture)) == []


@pytest.mark.parametrize("paper, figure", DRAWN)
def test_axes_have_plain_numbers_and_units(pictures, paper, figure):
    picture = drawn(pictures, paper, figure)
    for axis in picture.axes:
        for one in (axis.xaxis, axis.yaxis):
            assert one.get_offset_text().get_text() == ""
            ticks = [text.get_text() for text in one.get_ticklabels() if text.get_visible()]
            assert not any("10^" in tick or "times" in tick or "e+" in tick for tick in ticks)
            if axis.axison and len(one.get_ticklocs()) and any(ticks) and not _names(ticks):
                label = one.get_label_text() or _label_of_shared(picture, one)
                assert label.endswith(tuple(UNITS)), label


def _names(ticks):
    """Whether the ticks are names, such as those of data sets."""
    return any(tick[:1].isalpha() for tick in ticks)


def _label_of_shared(picture, one):
    """The label of the panel below, if it shares the axis."""
    return next(
        other.get_xlabel()
        for other in reversed(picture.axes)
        if one.axes.get_shared_x_axes().joined(one.axes, other)
    )


@pytest.mark.parametrize("paper, figure", DRAWN)
def test_the_key_shows_no_empty_text(pictures, paper, figure):
    picture = drawn(pictures, paper, figure)
    boxes = [*picture.legends, *(axis.get_legend() for axis in picture.axes if axis.get_legend())]
    assert len(boxes) <= 1
    assert all(text.get_text() for box in boxes for text in box.get_texts())
