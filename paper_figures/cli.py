"""The command line: which figures to make, at which scale, with which kernels and folders."""

import argparse
import difflib
import logging
import math
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TextIO, TypeAlias

from paper_figures import data, gallery
from paper_figures.extras import MissingExtra, require_extra
from paper_figures.gallery.entries import Entry
from paper_figures.gallery.numbers import duration_text
from paper_figures.registry import load_papers
from paper_figures.run import NOT_MADE, SHOWN, Outcome, Run, make_figure, redraw
from paper_figures.store import CannotStore, Store
from paper_figures.study import KERNELS, SCALES, Paper, View, load_kernels

LOG = logging.getLogger("paper_figures")
# exit codes
DONE = 0
FAILED = 1
MISUSED = 2  # argparse's own
UNWRITABLE = 3
INTERRUPTED = 130
QUICK, PAUSE = 2, 15  # seconds: pages are written after longer figures, and after so many of others
REPRODUCED = Path(__file__).parent / "reproduced"

Chosen: TypeAlias = list[tuple[Paper, View]]


def main(argv: Sequence[str] | None = None, papers: Iterable[Paper] | None = None) -> int:
    """Make figures and the page that shows them, of this package's papers or of others.

    Return 0 if every figure was made, 1 if a figure failed or lacks data that could be had, 3 if a
    file could not be written (such as on a full disk), 130 after Ctrl-C. A wrong argument raises
    SystemExit(2), as argparse does.
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
    chosen = _choose(parser, papers, options.names, options.all or options.report)
    if options.list:
        _list(chosen, options.scale)
        return DONE
    if options.report:
        _require(parser, "jinja2", "matplotlib")
        return _report(parser, options.out, papers, chosen, named=bool(options.names))
    _require(parser)
    _check(parser, options)
    store = _open(parser, options.out)
    run = Run(store, options.scale, options.kernels, options.seed, options.data, options.jobs)
    kept = f"Each finished cell is kept in {store.out}; the same command goes on from there."
    try:
        return _run(run, papers, chosen)
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


def _run(run: Run, papers: Sequence[Paper], chosen: Chosen) -> int:
    _announce(run, chosen)
    states: list[str] = []
    written = -math.inf
    for paper, figure in chosen:
        began = monotonic()
        outcome = make_figure(run, paper, figure)
        states.append(outcome.state)
        _say(_line(run.store, paper, figure, outcome), sys.stderr)
        if monotonic() - began > QUICK or monotonic() - written > PAUSE:
            gallery.write(run.store, papers)
            written = monotonic()
    page = gallery.write(run.store, papers)
    _say(
        f"{len(states) - states.count('failed')} of {len(states)} figures and tables made; "
        f"see {page}",
        sys.stdout,
    )
    return FAILED if {"failed", "incomplete"} & set(states) else DONE


def _announce(run: Run, chosen: Chosen) -> None:
    """Say how long the committed results took, and which data sets are not here."""
    import joblib

    store = Store(REPRODUCED)
    stored = (Entry(p, view, store.read(p.name, view.name), None, (), ()) for p, view in chosen)
    made = [entry for entry in stored if entry.record and entry.record["scale"] == run.scale]
    if not made:
        return
    seconds = gallery.cpu_seconds(made)
    workers = joblib.effective_n_jobs(run.jobs)
    several = f", about {duration_text(seconds / workers)} with {workers} workers"
    _say(
        f"{len(chosen)} figures and tables. Computing the committed results of {len(made)} took "
        f"{duration_text(seconds)} of CPU time{several if workers > 1 else ''}. "
        f"What {run.store.out} holds is not computed again.",
        sys.stderr,
    )
    sets = {name for paper, view in chosen for name in _sets(paper, view, run.scale)}
    missing = sorted(name for name in sets if not data.at_hand(name, run.data_dir))
    if sets:
        others = f"; missing, downloaded where possible: {', '.join(missing)}" if missing else ""
        _say(f"{len(sets) - len(missing)} of {len(sets)} data sets are here{others}.", sys.stderr)


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
            states.append(redraw(store, paper, figure))
            if states[-1] != SHOWN:
                _say(f"{paper.name}.{figure.name}: {states[-1]}", sys.stderr)
        page = gallery.write(store, papers)
    except CannotStore as error:
        _say(f"error: {error}", sys.stderr)
        return UNWRITABLE
    _say(f"{states.count(SHOWN)} stored figures and tables shown; see {page}", sys.stdout)
    fine = {SHOWN} if named else {SHOWN, NOT_MADE}
    return DONE if set(states) <= fine else FAILED


def _line(store: Store, paper: Paper, figure: View, outcome: Outcome) -> str:
    name = f"{paper.name}.{figure.name}"
    if outcome.error is not None:
        last = outcome.error.strip().splitlines()[-1]
        return f"{name}: failed: {last} (whole text in {store.out}/{paper.name}/index.html)"
    if outcome.state == "reused":
        return f"{name}: as stored"
    parts = [
        f"{outcome.computed} cells computed",
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
        "names",
        nargs="*",
        metavar="PAPER[.FIGURE]",
        help="what to make; default: the papers' own figures and tables",
    )
    parser.add_argument("--all", action="store_true", help="also the experiments beyond the papers")
    parser.add_argument(
        "--scale", choices=SCALES, default="small", help="default: small, which needs no download"
    )
    parser.add_argument(
        "--kernels", choices=KERNELS, default="fast", help="default: fast, which must be built"
    )
    parser.add_argument(
        "--data", metavar="DIR", type=_folder, help="folder to look for data files in first"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=_folder,
        default="figures",
        help="folder for the results; default: figures",
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
        "--list",
        action="store_true",
        help="print each figure's name, title, data and cost at the scale, and stop",
    )
    return parser


def _folder(text: str) -> str:
    # an empty name, as of a variable that is not set, would be the current folder
    if not text:
        raise argparse.ArgumentTypeError("the name of the folder is empty; '.' is the current one")
    return text


def _jobs(text: str) -> int:
    jobs = int(text) if re.fullmatch("-?[0-9]+", text) else 0
    if jobs == 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of workers; it must be 1, 2, ..., or -1 for all, -2 for "
            "all but one, ... processors"
        )
    return jobs


def _seed(text: str) -> int:
    if not re.fullmatch("[0-9]+", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a seed; it must be a whole number from 0"
        )
    return int(text)


def _choose(
    parser: argparse.ArgumentParser, papers: Sequence[Paper], names: Sequence[str], beyond: bool
) -> Chosen:
    """Return the (paper, figure) pairs that the names mean, or the papers' own, in order."""
    all_pairs = [(paper, figure) for paper in papers for figure in paper.figures]
    if not names:
        return [pair for pair in all_pairs if beyond or pair[1].printed]
    chosen: Chosen = []
    for name in names:
        matching = [p for p in all_pairs if name in (p[0].name, f"{p[0].name}.{p[1].name}")]
        if not matching:
            parser.error(f"argument PAPER[.FIGURE]: {name!r} is unknown. {_known(papers, name)}")
        chosen += matching
    return [pair for pair in all_pairs if pair in chosen]


