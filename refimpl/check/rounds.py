"""``rounds``: the log of somebody's own training against the reference.

A log is JSON lines, one for each round, with some parts of a round's state: for Algorithm A.2
``{"f": 0, "p": 1, "theta": 0.5, "alpha": 1.1}``; ``feature``, ``polarity``, ``threshold`` and
``weights`` (w, normalised, before the stump is chosen) are read, too. For Algorithm A.1 each line
has ``"C"``, the class. The data are an .npz file with P and N, or with X and y.

Not handled here: trainings whose random choices no log holds.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.check.comparing import Difference
from refimpl.check.kernel import Values
from refimpl.check.reading import numbers, points, read_data
from refimpl.check.reports import Report
from refimpl.check.running import UnusableError
from refimpl.check.stages import first_fault
from refimpl.check.trainings import TRAININGS

__all__ = ["check_rounds", "read_log"]

NAMES = {
    "feature": "f",
    "i_t": "f",
    "polarity": "p",
    "threshold": "theta",
    "weights": "w",
    "error": "epsilon",
    "class": "C",
}
PARTS = frozenset(output.name for output in TRAININGS["adaboost"].outputs)
ALGORITHMS = ("A.1", "A.2")


def check_rounds(log: str, data: str, algorithm: str) -> Report:
    """Compare a log with the algorithm run on the data, after the log's own choices."""
    if algorithm not in ALGORITHMS:
        raise UnusableError(
            f"--algorithm must be one of {', '.join(ALGORITHMS)}; got {algorithm!r}"
        )
    rounds = read_log(log)
    arrays = read_data(data)
    report = Report(f"{log} as a training by Algorithm {algorithm} on {data}")
    report.facts.append(("rounds", len(rounds)))
    if algorithm == "A.1":
        X, y = points(arrays, data)
        for C in np.unique(y).tolist():
            own = [round for round in rounds if round.get("C") == C]
            if not own:
                raise UnusableError(f"{log} has no round of the class {C!r}; a line must name C")
            X_C = X[y == C]
            _check(report, own, _differences(X_C, X_C), _differences(X[y != C], X_C), f"class {C}")
    elif {"P", "N"} <= arrays.keys():
        P, N = (numbers(arrays, name, data, 2) for name in ("P", "N"))
        _check(report, rounds, P, N, "")
    else:
        X, y = points(arrays, data)
        positive = y == y.max()
        _check(report, rounds, X[positive], X[~positive], "")
    return report


def _differences(A: Any, B: Any) -> Any:
    return (A[:, np.newaxis] - B).reshape(-1, A.shape[1])


def _check(report: Report, rounds: list[Values], P: Any, N: Any, where: str) -> None:
    training = TRAININGS["adaboost"]
    if P.shape[1] != N.shape[1] or not len(P) or not len(N):
        raise UnusableError(f"P and N must be rows of one length; got {P.shape} and {N.shape}")
    arguments = {"P": P, "N": N, "T": len(rounds)}
    try:
        found = first_fault(training, arguments, [], rounds)
    except ValueError as error:
        raise UnusableError(f"the reference cannot be trained on the data: {error}") from error
    if found is None:
        report.notes.append(f"{where or 'all rounds'}: every round agrees".strip())
        return
    number, fault = found
    words = f"{where}, " if where else ""
    report.differences.append(
        Difference(
            name="adaboost",
            kind=fault.kind,
            output=fault.output.name,
            source=fault.output.source,
            words=f"{words}round {number}: {fault.words}",
        )
    )


def read_log(path: str) -> list[Values]:
    """Return the rounds of a log of JSON lines."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableError(f"cannot read {path}: {error}") from error
    rounds = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            round = json.loads(line)
        except ValueError as error:
            raise UnusableError(f"{path}, line {number}: must be JSON: {error}") from error
        if not isinstance(round, dict):
            raise UnusableError(f"{path}, line {number}: must be an object; got {line[:40]}")
        try:
            rounds.append({NAMES.get(name) or name: _value(part) for name, part in round.items()})
        except (TypeError, ValueError) as error:
            raise UnusableError(f"{path}, line {number}: {error}") from error
        if not {"f", "p", "theta"} <= rounds[-1].keys():
            raise UnusableError(f"{path}, line {number}: must have f, p and theta")
        for name in PARTS.intersection(rounds[-1]):
            if not isinstance(rounds[-1][name], int | float | np.ndarray):
                raise UnusableError(
                    f"{path}, line {number}: {name} must be a number; got {rounds[-1][name]!r}"
                )
    if not rounds:
        raise UnusableError(f"{path} has no rounds")
    return rounds


def _value(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return (
                float.fromhex(value)
                if value.lower().lstrip("+-").startswith("0x")
                else (float(value))
            )
        except ValueError:
            return value
    return np.array([float(part) for part in value]) if isinstance(value, list) else value
