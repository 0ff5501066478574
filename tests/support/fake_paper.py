"""A paper for the tests of paper_figures: small random tasks, a failure, a set that is not
available.

Run as a script, it is `python -m paper_figures` with this paper in place of the real ones.
"""

import os
import signal
import sys
import time

from paper_figures.registry import Figure, Gathered, Paper, Task

N_TASKS = 14
SECONDS = float(os.environ.get("FAKE_SECONDS", "0.15"))  # a task takes so long
DOWNLOADS = ["sonar", "wdbc-small"]


def noisy_mean(job, *, repetition, seconds):
    time.sleep(seconds)
    draws = job.rng.normal(loc=5.0, size=50)
    shared = job.rng_for("split", "a").integers(1000)
    return {"mean": draws.mean(), "draws": draws[:3], "shared": shared, "repetition": repetition}


def fail(job):
    raise ArithmeticError("this task always fails")


def faces(job):
    return {"n": len(job.load("gender").y)}


def mean_tasks(context):
    return [
        Task("mean", noisy_mean, {"repetition": i, "seconds": SECONDS}, kernels=())
        for i in range(N_TASKS)
    ]


def fail_tasks(context):
    return [Task("fail", fail, kernels=()), *mean_tasks(context)[:1]]


def faces_tasks(context):
    return [Task("faces", faces, data=("gender",), kernels=())]


def downloads_tasks(context):
    return [
        Task("downloads", count_labels, {"name": name}, data=(name,), kernels=())
        for name in DOWNLOADS
    ]


def count_labels(job, *, name):
    return {"n": len(job.load(name).y)}


def gather_downloads(context, results):
    absent = {"ours": None, "status": "not available"}
    rows = [
        {"set": r.params["name"], "published": None, "std": None}
        | (absent | {"why": r.why} if r.value is None else {"ours": r.value["n"]})
        for r in results
    ]
    return Gathered(rows)


def gather_means(context, results):
    values = [result.value["mean"] for result in results]
    mean = sum(values) / len(values)
    std = (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    rows = [
        {
            "quantity": "mean",
            "published": 5.0,
            "ours": mean,
            "std": std,
            "repetitions": len(values),
        },
        {
            "quantity": "far",
            "published": 9.25,
            "ours": mean,
            "std": std,
            "repetitions": len(values),
            "why": "made so",
        },
    ]
    rows += [
        {"quantity": f"draw {i}", "published": None, "ours": v, "std": None}
        for i, v in enumerate(values)
    ]
    return Gathered(rows, ["made up <for> the tests"])


def gather_faces(context, results):
    why = results[0].why
    row = {
        "quantity": "faces",
        "published": 2462,
        "ours": None,
        "std": None,
        "status": "not available",
        "why": why,
    }
    return Gathered([row])


def plot_means(record, figure):
    axes = figure.subplots()
    axes.plot([row["ours"] for row in record["rows"]], marker="o")


PAPER = Paper(
    "fake",
    "A paper & its <tests>",
    "Nowhere (2000)",
    (
        Figure(
            "figure1",
            "Means, drawn",
            mean_tasks,
            gather_means,
            plot_means,
            alt="Means of random numbers.",
        ),
        Figure("table1", "Means", mean_tasks, gather_means),
        Figure("table2", "Always failing", fail_tasks, gather_means),
        Figure("table3", "Licensed", faces_tasks, gather_faces),
    ),
)

if __name__ == "__main__":
    # a suite in the background of a shell ignores Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import fake_paper

    from paper_figures.cli import main

    sys.exit(main(papers=[fake_paper.PAPER]))
