"""The command line: ``python -m refimpl.check COMMAND ...`` and
``python -m refimpl.check [OPTIONS] -- PROGRAM ARGS``.

Exit codes: 0 agrees, 1 differs, 2 what was named cannot be used, or the check itself failed: a
failure is never told as a difference.
"""

import argparse
import inspect
import re
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from refimpl.check import asking
from refimpl.check.answers import (
    check_embedding,
    check_landmarks,
    check_metric,
    check_neighbors,
    check_tree,
)
from refimpl.check.asking import MOST_ENDS, Asking
from refimpl.check.describing import listing, skeleton
from refimpl.check.files import UnusableError, folder, write
from refimpl.check.logs import ALGORITHMS, check_rounds
from refimpl.check.programs import ModuleProgram, Program, limits_memory
from refimpl.check.reading import counted
from refimpl.check.reports import ACCEPTED, UNUSABLE, Report
from refimpl.check.serving import checked
from refimpl.check.subject import Kind
from refimpl.check.subjects import KERNELS, TRAININGS, subject_of

MEMORY = 4096
"""MiB that a module may take by default."""
INTERRUPTED = "refimpl.check: interrupted; nothing is decided"

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

PROTOCOL = """The program reads a case a line:
  {"id": "fastmap/1", "training": "fastmap", "arguments": {"D": ..., "d": 2, ...}}
and "kernel" instead of "training" for a kernel. It writes a line for each, and flushes it:
  {"id": "fastmap/1", "result": [{"pivots": [0, 7], "F": [0.0, 1.5, ...]}, ...]}
A result has the outputs by their names; that of a training is a list, an object for each round
("trainings --list --only NAME" lists them). A part may be left out. A number may be a plain one
or as in the vectors, whose README.md says how arrays are written. For what the program does not
have it writes {"id": ..., "skip": true}, for what fails {"id": ..., "error": "why"}. What it
prints for people goes to standard error."""

ACCEPT = """Differences that leave the exit code at 0. last-bits: numbers that differ by rounding.
ties: another choice whose worth is the same to the last bit. choices: another choice whose worth is
the same up to rounding, or the same choice in another form. uncompared: such a choice, and what
follows from it was not compared: the rest of a training, the order of neighbours."""

DESCRIPTION = """Hold another implementation against the reference. Exit code 0: it agrees; 1: it
differs; 2: it cannot be used. "python -m refimpl.check -- PROGRAM ARGS" asks a program in any
language, by JSON lines on its standard streams. To begin: "trainings --list" says which algorithms
there are, "trainings --skeleton NAME" prints a file to fill in, "COMMAND --help" says the rest."""


