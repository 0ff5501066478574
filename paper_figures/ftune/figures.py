"""Kar & Jain (2011): the list of figures, and the sizes of their tasks at both scales."""

from collections.abc import Callable, Sequence
from typing import Any

from paper_figures.ftune import layouts, pairs, plots, results, tasks, trials
from paper_figures.tasks import Context, Figure, Task, paper

KERNELS = ("landmarks", "stumps")
RUNS = {"small": 3, "paper": 20}  # § 3
# the similarity sets are small: 20 splits leave chance of a point
MATRIX_RUNS = {"small": 3, "paper": 200}
MATRICES = {
    "small": (("digits", "cityblock"), ("wine", "cityblock")),
    "paper": (("aural-sonar", "matrix"), ("voting-similarity", "matrix"), ("protein", "matrix")),
}
UCI = (
    "cod-rna",
    "isolet",
    "letters",
    "magic",
    "pen-digits",
    "nursery",
    "faults",
    "mfeat-pixel",
    "mfeat-zernike",
    "opt-digits",
    "satellite",
    "segment",
)
VECTORS = {"small": ("digits", "wine"), "paper": UCI}
CURVES = {"small": ("digits", "wine"), "paper": ("isolet", "letters", "magic", "opt-digits")}
SIZES = {"small": (10, 40), "paper": (30, 300)}
MORE_SIZES = {"small": (10, 20, 40), "paper": (30, 50, 100, 200, 300)}
TRANSFER_RUNS = {"small": 1, "paper": 5}


def _standardised(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, "standardised") for name in names]


def _accuracies(
    context: Context,
    sets: Sequence[tuple[str, str]],
    sizes: Sequence[int],
    methods: Sequence[str],
    runs: int,
) -> list[Task]:
    return [
        _task("accuracies", tasks.accuracies, name, preparation, d, run, methods=methods)
        for name, preparation in sets
        for d in sizes
        for run in range(runs)
    ]


def _task(
    what: str,
    function: Callable[..., dict[str, Any]],
    name: str,
    preparation: str,
    d: int,
    run: int,
    **more: Any,
) -> Task:
    params = {"data_set": name, "preparation": preparation, "d": d, "run": run} | more
    return Task(what, function, params, data=(name,), kernels=KERNELS)


MATRIX_METHODS = (
    "BBS",
    "BBS+D",
    "DBOOST",
    "FTUNE-S",
    "FTUNE-M",
    "FTUNE+D-S",
    "FTUNE+D-M",
    "FTUNE+DP-S",
)
FOUR = ("BBS", "DBOOST", "FTUNE-S", "FTUNE-M")


def table1_tasks(context: Context) -> list[Task]:
    """Return the tasks of similarity matrices at two numbers of landmarks."""
    runs = MATRIX_RUNS[context.scale]
    return _accuracies(context, MATRICES[context.scale], SIZES[context.scale], MATRIX_METHODS, runs)


def table2_tasks(context: Context) -> list[Task]:
    """Return the tasks of Gaussian similarities at two numbers of landmarks."""
    sets = _standardised(VECTORS[context.scale])
    return _accuracies(context, sets, SIZES[context.scale], FOUR, RUNS[context.scale])


def figure1_tasks(context: Context) -> list[Task]:
    """Return the tasks of similarity matrices at more numbers of landmarks."""
    runs = MATRIX_RUNS[context.scale]
    return _accuracies(
        context, MATRICES[context.scale], MORE_SIZES[context.scale], MATRIX_METHODS, runs
    )


def figure2_tasks(context: Context) -> list[Task]:
    """Return the tasks of Gaussian similarities of four sets at more numbers of landmarks."""
    sets = _standardised(CURVES[context.scale])
    return _accuracies(context, sets, MORE_SIZES[context.scale], FOUR, RUNS[context.scale])


def pairs_tasks(context: Context) -> list[Task]:
    """Return the tasks of the sets of table 2, with its numbers of landmarks."""
    return [
        _task("pairs", pairs.pairs, name, "standardised", d, run)
        for name in VECTORS[context.scale]
        for d in SIZES[context.scale]
        for run in range(RUNS[context.scale])
    ]


def transfer_tasks(context: Context) -> list[Task]:
    """Return the tasks of FTUNE with one slope alone, or DSELECT, beside the first of table 2."""
    sets = _standardised(VECTORS[context.scale])
    runs = TRANSFER_RUNS[context.scale]
    sizes = SIZES[context.scale]
    return _accuracies(context, sets, sizes, FOUR, runs) + [
        _task("transfer", tasks.transfer, name, "standardised", d, run)
        for name in VECTORS[context.scale]
        for d in sizes
        for run in range(runs)
    ]


def equal_tasks(context: Context) -> list[Task]:
    """Return the tasks of figure 1 with few landmarks, and of FTUNE-S with so many random ones."""
    runs = MATRIX_RUNS[context.scale]
    few = MORE_SIZES[context.scale][:2]
    return _accuracies(context, MATRICES[context.scale], few, MATRIX_METHODS, runs) + [
        _task("random_landmarks", tasks.with_random_landmarks, name, preparation, d, run)
        for name, preparation in MATRICES[context.scale]
        for d in few
        for run in range(runs)
    ]


def differences_tasks(context: Context) -> list[Task]:
    """Return the tasks of figure 1 and table 2."""
    return figure1_tasks(context) + table2_tasks(context)


CURVE = (
    "Accuracy by the number of landmarks, one panel for each data set, one line for each method, "
    "with standard errors."
)
PAPER = paper(
    "ftune",
    "Similarity-based learning via data driven embeddings",
    "P. Kar, P. Jain. NIPS 2011",
    (
        Figure("table1", "Accuracies on similarity matrices", table1_tasks, results.table1),
        Figure(
            "figure1",
            "Accuracy by the number of landmarks, similarity matrices",
            figure1_tasks,
            results.curves,
            plots.draw_curves,
            alt=CURVE,
            size=(5.2, 7.4),
        ),
        Figure("table2", "Accuracies with the Gaussian kernel", table2_tasks, results.table2),
        Figure(
            "figure2",
            "Accuracy by the number of landmarks, Gaussian kernel",
            figure2_tasks,
            results.curves,
            plots.draw_curves,
            alt=CURVE,
            size=(5.2, 5.0),
        ),
        Figure(
            "splits",
            "Differences between methods, split by split",
            differences_tasks,
            trials.differences,
        ),
        Figure(
            "pairs",
            "Fresh pairs for each class, or pairs of a few landmarks",
            pairs_tasks,
            results.pairs,
        ),
        Figure(
            "transfer",
            "FTUNE with one slope alone, and with DSELECT",
            transfer_tasks,
            trials.transfer,
        ),
        Figure("equal", "DSELECT beside as many random landmarks", equal_tasks, trials.equal),
    ),
    layouts.LAYOUTS,
)
