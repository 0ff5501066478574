"""Athitsos, Alon, Sclaroff & Kollios (2005): figures 1, 2 and 4, and the list of all."""

from collections.abc import Sequence

from paper_figures.boostmap import layouts, more_results, passing, plots, results
from paper_figures.boostmap.protocol import SET
from paper_figures.boostmap.tasks import example_digits, five_points, triangle
from paper_figures.tasks import Context, Figure, Gathered, Result, Task, absent_rows, paper

PER_CLASS = 4
RATIOS = (
    "A panel for each k: ranks by percentile, divided by those of the method that the legend names "
    "second; the last percents of the queries have most of the room."
)


def figure1_tasks(context: Context) -> list[Task]:
    """Return the task of the five points."""
    return [Task("five_points", five_points, kernels=())]


def figure1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return how many of the 60 triples F^r orders correctly."""
    value = results[0].value
    (printed,) = context.published("boostmap/figure1.csv")
    row = {
        "quantity": printed["quantity"],
        "of": value["triples"],
        "published": printed["value"],
        "ours": value["right"],
        "std": None,
    }
    note = (
        "the paper prints no coordinates: these points were drawn at random until they had its "
        "count and mistakes"
    )
    return Gathered([row], [note], value)


def figure2_tasks(context: Context) -> list[Task]:
    """Return the task of the triangle."""
    return [Task("triangle", triangle, kernels=())]


def figure2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the value of eq. 8 and the length that it stands for."""
    value = results[0].value
    row = {
        "quantity": "F^{x1,x2}(x) from the three sides (eq. 8); published: from coordinates",
        "published": value["projection"],
        "ours": value["foot"],
        "std": None,
        "tolerance": 1e-12,
    }
    return Gathered([row], [], value)


def figure4_tasks(context: Context) -> list[Task]:
    """Return the task of the images of each digit."""
    name = SET[context.scale]
    return [
        Task(
            "digits",
            example_digits,
            {"data_set": name, "per_class": PER_CLASS},
            data=(name,),
            kernels=(),
        )
    ]


def figure4(context: Context, results: Sequence[Result]) -> Gathered:
    """Return rows that count the images; the record's drawing holds the images."""
    value = results[0].value
    if value is None:
        return Gathered(absent_rows(results, {"quantity": "images"}))
    row = {
        "quantity": "images",
        "published": None,
        "ours": sum(map(len, value["images"])),
        "std": None,
    }
    return Gathered(
        [row], ["which images the paper prints is not said: ours are drawn at random"], value
    )


PAPER = paper(
    "boostmap",
    "Learning Euclidean embeddings for indexing and classification",
    "V. Athitsos, J. Alon, S. Sclaroff, G. Kollios. Boston University, 2005",
    (
        Figure(
            "figure1",
            "A 1D embedding of five points by a reference object",
            figure1_tasks,
            figure1,
            plots.draw_points,
            alt="Five points of the plane, and their distances to r on a line.",
            size=(5.2, 3.0),
        ),
        Figure(
            "figure2",
            "The projection on the line through two pivots",
            figure2_tasks,
            figure2,
            plots.draw_triangle,
            alt="A triangle with its height; the foot marks the value.",
            size=(4.5, 2.6),
        ),
        Figure(
            "figure4",
            "Examples of handwritten digits",
            figure4_tasks,
            figure4,
            plots.draw_digits,
            alt="A column of images for each of the ten digits.",
            size=(5.2, 2.4),
        ),
        Figure(
            "figure5",
            "ENN-k ranks by the number of dimensions",
            results.dimensions_tasks,
            results.figure5,
            plots.draw_dimensions,
            alt="A panel for each k and percentile: ranks of FastMap and BoostMap by dimension.",
            size=(5.2, 7.2),
        ),
        Figure(
            "costs",
            "§ 11.2: exact distances for the true 10 nearest of 98 % of the queries",
            results.dimensions_tasks,
            results.costs,
        ),
        Figure(
            "table1",
            "ENN-k ranks: random against selective triples",
            results.ranks_tasks,
            results.table1,
        ),
        Figure(
            "figure6",
            "ENN-k ranks by percentile: random against selective triples",
            results.ranks_tasks,
            results.figure6,
            plots.draw_percentiles,
            alt=RATIOS,
            size=(5.2, 7.4),
        ),
        Figure(
            "figure7",
            "ENN-k ranks by percentile: query-insensitive against query-sensitive",
            results.ranks_tasks,
            results.figure7,
            plots.draw_percentiles,
            alt=RATIOS,
            size=(5.2, 7.4),
        ),
        Figure(
            "table2",
            "ENN-k ranks: query-insensitive against query-sensitive",
            results.ranks_tasks,
            results.table2,
        ),
        Figure(
            "figure8",
            "k-nn error: query-insensitive against query-sensitive",
            results.errors_tasks,
            results.figure8,
            plots.draw_errors,
            alt="k-nn error in per cent by k; each curve has its name at its end.",
            size=(5.2, 3.4),
        ),
        Figure(
            "figure9",
            "ENN-k ranks by percentile: feature space against parameter space",
            results.errors_tasks,
            results.figure9,
            plots.draw_percentiles,
            alt=RATIOS,
            size=(5.2, 7.4),
        ),
        Figure(
            "figure10",
            "k-nn error: feature space against parameter space",
            results.errors_tasks,
            results.figure10,
            plots.draw_errors,
            alt="k-nn error in per cent by k; each curve has its name at its end.",
            size=(5.2, 3.4),
        ),
        Figure(
            "figure11",
            "k-nn error: chamfer distance against BoostMap-Pa-Se-QS",
            results.errors_tasks,
            results.figure11,
            plots.draw_errors,
            alt="k-nn error in per cent by k; each curve has its name at its end.",
            size=(5.2, 3.4),
        ),
        Figure(
            "table3",
            "k-nn errors: chamfer distance against BoostMap-Pa-Se-QS",
            results.errors_tasks,
            results.table3,
        ),
        Figure(
            "other_k",
            "§ 11.2: ranks for further k and percentiles",
            results.dimensions_tasks,
            more_results.other_k,
        ),
        Figure(
            "costs_by_k",
            "§ 11.2: exact distances for further k and shares of the queries",
            results.dimensions_tasks,
            more_results.costs_by_k,
        ),
        Figure(
            "paired",
            "§§ 11.4 and 11.5: differences of k-nn errors, paired over the queries",
            results.errors_tasks,
            more_results.paired,
        ),
        Figure(
            "remarks",
            "§§ 7.5, 8.3 and 11: what the text says in passing",
            passing.remarks_tasks,
            passing.remarks,
        ),
    ),
    layouts.LAYOUTS,
)
