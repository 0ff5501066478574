"""A study: the cells that are computed, one function that computes a cell, and the views of them.

A *study* is one experiment and one file. A *view* is a figure or table that shows it. All views of
a study read the same observations, and nothing is shared between studies. CONTRIBUTING.md adds a
figure step by step.
"""

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paper_figures import data
from paper_figures.data import DataSet
from paper_figures.rows import absent, published
from paper_figures.store import Record, Row, digest
from refimpl.kernels.arguments import one_of
from refimpl.typing import Kernels

if TYPE_CHECKING:
    from matplotlib import figure as mpl

__all__ = ["Gathered", "Grid", "Job", "Seen", "Study", "View", "grid"]

SCALES = ("small", "paper")
KERNELS = ("reference", "fast")

Cell: TypeAlias = dict[str, Any]
"""The parameters of the smallest piece of work that is stored: seconds to a few minutes."""
Observation: TypeAlias = dict[str, Any]
"""What a cell gives: its parameters, what else it names (``method="BBS"``), and numbers."""
Draw: TypeAlias = Callable[[Record, "mpl.Figure"], None]
"""Draws a stored record on an empty picture."""


# --------------------------------------------------------------------------- what is computed


@dataclass(frozen=True)
class Job:
    """What the function of a study gets: kernels, random numbers, data.

    Attributes
    ----------
    seed : int
    kernels_name : {"reference", "fast"}
    data_dir : str or None
        The folder of ``--data``.
    data : tuple of str
        The data sets that the cell reads.

    Raises
    ------
    ValueError
        From ``load``, if the study does not name the data set.

    See Also
    --------
    Study : Its ``compute`` gets a job.

    Examples
    --------
    >>> job = Job(seed=0, kernels_name="reference")
    >>> job.kernels.__name__
    'refimpl.kernels'
    >>> int(job.rng_for("split", 1).integers(1000)) == int(job.rng_for("split", 1).integers(1000))
    True
    """

    seed: int
    kernels_name: str
    data_dir: str | None = None
    data: tuple[str, ...] = ()

    @property
    def kernels(self) -> Kernels:
        """The module to pass as ``kernels=``."""
        return load_kernels(self.kernels_name)

    def rng_for(self, *key: Any) -> np.random.Generator:
        """Return a new generator for a key.

        It is the same in all cells, so that methods can share their splits.

        Parameters
        ----------
        *key
            What JSON can hold, such as ``"split", data_set, run``.

        Returns
        -------
        numpy.random.Generator
        """
        words = np.frombuffer(bytes.fromhex(digest(list(key))), dtype=">u4")
        return np.random.default_rng(np.random.SeedSequence([self.seed, *map(int, words)]))

    def load(self, name: str, **options: Any) -> DataSet:
        """Load a data set that the cell reads, by :func:`paper_figures.data.load`."""
        if name not in self.data:
            raise ValueError(
                f"data must name the sets that a cell reads; it reads {name!r}, got "
                f"{', '.join(self.data) or 'nothing'}"
            )
        return data.load(name, self.data_dir, **options)


def load_kernels(name: str) -> Kernels:
    """Import the kernels that the command line names; ImportError if they are not built."""
    import importlib

    one_of(name, KERNELS, "kernels")
    module: Kernels = importlib.import_module(
        "refimpl.kernels" if name == "reference" else "refimpl_fast"
    )
    return module


def grid(**axes: Iterable[Any]) -> list[Cell]:
    """Return a cell for each combination of values, the last axis the fastest.

    Parameters
    ----------
    **axes : iterable
        The values of a parameter. ``a__b`` names two parameters, whose values are pairs.

    Returns
    -------
    list of dict

    See Also
    --------
    Study : Its cells.

    Examples
    --------
    >>> grid(data_set=("iris", "wine"), run=range(2))[1]
    {'data_set': 'iris', 'run': 1}
    >>> grid(data_set__d=[("iris", 10), ("wine", 20)])[1]
    {'data_set': 'wine', 'd': 20}
    """
    cells = []
    for values in itertools.product(*axes.values()):
        cell: Cell = {}
        for name, value in zip(axes, values, strict=True):
            names = name.split("__")
            cell |= dict(zip(names, value if len(names) > 1 else (value,), strict=True))
        cells.append(cell)
    return cells