def main(arguments: list[str]) -> int:
    """Run the command: write its report, return its exit code."""
    options = options_of(arguments)
    began = time.perf_counter()
    given = {"options": options, **vars(options)}
    wanted = inspect.signature(options.check).parameters
    try:
        report: Report | str = options.check(**{name: given[name] for name in wanted})
    except UnusableError as error:
        print(f"refimpl.check: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        return UNUSABLE
    except Exception:  # Python's own exit code 1 would say "differs"
        traceback.print_exc()
        print("refimpl.check: the check itself failed; nothing is decided", file=sys.stderr)
        return UNUSABLE
    if isinstance(report, str):
        print(report)
        return 0
    report.accepted = frozenset(options.accept)
    report.facts.append(("seconds", round(time.perf_counter() - began, 1)))
    print(report.as_json() if options.json else report.text())
    if options.html:
        Path(options.html).write_text(report.as_html(), encoding="utf-8")
    return report.code


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Return the parsed command line."""
    place = arguments.index("--") if "--" in arguments else len(arguments)
    empty = re.compile(r"(--[a-z]+=)?")
    if any(map(empty.fullmatch, arguments[: place + 2])):  # with the program's name
        _parser().error("an argument is empty, as of a variable that is not set")
    if "--" in arguments:
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


def _number(kind: Callable[[str], float], least: float, most: float = 2.0**63) -> Any:
    """Return the type of a number of the command line."""

    def read(text: str) -> float:
        number = kind(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"must be from {least:g} to {most:g}; got {text}")
        return number

    read.__name__ = kind.__name__  # how argparse calls it
    return read


def _accepted(text: str) -> list[Kind]:
    """Return the kinds of differences of a list of their names."""
    names = _names(text)
    if not names or not set(names) <= ACCEPTED.keys():
        raise argparse.ArgumentTypeError(f"must be of {', '.join(ACCEPTED)}; got {text!r}")
    return [ACCEPTED[name] for name in names]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m refimpl.check", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, words: str, check: Callable[..., Report | str], path: str = "", data: str = ""
    ) -> Any:
        sub = commands.add_parser(name, help=words, description=words)
        sub.add_argument("--json", action="store_true", help="print the report as JSON")
        sub.add_argument("--html", metavar="FILE", help="write the report as a page, too")
        sub.add_argument(
            "--accept", type=_accepted, action="extend", default=[], metavar="KIND,...", help=ACCEPT
        )
        if path:
            sub.add_argument("path", metavar=path)
        if data:
            sub.add_argument("--data", required=True, metavar="X.npz", help=data)
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
        sub = command(name, words, check)
        if name == "program":
            sub.add_argument("command", nargs="*", help=argparse.SUPPRESS)
            sub.usage, sub.epilog = "python -m refimpl.check [OPTIONS] -- PROGRAM ARGS", PROTOCOL
            sub.formatter_class = argparse.RawDescriptionHelpFormatter
        else:
            more = {"nargs": "?"} if name == "trainings" else {}
            sub.add_argument("module", help="a module's name, or a .py file", **more)
        if name == "trainings":
            listed = "list the functions; with --only say what they take"
            sub.add_argument("--list", action="store_true", help=listed)
            sub.add_argument(
                "--skeleton", metavar="NAME", help="print a file with this function to start from"
            )
        sub.add_argument(
            "--only",
            type=_names,
            action="extend",
            default=[],
            metavar="NAME,...",
            help="these alone",
        )
        given = "other vectors, as the command make writes them"
        sub.add_argument("--vectors", type=Path, default=folder(), metavar="DIR", help=given)
        examples, seconds = (0, 10.0) if name == "program" else (100, 60.0)
        random = f"random examples of each, drawn by Hypothesis; default {examples}"
        sub.add_argument(
            "--examples", type=_number(int, 0), default=examples, metavar="N", help=random
        )
        sub.add_argument("--seed", type=int, default=0, help="of the random examples; default 0")
        sub.add_argument(
            "--seconds",
            type=_number(float, 1e-3, 86400.0),
            default=seconds,
            metavar="S",
            help=f"for one answer; default {seconds:g}",
        )
        memory = f"for the module, beside the check's own; default {MEMORY}"
        if name == "program":
            memory = "for the program; not limited by default"
        sub.add_argument(
            "--memory",
            type=_number(int, 64, 2**30),
            default=None if name == "program" else MEMORY,
            metavar="MIB",
            help=memory,
        )
    sub = command("make", "make the vectors by the reference", _make)
    sub.add_argument("--out", type=Path, required=True, metavar="DIR", help="where they go")
    given = "what has the arguments; a case without a result gets one"
    sub.add_argument("--vectors", type=Path, default=folder(), metavar="DIR", help=given)


def _add_answers(command: Callable[..., Any]) -> None:
    words = "the log of a training, JSON lines such as f, p, theta, alpha"
    sub = command("rounds", words, check_rounds, "LOG", "the arrays that the algorithm takes")
    sub.add_argument(
        "--algorithm", default="A.2", metavar="NAME", help=f"{', '.join(ALGORITHMS)}; default A.2"
    )
    sub.epilog = LOG_FORMS
    sub.formatter_class = argparse.RawDescriptionHelpFormatter

    words = "a metric L (r, d), or M = L^T L (d, d) with --squared"
    sub = command("metric", words, check_metric, "L.npy", "X and y")
    sub.add_argument("--k", type=_number(int, 1), default=3, help="target neighbours; default 3")
    pushes = "the weight of the push in eq. 3; default 1"
    sub.add_argument("--mu", type=_number(float, 1e-99, 1e99), default=1.0, help=pushes)
    sub.add_argument("--squared", action="store_true", help="the file holds M, not L")
    sub.add_argument(
        "--tol",
        type=_number(float, 1e-12, 0.99),
        default=1e-3,
        help="a relative gap that is no difference; default 0.001",
    )

    sub = command("neighbors", "neighbours against the true ones", check_neighbors, "I.npy")
    sub.add_argument("--truth", metavar="T.npy", help="the true neighbours, nearest first")
    sub.add_argument("--data", metavar="X.npz", help="X and Q, from which they are computed")

    words = "how well an embedding keeps the nearest neighbours"
    sub = command("embedding", words, check_embedding, "F.npy", "D, distances; or X")
    sub.add_argument("--k", type=_number(int, 1), default=1, help="neighbours; default 1")

    words = "landmarks against Algorithm 1 of FTUNE, lines 1 to 5"
    command("landmarks", words, check_landmarks, "L.npy", "K, the similarities")
    words = "a ball tree: order, starts and ends (and centres, radii)"
    command("tree", words, check_tree, "TREE.npz", "X")


def _only(names: list[str], wanted: list[str], what: str) -> list[str]:
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        words = f"no {what} to check: {', '.join(unknown)}"
        raise UnusableError(f"{words}; there are {', '.join(names)}")
    return [name for name in names if not wanted or name in wanted]


LACKS = {
    "kernels": f"has no kernel of its own; the kernels are {', '.join(sorted(KERNELS))}",
    "trainings": f"has none of the trainings {', '.join(sorted(TRAININGS))}; "
    "python -m refimpl.check trainings --skeleton NAME says what one takes and returns",
}


def _kernels(options: argparse.Namespace) -> Report:
    return _of_module(options, "kernels")


def _trainings(options: argparse.Namespace) -> Report | str:
    wanted = [options.skeleton] if options.skeleton else options.only
    if options.skeleton or (options.list and wanted):
        names = _only(list(TRAININGS), wanted, "trainings")
        return "\n\n\n".join(skeleton(name, options.vectors) for name in names)
    if options.list:
        return listing(options.vectors, options.examples)
    if options.module is None:
        raise UnusableError("name a module, or ask for --list or --skeleton")
    return _of_module(options, "trainings")


def _of_module(options: argparse.Namespace, what: str) -> Report:
    """Ask the kernels or the trainings of a module; its limits are said beforehand."""
    _say_limits("module", options)
    with ModuleProgram(options.module, options.seconds, options.memory) as program:
        program.start()
        has = {"kernels": program.own, "trainings": program.trainings}
        own, (other,) = has[what], has.keys() - {what}
        if not own and has[other]:
            words = f"{options.module} has no {what}, but {', '.join(has[other])}"
            raise UnusableError(f"{words}: python -m refimpl.check {other} {options.module}")
        if not own:
            raise UnusableError(f"{options.module} {LACKS[what]}")
        names = _only(checked(own) if what == "kernels" else list(own), options.only, what)
        facts = [("its own" if what == "kernels" else what, ", ".join(own))]
        return _asked(options, program, names, Report(f"{what} of {options.module}", facts))


def _say_limits(what: str, options: argparse.Namespace) -> None:
    memory = f"{options.memory} MiB of memory (--memory)"
    if options.memory is None or not limits_memory():
        memory = "its memory is not limited"
    if not limits_memory():
        memory += " on this system"
    print(f"the {what}: {options.seconds:g} s for an answer (--seconds), {memory}", file=sys.stderr)


def _program(options: argparse.Namespace) -> Report:
    if not options.command:
        raise UnusableError("name a program after --")
    names = _only([*KERNELS, *TRAININGS], options.only, "kernels or trainings")
    _say_limits("program", options)
    with Program(options.command, options.seconds, memory=options.memory) as program:
        return _asked(options, program, names, Report(f"the program {' '.join(options.command)}"))


def _asked(
    options: argparse.Namespace, program: Program, names: list[str], report: Report
) -> Report:
    """Ask the vectors and random examples; add to the report what differs."""
    examples = options.examples
    if examples and not asking.available():
        report.notes.append("Hypothesis is not installed: pip install 'refimpl[check]'")
        examples = 0
    is_module = isinstance(program, ModuleProgram)
    _announce(names, examples)
    asked = Asking(program, options.vectors, options.accept)
    began = time.perf_counter()
    asked.ask(names)
    answered = {name: count for name, count in asked.counts.items() if count}
    if not answered:
        raise UnusableError("the program skipped every case")
    report.facts.append(("vectors", sum(answered.values())))
    if examples:
        explored = asked.agreeing()
        if explored:
            each = (time.perf_counter() - began) / sum(answered.values())
            seconds = f"{each * examples * len(explored):.0f} s or more"
            print(f"the vectors are done; the examples take {seconds}", file=sys.stderr)
        for name in explored:
            asked.explore(name, examples, options.seed)
        report.facts.append(("examples of Hypothesis", examples * len(explored)))
        others = [name for name in answered if name not in explored]
        if others:
            report.notes.append(f"no random examples before the vectors agree: {', '.join(others)}")
    if not is_module:
        cases = ", ".join(f"{name} {count}" for name, count in answered.items())
        report.facts.append(("cases asked", cases))
    report.differences += asked.differences
    report.notes += [
        f"{name} has other names: it gets {', '.join(subject_of(name).takes)} in this order"
        for name in names
        if name in program.in_order
    ]
    report.notes += [*asked.missing_parts(), *asked.notes]
    if asked.given_up:
        starts = counted(program.starts, "time")
        report.notes.append(f"given up: the program had to be started {starts}")
    if asked.unasked:
        report.notes.append(
            f"after {MOST_ENDS} cases in a row without an answer no more were asked of: "
            + ", ".join(asked.unasked)
        )
    return report


def _announce(names: list[str], examples: int) -> None:
    """Say how long the check takes."""
    trainings = sum(name in TRAININGS for name in names)
    kernels = len(names) - trainings
    seconds = 2 + kernels * (0.1 + 0.012 * examples) + trainings * (1 + 0.02 * examples)
    parts = [counted(kernels, "kernel")] if kernels else []
    parts += [counted(trainings, "training")] if trainings else []
    print(
        f"{', '.join(parts)}: the vectors, and {counted(examples, 'example')} for each; at the "
        f"reference's speed about {seconds:.0f} s, 200 MB of memory",
        file=sys.stderr,
    )


def _make(out: Path, vectors: Path) -> Report:
    if not vectors.is_dir():
        raise UnusableError(f"there is no folder {vectors}")
    print("all vectors: about 20 s, 200 MB of memory", file=sys.stderr)
    try:
        size = write(out, vectors)
    except OSError as error:
        raise UnusableError(f"cannot write to {out}: {error.strerror}") from error
    return Report("vectors", facts=[("folder", out), ("bytes", size)])
