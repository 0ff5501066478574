"""``rounds``: the log of somebody's own training against the reference.

A log is JSON lines, one for each round, with some parts of a round's state: for Algorithm A.2
``{"f": 0, "p": 1, "theta": 0.5, "alpha": 1.1}``. A log of Algorithm A.3 has a line for each query.

A log holds what its training drew at random: the classifier of a round that adds one, splitters
and ranges, the leaves of a tree. These are taken as they are. Everything that follows from them is
compared: BoostMap's steps 1 to 4, alpha, z and the weights; J, the masses and c of the forest.

Not handled here: whether a better random choice was among those that were drawn; LMNN, whose
solvers have steps of their own (``metric`` judges the result); FTUNE, whose classifiers are those
of another library (``landmarks`` judges Algorithm 1).
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import refimpl.kernels
from refimpl.boostmap.algorithm import Problem, Weights, accepts, add_to, embeddings
from refimpl.boostmap.options import Name
from refimpl.boostmap.rounds import NO_GAIN, training_rounds
from refimpl.check.comparing import Difference, Fault, difference_of, ends, renamed, reported
from refimpl.check.drawing import Given
from refimpl.check.encoding import read
from refimpl.check.files import UnusableError
from refimpl.check.judging import differences
from refimpl.check.reading import announce, checked, counted, points, read_data, read_text
from refimpl.check.reports import Report
from refimpl.check.subject import Case, Kind, Training, Values
from refimpl.check.subjects import TRAININGS
from refimpl.check.subjects.boostmap import margins_of, problem_of, same_classifier, same_range
from refimpl.check.subjects.search_forest import by_first_point, states
from refimpl.kernels.arguments import floats, int64s
from refimpl.kernels.losses import reweighted, weights_of
from refimpl.kernels.triples import margins
from refimpl.search_forest.algorithm import selection_rounds
from refimpl.typing import FloatArray

Arrays = dict[str, Any]

LABELS = frozenset({"C", "l_y"})
"""Parts that are classes: a text stays a text."""
TEXTS = LABELS | {"step"}


class Part(NamedTuple):
    """Rounds that are compared together, what they are compared on, and what that costs."""

    arguments: Values
    rounds: list[Values]
    what: str
    work: float
    memory: float
    where: str = ""
    fewer: str = "points or rounds"


class Log(NamedTuple):
    """A kind of log: the training, what each line must have, and the parts to compare."""

    training: Training
    needed: tuple[str, ...]
    parts: Callable[[list[Values], Arrays, str], Iterator[Part]]


def check_rounds(path: str, data: str, algorithm: str) -> Report:
    """Compare a log with the algorithm run on the data, after the log's own choices."""
    if algorithm not in LOGS:
        raise UnusableError(f"--algorithm must be one of {', '.join(LOGS)}; got {algorithm!r}")
    training, needed, parts = LOGS[algorithm]
    known = frozenset({"C", *(output.name for output in training.outputs)})
    rounds = read_log(path, needed, known)
    arrays = read_data(data)
    of_answers = algorithm == "A.3"
    what = "the answers of" if of_answers else "a training by"
    report = Report(f"{path} as {what} Algorithm {algorithm} on {data}")
    report.facts.append(("lines" if of_answers else "rounds", len(rounds)))
    _name_unknown(report, training, known, rounds)
    try:
        listed = list(parts(rounds, arrays, data))
        longest = max(len(part.rounds) for part in listed)
        for part in listed:
            if len(part.rounds) < longest:
                report.differences.append(_fewer_rounds(training, part, longest))
            announce(part.what, part.work, part.memory, part.fewer)
            _compare(report, training, part, path)
    except (ValueError, MemoryError) as error:
        raise UnusableError(f"{path} cannot be compared on {data}: {error}") from error
    except (TypeError, OverflowError, IndexError) as error:
        raise UnusableError(f"{path} has a line of another form: {error}") from error
    return report


