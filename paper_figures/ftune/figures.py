"""Kar & Jain (2011): the list of figures, and the sizes of their tasks at both scales."""

from collections.abc import Sequence

from paper_figures.ftune import pairs, plots, results, tasks
from paper_figures.ftune import readings as open_points
from paper_figures.registry import Context, Figure, Paper, Task

KERNELS = ("landmarks", "stumps")
RUNS = {"small": 3, "paper": 20}  # § 3
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
OPEN = {
    "small": (("wine", 10),),
    "paper": (
        *(
            (name, 30)
            for name in ("isolet", "letters", "magic", "pen-digits", "satellite", "segment")
        ),
        ("magic", 300),
        ("satellite", 300),
        ("segment", 300),
    ),
}
BOOSTED = {  # whose DBOOST is not the printed one, beside those
    "small": (),
    "paper": (("cod-rna", 30), ("nursery", 30), ("nursery", 300)),
}
OPEN_RUNS = {"small": 2, "paper": 3}
OPEN_MATRICES = {
    "small": (("wine", "cityblock", 10),),
    "paper": tuple(
        (name, "matrix", d)
        for name in ("aural-sonar", "voting-similarity", "protein")
        for d in (30, 300)
    ),
}
BEYOND = {
    "small": (("wine", "cityblock"),),
    "paper": (
        *MATRICES["paper"],
        *((name, "standardised") for name in ("faults", "mfeat-zernike", "segment")),
    ),
}


def _accuracies(
    context: Context, sets: Sequence[tuple[str, str]], sizes: Sequence[int], methods: Sequence[str]
) -> list[Task]:
    return [
        Task(
            "accuracies",
            tasks.accuracies,
            {"data_set": name, "preparation": preparation, "d": d, "run": run, "methods": methods},
            data=(name,),
            kernels=KERNELS,
        )
        for name, preparation in sets
        for d in sizes
        for run in range(RUNS[context.scale])
    ]


def _standardised(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, "standardised") for name in names]


FIVE = ("BBS", "BBS+D", "DBOOST", "FTUNE-S", "FTUNE+D-S")
FOUR = ("BBS", "DBOOST", "FTUNE-S", "FTUNE-M")


def table1_tasks(context: Context) -> list[Task]:
    """Return the tasks of similarity matrices at two numbers of landmarks."""
    return _accuracies(context, MATRICES[context.scale], SIZES[context.scale], FIVE)


def table2_tasks(context: Context) -> list[Task]:
    """Return the tasks of Gaussian similarities at two numbers of landmarks."""
    return _accuracies(context, _standardised(VECTORS[context.scale]), SIZES[context.scale], FOUR)


def figure1_tasks(context: Context) -> list[Task]:
    """Return the tasks of similarity matrices at more numbers of landmarks."""
    return _accuracies(context, MATRICES[context.scale], MORE_SIZES[context.scale], FIVE)


def figure2_tasks(context: Context) -> list[Task]:
    """Return the tasks of Gaussian similarities of four sets at more numbers of landmarks."""
    return _accuracies(
        context, _standardised(CURVES[context.scale]), MORE_SIZES[context.scale], FOUR
    )


def readings_tasks(context: Context) -> list[Task]:
    """Return the tasks of what the paper leaves open, on a few sets."""
    return [
        Task(
            what,
            task,
            {"data_set": name, "preparation": "standardised", "d": d, "run": run},
            data=(name,),
            kernels=KERNELS,
        )
        for what, task, sets in (
            ("readings", open_points.readings, OPEN[context.scale]),
            ("boosting", open_points.boosting, OPEN[context.scale] + BOOSTED[context.scale]),
        )
        for name, d in sets
        for run in range(OPEN_RUNS[context.scale])
    ] + [
        Task(
            "matrix_readings",
            open_points.matrix_readings,
            {"data_set": name, "preparation": preparation, "d": d, "run": run},
            data=(name,),
            kernels=KERNELS,
        )
        for name, preparation, d in OPEN_MATRICES[context.scale]
        for run in range(RUNS[context.scale])
    ]


def penalty_tasks(context: Context) -> list[Task]:
    """Return the tasks of the sets of table 2, with fewer runs."""
    return [
        Task(
            "penalty",
            open_points.penalty,
            {"data_set": name, "preparation": "standardised", "d": d, "run": run},
            data=(name,),
            kernels=KERNELS,
        )
        for name in VECTORS[context.scale]
        for d in SIZES[context.scale]
        for run in range(OPEN_RUNS[context.scale])
    ]


def pairs_tasks(context: Context) -> list[Task]:
    """Return the tasks of the sets of table 2 with the fewer landmarks."""
    d = SIZES[context.scale][0]
    return [
        Task(
            "pairs",
            pairs.pairs,
            {"data_set": name, "preparation": "standardised", "d": d, "run": run},
            data=(name,),
            kernels=KERNELS,
        )
        for name in VECTORS[context.scale]
        for run in range(RUNS[context.scale])
    ]


def beyond_tasks(context: Context) -> list[Task]:
    """Return the tasks of Nystroem and an SVM, on the splits of the paper's methods."""
    every = []
    for name, preparation in BEYOND[context.scale]:
        methods = FOUR if preparation == "standardised" else FIVE
        every += _accuracies(context, ((name, preparation),), SIZES[context.scale], methods)
        every += [
            Task(
                "peers",
                tasks.peers,
                {"data_set": name, "preparation": preparation, "d": d, "run": run},
                data=(name,),
                kernels=KERNELS,
            )
            for d in SIZES[context.scale]
            for run in range(RUNS[context.scale])
        ]
    return every


CURVE = (
    "Accuracy by the number of landmarks, one panel for each data set, one line for each method, "
    "with standard errors."
)
PAPER = Paper(
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
            "readings",
            "What the paper leaves open, one thing at a time",
            readings_tasks,
            results.readings,
        ),
        Figure(
            "penalty", "Features divided by the number of landmarks", penalty_tasks, results.penalty
        ),
        Figure(
            "pairs",
            "Fresh pairs for each class, or pairs of a few landmarks",
            pairs_tasks,
            results.pairs,
        ),
        Figure(
            "beyond",
            "Nystroem's map and an SVM with a clipped kernel",
            beyond_tasks,
            results.beyond,
        ),
    ),
)
