"""How a paper adds its figures: tasks that compute, a function that gathers, a function that draws.

A paper is a module of this package with a constant ``PAPER``, named in :data:`ROOMS`. See
CONTRIBUTING.md.
"""

import csv
import hashlib
import importlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paper_figures import data
from paper_figures.data import DataSet
from paper_figures.store import Record, Row, digest
from refimpl.kernels.arguments import one_of
from refimpl.typing import Kernels

if TYPE_CHECKING:
    from matplotlib import figure as mpl

PAPERS = ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune")
ROOMS = (*PAPERS, "pays")  # the last one compares the papers' methods, beside others
PUBLISHED = Path(__file__).parent / "published"
SCALES = ("small", "paper")
KERNELS = ("reference", "fast")

Plot: TypeAlias = Callable[[Record, "mpl.Figure"], None]
"""Draws a stored record on an empty picture."""


@dataclass(frozen=True)
class Context:
    """The options of a run, which every function of a figure gets.

    Attributes
    ----------
    scale : {"small", "paper"}
    kernels : {"reference", "fast"}
    seed : int
    data_dir : str or None

    See Also
    --------
    Job : What a task's function gets.

    Examples
    --------
    >>> Context(seed=3).scale
    'small'
    >>> Context().published("boosted_distance/table1.csv")[0]["data_set"]
    'ad'
    """

    scale: str = "small"
    kernels: str = "reference"
    seed: int = 0
    data_dir: str | None = None

    def published(self, file: str) -> list[dict[str, Any]]:
        """Read a table of ``paper_figures/published``; its numbers are floats.

        Parameters
        ----------
        file : str
            ``<paper>/<table>.csv``. After a change of this file the paper's figures are made again.

        Returns
        -------
        list of dict
        """
        with open(PUBLISHED / file, newline="", encoding="utf-8") as stream:
            return [
                {name: _number(cell) for name, cell in row.items()}
                for row in csv.DictReader(stream)
            ]


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


@dataclass(frozen=True)
class Task:
    """The smallest piece of work that is stored: seconds to a few minutes.

    Its parameters must hold all that its result depends on, such as the sizes at this scale.
    Figures that name the same task (name, function, params) share its result.

    Attributes
    ----------
    name : str
        A name for the folder of parts, such as ``"repetition"``; letters, digits, ``_`` and ``-``.
    function : callable
        A function at the top level of a module, called as ``function(job, **params)``, which
        returns a dict of what JSON can hold (NumPy arrays and scalars are turned into lists and
        numbers).
    params : mapping
        Its keyword arguments, of what JSON can hold.
    data : tuple of str
        The data sets it reads, by their names in :func:`paper_figures.data.names`.
    kernels : tuple of str or None
        The kernel modules it uses, such as ``("stumps",)``; None counts all of them.

    Raises
    ------
    ValueError
        If the name cannot name a folder.
    TypeError
        If `data` or `kernels` is no tuple, or the function is not at the top level of a module.

    See Also
    --------
    Job : What the function gets.
    Result : What becomes of the task.

    Examples
    --------
    >>> from math import comb
    >>> task = Task("repetition", comb, {"n": 4, "k": 2})
    >>> task.name, task.kernels
    ('repetition', None)
    >>> Task("a name", comb)
    Traceback (most recent call last):
    ...
    ValueError: name must consist of letters, digits, _ and -, as it names a folder; got 'a name'
    """

    name: str
    function: Callable[..., dict[str, Any]]
    params: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    kernels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise ValueError(
                f"name must consist of letters, digits, _ and -, as it names a folder; "
                f"got {self.name!r}"
            )
        if not isinstance(self.data, tuple) or not isinstance(self.kernels, tuple | None):
            raise TypeError(
                f"data and kernels of task {self.name!r} must be tuples; "
                f"got {self.data!r} and {self.kernels!r}"
            )
        qualname = getattr(self.function, "__qualname__", "<")
        if "<" in qualname:
            raise TypeError(
                f"function of task {self.name!r} must stand at the top level of a module; "
                f"got {self.function!r}"
            )


