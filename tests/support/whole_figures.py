"""From the values of tasks to rows and pictures: what a run of the figures does, without files."""

import json

from figure_runs import figure_of
from matplotlib.figure import Figure

from paper_figures.store import plain
from paper_figures.tasks import Context, Result, with_error


def stored(result):
    """Return a result as it is read back from its file."""
    return Result(result.name, result.params, json.loads(json.dumps(plain(result.value))))


def make_every_figure(paper, results_of, elsewhere=()):
    """Reduce and draw each figure of a paper from `results_of[name]`.

    Every row must have a number, and the results must be of the tasks that the figure names.
    Figures named in `elsewhere` have a test module of their own.
    """
    listed = [figure for figure in paper.figures if figure.name not in elsewhere]
    names = [figure.name for figure in listed]
    assert names == sorted(results_of, key=names.index)
    for figure in map(figure_of, listed):
        results = results_of[figure.name]
        assert {r.name for r in results} == {task.name for task in figure.tasks(Context())}
        for scale in ("small", "paper"):
            gathered = figure.reduce(Context(scale=scale), [stored(r) for r in results])
            made = [with_error(line) for line in gathered.rows]
            rows = [line for line in made if line["ours"] is not None]
            assert rows and all(isinstance(line["ours"], int | float) for line in rows)
        if figure.plot is not None:
            picture = Figure()
            figure.plot(plain({"rows": made, "drawing": gathered.drawing}), picture)
            assert any(axis.has_data() for axis in picture.axes), figure.name
