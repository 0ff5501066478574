"""Kar & Jain (2011): the numbers of the trials beyond the paper that its claims take.

Rows of a trial show the printed number of a table under the key ``printed``, since a trial is not
the paper's own protocol. A number that decides a claim shows it as its published one.

Not handled here: the rules, which stand in `claims`.
"""

from dataclasses import replace
from typing import Any

from paper_figures.claims.evidence import Number, Records, number, row

__all__ = ["transfer_lead", "trial_accuracy"]


def trial_accuracy(
    records: Records, figure: str, data_set: str, landmarks: int, method: str, **keys: Any
) -> Number:
    """Return the accuracy of a method in a trial, beside the one that the paper prints."""
    keys |= {"data_set": data_set, "landmarks": landmarks, "method": method}
    ours = number(records, figure, f"{data_set}, {landmarks} landmarks, {method}", **keys)
    return replace(ours, published=row(records, figure, **keys)["printed"])


def transfer_lead(
    records: Records, data_set: str, landmarks: int, method: str, minus: str
) -> Number:
    """Return the difference of two methods on the same splits, from ``transfer``."""
    name = f"{data_set}, {landmarks} landmarks, {method} minus {minus}"
    keys: dict[str, Any] = {"data_set": data_set, "landmarks": landmarks}
    return number(records, "transfer", name, **keys, method=method, minus=minus)