@dataclass(frozen=True)
class Job:
    """What a task's function gets: kernels, random numbers, data.

    Attributes
    ----------
    seed : int
    stream : dict
        Names the stream of :attr:`rng`: the task's name and parameters.
    kernels_name : {"reference", "fast"}
    data_dir : str or None
    data : tuple of str

    Raises
    ------
    ValueError
        From ``load``, if the task does not name the data set; from ``kernels``, if there is no such
        module of kernels.

    See Also
    --------
    Task : What a job is made for.

    Examples
    --------
    >>> job = Job(seed=0, stream={"task": "repetition", "i": 1}, kernels_name="reference")
    >>> job.kernels.__name__
    'refimpl.kernels'
    >>> bool(job.rng.integers(1000) == job.rng.integers(1000))  # each is new
    True
    """

    seed: int
    stream: dict[str, Any]
    kernels_name: str
    data_dir: str | None = None
    data: tuple[str, ...] = ()

    @property
    def kernels(self) -> Kernels:
        """The module to pass as ``kernels=``."""
        return load_kernels(self.kernels_name)

    @property
    def rng(self) -> np.random.Generator:
        """A new generator of this task's stream; it depends on neither other tasks nor kernels."""
        return self.rng_for(self.stream)

    def rng_for(self, *key: Any) -> np.random.Generator:
        """Return a new generator for a key.

        It is the same in all tasks, so that methods can share their splits.

        Parameters
        ----------
        *key
            What JSON can hold, such as ``"split", data_set, repetition``.

        Returns
        -------
        numpy.random.Generator
        """
        words = np.frombuffer(bytes.fromhex(digest(list(key))), dtype=">u4")
        return np.random.default_rng(
            np.random.SeedSequence([self.seed, *(int(word) for word in words)])
        )

    def load(self, name: str, **options: Any) -> DataSet:
        """Load a data set that the task names in `data`, by :func:`paper_figures.data.load`."""
        if name not in self.data:
            raise ValueError(
                f"data must name the sets that the task reads; it reads {name!r}, got "
                f"{', '.join(self.data) or 'nothing'}"
            )
        return data.load(name, self.data_dir, **options)


@dataclass(frozen=True)
class Result:
    """What became of a task.

    Attributes
    ----------
    params : mapping
        The task's.
    name : str
        The task's.
    value : dict or None
        What its function returned, as read back from JSON; None if its data are not available.
    why : str or None
        Why there is no value.

    See Also
    --------
    Task : Its work.
    Gathered : What a figure makes of its results.

    Examples
    --------
    >>> Result("repetition", {"i": 1}, {"error": 0.25}).value["error"]
    0.25
    """

    name: str
    params: Mapping[str, Any]
    value: Any
    why: str | None = None


@dataclass(frozen=True)
class Gathered:
    """What ``reduce`` returns.

    Attributes
    ----------
    rows : list of dict
        Keys of the row, then ``published`` (number or None), ``ours``, ``std`` (of one repetition,
        or None). With a std, ``repetitions``. Optional: ``tolerance`` (of rounding). A row without
        ours has ``status="not available"`` and ``why``; other rows have no ``why``.
    notes : list of str
    drawing : object
        What only the picture needs, of what JSON can hold.

    See Also
    --------
    Figure : Its ``reduce`` returns this.

    Examples
    --------
    >>> row = {"data_set": "toy", "published": 0.2, "ours": 0.25, "std": None}
    >>> Gathered([row]).rows[0]["ours"]
    0.25
    """

    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    drawing: Any = None


