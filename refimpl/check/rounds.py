"""``rounds``: the log of somebody's own training against the reference.

A log is JSON lines, one for each round, with some parts of a round's state: for Algorithm A.2
``{"f": 0, "p": 1, "theta": 0.5, "alpha": 1.1}``; ``feature``, ``polarity``, ``threshold`` and
``weights`` (w, normalised, before the stump is chosen) are read, too. For Algorithm A.1 each line
has ``"C"``, the class. The data are an .npz file with P and N, or with X and y. A log of Algorithm
A.3 has a line for each query: ``{"label": 1}``, with ``"s"`` if it has the similarities.

Not handled here: logs of other papers (:mod:`refimpl.check.logs`).
"""

import json
from typing import Any

import numpy as np

from refimpl.check.comparing import Difference, Fault
from refimpl.check.files import UnusableError
from refimpl.check.kernel import WRONG, Values
from refimpl.check.logs import LOGS
from refimpl.check.reading import announce, counted, numbers, points, read_data, read_text
from refimpl.check.reports import Report
from refimpl.check.stages import NAMES, first_fault
from refimpl.check.trainings import TRAININGS, Training

__all__ = ["ALGORITHMS", "check_rounds", "read_log"]

LABELS = frozenset({"C", "l_y"})
"""Parts that are classes: a text stays a text."""
LISTS = frozenset({"w", "updated", "T", "classifier", "leaf", "s"})
"""Parts that may be lists."""
PARTS = frozenset(output.name for output in TRAININGS["adaboost"].outputs)
BOOSTED_DISTANCE = ("A.1", "A.2", "A.3")
ALGORITHMS = (*BOOSTED_DISTANCE, *LOGS)


def check_rounds(log: str, data: str, algorithm: str) -> Report:
    """Compare a log with the algorithm run on the data, after the log's own choices."""
    if algorithm not in ALGORITHMS:
        raise UnusableError(
            f"--algorithm must be one of {', '.join(ALGORITHMS)}; got {algorithm!r}"
        )
    needed = LOGS[algorithm].needed if algorithm in LOGS else NEEDED[algorithm]
    rounds = read_log(log, needed)
    arrays = read_data(data)
    what = "the answers of" if algorithm == "A.3" else "a training by"
    report = Report(f"{log} as {what} Algorithm {algorithm} on {data}")
    report.facts.append(("lines" if algorithm == "A.3" else "rounds", len(rounds)))
    training = LOGS[algorithm].training if algorithm in LOGS else TRAININGS[OF[algorithm]]
    _name_unknown(report, training, rounds)
    try:
        if algorithm in BOOSTED_DISTANCE:
            CHECKS[algorithm](report, rounds, arrays, data)
        else:
            arguments = LOGS[algorithm].arguments(arrays, data)
            work, memory = LOGS[algorithm].cost(arguments, len(rounds))
            announce(f"{counted(len(rounds), 'round')} on {data}", work, memory, "points or rounds")
            _compare_log(report, training, arguments, rounds, log)
    except (ValueError, MemoryError) as error:
        raise UnusableError(f"{log} cannot be compared on {data}: {error}") from error
    except (TypeError, OverflowError, IndexError) as error:
        raise UnusableError(f"{log} has a line of another form: {error}") from error
    return report


def _name_unknown(report: Report, training: Training, rounds: list[Values]) -> None:
    """Say which parts of the lines are not compared: they may be misspelt."""
    known = {"C", *(output.name for output in training.outputs)}
    unknown = sorted({part for line in rounds for part in line} - known)
    if unknown:
        report.notes.append(
            f"not compared: {', '.join(unknown)}; the parts of a line are "
            + ", ".join(output.name for output in training.outputs)
        )


def _compare_log(
    report: Report, training: Training, arguments: Values, rounds: list[Values], log: str
) -> None:
    try:
        _compare(report, training, arguments, rounds)
    except UnusableError as error:
        raise UnusableError(f"{log}, {error}") from error


def _each_class(report: Report, rounds: list[Values], arrays: dict[str, Any], data: str) -> None:
    """Check the rounds of Algorithm A.1."""
    X, y = points(arrays, data, "Algorithm A.1 takes")
    if len(np.unique(y)) < 2:
        raise UnusableError(f"{data}: y must have two classes or more")
    classes = _by_class(rounds, np.unique(y).tolist(), data)
    longest = max(len(own) for own in classes.values())
    for C, own in classes.items():
        if len(own) < longest:
            report.differences.append(_fewer_rounds(C, len(own), longest))
        X_C, rest = X[y == C], X[y != C]
        size = X.size * len(X_C)
        what = f"class {C}: {counted(len(own), 'round')} on {len(X_C) * len(X)} differences"
        announce(what, 6.0 * size * len(own), 64.0 * size, "points or rounds")
        arguments = _stumps(_differences(X_C, X_C), _differences(rest, X_C), len(own))
        _compare(report, TRAININGS["adaboost"], arguments, own, f"class {C}")


