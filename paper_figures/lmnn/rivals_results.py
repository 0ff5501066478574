"""The rows of `lmnn.rivals`: where each program ends, and when ours is as low."""

from collections.abc import Iterator, Sequence
from typing import Any

from paper_figures.registry import Context, Gathered, Result
from paper_figures.rows import absent_row, absent_rows, number_row
from paper_figures.store import Row

END = "eq. 3 at the end"
AT_END = {END: "end", "eq. 3, best multiple": "scaled", "test error (%)": "test"}


def rivals(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the numbers at each program's end, its seconds, and when ours is as low."""
    rows = absent_rows(results, {"N": None, "solver": "all", "measure": None})
    drawing = None
    stopped: list[str] = []
    for r in (r for r in results if r.value is not None):
        n = r.params["n"]
        drawing = r.value if drawing is None else drawing
        for name, curve in r.value.items():
            keys = {"N": n, "solver": name}
            if "why" in curve:
                rows.append(absent_row(keys | {"measure": END}, curve["why"]))
                continue
            rows += _of_end(keys, curve, r.value["ours"])
            stopped += [] if curve.get("ended", True) else [f"{name} at N = {n:,}"]
    return Gathered(rows, list(_notes(results, stopped)), drawing)


def _of_end(keys: Row, curve: dict[str, Any], ours: dict[str, Any]) -> Iterator[Row]:
    for measure, name in AT_END.items():
        digits = 2 if name == "test" else 1
        yield number_row(keys | {"measure": measure}, None, round(curve[name], digits))
    if "seconds" not in curve:
        return
    if curve is ours:
        yield number_row(keys | {"measure": "seconds"}, None, round(curve["seconds"][-1], 1))
        return
    end = min(curve["objective"])
    when = first_below(curve, end * (1 + 1e-4))
    sooner = first_below(ours, end)
    numbers = {
        "seconds until there": when,
        "seconds until ours is as low": sooner,
        "times sooner": None if sooner is None or when is None else when / sooner,
    }
    for measure, number in numbers.items():
        if number is not None:
            yield number_row(keys | {"measure": measure}, None, round(float(number), 1))


def first_below(curve: Any, level: float) -> float | None:
    """Return the seconds after which a curve is at most the level; None if it never is."""
    pairs = zip(curve["seconds"], curve["objective"], strict=True)
    return next((seconds for seconds, objective in pairs if objective <= level), None)


def _notes(results: Sequence[Result], stopped: Sequence[str]) -> Iterator[str]:
    gaps = [r.value["ours"]["gap"] for r in results if r.value is not None]
    if not gaps:
        return
    yield (
        "Raw pixels of random training images, on the leading principal components. Eq. 3 over all "
        "triples, at the factors each program goes through; one after the other on one machine, "
        "with their defaults but for the number of steps, which is large (mlpack by L-BFGS). "
        "Each minimises an objective of its own and ends at its own optimum. "
        f"Ours ends within {100 * max(gaps):.2f} % of the optimum of eq. 3, by a bound. The others "
        "have no bound. Test errors: 3-NN with the training images."
    )
    if stopped:
        yield f"The limit of time stopped {', '.join(stopped)}."
    if not any(set(r.value) - {"ours", "Euclidean"} for r in results if r.value is not None):
        yield "The others run at the paper's scale only: they need an environment of their own."
