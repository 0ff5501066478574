"""The command line: ``python -m refimpl.check COMMAND ...`` and
``python -m refimpl.check [OPTIONS] -- PROGRAM ARGS``.

Exit codes: 0 agrees, 1 differs, 2 what was named cannot be used, or the check itself failed: a
failure is never told as a difference.

Not handled here: the checks themselves.
"""

import argparse
import inspect
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import refimpl.kernels
from refimpl.check import exploring, making
from refimpl.check.answers import check_embedding, check_landmarks, check_neighbors, check_tree
from refimpl.check.calling import call, in_order
from refimpl.check.cases import KERNELS
from refimpl.check.files import VectorError, folder
from refimpl.check.kernel import NOT_RUN, Values
from refimpl.check.metric import check_metric
from refimpl.check.parts import Compared
from refimpl.check.programs import MOST_SILENT, Program, program_differences
from refimpl.check.reading import counted
from refimpl.check.reports import ACCEPTED, UNUSABLE, Report
from refimpl.check.rounds import ALGORITHMS, check_rounds
from refimpl.check.running import UNWATCHED, Module, UnusableError, imported, vector_differences
from refimpl.check.stages import listing, own_trainings, signatures, training_differences
from refimpl.check.trainings import TRAININGS

__all__ = ["MOST_SECONDS", "CheckFailedError", "finished", "main", "options_of"]

MOST_SECONDS = 86400.0
MEMORY = 4096
"""MiB that a module may take."""
INTERRUPTED = "refimpl.check: interrupted; nothing is decided"

DATA = "the arrays that the algorithm takes"
LOG_FORMS = """Each line of the log is a JSON object. It may have more parts, which are compared.
What may be left out stands in brackets.

algorithm  a line has                         --data has
A.1        C, f, p, theta [, w, epsilon,      X, y
           beta, updated, alpha]
A.2        f, p, theta [, w, epsilon, beta,   P, N (or X, y: the largest y are P)
           updated, alpha]
A.3        label [, s]; a line for each       Q, X, y, and for each class C: alpha_C,
           query                              feature_C, polarity_C, threshold_C
7.3        classifier (r or [x1, x2]), alpha  D (candidates x objects), triples, y
           [, w, step, z, updated]            [, between: the candidates' distances]
8.1        c, g, low, high, inside, alpha     F (d x objects), triples, y [, w: the weights
           [, w, z, updated]                  of the first round]
SF:1       leaf (of each point), c            S (0 and 1), lam
           [, T, J, similar, dissimilar]

updated is w after the round; in A.1 and A.2 it is not normalised yet. Other names that are read:
feature or i_t (f), polarity (p), threshold (theta), weights (w), error (epsilon), class (C),
loss (z), leaves (leaf)."""

ACCEPT = """Differences that leave the exit code at 0. last-bits: numbers that differ by rounding.
ties: another choice whose worth is the same to the last bit. choices: another choice whose worth is
the same up to rounding, or the same choice in another form. uncompared: such a choice, and what
follows from it was not compared: the rest of a training, the order of neighbours."""

DESCRIPTION = """Hold another implementation against the reference. Exit code 0: it agrees; 1: it
differs; 2: it cannot be used. "python -m refimpl.check -- PROGRAM ARGS" asks a program in any
language, by JSON lines on its standard streams."""


class CheckFailedError(Exception):
    """The check itself failed; what is wrong was said already."""


def main(arguments: list[str]) -> int:
    """Run the command in this process; return its exit code."""
    return finished(options_of(arguments))


