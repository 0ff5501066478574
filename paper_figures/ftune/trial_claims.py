"""Kar & Jain (2011): the numbers of the trials beyond the paper that its claims take.

Rows of a trial show the printed number of a table under the key ``printed``, since a trial is not
the paper's own protocol. A number that decides a claim shows it as its published one.

Not handled here: the rules, which stand in `claims`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from paper_figures.claims.evidence import Number, Records, number, row, rows
from paper_figures.ftune.trials import (
    CHECKING,
    OURS,
    READING,
    Pair,
    Reading,
    chosen_reading,
    pairs_of_a_round,
    words_of,
)

__all__ = ["ChosenRivals", "chosen_rivals", "paired_lead", "trial_accuracy"]


def trial_accuracy(
    records: Records, figure: str, data_set: str, landmarks: int, method: str, **keys: Any
) -> Number:
    """Return the accuracy of a method in a trial, beside the one that the paper prints."""
    keys |= {"data_set": data_set, "landmarks": landmarks, "method": method}
    ours = number(records, figure, f"{data_set}, {landmarks} landmarks, {method}", **keys)
    return replace(ours, published=row(records, figure, **keys)["printed"])


@dataclass(frozen=True)
class ChosenRivals:
    """BBS and DBOOST as one half of the sets chooses them by the distance from the print.

    The reading of BBS is that of BBS and FTUNE-S together: they were trained alike.

    Attributes
    ----------
    sets : tuple of str
        Those of the other half that have numbers.
    pairs : dict
        DBOOST's pairs of a round on each of them; empty without a record of `dboost`.
    reading : tuple of str or None
        The reading of BBS; None without a record of `check`, or if it is the one of table 2.
    words : str
        What is chosen.
    """

    sets: tuple[str, ...]
    pairs: Mapping[str, int]
    reading: Reading | None
    words: str

    def accuracy(self, records: Records, name: str, landmarks: int, method: str) -> Number:
        """Return the accuracy of one of the two on a set; where nothing is chosen, table 2's."""
        if method == "DBOOST" and self.pairs:
            of_round: dict[str, Any] = {"pairs a round": self.pairs[name]}
            return trial_accuracy(records, "dboost", name, landmarks, method, **of_round)
        if method == "BBS" and self.reading is not None:
            keys = dict(zip(READING, ("-", *self.reading[1:]), strict=True))
            return trial_accuracy(records, "check", name, landmarks, method, **keys)
        title = f"{name}, {landmarks} landmarks, {method}"
        table2: dict[str, Any] = {"data_set": name, "landmarks": landmarks, "method": method}
        return number(records, "table2", title, **table2)


def chosen_rivals(records: Records) -> ChosenRivals | None:
    """Return what one half of the sets chooses, from `dboost` and `check`; None without either."""
    sets = CHECKING["paper"]
    pairs: dict[str, int] = {}
    said = []
    if "dboost" in records:
        of_classes = pairs_of_a_round(rows(records, "dboost"))
        classes = {row["data_set"]: row["classes"] for row in rows(records, "dboost")}
        sets = tuple(name for name in sets if classes.get(name) in of_classes)
        pairs = {name: of_classes[classes[name]] for name in sets}
        counts = ", ".join(f"{m} on sets of {of} classes" for of, m in of_classes.items())
        said.append(f"the pairs of a round are chosen on other sets: {counts}")
    reading = chosen_reading(rows(records, "check")) if "check" in records else None
    if reading is not None:
        computed = {row["data_set"] for row in rows(records, "check")}
        sets = tuple(name for name in sets if name in computed)
        said.append(f"the reading of BBS and FTUNE-S is chosen on other sets: {words_of(reading)}")
    if not said:
        return None
    words = ". ".join(clause[0].upper() + clause[1:] for clause in said)
    return ChosenRivals(sets, pairs, None if reading == OURS else reading, words)


def paired_lead(
    records: Records, figure: str, data_set: str, landmarks: int, methods: Pair
) -> Number:
    """Return the difference of two methods, taken split by split in a trial."""
    method, minus = methods
    name = f"{data_set}, {landmarks} landmarks, {method} minus {minus}"
    keys: dict[str, Any] = {"data_set": data_set, "landmarks": landmarks}
    return number(records, figure, name, **keys, method=method, minus=minus)