# --------------------------------------------------------------------------- what is shown


@dataclass(frozen=True)
class Seen:
    """The observations of a study, in the order of its cells.

    Attributes
    ----------
    items : list of dict
    missing : list of dict
        Cells whose data is not available, each with ``why``.
    scale : {"small", "paper"}

    See Also
    --------
    View : Its ``gather`` reads this.

    Examples
    --------
    >>> seen = Seen([{"data_set": "iris", "run": i, "error": i} for i in range(2)])
    >>> len(seen.items), seen.published("ftune/table1.csv")
    (2, [])
    """

    items: list[Observation]
    missing: list[Observation] = field(default_factory=list)
    scale: str = "small"

    def published(self, file: str) -> list[dict[str, Any]]:
        """Return a published table's lines; none at the small scale, which has other data."""
        return published(file) if self.scale == "paper" else []

    def absent(self, keys: Row) -> list[Row]:
        """Return the row of a number that could not be computed, with the reason."""
        return [] if self.items else [absent(keys, m["why"]) for m in self.missing[:1]]


@dataclass(frozen=True)
class Gathered:
    """What a view makes of the observations.

    Attributes
    ----------
    rows : list of dict
        Keys of the row, then the fields that the package's docstring lists.
    notes : list of str
    drawing : object
        What only the picture needs, of what JSON can hold.

    See Also
    --------
    View : Its ``gather`` returns this.

    Examples
    --------
    >>> from paper_figures.rows import number
    >>> Gathered([number({"data_set": "toy"}, [0.25, 0.35])]).rows[0]["n"]
    2
    """

    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    drawing: Any = None


@dataclass(frozen=True)
class Grid:
    """A table, or one table for each value of some keys.

    A row of the record is in the cell that its keys name. Two rows with the same place share a
    cell.

    Attributes
    ----------
    rows : tuple of str
        Keys that name a line, the widest heading first.
    columns : tuple of str
        Keys that name a column; none makes one column of numbers.
    tables : tuple of str
        Keys with one table for each value.
    details : tuple of str
        Keys whose values are small in the cell.
    where : mapping
        Keys and the values that a row must have to belong here; the first grid that fits takes it.
    headings : mapping
        What a key is called, where its name is not good enough.
    order : mapping
        The values of a key in the paper's order; others follow as they come.
    names : mapping
        What the values of a key are called, as ``{"triples": {"Ra": "random"}}``.
    alike : tuple of str
        Keys that part the numbers into quantities, each of which is shown with its own decimals.
    best : str
        The key whose "yes" puts a star before our number; its heading says what a star is.
    title : str
        What the table is called, if the entry has several.
    folded : bool
        Whether the table is folded even if it is short.
    once : str
        What numbers without a standard deviation are: of one run, or without chance, or derived.

    See Also
    --------
    View : Its ``layout`` holds grids.

    Examples
    --------
    >>> grid = Grid(("data_set",), ("method",), where={"method": ("ours", "theirs")})
    >>> grid.takes({"data_set": "toy", "method": "ours"}), grid.takes({"method": "k-NN"})
    (True, False)
    >>> grid.heading("data_set"), grid.name("N", 60000)
    ('data set', '60,000')
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    where: Mapping[str, Collection[Any]] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    names: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    alike: tuple[str, ...] = ()
    best: str = ""
    title: str = ""
    folded: bool = False
    once: str = "run once"

    def takes(self, row: Row) -> bool:
        """Return whether a row of a record belongs to this table."""
        return all(row.get(key) in values for key, values in self.where.items())

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the table shows."""
        return (*self.tables, *self.rows, *self.columns, *self.details, *filter(None, [self.best]))

    def heading(self, key: str) -> str:
        """Return what a key is called."""
        return self.headings.get(key, key.replace("_", " "))

    def name(self, key: str, value: Any) -> str:
        """Return what a value is called."""
        if value is None:
            return "–"
        named = self.names.get(key, {}).get(value) if not isinstance(value, list | dict) else None
        if named is not None:
            return named
        if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
            return f"{value:,}"
        if isinstance(value, float):
            return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:g}"
        return str(value)


