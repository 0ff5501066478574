"""Amores, Sebe & Radeva (2006): figure 1 and table 1, the data.

The small scale shows what comes with scikit-learn: digits 1 and 7, and the paper's wdbc.
"""

from collections.abc import Sequence

from paper_figures.boosted_distance import layouts, projections, protocol, readings, results
from paper_figures.boosted_distance.plots import (
    draw_by_rounds,
    draw_examples,
    draw_intervals,
    draw_projections,
    draw_rounds,
)
from paper_figures.boosted_distance.tasks import example_images, shape_of
from paper_figures.store import Row
from paper_figures.tasks import (
    Context,
    Figure,
    Gathered,
    Result,
    Task,
    absent_row,
    number_row,
    paper,
)

NAME = "boosted_distance"
PER_CLASS = 10
SMALL_NAMES = {"wdbc": "wdbc-small", "MNIST": "digits17"}
NO_FACES = (
    "the gender set (AR and XM2VTS faces) is licensed; put it at gender/gender.npz in the data "
    "folder"
)


def table1_tasks(context: Context) -> list[Task]:
    """Return a task for each data set."""
    names = [row["data_set"] for row in context.published("boosted_distance/table1.csv")]
    if context.scale == "small":
        names = [SMALL_NAMES[name] for name in names if name in SMALL_NAMES]
    return [Task("shape", shape_of, {"data_set": name}, data=(name,), kernels=()) for name in names]


def table1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return two rows for each data set: observations and dimensions."""
    published = {row["data_set"]: row for row in context.published("boosted_distance/table1.csv")}
    paper_name = {small: name for name, small in SMALL_NAMES.items()}
    rows = []
    notes = []
    for result in results:
        name = result.params["data_set"]
        printed = published[paper_name.get(name, name)]
        notes += [f"{name}: {note}" for note in (result.value or {}).get("notes", ())]
        rows += [
            _size_row(name, quantity, result, None if name == "digits17" else printed[quantity])
            for quantity in ("observations", "dimensions")
        ]
    if context.scale == "small":
        notes.append(
            "small scale: digits17 (8 x 8 digits) stands in for MNIST, so it has no published size"
        )
    return Gathered(rows, notes)


def _size_row(name: str, quantity: str, result: Result, published: float | None) -> Row:
    keys = {"data_set": name, "quantity": quantity}
    if result.value is None:
        return absent_row(keys, result.why or "", published)
    return number_row(keys, published, result.value[quantity])


def figure1_tasks(context: Context) -> list[Task]:
    """Return the tasks that pick examples of each image set."""
    names = ("digits17",) if context.scale == "small" else ("MNIST", "gender")
    return [
        Task(
            "examples",
            example_images,
            {"data_set": name, "per_class": PER_CLASS},
            data=(name,),
            kernels=(),
        )
        for name in names
    ]


def figure1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return rows that count the images. The images themselves are in the record's drawing."""
    shown = [(r.params["data_set"], r.value) for r in results if r.value is not None]
    rows = [
        _image_row(data_set, panel["class"], len(panel["images"]))
        for data_set, value in shown
        for panel in value["classes"]
    ]
    why = next((r.why for r in results if r.value is None), None) or NO_FACES
    if "gender" not in dict(shown):
        rows.append(absent_row({"data_set": "gender", "class": "both", "quantity": "images"}, why))
    drawing = [{"data_set": name, **value} for name, value in shown]
    return Gathered(
        rows, ["which images the paper prints is not said: ours are drawn at random"], drawing
    )


def _image_row(data_set: str, name: str, count: int) -> Row:
    return number_row({"data_set": data_set, "class": name, "quantity": "images"}, None, count)


PAPER = paper(
    NAME,
    "Boosting the distance estimation: application to the K-nearest neighbor classifier",
    "J. Amores, N. Sebe, P. Radeva. Pattern Recognition Letters 27 (2006) 201-209",
    (
        Figure(
            "figure1",
            "Examples of the digits 1 and 7, and of the gender set",
            figure1_tasks,
            figure1,
            draw_examples,
            alt=(
                "Two rows of handwritten digits: ones above, sevens below. "
                "The faces are left out, not available."
            ),
            size=(5.2, 1.7),
        ),
        Figure("table1", "Data sets: observations and dimensions", table1_tasks, table1),
        Figure(
            "figure2",
            "Accuracy by the number of rounds, high-dimensional sets",
            results.figure2_tasks,
            results.figure2,
            draw_rounds,
            alt=(
                "A panel for each set: accuracy of Boosted Distance and AdaBoost by the number of "
                "rounds, with 95 % intervals; NN (L2) is a level line."
            ),
            size=(5.2, 4.6),
        ),
        Figure(
            "figure3",
            "Accuracy by the number of dimensions: Boosted Distance, PCA, LDA, NDA",
            projections.tasks,
            projections.figure3,
            draw_projections,
            alt=(
                "A panel for each set: accuracy of Boosted Distance, PCA and NDA by the number of "
                "dimensions, with 95 % intervals; NN and LDA are level lines."
            ),
            size=(5.2, 4.6),
        ),
        Figure(
            "table2",
            "Errors in per cent of NN, AdaBoost and Boosted Distance",
            protocol.tasks,
            results.table2,
        ),
        Figure(
            "figure4",
            "AdaBoost with stumps, AdaBoost with C4.5-like trees, Boosted Distance",
            protocol.tasks,
            results.figure4,
            draw_intervals,
            alt=(
                "A row for each data set: marks of the errors of three methods, with 95 % "
                "intervals."
            ),
            size=(5.2, 6.4),
        ),
        Figure(
            "figure5",
            "95 % confidence intervals of the errors",
            protocol.tasks,
            results.figure5,
            draw_intervals,
            alt=(
                "A row for each data set: marks of the errors of four methods, with 95 % intervals."
            ),
            size=(5.2, 7.2),
        ),
        Figure(
            "rounds",
            "Beyond the paper: what depends on T, the number of rounds",
            protocol.tasks,
            readings.rounds,
            draw_by_rounds,
            alt=(
                "Mean errors, and their distance from the printed ones, fall with T and level off; "
                "a line marks the chosen T."
            ),
            size=(5.2, 6.2),
        ),
        Figure(
            "distances",
            "Beyond the paper: NN under each of the eight distances",
            protocol.tasks,
            readings.distances,
        ),
    ),
    layouts.LAYOUTS,
)