def _by_class(rounds: list[Values], classes: list[Any], data: str) -> dict[Any, list[Values]]:
    """Return the rounds of each class, refusing classes that the data do not have."""
    for round in rounds:
        if round["C"] not in classes:
            raise UnusableError(
                f"the log has a round of the class {round['C']!r}; y of {data} has {classes}"
            )
    own = {C: [round for round in rounds if round["C"] == C] for C in classes}
    missing = [C for C in classes if not own[C]]
    if missing:
        raise UnusableError(f"the log has no round of the class {missing[0]!r}")
    return own


def _fewer_rounds(C: Any, rounds: int, longest: int) -> Difference:
    ends = TRAININGS["adaboost"].ends()
    words = f"class {C}: {counted(rounds, 'round')}; another class has {longest}, and T is the same"
    words += " for all classes"
    return Difference("adaboost", WRONG, ends.name, ends.source, words)


def _one_class(report: Report, rounds: list[Values], arrays: dict[str, Any], data: str) -> None:
    """Check the rounds of Algorithm A.2."""
    if {"P", "N"} <= arrays.keys():
        P, N = (numbers(arrays, name, data, 2) for name in ("P", "N"))
    else:
        X, y = points(arrays, data, "Algorithm A.2 takes P and N, or")
        P, N = X[y == y.max()], X[y != y.max()]
    arguments = _stumps(P, N, len(rounds))
    size = (len(P) + len(N)) * P.shape[1]
    what = f"{counted(len(rounds), 'round')} on {len(P) + len(N)} rows of {P.shape[1]} numbers"
    announce(what, 6.0 * size * len(rounds), 64.0 * size, "points or rounds")
    _compare(report, TRAININGS["adaboost"], arguments, rounds)


def _differences(A: Any, B: Any) -> Any:
    return (A[:, np.newaxis] - B).reshape(-1, A.shape[1])


def _stumps(P: Any, N: Any, T: int) -> Values:
    if P.shape[1] != N.shape[1] or not len(P) or not len(N):
        raise UnusableError(f"P and N must be rows of one length; got {P.shape} and {N.shape}")
    return {"P": P, "N": N, "T": T}


def _labels(report: Report, rounds: list[Values], arrays: dict[str, Any], data: str) -> None:
    """Check labels, and similarities if the lines have them: Algorithm A.3."""
    X, y = points(arrays, data, "Algorithm A.3 takes Q and")
    Q = numbers(arrays, "Q", data, 2)
    if Q.shape != (len(rounds), X.shape[1]):
        raise UnusableError(
            f"the log has {len(rounds)} lines, one for each query; Q of {data} must be of shape "
            f"({len(rounds)}, {X.shape[1]}), got {Q.shape}"
        )
    models: Values = {}
    for C in np.unique(y).tolist():
        models |= _ensemble(arrays, C, X.shape[1], data)
    training = TRAININGS["nearest_neighbor_boosted_distance"]
    arguments = {"y": Q, "Omega": X, "l": y, **models}
    got: Values = {"l_y": np.array([line["l_y"] for line in rounds])}
    similar = sum("s" in line for line in rounds)
    if similar not in (0, len(rounds)):
        raise UnusableError(f"s must be in all lines of the log or in none; {similar} have it")
    if similar:
        got["s"] = np.array([line["s"] for line in rounds])
    stumps = sum(len(models[f"alpha_{C}"]) for C in np.unique(y).tolist())
    work = len(Q) * len(X) * stumps / len(np.unique(y))
    what = f"{counted(len(Q), 'query', 'queries')} among {len(X)} points"
    announce(what, work, 24.0 * len(Q) * len(X), "queries")
    fault = first_fault(training, arguments, training.run(arguments), [got])
    _report(report, training, fault, "")


def _ensemble(arrays: dict[str, Any], C: Any, d: int, data: str) -> Values:
    """Return the four arrays of a class's ensemble by their names."""
    fields = ("alpha", "feature", "polarity", "threshold")
    model = {field: _field(arrays, f"{field}_{C}", field, data) for field in fields}
    lengths = {field: len(array) for field, array in model.items()}
    if len(set(lengths.values())) > 1:
        raise UnusableError(f"{data}: the arrays of class {C} must be of one length; got {lengths}")
    feature, polarity = model["feature"], model["polarity"]
    if ((feature < 0) | (feature >= d) | (feature != np.floor(feature))).any():
        raise UnusableError(f"{data}: feature_{C} must hold integers from 0 to {d - 1}")
    if not np.isin(polarity, (-1, 1)).all():
        raise UnusableError(f"{data}: polarity_{C} must hold 1 and -1")
    model |= {"feature": feature.astype(np.int64), "polarity": polarity.astype(np.int64)}
    return {f"{field}_{C}": array for field, array in model.items()}