def _every_cell(cell: Cell) -> bool:
    """Return True: a view that reads all cells of its study."""
    return True


@dataclass(frozen=True)
class View:
    """A figure or table: how its rows are gathered, shown and drawn.

    Attributes
    ----------
    name : str
        ``"figure1"``, ``"table2"``; an experiment beyond the paper has another name.
    title : str
    gather : callable
        ``gather(seen) -> Gathered``.
    draw : callable or None
        ``draw(record, figure)`` draws the stored record on a :class:`matplotlib.figure.Figure`;
        None for a table.
    alt : str
        What the picture shows, for those who do not see it.
    size : tuple of float
        Width and height in inches; at most ``plots.WIDTH`` wide, so that a phone shows the text.
    layout : tuple of Grid
        The tables in which the page shows the rows, in the paper's own lines and columns. A row
        belongs to the first that takes it; rows that none takes are in a folded list.
    uses : callable
        ``uses(cell) -> bool``: which cells of the study it needs.

    See Also
    --------
    Study : Its views.

    Examples
    --------
    >>> view = View("table1", "Errors", lambda seen: Gathered([]))
    >>> view.printed, View("growth", "Larger sets", view.gather).printed
    (True, False)
    """

    name: str
    title: str
    gather: Callable[[Seen], Gathered]
    draw: Draw | None = None
    alt: str = ""
    size: tuple[float, float] = (7.0, 4.2)
    layout: tuple[Grid, ...] = ()
    uses: Callable[[Cell], bool] = _every_cell

    @property
    def printed(self) -> bool:
        """Whether the paper has this figure or table."""
        return re.fullmatch(r"(figure|table)\d+", self.name) is not None


def _own_data(cell: Cell) -> tuple[str, ...]:
    """Return the data set that a cell names as its ``data_set``, if any."""
    return (cell["data_set"],) if "data_set" in cell else ()


@dataclass(frozen=True)
class Study:
    """An experiment.

    Attributes
    ----------
    name : str
        A name for the folder of its cells: letters, digits, ``_`` and ``-``.
    compute : callable
        ``compute(job, **cell)`` yields dicts: observations without the cell's parameters. It is a
        function at the top level of a module.
    cells : mapping
        The cells of each scale, ``{"small": [...], "paper": [...]}``. A cell holds all that its
        numbers depend on.
    views : tuple of View
    version : int
        Raise it when the numbers change; tests/probes.json holds what a few small cells give.
    data : callable
        ``data(cell)``: the data sets that a cell reads.

    Raises
    ------
    ValueError
        If the name cannot name a folder, or a scale has no cells.

    See Also
    --------
    grid : Makes cells.
    View : Shows what came out.

    Examples
    --------
    >>> def draws(job, *, run):
    ...     yield {"mean": job.rng_for("draw", run).normal(size=9).mean()}
    >>> cells = {scale: grid(run=range(3)) for scale in SCALES}
    >>> Study("draws", draws, cells, (View("table1", "Draws", lambda seen: Gathered([])),)).version
    1
    """

    name: str
    compute: Callable[..., Iterable[Observation]]
    cells: Mapping[str, Sequence[Cell]]
    views: tuple[View, ...]
    version: int = 1
    data: Callable[[Cell], tuple[str, ...]] = _own_data

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise ValueError(
                "name must consist of letters, digits, _ and -, as it names a folder; "
                f"got {self.name!r}"
            )
        if absent := [scale for scale in SCALES if not self.cells.get(scale)]:
            raise ValueError(f"cells of study {self.name} must name the scale {absent[0]!r}")


@dataclass(frozen=True)
class Paper:
    """A paper: name on the command line, title, where it appeared, studies."""

    name: str
    title: str
    source: str
    studies: tuple[Study, ...]
    order: tuple[str, ...] = ()  # of the views by their names; that of the studies if not given

    @property
    def figures(self) -> tuple[View, ...]:
        """All views, in the paper's order."""
        views = {view.name: view for study in self.studies for view in study.views}
        return tuple(views[name] for name in self.order or views)

    def study_of(self, name: str) -> Study:
        """Return the study that a view shows."""
        return next(s for s in self.studies if name in [view.name for view in s.views])