def _known(papers: Sequence[Paper], name: str) -> str:
    """Say what an unknown name may have meant."""
    full = [f"{paper.name}.{figure.name}" for paper in papers for figure in paper.figures]
    close = difflib.get_close_matches(name, [*full, *(paper.name for paper in papers)], n=1)
    guess = f"Did you mean {close[0]}? " if close else ""
    room = name.partition(".")[0]
    own = [each for each in full if each.startswith(f"{room}.")]
    return f"{guess}It must be one of {', '.join(own or [paper.name for paper in papers])}"


def _list(chosen: Chosen, scale: str) -> None:
    """Print each figure's name, title, data sets, and what its stored reproduction cost."""
    for paper, figure in chosen:
        sets = ", ".join(_sets(paper, figure, scale)) or "no data"
        said = [f"{paper.name}.{figure.name}", figure.title, sets, _cost(paper, figure, scale)]
        _say("\t".join(said), sys.stdout)


def _sets(paper: Paper, figure: View, scale: str) -> list[str]:
    """Return the data sets of a figure, in the order of its cells."""
    study = paper.study_of(figure.name)
    cells = (cell for cell in study.cells[scale] if figure.uses(cell))
    return list(dict.fromkeys(name for cell in cells for name in study.data(cell)))


def _cost(paper: Paper, figure: View, scale: str) -> str:
    """Return the core-minutes of the committed record, if it has this scale."""
    record = Store(REPRODUCED).read(paper.name, figure.name)
    if record is None or record["scale"] != scale or record["cpu_seconds"] is None:
        return ""
    return f"{record['cpu_seconds'] / 60:.1f} core-minutes"


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
    for source in _outdated_builds() if options.kernels == "fast" else ():
        LOG.warning(
            "%s is newer than what was built from it: build again with `pip install -e .`", source
        )


def _outdated_builds() -> list[str]:
    """Return the Cython sources of refimpl_fast that are newer than what was compiled from them."""
    import refimpl_fast

    folder = Path(refimpl_fast.__file__).parent
    names = []
    for source in sorted(folder.glob("*.pyx")):
        built = [path.stat().st_mtime for path in folder.glob(f"{source.stem}.*.so")]
        if built and max(built) < source.stat().st_mtime:
            names.append(f"refimpl_fast/{source.name}")
    return names


def _open(parser: argparse.ArgumentParser, out: str) -> Store:
    """Open the store of a folder; a folder that cannot be written to is refused."""
    if os.path.exists(out) and not os.path.isdir(out):
        parser.error(f"argument --out: {out!r} is a file; give a folder, it is made if need be")
    try:
        Store(out).try_to_write()
    except CannotStore as error:
        reason = getattr(error.__cause__, "strerror", error)
        parser.error(f"argument --out: cannot write in {out!r}: {reason}")
    store = Store(out)
    store.sweep()  # half-written files of killed runs
    return store
