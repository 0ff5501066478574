"""Figure 5: its rows beside the printed numbers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paper_figures.lmnn.table1_rows import NAMES, grouped, mean_row
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows

EARLY = "ends early"
PAST = "held out, to the end"
ALL = "all points, to the end"
COURSE = ("test", "validation", "train", "learnt")
MEASURES = {"test": "test", "train": "train", "learnt": "train, points learnt from"}
NOTE = (
    "Errors in per cent. d components hold 95 % of the variance, or nearly all (letters, d = 16; "
    "20 newsgroups). Training errors leave one out. The training ends where 30 % of the training "
    "points, which are held out, have least errors, and they vote in the test; or it goes on to "
    "the end of the steps, with these points held out or with all points. Several metrics take the "
    "paper's steps in coordinates in which target neighbours spread alike in all directions, from "
    "one metric, which the certified solver trains. Means are over splits of the points held out. "
    "k is chosen by the points held out, or else by leaving one out; the most frequent is shown. "
    "The paper's row labels are exchanged (ERRATUM LM-4): here they are corrected."
)


def figure5(context: Context, results: Sequence[Result]) -> Gathered:
    """Return test and training errors of each set, by where the training ends."""
    keys = {"data set": "all", "points": None, "measure": None, "method": None, "training": None}
    rows = absent_rows(results, keys)
    table = context.published("lmnn/figure5.csv") if context.scale == "paper" else []
    printed = {(line["measure"], line["method"]): line for line in table}
    for group in grouped(results, "data_set", "preparation", "share", "by_class").values():
        for training, ends in _endings(group):
            rows += _rows(group[0], training, ends, printed)
    courses = _courses(results)
    return Gathered(rows, [NOTE, *_least(courses)], courses)


def _endings(group: Sequence[Result]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield each way to end a training, and what its runs measured there."""
    held_out = [r.value for r in group if r.params["split"] is not None]
    whole = [r.value for r in group if r.params["split"] is None]
    for training, ends in (
        (EARLY, [value["stopped"] for value in held_out]),
        (PAST, [value["end"] for value in held_out]),
        (ALL, [value["end"] for value in whole]),
    ):
        if ends:
            yield training, ends


def _rows(
    result: Result,
    training: str,
    ends: Sequence[Mapping[str, Any]],
    printed: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Iterator[Row]:
    """Yield a row for each error of a set, a method and a way to end."""
    name = result.params["data_set"]
    method = "several metrics" if result.params["by_class"] else "one metric"
    chosen = [_chosen_k(end) for end in ends]
    for measure, words in MEASURES.items():
        if measure == "learnt" and training == ALL:
            continue  # that of all training points
        line = printed.get((measure, method), {})
        keys = {
            "data set": name,
            "points": NAMES[result.params["preparation"]],
            "measure": words,
            "method": method,
            "training": training,
            "k": int(Counter(chosen).most_common(1)[0][0]),
            "d": result.value["d"],
        }
        numbers = [end[measure][k] for end, k in zip(ends, chosen, strict=True)]
        # § 5.2: a validation set ends the paper's trainings
        printed_as = "mnist" if name == "MNIST-10" else name
        yield mean_row(keys, line.get(printed_as) if training == EARLY else None, numbers)


def _chosen_k(end: Mapping[str, Any]) -> str:
    """Return the k of least validation error, or of least leave-one-out error without one."""
    errors: Mapping[str, float] = end.get("validation", end["train"])
    return min(errors, key=lambda k: (errors[k], int(k)))


def _least(courses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say how low the training errors of several metrics were at any full check, set by set."""
    least: dict[str, tuple[float, int]] = {}
    for course in courses:
        for check in course["checks"]:
            if "train" in check:
                found = check["train"], check["check"]
                least[course["set"]] = min(found, least.get(course["set"], found))
    if least:
        words = [f"{name} {error:.2f} % (check {t})" for name, (error, t) in least.items()]
        yield (
            "The least training error (k = 3) of several metrics at any full check, with points "
            f"held out or without: {', '.join(words)}."
        )


def _courses(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return errors after each full check where training errors were measured there."""
    return [
        {
            "set": r.params["data_set"],
            "preparation": r.params["preparation"],
            "share": r.params["share"],
            "by_class": r.params["by_class"],
            "split": r.params["split"],
            "checks": [
                {"check": c["check"]} | {name: c[name]["3"] for name in COURSE if name in c}
                for c in r.value["checks"]
            ],
        }
        for r in results
        if r.value is not None and r.params["by_class"]
    ]