def _name_unknown(
    report: Report, training: Training, known: frozenset[str], rounds: list[Values]
) -> None:
    """Say which parts of the lines are not compared: they may be misspelt."""
    unknown = sorted({part for line in rounds for part in line} - known)
    if unknown:
        report.notes.append(
            f"not compared: {', '.join(unknown)}; the parts of a line are "
            + ", ".join(output.name for output in training.outputs)
        )


def _compare(report: Report, training: Training, part: Part, log: str) -> None:
    """Compare rounds with what they must be after the log's own choices."""
    known = {output.name for output in training.outputs}
    rounds = [{name: round[name] for name in round if name in known} for round in part.rounds]
    expected = training.run(part.arguments) if training.follow is None else []
    try:
        found = difference_of(Case(training, "", part.arguments, expected), rounds)
    except UnusableError as error:
        raise UnusableError(f"{log}, {error}") from error
    if found is not None:
        words = ", ".join(filter(None, (part.where, found.words)))
        report.differences.append(replace(found, words=words))
    elif training.follow is not None:
        report.notes.append(f"{part.where or 'all rounds'}: every round agrees")


def _fewer_rounds(training: Training, part: Part, longest: int) -> Difference:
    words = f"{part.where}: {counted(len(part.rounds), 'round')}; another class has {longest}, and "
    words += "T is the same for all classes"
    return reported(Case(training, "", {}, []), Fault(Kind.WRONG, ends(training), words))


# ------------------------------------------------------------------------------------ reading a log


def read_log(path: str, needed: tuple[str, ...], known: frozenset[str]) -> list[Values]:
    """Return the rounds of a log of JSON lines, each of which must have what is `needed`."""
    # `known` are the parts that may have other names.
    rounds: list[Values] = []
    for number, entry in _entries(path):
        where = f"{path}, line {number}"
        if not isinstance(entry, dict):
            raise UnusableError(f"{where}: must be an object; got {str(entry)[:40]}")
        named = renamed(known, entry)
        try:
            line = {name: part if name in LABELS else read(part) for name, part in named.items()}
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise UnusableError(f"{where}: {error}") from error
        if not set(needed) <= line.keys():
            raise UnusableError(f"{where}: must have {', '.join(needed)}")
        for name in known.intersection(line) - TEXTS:
            if np.asarray(line[name]).dtype.kind not in "biuf":
                raise UnusableError(f"{where}: {name} must be a number; got {line[name]!r}")
        rounds.append(line)
    if not rounds:
        raise UnusableError(f"{path} has no rounds")
    return rounds


def _entries(path: str) -> Iterator[tuple[int, Any]]:
    """Yield the lines of a log with their numbers, or the elements of one JSON array."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        yield from enumerate(_parsed(text, path, "one JSON array, or a JSON object a line"), 1)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, _parsed(line, f"{path}, line {number}", "JSON, an object a line")


def _parsed(text: str, where: str, wanted: str) -> Any:
    """Return the JSON of a text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UnusableError(f"{where}: must be {wanted}; got {text.strip()[:40]!r}") from None


# --------------------------------------------------------------------------------- Boosted Distance


def _each_class(rounds: list[Values], arrays: Arrays, data: str) -> Iterator[Part]:
    """Yield the rounds of each class: Algorithm A.1."""
    X, y = points(arrays, data, "Algorithm A.1 takes", 2)
    classes = np.unique(y).tolist()
    for round in rounds:
        if round["C"] not in classes:
            raise UnusableError(
                f"the log has a round of the class {round['C']!r}; y of {data} has {classes}"
            )
    for C in classes:
        own = [round for round in rounds if round["C"] == C]
        if not own:
            raise UnusableError(f"the log has no round of the class {C!r}")
        P, N = (differences(part, X[y == C]) for part in (X[y == C], X[y != C]))
        yield _of_sets(P, N, own, f"class {C}")


def _one_class(rounds: list[Values], arrays: Arrays, data: str) -> Iterator[Part]:
    """Yield all rounds: Algorithm A.2."""
    if {"P", "N"} <= arrays.keys():
        kinds = {name: floats(name, "d", finite=True, nonempty=True) for name in ("P", "N")}
        P, N = checked(arrays, kinds, data).values()
    else:
        X, y = points(arrays, data, "Algorithm A.2 takes P and N, or", 2)
        last = np.unique(y)[-1]  # text has no max()
        P, N = X[y == last], X[y != last]
    yield _of_sets(P, N, rounds)


