"""Athitsos et al. (2005): what the readings of `additions` and `second_phase` say of its claims.

Both tables vary what the paper leaves open of its two phases. A reading is chosen by the printed
ranks of some k and judged on the others: for k = 10 the reading that is nearest at k = 1 and 100,
for k = 1 and 100 the reading that is nearest at k = 10. A folder may lack these records, or cells
of them; then the functions here return None, and the paper's own figures decide alone.
"""

from collections.abc import Iterable
from dataclasses import replace

from paper_figures.boostmap.open_readings import CHECKED_ON, CHOOSING, CHOSEN_BY
from paper_figures.boostmap.rank_errors import rank_in
from paper_figures.claims.evidence import Decision, Number, Records, every, less
from paper_figures.store import Row

Cell = tuple[int, int]
"""k and percentile."""
PHASES = {"additions": ("reading",), "second_phase": ("first phase", "second phase", "rounds")}
"""The keys that name a reading of each table."""


def chosen_for(records: Records, figure: str, k: int) -> Row | None:
    """Return the keys of the reading that other k chose, or None where the record has none."""
    if figure not in records:
        return None
    quantity = CHECKED_ON if k in CHOOSING else CHOSEN_BY
    factors = [
        row
        for row in records[figure]["rows"]
        if row["quantity"] == quantity and row["ours"] is not None
    ]
    if not factors:
        return None
    nearest = min(factors, key=lambda row: float(row["ours"]))
    return {key: nearest[key] for key in PHASES[figure]}


def _row(records: Records, figure: str, triples: str, cell: Cell) -> Row | None:
    """Return the row of a rank under the reading that other k chose."""
    k, percentile = cell
    reading = chosen_for(records, figure, k)
    if reading is None:
        return None
    keys = reading | {"quantity": "rank", "triples": triples, "k": k, "percentile": percentile}
    of_cell = (
        row
        for row in records[figure]["rows"]
        if row["ours"] is not None and all(row.get(key) == keys[key] for key in keys)
    )
    return next(of_cell, None)


def selective_below_random(
    records: Records, figure: str, cells: Iterable[Cell], distances: bool = False
) -> Decision | None:
    """Decide "selective triples are lower" in each cell under its chosen reading.

    Parameters
    ----------
    records : mapping
    figure : {"additions", "second_phase"}
    cells : iterable of (k, percentile)
    distances : bool
        Compare exact distances, a rank and those that embed a query, instead of ranks.

    Returns
    -------
    Decision or None
        None if a cell has no rank.
    """
    decided = {}
    for cell in cells:
        pair: list[Number] = []
        for triples in ("Se", "Ra"):
            row = _row(records, figure, triples, cell)
            if row is None:
                return None
            reading = "; ".join(str(row[key]) for key in PHASES[figure])
            name = f"{triples}, k = {cell[0]}, {cell[1]} %, {reading}"
            rank = rank_in(records, figure, row, name)
            more = row["distances to embed"] if distances else 0
            pair.append(replace(rank, ours=rank.ours + more))
        decided[f"k = {cell[0]} {cell[1]} %"] = less(*pair)
    return every(decided, "cells") if decided else None
