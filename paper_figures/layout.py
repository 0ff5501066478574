"""How rows become tables: which keys of a row name its line, its column and its table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paper_figures.store import Row


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
        return f"{value:g}" if isinstance(value, float) else str(value)