def _of_sets(P: FloatArray, N: FloatArray, rounds: list[Values], where: str = "") -> Part:
    n, d = len(P) + len(N), P.shape[1]
    what = f"{where}: " if where else ""
    what += f"{counted(len(rounds), 'round')} on {n} rows of {d} numbers"
    arguments = {"P": P, "N": N, "T": len(rounds)}
    return Part(arguments, rounds, what, 6.0 * n * d * len(rounds), 64.0 * n * d, where)


def _labels(rounds: list[Values], arrays: Arrays, data: str) -> Iterator[Part]:
    """Yield labels, and similarities if the lines have them: Algorithm A.3."""
    X, y = points(arrays, data, "Algorithm A.3 takes Q and")
    kind = {"Q": floats("queries", "d", finite=True)}
    Q = checked(arrays, kind, data, queries=len(rounds), d=X.shape[1])["Q"]
    arguments: Values = {"y": Q, "Omega": X, "l": y}
    for C in np.unique(y).tolist():
        arguments |= _ensemble(arrays, C, X.shape[1], data)
    got: Values = {"l_y": np.array([line["l_y"] for line in rounds])}
    similar = sum("s" in line for line in rounds)
    if similar not in (0, len(rounds)):
        raise UnusableError(f"s must be in all lines of the log or in none; {similar} have it")
    if similar:
        got["s"] = np.array([line["s"] for line in rounds])
    stumps = np.mean([len(arguments[f"alpha_{C}"]) for C in np.unique(y).tolist()])
    work = float(len(Q) * len(X) * stumps)
    what = f"{counted(len(Q), 'query', 'queries')} among {len(X)} points"
    yield Part(arguments, [got], what, work, 24.0 * len(Q) * len(X), fewer="queries")


def _ensemble(arrays: Arrays, C: Any, d: int, data: str) -> Values:
    """Return the four arrays of a class's ensemble by their names."""
    kinds = {
        f"alpha_{C}": floats("rounds", finite=True),
        f"feature_{C}": int64s("rounds", below="d"),
        f"polarity_{C}": int64s("rounds", only=(1, -1)),
        f"threshold_{C}": floats("rounds", largest=np.inf),
    }
    return checked(arrays, kinds, data, d=d)


# ---------------------------------------------------------------------------------- BoostMap, § 7.3


def _all(arguments: Values, rounds: list[Values], data: str, work: float, memory: float) -> Part:
    return Part(arguments, rounds, f"{counted(len(rounds), 'round')} on {data}", work, memory)


TRIPLES = {"triples": int64s("t", 3, below="n", nonempty=True), "y": floats("t", only=(1.0, -1.0))}


def _boostmap(rounds: list[Values], arrays: Arrays, data: str) -> Iterator[Part]:
    """Yield all rounds, on the distances of candidates to objects and on triples."""
    if "D" in arrays and arrays["D"].ndim == 2:
        arrays = {"between": arrays["D"][:, : len(arrays["D"])], **arrays}
    kinds = {"D": floats("c", "n", finite=True), "between": floats("c", "c", finite=True)}
    given = checked(arrays, kinds | TRIPLES, data)
    given["triples"] = given["triples"].astype(np.int32)
    t = len(given["y"])
    memory = 2 * given["D"].nbytes + 8 * t * (len(rounds) + 10)
    yield _all(given, rounds, data, 8.0 * t * len(rounds) ** 2, memory)


