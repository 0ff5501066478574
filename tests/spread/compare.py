"""Compare the same entry's rows as several BLAS kernels give them.

Not handled here: whether a spread matters; `paper_figures.spread` says that.
"""

from paper_figures.spread import has_fields

MEANING = ("published", "repetitions", "status", "why", "tolerance")  # not computed, or with ours
NOT_KEYS = (*MEANING, "ours", "std")


class UnequalTables(ValueError):
    """The rows of an entry under two BLAS kernels are not the same rows."""


def moved(entry, tables):
    """The numbers that are not the same under all kernels, in the order of the rows.

    `tables` has the rows of each kernel. A number's `row` holds the fields by which its row is
    known: those that are the same under all kernels.
    """
    first, *others = tables.values()
    if any(len(rows) != len(first) for rows in others):
        lengths = {kernel: len(rows) for kernel, rows in tables.items()}
        raise UnequalTables(f"{entry}: the numbers of rows differ: {lengths}")
    rows = [dict(zip(tables, same, strict=True)) for same in zip(*tables.values(), strict=True)]
    numbers = [number for row in rows for number in _moved_in(entry, row)]
    for number in numbers:
        if sum(has_fields(row, number["row"]) for row in first) > 1:
            raise UnequalTables(f"{entry}: two rows have the fields of a number: {number['row']}")
    return numbers


def _moved_in(entry, row):
    first = next(iter(row.values()))
    if any(set(other) - set(MEANING) != set(first) - set(MEANING) for other in row.values()):
        raise UnequalTables(f"{entry}: the fields of a row differ: {row}")
    numbers = []
    same = {}
    for field in first:
        values = {kernel: other[field] for kernel, other in row.items()}
        if field in MEANING:
            continue
        if all(value == first[field] for value in values.values()):
            same |= {} if field in NOT_KEYS else {field: first[field]}
        elif all(_is_number(value) or value is None for value in values.values()):
            numbers.append((field, values))
        else:
            raise UnequalTables(f"{entry}: {field} must be a number to be compared; got {values}")
    return [_number(entry, same, field, values) for field, values in numbers]


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(entry, row, field, values):
    known = [value for value in values.values() if value is not None]
    size = max(abs(value) for value in known)
    relative = (max(known) - min(known)) / size if size else 0.0
    return {
        "entry": entry,
        "row": row,
        "field": field,
        "values": values,
        "least": min(known),
        "largest": max(known),
        "relative": float(f"{relative:.3g}"),
    }


def without_timed(numbers, again):
    """The numbers that move with the kernel, and how many were left out because they are times.

    `again` are the numbers that differ between two runs under one kernel. They are times, and so
    are the other numbers of the entry with the same field and the same texts.
    """
    timed = {_kind(number) for number in again}
    kept = [number for number in numbers if _kind(number) not in timed]
    return kept, len(numbers) - len(kept)


def _kind(number):
    texts = sorted((key, value) for key, value in number["row"].items() if isinstance(value, str))
    return (number["entry"], number["field"], *texts)
