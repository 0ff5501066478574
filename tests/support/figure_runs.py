"""What the tests of rooms with tasks share: tasks at sizes that take seconds, and what every figure
must do.
"""

from paper_figures.tasks import Context, Result, TaskJob


def run(tasks, name, params, kernels="fast"):
    """The result of one task of a paper's module of tasks."""
    data = (params["data_set"],) if "data_set" in params else ()
    job = TaskJob(0, kernels, None, data, {"task": name})
    return Result(name, params, getattr(tasks, name)(job, **params))


def figure_of(view):
    """The figure with tasks behind a view."""
    return view.gather.args[0]


def require_missing_is_said(views):
    """Where no task of a figure could be computed its first row says why, at both scales."""
    for figure in map(figure_of, views):
        for context in (Context(), Context(scale="paper")):
            absent = [Result(t.name, t.params, None, "no such file") for t in figure.tasks(context)]
            row = figure.reduce(context, absent).rows[0]
            assert row["ours"] is None and row["why"] == "no such file", figure.name