def _boostmap_follow(arguments: Values, rounds: list[Values]) -> list[Values]:
    """Return what each round must be; a new classifier is the log's own."""
    problem = problem_of(arguments)
    m = np.zeros(len(problem.y))
    w = weights_of(m)[0]
    H: Weights = {}
    listed: list[Values] = []
    for number, got in enumerate(rounds, start=1):
        name = _classifier(got, len(problem.D), number)
        step, chosen, alpha = _step(problem, m, H, name)
        after, updated, z = _next_weights(problem, m, chosen, alpha)
        if z >= NO_GAIN:
            return listed
        want = {"w": w, "step": step, "classifier": np.array(chosen), "alpha": alpha, "least": z}
        if same_classifier(arguments, want, {**want, **got}) != Kind.WRONG:
            chosen, alpha = name, float(got["alpha"])
            after, updated, z = _next_weights(problem, m, chosen, alpha)
        m, w = after, updated
        add_to(H, chosen, alpha)
        listed.append({**want, "z": z, "updated": w})
    return listed


def _classifier(got: Values, n: int, number: int) -> tuple[int, int]:
    """Return the name of a round's classifier: (r, -1) for r alone."""
    parts = np.atleast_1d(got["classifier"])
    parts = np.append(parts, -1) if parts.shape == (1,) else parts
    inside = parts.shape == (2,) and 0 <= parts[0] < n and -1 <= parts[1] < n
    if not inside or (parts % 1).any():
        raise UnusableError(
            f"round {number}: classifier must be a reference object r, or two pivots [x_1, x_2], "
            f"from 0 to {n - 1}; got {parts.tolist()}"
        )
    got["classifier"] = parts.astype(np.int64)
    first, second = got["classifier"].tolist()
    return first, second


def _step(problem: Problem, m: FloatArray, H: Weights, name: Name) -> tuple[str, Name, float]:
    """Return the removal or the change that steps 1 to 4 demand; else a classifier is added."""
    full = len(H)  # so that no other classifier is drawn
    done = [(h, alpha, 1.0) for h, alpha in H.items()]
    demanded = training_rounds(
        problem, full, 0, 0, 0, rng=Given(), kernels=refimpl.kernels, done=done, m_i=m
    )
    for round in demanded:
        return round.step, round.classifier, round.alpha
    F, zero = embeddings(problem, [name]), np.zeros(1)
    alpha, _ = refimpl.kernels.minimize_z(F, problem.triples, problem.y, m, zero)
    return "add", name, float(alpha[0])


