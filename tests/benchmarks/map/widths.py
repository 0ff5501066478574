"""Measure every kernel with vectors of each width, and write ``tests/benchmarks/widths.md``.

A processor without AVX-512 has fewer widths, and a page of its own, ``widths_v3.md``.

    python -m tests.benchmarks.map.widths                     # everything
    python -m tests.benchmarks.map.widths impostors lloyd     # these kernels, only printed

The checkout is built once for each width in a folder for temporary files. The builds take turns,
each time in a new process. In the first turn the results are compared with the reference's.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from refimpl_fast.threads import vector_bytes

from paper_figures.run import processor
from tests.support.agreement import assert_same
from tests.support.processes import ROOT, output

from .first_try import ESTIMATORS, calls
from .kernels import CASES
from .measure import taking
from .rows import FAST_1, OURS, REFERENCE, kernel_row

LEVELS = {"v4": 64, "v3": 32, "v2": 16}  # x86-64's levels, and bytes of a vector
WIDTHS = {level: size for level, size in LEVELS.items() if size <= vector_bytes()}
PAGE = ROOT / "tests" / "benchmarks" / ("widths.md" if "v4" in WIDTHS else "widths_v3.md")
TURNS = 3
BUDGET = 0.25  # seconds of a kernel in a turn
LIMIT = 600.0  # seconds of a call
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# what keeps BLAS, NumPy and FAISS from wider vectors, too; nothing does at v2
PEERS = {
    "v4": {},
    "v3": {
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "FAISS_SIMD_LEVEL": "AVX2",
    },
}
PEERS = {width: limits for width, limits in PEERS.items() if width in WIDTHS}
HEAD = """# {title}

`python -m tests.benchmarks.map.widths` measures this and writes this page: {processor}, one
thread, the size of thousands, milliseconds, the least of {turns} turns. {builds} are builds without
vectors wider than those of x86-64-v4 (64 bytes), v3 (32) or v2 (16), all on this one processor.
{slower}*Gain at v3* is how many times as long the reference takes. *At* a width says how many times
as long the best peer takes, with vectors no wider than ours.

"""
TITLE = "Every kernel on each width"
NARROW = "Every kernel on a processor without AVX-512"
SLOWER = "*v3 / v4* is how many times as long a kernel takes without AVX-512. "
FITS = """
A fit at the defaults on two thirds of digits, seconds of the processor.

"""


def main(names):
    """Build, measure, and write the page or print some rows."""
    kernels = names or list(CASES)
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        builds = {width: built(Path(folder) / width, width) for width in WIDTHS}
        for turn in range(TURNS):
            for width, path in builds.items():
                for *row, seconds in measured(path, width, turn, kernels, bool(names)):
                    row = tuple(row)
                    best[row] = min(seconds, best.get(row, seconds))
    wide = "v4" in WIDTHS
    page = HEAD.format(
        title=TITLE if wide else NARROW,
        processor=processor(),
        turns=TURNS,
        builds=", ".join(WIDTHS),
        slower=SLOWER if wide else "",
    )
    ratios = ["v3 / v4"] if wide else []
    at = [f"at {width}" for width in PEERS]
    page += table_row("kernel", "reference", *WIDTHS, *ratios, "gain at v3", "best peer", *at)
    page += table_row(*["---"] * (len(WIDTHS) + len(ratios) + len(at) + 4))
    for name in kernels:
        reference = best[name, REFERENCE]
        ours = {width: best[name, width] for width in WIDTHS}
        cells = [f"{1e3 * seconds:.3g}" for seconds in (reference, *ours.values())]
        if wide:
            cells.append(f"{ours['v3'] / ours['v4']:.1f}")
        page += table_row(name, *cells, f"{reference / ours['v3']:.1f}", *peer_cells(name, best))
    if names:
        print(page)
        return
    page += FITS + table_row("estimator", *WIDTHS) + table_row(*["---"] * (len(WIDTHS) + 1))
    for name in ESTIMATORS:
        page += table_row(name, *(f"{best[name, width]:.2g}" for width in WIDTHS))
    PAGE.write_text(page)


def table_row(*cells):
    """Return a line of a Markdown table."""
    return f"| {' | '.join(cells)} |\n"


def peer_cells(name, best):
    """Return the peer that is the best at v3, and how many times as long the best ones take."""
    seconds = {
        width: {row[2]: best[row] for row in best if row[:2] == (name, f"peers {width}")}
        for width in PEERS
    }
    if not seconds["v3"]:
        return [""] * (1 + len(PEERS))
    ratios = (min(seconds[width].values()) / best[name, width] for width in PEERS)
    return min(seconds["v3"], key=seconds["v3"].get), *(f"{ratio:.2g}" for ratio in ratios)


def built(path, width):
    """Copy the checkout's files and build them for nothing wider; returns the folder."""
    path.mkdir()
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    copying = ["xargs", "-0", "cp", "--parents", "-t", path]
    subprocess.run(copying, cwd=ROOT, check=True, input=files)
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    environment = os.environ | {"REFIMPL_WIDEST": width}
    subprocess.run(command, cwd=path, check=True, stdout=subprocess.DEVNULL, env=environment)
    return path


def measured(path, *arguments):
    """Return what :func:`in_turn` returns in a process of its own, which runs that build."""
    code = f"from {__spec__.name} import in_turn; in_turn{arguments!r}"
    limits = ONE_THREAD | PEERS.get(arguments[0], {})
    return json.loads(output("-c", code, cwd=path, timeout=None, **limits))


def in_turn(width, turn, kernels, kernels_only):
    """Print the least seconds of each kernel and, once, the seconds of each first fit."""
    if vector_bytes() != WIDTHS.get(width):
        raise SystemExit(f"{width} runs on vectors of {vector_bytes()} bytes on this processor")
    best = {}
    for name in kernels:
        row = kernel_row(name, "thousands")
        row.one_thread = tuple(row.calls)
        result = taking(row, FAST_1, LIMIT)[1]
        if turn == 0:
            best[name, REFERENCE], expected = taking(row, REFERENCE, LIMIT)
            assert_same(expected, result)
        best[name, width] = least_seconds(row, FAST_1)
        for peer in row.calls.keys() - OURS if turn == 0 and width in PEERS else ():
            best[name, f"peers {width}", peer] = least_seconds(row, peer)
    if turn == 0 and not kernels_only:
        for name in ESTIMATORS:
            fit = calls(name, "digits")["fit"]
            start = time.process_time()
            fit(None)
            best[name, width] = time.process_time() - start
    print(json.dumps([[*row, seconds] for row, seconds in best.items()]))


def least_seconds(row, call):
    """Repeat the call for a while, three times at least."""
    times = []
    while len(times) < 3 or sum(times) < BUDGET:
        times.append(taking(row, call, LIMIT)[0])
    return min(times)


if __name__ == "__main__":
    main(sys.argv[1:])