def _field(arrays: dict[str, Any], name: str, field: str, data: str) -> Any:
    """Return a field of a class's ensemble; thresholds may be infinite."""
    if name not in arrays:
        raise UnusableError(
            f"{data} must have alpha_C, feature_C, polarity_C and threshold_C for each class C; "
            f"it has no {name}"
        )
    if field != "threshold":
        return numbers(arrays, name, data, 1)
    array = arrays[name]
    if array.dtype.kind not in "fiu" or array.ndim != 1 or np.isnan(array).any():
        raise UnusableError(f"{data}: {name} must be a row of real numbers without NaN")
    return np.ascontiguousarray(array, dtype=np.float64)


OF = {"A.1": "adaboost", "A.2": "adaboost", "A.3": "nearest_neighbor_boosted_distance"}
CHECKS = {"A.1": _each_class, "A.2": _one_class, "A.3": _labels}
NEEDED = {"A.1": ("C", "f", "p", "theta"), "A.2": ("f", "p", "theta"), "A.3": ("l_y",)}


def _compare(
    report: Report, training: Training, arguments: Values, rounds: list[Values], where: str = ""
) -> None:
    """Compare rounds with what they must be after the log's own choices."""
    fault = first_fault(training, arguments, [], rounds)
    if fault is None:
        report.notes.append(f"{where or 'all rounds'}: every round agrees")
    _report(report, training, fault, f"{where}, " if where else "")


def _report(
    report: Report, training: Training, found: tuple[int, Fault] | None, where: str
) -> None:
    if found is None:
        return
    number, fault = found
    step = "" if training.follow is None else f"round {number}: "
    report.differences.append(
        Difference(
            name=training.name,
            kind=fault.kind,
            output=fault.output.name,
            source=fault.output.source,
            words=f"{where}{step}{fault.words}",
        )
    )


def read_log(path: str, needed: tuple[str, ...] = ("f", "p", "theta")) -> list[Values]:
    """Return the rounds of a log of JSON lines, each of which must have what is `needed`."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        listed = _parsed(text, path, "one JSON array, or a JSON object a line")
        entries = list(enumerate(listed, start=1))
    else:
        lines = enumerate(text.splitlines(), start=1)
        entries = [
            (number, _parsed(line, f"{path}, line {number}", "JSON, an object a line"))
            for number, line in lines
            if line.strip()
        ]
    rounds: list[Values] = []
    for number, round in entries:
        if not isinstance(round, dict):
            raise UnusableError(f"{path}, line {number}: must be an object; got {str(round)[:40]}")
        try:
            rounds.append(_round(round))
        except (TypeError, ValueError, OverflowError) as error:
            raise UnusableError(f"{path}, line {number}: {error}") from error
        if not set(needed) <= rounds[-1].keys():
            raise UnusableError(f"{path}, line {number}: must have {', '.join(needed)}")
        for name in {*PARTS, *needed}.intersection(rounds[-1]) - LABELS:
            part = rounds[-1][name]
            truth = isinstance(part, bool) and name != "inside"
            several = isinstance(part, np.ndarray) and name not in LISTS
            if truth or several or not isinstance(part, int | float | np.ndarray):
                raise UnusableError(
                    f"{path}, line {number}: {name} must be a number; got {rounds[-1][name]!r}"
                )
    if not rounds:
        raise UnusableError(f"{path} has no rounds")
    return rounds


def _parsed(text: str, where: str, wanted: str) -> Any:
    """Return the JSON of a text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UnusableError(f"{where}: must be {wanted}; got {text.strip()[:40]!r}") from None


def _round(line: Values) -> Values:
    """Return the parts of a line by the names of a round's state."""
    named = {NAMES.get(name) or name: part for name, part in line.items()}
    return {name: part if name in LABELS else _value(part) for name, part in named.items()}


def _value(value: Any) -> Any:
    """Return a part of a line: numbers as text are read, lists become arrays of floats."""
    if isinstance(value, list):
        return np.array([_numbers(part) for part in value])
    if isinstance(value, int) and not isinstance(value, bool):
        float(value)  # refuses 10**400
    if not isinstance(value, str):
        return value
    try:
        return _float(value)
    except ValueError:
        return value


def _numbers(part: Any) -> Any:
    if isinstance(part, list):
        return [_numbers(inner) for inner in part]
    return _float(part) if isinstance(part, str) else float(part)


def _float(text: str) -> float:
    is_hex = text.lower().lstrip("+-").startswith("0x")
    return float.fromhex(text) if is_hex else float(text)