def finished(options: argparse.Namespace, check: Callable[[], Report] | None = None) -> int:
    """Run a check, write its report, return the exit code."""
    began = time.perf_counter()
    try:
        report: Report = check() if check is not None else options.check(options)
    except (UnusableError, VectorError) as error:
        print(f"refimpl.check: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        return UNUSABLE
    except Exception as error:  # Python's own exit code 1 would say "differs"
        if not isinstance(error, CheckFailedError):
            traceback.print_exc()
        print("refimpl.check: the check itself failed; nothing is decided", file=sys.stderr)
        return UNUSABLE
    report.accepted = frozenset(ACCEPTED[name] for name in options.accept)
    report.facts.append(("seconds", round(time.perf_counter() - began, 1)))
    if options.html:
        try:
            Path(options.html).write_text(report.as_html(), encoding="utf-8")
        except OSError as error:
            print(f"refimpl.check: cannot write {options.html}: {error}", file=sys.stderr)
            return UNUSABLE
    print(report.as_json() if options.json else report.text())
    return report.code


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Return the parsed command line."""
    if "--" in arguments:
        place = arguments.index("--")
        before = [word for word in arguments[:place] if word != "program"]
        options = _parser().parse_args(["program", *before])
        if options.command:
            _parser().error(
                f"only options may stand before --, lists with commas; got {options.command[0]}"
            )
        options.command = arguments[place + 1 :]
        return options
    return _parser().parse_args(arguments)


def _names(text: str) -> list[str]:
    """Return the names of a list with commas."""
    return [name for name in text.split(",") if name]


def _accepted(text: str) -> list[str]:
    names = _names(text)
    if not names or not set(names) <= ACCEPTED.keys():
        raise argparse.ArgumentTypeError(f"must be of {', '.join(ACCEPTED)}; got {text!r}")
    return names


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m refimpl.check", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, check: Callable[..., Report], words: str) -> Any:
        sub = commands.add_parser(name, help=words, description=words)
        sub.add_argument("--json", action="store_true", help="print the report as JSON")
        sub.add_argument("--html", metavar="FILE", help="write the report as a page, too")
        sub.add_argument(
            "--accept", type=_accepted, action="extend", default=[], metavar="KIND,...", help=ACCEPT
        )
        sub.set_defaults(check=check)
        return sub

    _add_modules(command)
    _add_answers(command)
    return parser


def _add_modules(command: Callable[..., Any]) -> None:
    for name, check, words in (
        ("kernels", _kernels, "a module of kernels; the reference fills what it lacks"),
        ("trainings", _trainings, "a module with functions such as adaboost(P, N, T)"),
        ("program", _program, "a program by JSON lines: python -m refimpl.check -- PROGRAM"),
    ):
        sub = command(name, check, words)
        if name == "kernels":
            sub.add_argument("module", help="a module's name, or a .py file")
        if name == "trainings":
            sub.add_argument("module", nargs="?", help="a module's name, or a .py file")
            sub.add_argument(
                "--list",
                action="store_true",
                help="list the functions; with --only say what they take",
            )
        sub.add_argument(
            "--only",
            type=_names,
            action="extend",
            default=[],
            metavar="NAME,...",
            help="these alone",
        )
        sub.add_argument("--vectors", type=Path, default=folder(), metavar="DIR")
        if name != "program":
            sub.add_argument("--examples", type=int, default=100, help="of Hypothesis, for each")
            sub.add_argument("--seed", type=int, default=0)
        seconds = 10.0 if name == "program" else 60.0
        sub.add_argument("--seconds", type=float, default=seconds, help="for one answer")
        if name == "program":
            sub.add_argument("command", nargs="*", help=argparse.SUPPRESS)
        else:
            sub.add_argument(
                "--memory",
                type=int,
                default=MEMORY,
                metavar="MIB",
                help=f"for the module, beside the check's own; default {MEMORY}",
            )
            sub.add_argument("--skip", action="append", default=[], help=argparse.SUPPRESS)
            sub.set_defaults(watch=UNWATCHED)
    sub = command("make", _make, "make the vectors by the reference")
    sub.add_argument("--out", type=Path, required=True, metavar="DIR")


def _add_answers(command: Callable[..., Any]) -> None:
    sub = command("rounds", _rounds, "the log of a training, JSON lines such as f, p, theta, alpha")
    sub.add_argument("log")
    sub.add_argument("--data", required=True, metavar="X.npz", help=DATA)
    sub.add_argument(
        "--algorithm", default="A.2", metavar="NAME", help=f"{', '.join(ALGORITHMS)}; default A.2"
    )
    sub.epilog = LOG_FORMS
    sub.formatter_class = argparse.RawDescriptionHelpFormatter

    sub = command("metric", _metric, "a metric L (r, d), or M = L^T L (d, d) with --squared")
    sub.add_argument("metric", metavar="L.npy")
    sub.add_argument("--data", required=True, metavar="X.npz", help="X and y")
    sub.add_argument("--k", type=int, default=3)
    sub.add_argument("--mu", type=float, default=1.0)
    sub.add_argument("--squared", action="store_true", help="the file holds M, not L")
    sub.add_argument("--tol", type=float, default=1e-3, help="a relative gap that is no difference")

    sub = command("neighbors", _neighbors, "neighbours against the true ones")
    sub.add_argument("neighbors", metavar="I.npy")
    sub.add_argument("--truth", metavar="T.npy", help="the true neighbours, nearest first")
    sub.add_argument("--data", metavar="X.npz", help="X and Q, from which they are computed")

    sub = command("embedding", _embedding, "how well an embedding keeps the nearest neighbours")
    sub.add_argument("embedding", metavar="F.npy")
    sub.add_argument("--data", required=True, metavar="X.npz", help="D, distances; or X")
    sub.add_argument("--k", type=int, default=1)

    sub = command("landmarks", _landmarks, "landmarks against Algorithm 1 of FTUNE, lines 1 to 5")
    sub.add_argument("landmarks", metavar="L.npy")
    sub.add_argument("--data", required=True, metavar="X.npz", help="K, the similarities")

    sub = command("tree", _tree, "a ball tree: order, starts and ends (and centres, radii)")
    sub.add_argument("tree", metavar="TREE.npz")
    sub.add_argument("--data", required=True, metavar="X.npz", help="X")


def _only(names: list[str], wanted: list[str], what: str) -> list[str]:
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        raise UnusableError(f"no {what} to check: {', '.join(unknown)}; there are {names}")
    return [name for name in names if not wanted or name in wanted]


def _kernels(options: argparse.Namespace) -> Report:
    if options.examples < 0:
        raise UnusableError(f"--examples must be 0 or more; got {options.examples}")
    written = imported(options.module)
    everything = Module(written)
    wanted = _only(everything.checked(), options.only, "kernels")
    module = Module(written, options.skip, options.watch)
    names = [name for name in wanted if name in module.checked()]
    report = Report(f"kernels of {options.module}")
    report.facts.append(("its own", ", ".join(everything.written)))
    examples = _examples(report, options.examples)
    report.notes += _in_order({name: getattr(written, name) for name in module.own})
    _announce(
        counted(len(names), "kernel"), examples, 2 + len(names) * (0.1 + 0.012 * examples), 200
    )
    counts: dict[str, int] = {}
    report.differences += vector_differences(
        module, options.vectors, names, counts.__setitem__, options.watch
    )
    report.facts.append(("vectors", sum(counts.values())))
    if examples:
        names = _answering(names, report)
        for name in names:
            case = exploring.explored(module, name, examples, options.seed, options.watch)
            if case is not None:
                report.differences.append(case)
        report.facts.append(("examples of Hypothesis", examples * len(names)))
    return report


def _answering(names: list[str], report: Report) -> list[str]:
    """Return the names whose vectors got answers: for the others more cases tell nothing."""
    silent = {one.name for one in report.differences if one.kind == NOT_RUN}
    return [name for name in names if name not in silent]


def _examples(report: Report, examples: int) -> int:
    """Return how many examples are tried; say why if there are none."""
    if examples and not exploring.available():
        report.notes.append("Hypothesis is not installed: pip install 'refimpl[check]'")
        return 0
    return examples


def _in_order(functions: dict[str, Callable[..., Any]]) -> list[str]:
    """Return a note for each function that has other names for its arguments."""
    notes = []
    for name, function in functions.items():
        if name in KERNELS:
            reference = inspect.signature(getattr(refimpl.kernels, name)).parameters
            taken = [part for part in reference if part != "threads"]
        else:
            taken = list(TRAININGS[name].cases()[0].arguments)
        if in_order(function, taken):
            notes.append(f"{name} has other names: it gets {', '.join(taken)} in this order")
    return notes


def _announce(what: str, examples: int, seconds: float, megabytes: int) -> None:
    print(
        f"{what}: the vectors, and {counted(examples, 'example')} for each; at the reference's "
        f"speed about {seconds:.0f} s, {megabytes} MB of memory",
        file=sys.stderr,
    )


def _trainings(options: argparse.Namespace) -> Report:
    if options.list:
        names = _only(list(TRAININGS), options.only, "trainings")
        notes = signatures(names) if options.only else [listing(options.vectors, options.examples)]
        return Report("trainings", notes=notes, decides=False)
    if options.examples < 0:
        raise UnusableError(f"--examples must be 0 or more; got {options.examples}")
    if options.module is None:
        raise UnusableError("name a module, or ask for --list")
    module = imported(options.module)
    names = own_trainings(module)
    if not names:
        raise UnusableError(
            f"{options.module} has none of the trainings {', '.join(sorted(TRAININGS))}; "
            "python -m refimpl.check trainings --list says what they take and return"
        )
    names = [name for name in _only(names, options.only, "trainings") if name not in options.skip]
    report = Report(f"trainings of {options.module}")
    examples = _examples(report, options.examples)
    report.notes += _in_order({name: getattr(module, name) for name in names})
    _announce(
        counted(len(names), "training"), examples, 2 + len(names) * (1 + 0.02 * examples), 200
    )
    counts: dict[str, int] = {}

    def answer(name: str, arguments: Values) -> Any:
        return call(getattr(module, name), name, arguments)

    compared = Compared()
    report.differences += training_differences(
        answer, options.vectors, names, counts.__setitem__, options.watch, compared
    )
    report.notes += compared.notes()
    report.facts.append(("trainings", ", ".join(counts)))
    report.facts.append(("vectors", sum(counts.values())))
    if examples:
        names = _answering(names, report)
        for name in names:
            case, notes = exploring.explored_training(
                answer, name, examples, options.seed, options.watch
            )
            report.notes += notes
            if case is not None:
                report.differences.append(case)
        report.facts.append(("examples of Hypothesis", examples * len(names)))
    return report


def _program(options: argparse.Namespace) -> Report:
    if not options.command:
        raise UnusableError("name a program after --")
    if not 0 < options.seconds < MOST_SECONDS:
        raise UnusableError(f"--seconds must be above 0 and at most a day; got {options.seconds}")
    _only([*KERNELS, *TRAININGS], options.only, "kernels or trainings")
    print(
        f"kernels and trainings: {len(options.only) or len([*KERNELS, *TRAININGS])}; the program's "
        f"own time, at most {options.seconds:g} s for an answer; 200 MB of memory beside its own",
        file=sys.stderr,
    )
    program = Program(options.command, options.seconds)
    report = Report(f"the program {' '.join(options.command)}")
    counts: dict[str, int] = {}
    compared = Compared()
    report.differences += program_differences(
        program, options.vectors, options.only, counts.__setitem__, compared
    )
    report.notes += compared.notes()
    answered = {name: count for name, count in counts.items() if count}
    if program.given_up:
        starts = counted(program.starts, "time")
        report.notes.append(f"given up: the program had to be started {starts}")
    if program.unasked:
        names = ", ".join(program.unasked)
        report.notes.append(f"after {MOST_SILENT} time-outs no more cases were asked of: {names}")
    if not answered:
        raise UnusableError("the program skipped every case")
    report.facts.append(("cases asked", ", ".join(f"{name} {n}" for name, n in answered.items())))
    return report


def _make(options: argparse.Namespace) -> Report:
    print("all vectors: about 20 s, 200 MB of memory", file=sys.stderr)
    try:
        size = making.write(options.out)
    except OSError as error:
        raise UnusableError(f"cannot write to {options.out}: {error.strerror}") from error
    return Report("vectors", facts=[("folder", options.out), ("bytes", size)])


def _rounds(options: argparse.Namespace) -> Report:
    return check_rounds(options.log, options.data, options.algorithm)


def _metric(options: argparse.Namespace) -> Report:
    return check_metric(
        options.metric, options.data, options.k, options.mu, options.squared, options.tol
    )


def _neighbors(options: argparse.Namespace) -> Report:
    return check_neighbors(options.neighbors, options.truth, options.data)


def _embedding(options: argparse.Namespace) -> Report:
    return check_embedding(options.embedding, options.data, options.k)


def _landmarks(options: argparse.Namespace) -> Report:
    return check_landmarks(options.landmarks, options.data)


def _tree(options: argparse.Namespace) -> Report:
    return check_tree(options.tree, options.data)
