"""Kar & Jain (2011): the list of figures, and the sizes of their tasks at both scales."""

from collections.abc import Callable, Sequence
from typing import Any

from paper_figures.ftune import factorial, pairs, plots, results, tasks, trials, when, when_results
from paper_figures.ftune import readings as open_points
from paper_figures.ftune.trials import CHECKING, CHOOSING
from paper_figures.registry import Context, Figure, Paper, Task

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
FACTORIAL_RUNS = {"small": 1, "paper": 5}
ROUND_PAIRS = {"small": (1, 3), "paper": (1, 3, 10, 30)}
OPEN_MATRIX_RUNS = {"aural-sonar": 200}  # twenty test objects; the others have RUNS
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


def _standardised(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, "standardised") for name in names]


WHEN_RUNS = {"small": 1, "paper": 20}
WHEN = {
    "small": (("wine", "cityblock"), ("wdbc-small", "standardised")),
    "paper": (
        *MATRICES["paper"],
        *_standardised([name for name in UCI if name not in when_results.LEFT_OUT]),
        *_standardised(("ionosphere", "sonar", "wdbc", "german", "pima", "splice")),
    ),
}


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


def readings_tasks(context: Context) -> list[Task]:
    """Return the tasks of what the paper leaves open, on a few sets."""
    return [
        _task(what, function, name, "standardised", d, run)
        for what, function, sets in (
            ("readings", open_points.readings, OPEN[context.scale]),
            ("boosting", open_points.boosting, OPEN[context.scale] + BOOSTED[context.scale]),
        )
        for name, d in sets
        for run in range(OPEN_RUNS[context.scale])
    ] + [
        _task("matrix_readings", open_points.matrix_readings, name, preparation, d, run)
        for name, preparation, d in OPEN_MATRICES[context.scale]
        for run in range(OPEN_MATRIX_RUNS.get(name, RUNS[context.scale]))
    ]


def penalty_tasks(context: Context) -> list[Task]:
    """Return the tasks of the sets of table 2, with fewer runs."""
    return [
        _task("penalty", open_points.penalty, name, "standardised", d, run)
        for name in VECTORS[context.scale]
        for d in SIZES[context.scale]
        for run in range(OPEN_RUNS[context.scale])
    ]


def pairs_tasks(context: Context) -> list[Task]:
    """Return the tasks of the sets of table 2, with its numbers of landmarks."""
    return [
        _task("pairs", pairs.pairs, name, "standardised", d, run)
        for name in VECTORS[context.scale]
        for d in SIZES[context.scale]
        for run in range(RUNS[context.scale])
    ]


def factorial_tasks(context: Context) -> list[Task]:
    """Return the tasks of all readings of four open points, on the sets that choose among them."""
    return _of_readings(context, CHOOSING[context.scale])


def check_tasks(context: Context) -> list[Task]:
    """Return the tasks of these readings on all sets, those that choose and those that check."""
    return factorial_tasks(context) + _of_readings(context, CHECKING[context.scale])


def _of_readings(context: Context, names: Sequence[str]) -> list[Task]:
    return [
        _task("factorial", factorial.factorial, name, "standardised", d, run, **reading)
        for name in names
        for d in SIZES[context.scale]
        for reading in factorial.READINGS
        for run in range(FACTORIAL_RUNS[context.scale])
    ]


def dboost_tasks(context: Context) -> list[Task]:
    """Return the tasks of DBOOST with several pairs a round, on the sets of table 2."""
    return [
        _task("dboost_pairs", factorial.boosting, name, "standardised", d, run, pairs=m)
        for name in VECTORS[context.scale]
        for d in SIZES[context.scale]
        for m in ROUND_PAIRS[context.scale]
        for run in range(OPEN_RUNS[context.scale])
    ]


def transfer_tasks(context: Context) -> list[Task]:
    """Return the tasks of FTUNE with one slope alone, or DSELECT, beside the first of table 2."""
    sets = _standardised(VECTORS[context.scale])
    runs = FACTORIAL_RUNS[context.scale]
    sizes = SIZES[context.scale]
    return _accuracies(context, sets, sizes, FOUR, runs) + [
        _task("transfer", factorial.transfer, name, "standardised", d, run)
        for name in VECTORS[context.scale]
        for d in sizes
        for run in range(runs)
    ]


def equal_tasks(context: Context) -> list[Task]:
    """Return the tasks of figure 1 with few landmarks, and of FTUNE-S with so many random ones."""
    runs = MATRIX_RUNS[context.scale]
    few = MORE_SIZES[context.scale][:2]
    return _accuracies(context, MATRICES[context.scale], few, MATRIX_METHODS, runs) + [
        _task("random_landmarks", factorial.random_landmarks, name, preparation, d, run)
        for name, preparation in MATRICES[context.scale]
        for d in few
        for run in range(runs)
    ]


def when_tasks(context: Context) -> list[Task]:
    """Return the tasks of FTUNE and of what a user takes today, on its own sets and others."""
    d = SIZES[context.scale][-1]
    return [
        _task("when", when.when, name, preparation, d, run)
        for name, preparation in WHEN[context.scale]
        for run in range(WHEN_RUNS[context.scale])
    ]


def differences_tasks(context: Context) -> list[Task]:
    """Return the tasks of figure 1 and table 2."""
    return figure1_tasks(context) + table2_tasks(context)


def beyond_tasks(context: Context) -> list[Task]:
    """Return the tasks of Nystroem and an SVM, on the splits of the paper's methods."""
    every = []
    runs = RUNS[context.scale]
    sizes = SIZES[context.scale]
    for name, preparation in BEYOND[context.scale]:
        methods = FOUR if preparation == "standardised" else MATRIX_METHODS
        every += _accuracies(context, ((name, preparation),), sizes, methods, runs)
        every += [
            _task("peers", tasks.peers, name, preparation, d, run)
            for d in sizes
            for run in range(runs)
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
            "splits",
            "Differences between methods, split by split",
            differences_tasks,
            trials.differences,
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
            "factorial",
            "Pairs, bias, divisor and LIBLINEAR's stop in all combinations, on six sets",
            factorial_tasks,
            trials.factorial,
        ),
        Figure(
            "check", "The reading that six sets choose, on the other six", check_tasks, trials.check
        ),
        Figure(
            "dboost",
            "DBOOST by the number of pairs that a round chooses from",
            dboost_tasks,
            trials.dboost,
        ),
        Figure(
            "transfer",
            "FTUNE with one slope alone, and with DSELECT",
            transfer_tasks,
            trials.transfer,
        ),
        Figure("equal", "DSELECT beside as many random landmarks", equal_tasks, trials.equal),
        Figure(
            "when",
            "When it pays: errors, time and memory beside what is at hand today",
            when_tasks,
            when_results.gather,
        ),
        Figure(
            "beyond",
            "Nystroem's map and an SVM with a clipped kernel",
            beyond_tasks,
            results.beyond,
        ),
    ),
)
