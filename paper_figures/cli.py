"""The command line: which figures to make, at which scale, with which kernels and folders."""

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO, TypeAlias

from paper_figures import gallery, report
from paper_figures.codeversion import outdated_builds
from paper_figures.extras import MissingExtra, require_extra
from paper_figures.registry import (
    KERNELS,
    SCALES,
    Context,
    Figure,
    Paper,
    load_kernels,
    load_papers,
)
from paper_figures.runner import LookUp, Outcome, make_figure, open_store
from paper_figures.store import CannotStore, Store

LOG = logging.getLogger("paper_figures")
# exit codes
DONE = 0
FAILED = 1
MISUSED = 2  # argparse's own
UNWRITABLE = 3
INTERRUPTED = 130

Chosen: TypeAlias = list[tuple[Paper, Figure]]


def main(argv: Sequence[str] | None = None, papers: Iterable[Paper] | None = None) -> int:
    """Make figures and the page that shows them.

    Parameters
    ----------
    argv : sequence of str or None
        The arguments; None takes the process's own.
    papers : iterable of Paper or None
        The papers to choose from; None takes the papers of this package.

    Returns
    -------
    int
        0 if every figure was made, 1 if a figure failed or lacks data that could be had, 3 if a
        file could not be written (such as on a full disk), 130 after Ctrl-C. A wrong argument
        raises SystemExit(2), as argparse does.
    """
    try:
        return _main(argv, papers)
    except KeyboardInterrupt:
        _say("\nInterrupted.", sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has enough, as in `--list | head`
        return UNWRITABLE
    except OSError as error:
        _say(f"error: {error}", sys.stderr)
        return UNWRITABLE


def _main(argv: Sequence[str] | None, papers: Iterable[Paper] | None) -> int:
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    papers = load_papers() if papers is None else list(papers)
    parser = _parser(papers)
    options = parser.parse_args(argv)
    chosen = _choose(parser, papers, options.names)
    if options.list:
        _list(chosen)
        return DONE
    if options.report:
        _require(parser, "matplotlib")
        return _report(parser, options.out, papers, chosen, named=bool(options.names))
    _require(parser)
    _check(parser, options)
    store = _open(parser, options.out)
    context = Context(options.scale, options.kernels, options.seed, options.data)
    kept = f"Each finished task is kept in {store.out}; the same command goes on from there."
    try:
        return _run(context, store, papers, chosen, options.jobs)
    except KeyboardInterrupt:
        _say(f"\nInterrupted. {kept}", sys.stderr)
        with suppress(CannotStore):
            gallery.write(store, papers)
        return INTERRUPTED
    except CannotStore as error:
        _say(f"error: {error}. {kept}", sys.stderr)
        return UNWRITABLE


def _say(text: str, stream: TextIO) -> None:
    """Print a line, with escapes for characters that the stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)


def _run(context: Context, store: Store, papers: Sequence[Paper], chosen: Chosen, jobs: int) -> int:
    states: list[str] = []
    data_sets: dict[str, LookUp] = {}
    for paper, figure in chosen:
        outcome = make_figure(context, store, paper, figure, jobs=jobs, data_sets=data_sets)
        states.append(outcome.state)
        _say(_line(store, paper, figure, outcome), sys.stderr)
        gallery.write(store, papers)
    page = report.write_pages(store, papers)
    _say(
        f"{len(states) - states.count('failed')} of {len(states)} figures and tables made; "
        f"see {page}",
        sys.stdout,
    )
    return FAILED if {"failed", "incomplete"} & set(states) else DONE


def _report(
    parser: argparse.ArgumentParser,
    out: str,
    papers: Sequence[Paper],
    chosen: Chosen,
    *,
    named: bool,
) -> int:
    """Draw and show what a folder holds; a figure without a record counts only if it is named."""
    if not os.path.isdir(out):
        parser.error(f"argument --out: {out!r} is not a folder; give one that holds results")
    store = _open(parser, out)
    states = []
    try:
        for paper, figure in chosen:
            states.append(report.redraw(store, paper, figure))
            if states[-1] != report.SHOWN:
                _say(f"{paper.name}.{figure.name}: {states[-1]}", sys.stderr)
        page = report.write_pages(store, papers)
    except CannotStore as error:
        _say(f"error: {error}", sys.stderr)
        return UNWRITABLE
    _say(f"{states.count(report.SHOWN)} stored figures and tables shown; see {page}", sys.stdout)
    fine = {report.SHOWN} if named else {report.SHOWN, report.NOT_MADE}
    return DONE if set(states) <= fine else FAILED


def _line(store: Store, paper: Paper, figure: Figure, outcome: Outcome) -> str:
    name = f"{paper.name}.{figure.name}"
    if outcome.error is not None:
        last = outcome.error.strip().splitlines()[-1]
        return f"{name}: failed: {last} (whole text in {store.out}/{paper.name}/index.html)"
    if outcome.state == "reused":
        return f"{name}: as stored"
    parts = [
        f"{outcome.computed} tasks computed",
        f"{outcome.stored} as stored",
        f"{outcome.absent} without data",
    ]
    return f"{name}: " + ", ".join(part for part in parts if not part.startswith("0 "))


def _parser(papers: Sequence[Paper]) -> argparse.ArgumentParser:
    names = ", ".join(paper.name for paper in papers)
    parser = argparse.ArgumentParser(
        prog="python -m paper_figures",
        description=(
            "Recompute the papers' figures and tables and show them beside the published numbers."
        ),
        epilog=f"Papers: {names}. --list prints the names of the figures.",
    )
    parser.add_argument(
        "names", nargs="*", metavar="PAPER[.FIGURE]", help="what to make; default: all"
    )
    parser.add_argument(
        "--scale", choices=SCALES, default="small", help="default: small, which needs no download"
    )
    parser.add_argument(
        "--kernels", choices=KERNELS, default="fast", help="default: fast, which must be built"
    )
    parser.add_argument("--data", metavar="DIR", help="folder to look for data files in first")
    parser.add_argument(
        "--out", metavar="DIR", default="figures", help="folder for the results; default: figures"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=_jobs, default=-1, help="workers; default: -1, all processors"
    )
    parser.add_argument("--seed", metavar="S", type=_seed, default=0, help="seed; default: 0")
    parser.add_argument(
        "--report",
        action="store_true",
        help="compute nothing: draw and show what the folder of --out holds, at whatever scale",
    )
    parser.add_argument(
        "--list", action="store_true", help="print the names of the figures and stop"
    )
    return parser


def _jobs(text: str) -> int:
    jobs = int(text) if text.lstrip("-").isdigit() else 0
    if jobs == 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of workers; it must be 1, 2, ... or -1 (all)"
        )
    return jobs


def _seed(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a seed; it must be a whole number from 0"
        )
    return int(text)


def _choose(
    parser: argparse.ArgumentParser, papers: Sequence[Paper], names: Sequence[str]
) -> Chosen:
    """Return the (paper, figure) pairs that the names mean, each once, in the papers' order."""
    all_pairs = [(paper, figure) for paper in papers for figure in paper.figures]
    if not names:
        return all_pairs
    chosen: Chosen = []
    for name in names:
        matching = [p for p in all_pairs if name in (p[0].name, f"{p[0].name}.{p[1].name}")]
        if not matching:
            parser.error(
                f"argument PAPER[.FIGURE]: {name!r} is unknown; "
                f"it must be one of {_known(papers, name)}"
            )
        chosen += matching
    return [pair for pair in all_pairs if pair in chosen]


def _known(papers: Sequence[Paper], name: str) -> str:
    for paper in papers:
        if name.partition(".")[0] == paper.name:
            return ", ".join(f"{paper.name}.{figure.name}" for figure in paper.figures)
    return ", ".join(paper.name for paper in papers)


def _list(chosen: Chosen) -> None:
    for paper, figure in chosen:
        _say(f"{paper.name}.{figure.name}\t{figure.title}", sys.stdout)


def _require(parser: argparse.ArgumentParser, *packages: str) -> None:
    """Refuse to work without the packages of the extra; none named means all of them."""
    try:
        require_extra(*packages)
    except MissingExtra as error:
        parser.error(str(error))


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options that cannot work, before any work."""
    if options.data is not None and not Path(options.data).is_dir():
        parser.error(f"argument --data: {options.data!r} is not a folder; give one that exists")
    options.data = options.data and str(Path(options.data).resolve())
    try:
        load_kernels(options.kernels)
    except ImportError as error:
        parser.error(
            f"argument --kernels: the {options.kernels} kernels cannot be imported ({error}). "
            "Build them in a checkout with `pip install -e .`, or pass --kernels reference."
        )
    for source in outdated_builds() if options.kernels == "fast" else ():
        LOG.warning(
            "%s is newer than what was built from it: build again with `pip install -e .`", source
        )


def _open(parser: argparse.ArgumentParser, out: str) -> Store:
    """Open the store of a folder; a folder that cannot be written to is refused."""
    if os.path.exists(out) and not os.path.isdir(out):
        parser.error(f"argument --out: {out!r} is a file; give a folder, it is made if need be")
    try:
        Store(out).try_to_write()
    except CannotStore as error:
        reason = getattr(error.__cause__, "strerror", error)
        parser.error(f"argument --out: cannot write in {out!r}: {reason}")
    return open_store(out)
