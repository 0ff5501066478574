"""What other libraries give on the project's vectors: ``python -m tests.others``.

Makes an environment for each library (PyPI; later runs need no network), asks it, and writes the
record ``paper_figures/site/others.json``, which the site shows. ``--only`` asks some libraries; a
record of some is not the site's, so it is written where ``--out`` says, or nowhere.

Not handled here: how answers are judged (:mod:`tests.others.judging`).
"""

import argparse
import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path

from paper_figures.site.others import RECORD, text
from refimpl.check.files import folder
from refimpl.check.programs import GivenUpError, Program

from . import cases, judging
from .environments import Missing, default_folder, environment, pinned, run
from .table import LIBRARIES

ADAPTERS = Path(__file__).parent / "adapters"
SECONDS = 600.0
ONE_THREAD = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
}


def main(arguments=None):
    """Ask the libraries and write the record; return 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.others", description=__doc__)
    parser.add_argument("--envs", type=Path, default=default_folder(), metavar="DIR")
    parser.add_argument("--only", nargs="+", default=[], metavar="LIBRARY")
    parser.add_argument("--out", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    names = [library.name for library in LIBRARIES]
    unknown = sorted(set(options.only) - set(names))
    if unknown:
        parser.error(f"--only must be of {', '.join(names)}; got {', '.join(unknown)}")
    if options.only and options.out is not None and options.out.resolve() == RECORD.resolve():
        parser.error("--only cannot write the committed record: it is of one whole run")
    os.environ |= ONE_THREAD
    listed = []
    for library in LIBRARIES:
        if options.only and library.name not in options.only:
            continue
        said = asked(library, options.envs.resolve())
        listed.append(said)
        for item in said["items"]:
            print(f"{library.name}, {item['call']}: {item['outcome']} {item['facts']}", flush=True)
        if not said["items"]:
            print(f"{library.name}: {judging.NOT_AVAILABLE}: {said['why']}", flush=True)
    out = options.out if options.only else options.out or RECORD
    if out is not None:
        out.write_text(text(record(listed)), encoding="utf-8")
    return 0


def record(libraries):
    """Return the content of the file."""
    return {
        "format": "refimpl-others",
        "version": 1,
        "seed": cases.SEED,
        "vectors": vectors(),
        "libraries": libraries,
    }


def vectors():
    """Return the version of the vectors, and a checksum of those that the libraries are asked."""
    index = json.loads((folder() / "index.json").read_text(encoding="utf-8"))
    subjects = {item.subject for library in LIBRARIES for item in library.items}
    files = {name: sha for name, sha in index["files"].items() if Path(name).stem in subjects}
    assert subjects - {Path(name).stem for name in files} <= set(cases.OWN)  # they have no vectors
    sha256 = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    return {"version": index["version"], "sha256": sha256}


def asked(library, envs):
    """Return what a library gives."""
    try:
        python = environment(library.name, envs)
        for item in library.items:  # an adapter that cannot import its library ends with an error
            run(command(library, item, python))  # one that can reads nothing, and ends
    except Missing as error:
        return {"name": library.name, "versions": {}, "why": str(error), "items": []}
    items = [answered(library, item, python) for item in library.items]
    return {"name": library.name, "versions": pinned(library.name), "why": "", "items": items}


def command(library, item, python):
    """Return the command that answers cases for an item."""
    adapter = ADAPTERS / f"ask_{library.name.replace('-', '_')}.py"
    return [str(python), str(adapter), item.variant]


def answers_of(command, item):
    """Return the answers to all cases, or to those before the library was given up."""
    answers = []
    with Program(command, SECONDS) as program, contextlib.suppress(GivenUpError):
        for answer in judging.ask(program, item, cases.of(item.subject)):
            answers.append(answer)  # each start before it is given up is one that differs
    return answers


def answered(library, item, python):
    """Return the record of one item."""
    answers = answers_of(command(library, item, python), item)
    found = judging.verdict(answers, item.convention, item.shows)
    if found.skipped and not item.skips:
        raise ValueError(
            f"{library.name}, {item.variant}: the table must say why cases are skipped"
        )
    first, convention = found.first, ("", "")
    if found.outcome in judging.BY_CONVENTION:
        own = item.convention
        convention = (first.words, "") if own is None else (own.words, own.documented)
    return {
        "variant": item.variant,
        "call": item.call,
        "subject": item.subject,
        "outcome": found.outcome,
        "cases": found.asked,
        "skipped": found.skipped,
        "skips": item.skips if found.skipped else "",
        "kinds": found.kinds,
        "facts": rounded(found.facts),
        "convention": convention[0],
        "documented": convention[1],
        "converts": item.converts,
        "first": first and {"id": first.case.id, "flags": first.case.flags, "words": first.words},
    }


def rounded(facts):
    """Return numbers to four digits: the others move with the machine."""
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in facts.items()
    }


if __name__ == "__main__":
    sys.exit(main())