def _next_weights(
    problem: Problem, m: FloatArray, name: Any, alpha: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return the margins and the weights after a classifier, and its z."""
    (F,) = embeddings(problem, [name])
    return refimpl.kernels.next_weights(F, problem.triples, problem.y, m, alpha)


# ---------------------------------------------------------------------------------- BoostMap, § 8.1


def _sensitive(rounds: list[Values], arrays: Arrays, data: str) -> Iterator[Part]:
    """Yield all rounds, on embeddings and triples."""
    kinds = {"F": floats("m", "n", finite=True), **TRIPLES}
    given = checked(arrays, {**kinds, "w": floats("t", finite=True, optional=True)}, data)
    given["triples"] = given["triples"].astype(np.int32)
    t = len(given["y"])
    given["w"] = np.full(t, 1 / t) if given["w"] is None else given["w"]
    if given["w"].min() < 0 or not 0.5 < given["w"].sum() < 2:
        raise UnusableError(f"{data}: w must hold {t} weights that add up to 1")
    yield _all(given, rounds, data, 12.0 * t * len(rounds), 110 * t + given["F"].nbytes)


def _sensitive_follow(arguments: Values, rounds: list[Values]) -> list[Values]:
    """Return what each round must be for the log's own splitter and range."""
    F, triples, y = (arguments[name] for name in ("F", "triples", "y"))
    m = margins_of(arguments["w"])
    w = weights_of(m)[0]
    listed: list[Values] = []
    for number, got in enumerate(rounds, start=1):
        c, g, inside = _splitter(got, len(F), f"round {number}: ")
        S = accepts(F[g], float(got["low"]), float(got["high"]), inside)
        A, Z = refimpl.kernels.minimize_z(F[[c]], triples, y, m, np.zeros(1), S[np.newaxis])
        if Z[0] >= NO_GAIN:
            return listed
        want = {"w": w, "c": c, "g": g, "low": got["low"], "high": got["high"]}
        want |= {"inside": inside, "alpha": float(A[0]), "z": float(Z[0])}
        is_good = same_range(arguments, want, {**want, **got}) in (Kind.TIE, Kind.EQUAL_WORTH)
        alpha = float(got["alpha"] if is_good else A[0])
        u = y * S[triples[:, 0]] * margins(F[c], triples)
        m, w, _ = reweighted(m, u, alpha)
        listed.append({**want, "updated": w})
    return listed


def _splitter(got: Values, d: int, where: str) -> tuple[int, int, int]:
    """Return c, g and inside of a round."""
    c, g, inside, low, high = (got[name] for name in ("c", "g", "inside", "low", "high"))
    if not all(0 <= part < d and part == int(part) for part in (c, g)):
        raise UnusableError(f"{where}c and g must be integers from 0 to {d - 1}; got {c} and {g}")
    if inside not in (0, 1):
        raise UnusableError(f"{where}inside must be 1 or 0, true or false; got {inside}")
    if low != low or high != high:
        raise UnusableError(f"{where}low and high must be numbers; got {low} and {high}")
    return int(c), int(g), int(inside)


# ----------------------------------------------------------------------- Search Forest, Algorithm 1


def _forest(rounds: list[Values], arrays: Arrays, data: str) -> Iterator[Part]:
    """Yield all rounds, on similarities."""
    kinds = {"S": floats("n", "n", only=(0.0, 1.0)), "lam": floats(finite=True)}
    S, lam = checked(arrays, kinds, data).values()
    if S.diagonal().any() or not S.any():
        raise UnusableError(f"{data}: S must hold some 1, and 0 on its diagonal")
    if not 0 < lam < 1:
        raise UnusableError(f"{data}: lam must be between 0 and 1; got {lam}")
    n, T = len(S), len(rounds)
    yield _all({"S": S, "lam": float(lam)}, rounds, data, 8.0 * n * n * T, 8 * n * n * (T + 20))


def _forest_follow(arguments: Values, rounds: list[Values]) -> list[Values]:
    """Return what each round must be for the log's own leaves."""
    n = len(arguments["S"])
    for number, got in enumerate(rounds, start=1):
        leaf = np.asarray(got["leaf"])
        if leaf.shape != (n,):
            raise UnusableError(
                f"round {number}: leaf must have the leaf of each of {n} points; got {leaf.shape}"
            )
        got["leaf"] = by_first_point(leaf)
    leaves = (got["leaf"] for got in rounds)

    def learn(M: FloatArray) -> Any:
        leaf = next(leaves)
        return SimpleNamespace(leaf=leaf, J=M[leaf[:, np.newaxis] == leaf].sum())

    return states(selection_rounds(arguments["S"] == 1, arguments["lam"], len(rounds), learn), n)


# ------------------------------------------------------------------------------------------- table


def _followed(
    name: str, follow: Callable[[Values, list[Values]], list[Values]], loop: str
) -> Training:
    """Return a training whose rounds are those of a log; `loop` is the line that ends them."""
    return replace(TRAININGS[name], follow=follow, loop=loop)


LOGS = {
    "A.1": Log(TRAININGS["adaboost"], ("C", "f", "p", "theta"), _each_class),
    "A.2": Log(TRAININGS["adaboost"], ("f", "p", "theta"), _one_class),
    "A.3": Log(TRAININGS["nearest_neighbor_boosted_distance"], ("l_y",), _labels),
    "7.3": Log(
        _followed("boostmap", _boostmap_follow, "BM:7.3:11"), ("classifier", "alpha"), _boostmap
    ),
    "8.1": Log(
        _followed("query_sensitive", _sensitive_follow, "BM:8.1:7"),
        ("c", "g", "low", "high", "inside", "alpha"),
        _sensitive,
    ),
    "SF:1": Log(_followed("search_forest", _forest_follow, "SF:eq15"), ("leaf", "c"), _forest),
}
"""The logs by the name of their algorithm on the command line."""
ALGORITHMS = tuple(LOGS)
