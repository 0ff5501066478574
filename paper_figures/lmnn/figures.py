"""Weinberger & Saul (2008): the list of figures, and the sizes of their tasks at both scales."""

from typing import Any

from paper_figures.lmnn import (
    changes,
    clusters_results,
    error_plots,
    figure5,
    figure5_rows,
    gain_results,
    layouts,
    low_rank_results,
    plots,
    results,
    schedule,
    table1,
    table1_rows,
    tasks,
)
from paper_figures.tasks import Context, Figure, Task, paper

KERNELS = ("subgradient", "trees", "growing")
K = 3
FOUR: dict[str, dict[str, Any]] = {
    "small": {"data_set": "digits", "preparation": "as they are", "n": 400},
    "paper": {"data_set": "MNIST-10", "preparation": "normalised", "n": 4000},
}


def figure1_tasks(context: Context) -> list[Task]:
    """Return the task of a ball of a tree."""
    params = {key: FOUR[context.scale][key] for key in ("data_set", "preparation")} | {"k": K}
    return [Task("ball", tasks.ball, params, data=(params["data_set"],), kernels=KERNELS)]


def figure3_tasks(context: Context) -> list[Task]:
    """Return the task of four digits on two components."""
    at = FOUR[context.scale]
    params = at | {"digits": (0, 1, 2, 4), "k": K, "shown": 250}
    return [Task("ellipsoids", tasks.ellipsoids, params, data=(at["data_set"],), kernels=KERNELS)]


PAPER = paper(
    "lmnn",
    "Fast solvers and efficient implementations for distance metric learning",
    "K. Q. Weinberger, L. K. Saul. ICML 2008",
    (
        Figure(
            "table1",
            "The solver on subsets of the handwritten digits",
            table1.table1_tasks,
            table1_rows.table1,
        ),
        Figure(
            "active_set",
            "Beyond the paper: the triples that ever broke the margin, beside the active set",
            table1.active_set_tasks,
            table1_rows.active_set,
        ),
        Figure(
            "changes",
            "Beyond the paper: how much of the active set changes in a step",
            changes.tasks,
            changes.reduce,
        ),
        Figure(
            "figure1",
            "How ball trees rule points out (eq. 7)",
            figure1_tasks,
            results.figure1,
            plots.draw_ball,
            alt="A circle around a few points, a query outside, and the two distances of the "
            "bound.",
            size=(5.2, 4.2),
        ),
        Figure(
            "figure2",
            "k-NN error on low dimensional representations",
            schedule.figure2_tasks,
            low_rank_results.figure2,
            error_plots.draw_ranks,
            alt="Errors of PCA, and of LMNN-SVD and LMNN-RECT by both solvers, by dimension; above "
            "them how many times faster a search in ball trees is than a scan.",
            size=(5.2, 6.4),
        ),
        Figure(
            "training_gain",
            "What ball trees gain in the search for impostors, and in training",
            schedule.training_gain_tasks,
            gain_results.training_gain,
        ),
        Figure(
            "figure3",
            "Local metrics of four digits",
            figure3_tasks,
            results.figure3,
            plots.draw_ellipsoids,
            alt="Points of four digits on two components, with the ellipse of each digit's metric.",
            size=(5.2, 4.8),
        ),
        Figure(
            "figure4",
            "Test error by the number of metrics",
            schedule.figure4_tasks,
            clusters_results.figure4,
            error_plots.draw_clusters,
            alt="A panel for each set: test error by the number of clusters, and with one metric "
            "for each class, with standard errors; all points vote or those that trained.",
            size=(5.2, 3.8),
        ),
        Figure(
            "figure5",
            "Errors with one metric and with one for each class",
            figure5.figure5_tasks,
            figure5_rows.figure5,
        ),
    ),
    layouts.LAYOUTS,
)
