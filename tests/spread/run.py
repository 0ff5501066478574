"""Make entries, or some of their tasks, in a process of its own; draw no picture, write no page.

    python -m tests.spread.run '{"names": ["lmnn.table1"], "scale": "small", "data": null,
                                 "jobs": 2, "out": "DIR", "only": {"n": [60, 600]}}'

With ``only``, a task whose parameter n is another number is left out.
"""

import dataclasses
import functools
import json
import sys

from paper_figures.registry import Context, load_papers
from paper_figures.runner import LookUp, make_figure, open_store


def chosen(names):
    """The papers with the figures that the names mean; no name means all."""
    return [
        (paper, figure)
        for paper in load_papers()
        for figure in paper.figures
        if not names or {paper.name, f"{paper.name}.{figure.name}"} & set(names)
    ]


def some_tasks(tasks, only, context):
    """The tasks whose parameters are among those to keep."""
    return [
        task
        for task in tasks(context)
        if all(task.params.get(name, values[0]) in values for name, values in only.items())
    ]


def main(order):
    """Make the entries; returns how many could not be made, or lack data that could be had."""
    context = Context(order["scale"], "fast", 0, order["data"])
    store = open_store(order["out"])
    data_sets: dict[str, LookUp] = {}
    failures = 0
    for paper, figure in chosen(order["names"]):
        tasks = functools.partial(some_tasks, figure.tasks, order["only"])
        bare = dataclasses.replace(
            figure, tasks=tasks if order["only"] else figure.tasks, plot=None
        )
        outcome = make_figure(context, store, paper, bare, jobs=order["jobs"], data_sets=data_sets)
        state = "failed" if outcome.error else outcome.state
        print(f"{paper.name}.{figure.name}: {state}", file=sys.stderr, flush=True)
        failures += state in ("failed", "incomplete")
    return failures


if __name__ == "__main__":
    sys.exit(1 if main(json.loads(sys.argv[1])) else 0)