@dataclass(frozen=True)
class Grid:
    """A table, or one table for each value of some keys.

    A row of the record stands in the cell that its keys name. Two rows with the same place share a
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
        Keys whose values stand small in the cell.
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
    Figure : Its ``layout`` holds grids.

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


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper.

    Attributes
    ----------
    name : str
        ``"figure1"``, ``"table2"``.
    title : str
    tasks : callable
        ``tasks(context) -> list of Task``.
    reduce : callable
        ``reduce(context, results) -> Gathered``; `results` is a list of Result in the order of the
        tasks.
    plot : callable or None
        ``plot(record, figure)`` draws the stored record on a :class:`matplotlib.figure.Figure`;
        None for a table.
    alt : str
        What the picture shows, for those who do not see it.
    size : tuple of float
        Width and height in inches; at most ``plots.WIDTH`` wide, so that a phone shows the text.
    layout : tuple of Grid
        The tables in which the page shows the rows, in the paper's own lines and columns. A row
        belongs to the first that takes it; rows that none takes stand in a folded list.

    See Also
    --------
    Paper : Its figures.
    load_papers : All of them.

    Examples
    --------
    >>> def gather(context, results):
    ...     return Gathered([])
    >>> Figure("table1", "Errors", lambda context: [], gather).layout
    ()
    """

    name: str
    title: str
    tasks: Callable[[Context], list[Task]]
    reduce: Callable[[Context, list[Result]], Gathered]
    plot: Plot | None = None
    alt: str = ""
    size: tuple[float, float] = (7.0, 4.2)
    layout: tuple[Grid, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper: name on the command line, title, where it appeared, figures in the paper's order.

    Raises
    ------
    ValueError
        From ``laid_out``, if a layout names no figure of the paper.

    See Also
    --------
    load_papers : The five papers, and their comparison.

    Examples
    --------
    >>> paper = load_papers()[0]
    >>> paper.name, paper.figures[0].name
    ('boosted_distance', 'figure1')
    """

    name: str
    title: str
    source: str
    figures: tuple[Figure, ...]

    def laid_out(self, layouts: Mapping[str, tuple[Grid, ...]]) -> "Paper":
        """Return the paper with the tables of its figures.

        Parameters
        ----------
        layouts : mapping of str to tuple of Grid
            Each figure's `layout`, by its name.

        Returns
        -------
        Paper
        """
        names = [figure.name for figure in self.figures]
        if set(layouts) != set(names):
            raise ValueError(
                f"layouts must name the figures {', '.join(names)}; got {', '.join(layouts)}"
            )
        figures = tuple(replace(figure, layout=layouts[figure.name]) for figure in self.figures)
        return replace(self, figures=figures)


def spoken(name: str) -> str:
    """Return a figure's name as readers say it.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    See Also
    --------
    Figure : Its field `name`.

    Examples
    --------
    >>> spoken("table2"), spoken("active_set")
    ('Table 2', 'Active set')
    """
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name).replace("_", " ").capitalize()


def load_papers() -> list[Paper]:
    """Import the papers of this package and their comparison, in the order of :data:`ROOMS`.

    Returns
    -------
    list of Paper

    See Also
    --------
    Paper : What each is.

    Examples
    --------
    >>> [paper.name for paper in load_papers()]
    ['boosted_distance', 'boostmap', 'search_forest', 'lmnn', 'ftune', 'pays']
    """
    return [importlib.import_module(f"paper_figures.{name}").PAPER for name in ROOMS]


def load_kernels(name: str) -> Kernels:
    """Import the kernels that the command line names.

    Parameters
    ----------
    name : {"reference", "fast"}

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If the fast kernels are not built.

    See Also
    --------
    Job.kernels : The kernels of a task.

    Examples
    --------
    >>> load_kernels("reference").__name__
    'refimpl.kernels'
    """
    one_of(name, KERNELS, "kernels")
    module: Kernels = importlib.import_module(
        "refimpl.kernels" if name == "reference" else "refimpl_fast"
    )
    return module


def published_version(paper: str) -> str:
    """Return the sha256 over the published tables of the paper.

    Parameters
    ----------
    paper : str
        ``"lmnn"``.

    Returns
    -------
    str
        64 hexadecimal digits.

    See Also
    --------
    Context.published : Reads a table.

    Examples
    --------
    >>> len(published_version("lmnn"))
    64
    """
    total = hashlib.sha256()
    for path in sorted(PUBLISHED.glob(f"{paper}/*.csv")):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
