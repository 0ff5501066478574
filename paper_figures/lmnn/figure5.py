"""Figure 5: its sets at both scales, and its rows."""

from paper_figures.lmnn import courses
from paper_figures.tasks import Context, Task

KERNELS = ("subgradient", "trees", "growing")
ONE_METRIC = 40  # full checks at most
KS = (1, 3, 5, 7, 9)
# a set, how its points are prepared, the share of the variance that the components keep, the full
# checks, the splits, and whether training errors of several metrics are measured at each check (60
# seconds of a processor each for all digits)
SETS: dict[str, tuple[tuple[str, str, float, int, int, bool], ...]] = {
    "small": (
        ("digits", "as they are", 0.95, 5, 1, True),
        ("wine", "as they are", 0.95, 8, 2, True),
    ),
    "paper": (
        ("letters", "as they are", 0.95, 30, 5, False),
        ("letters", "as they are", 0.9999, 30, 5, False),
        ("isolet", "as they are", 0.95, 8, 5, True),
        ("yalefaces", "as they are", 0.95, 10, 5, True),
        (
            "yalefaces",
            "unit length",
            0.95,
            10,
            5,
            False,
        ),  # a trial: light differs from face to face
        ("20news", "as they are", 0.9999, 8, 3, False),
        ("MNIST-10", "normalised", 0.95, 8, 1, True),
    ),
}


def figure5_tasks(context: Context) -> list[Task]:
    """Return the trainings of one metric, and of one for each class, on each set.

    Those of several metrics run on each split, and once with all points.
    """
    return [
        Task(
            "course",
            courses.course,
            {
                "data_set": name,
                "preparation": kind,
                "share": share,
                "by_class": by_class,
                "split": split,
                "ks": KS,
                "checks": checks if by_class else ONE_METRIC,
                "watched": watched and by_class,
            },
            data=(name,),
            kernels=KERNELS,
        )
        for name, kind, share, checks, splits, watched in SETS[context.scale]
        for by_class in (False, True)
        for split in (*range(splits), None)
    ]
