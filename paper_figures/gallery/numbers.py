"""Numbers as text: decimals that fit a table, and durations."""

import math
from collections.abc import Iterable

from paper_figures.store import Row

DASH = "–"


def printed_decimals(rows: Iterable[Row]) -> int | None:
    """Return the most decimals that a published number has; None if none has any."""
    lengths = [_decimals(row["published"]) for row in rows if row["published"] is not None]
    return max(lengths, default=0) or None


def _decimals(value: float) -> int:
    text = repr(float(value))
    return 0 if text.endswith(".0") or "e" in text else len(text.partition(".")[2])


def our_decimals(rows: Iterable[Row]) -> int:
    """Return the decimals of our numbers: the published ones', one more where an error needs it."""
    # without published decimals the largest number gets four digits, fewer if none needs so many
    rows = list(rows)
    values = [abs(row["ours"]) for row in rows if row["ours"] is not None]
    if all(float(value).is_integer() for value in values):
        return printed_decimals(rows) or 0
    decimals = printed_decimals(rows)
    if decimals is None:
        most = min(4, max(0, 3 - math.floor(math.log10(max(values)))))
        decimals = max(_decimals(round(value, most)) for value in values)
    errors = [row["error"] for row in rows if row["error"]]
    narrow = errors and min(errors) < 0.95 * 10.0**-decimals
    return decimals + 1 if narrow else decimals


def number_text(value: float | None, digits: int | None, sign: str = "") -> str:
    """Return a number as the tables show it, with `digits` decimals where they suffice."""
    if value is None:
        return DASH
    tiny = digits is None or 0 < abs(value) < 0.5 * 10.0**-digits
    whole = float(value).is_integer() and (digits is None or isinstance(value, int))
    if whole or (tiny and abs(value) >= 1000):
        form = ".0f"
    else:
        form = ".4g" if tiny else f".{digits}f"
    group = "," if abs(value) >= 10_000 else ""
    return f"{value:{sign}{group}{form}}".replace("-", "−")


def spread_text(std: float, digits: int) -> str:
    """Return a standard deviation with `digits` decimals, or one digit if it is smaller."""
    tiny = 0 < std < 0.5 * 10.0**-digits
    return f"{std:.1g}" if tiny else number_text(std, digits)


def with_error(value: float, error: float | None) -> tuple[str, str]:
    """Return a number and its standard error ("" without one) to two digits of the error."""
    if not error:
        return number_text(value, None), ""
    digits = max(0, 1 - math.floor(math.log10(error)))
    return number_text(value, digits), number_text(error, digits)


def duration_text(seconds: float) -> str:
    """Return a duration in words: 9.5 s, 4 min 10 s, 3 h 25 min."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(round(whole / 60), 60)
    return f"{hours:,} h {minutes} min"
