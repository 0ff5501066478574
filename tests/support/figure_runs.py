"""What the tests of the figures share: a paper's tasks at sizes that take seconds, and what every
figure must do.
"""

from paper_figures.registry import Context, Job, Result


def run(tasks, name, params, kernels="fast"):
    """The result of one task of a paper's module of tasks."""
    job = Job(
        0, {"task": name}, kernels, None, (params["data_set"],) if "data_set" in params else ()
    )
    return Result(name, params, getattr(tasks, name)(job, **params))


def run_all(tasks, wanted):
    """Results by figure of `wanted`, lists of (name, params) by figure."""
    return {name: [run(tasks, *one) for one in of_figure] for name, of_figure in wanted.items()}


def require_rows(paper, found, fits=lambda ours: ours is not None):
    """Check that every figure makes rows of its tasks' results and that `found` has them all."""
    context = Context(kernels="fast")
    for figure in paper.figures:
        gathered = figure.reduce(context, found[figure.name])
        rows = [row for row in gathered.rows if "is not installed" not in row.get("why", "")]
        assert rows and all(fits(row["ours"]) for row in rows), figure.name
        assert {r.name for r in found[figure.name]} == {t.name for t in figure.tasks(context)}


def require_missing_is_said(figures):
    """Where no task of a figure could be computed its first row says why, at both scales."""
    for figure in figures:
        for context in (Context(), Context(scale="paper")):
            absent = [Result(t.name, t.params, None, "no such file") for t in figure.tasks(context)]
            row = figure.reduce(context, absent).rows[0]
            assert row["status"] == "not available" and row["why"] == "no such file", figure.name
