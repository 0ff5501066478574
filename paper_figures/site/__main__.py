"""``python -m paper_figures.site [--out DIR]``: write the site."""

import argparse
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

from paper_figures.site import (
    api,
    documents,
    errata,
    estimator_pictures,
    figures,
    front,
    guides,
    listings,
    others,
    reader,
    whole,
)
from paper_figures.site.demos import pages as demos
from paper_figures.site.finish import finish

PARTS = (
    *(front, guides, estimator_pictures, reader, demos, errata, whole),
    *(api, listings, figures, documents, others),
)
SOURCE = Path(__file__).parent / "source"
ASSETS = Path(__file__).parents[1] / "assets"


def main(arguments: list[str] | None = None) -> int:
    """Build the site; return 0, or 1 if Sphinx has a warning."""
    parser = argparse.ArgumentParser(prog="python -m paper_figures.site", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("site"), help="the folder of the site")
    options = parser.parse_args(arguments)
    require_place(options.out)
    warnings.filterwarnings("ignore", "LMNN did not converge")  # early stopping ends an example
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch) / "sources"
        shutil.copytree(SOURCE, sources)
        for name in ("gallery.css", "gallery.js"):
            shutil.copy(ASSETS / name, sources / "_static")
        for part in PARTS:
            part.write(sources)
        print(f"sources: {time.monotonic() - start:.0f} s", flush=True)
        if build(sources, options.out):
            return 1
    finish(options.out)
    print(f"{options.out / 'index.html'}: {time.monotonic() - start:.0f} s")
    return 0


def require_place(out: Path) -> None:
    """Refuse a folder that holds something else, before any work: it would be removed."""
    if out.exists() and not (out / "objects.inv").is_file():
        if not out.is_dir() or any(out.iterdir()):
            raise SystemExit(f"{out} must be an earlier site or empty")


def build(sources: Path, out: Path) -> int:
    """Run Sphinx, with every warning an error."""
    from sphinx.cmd.build import build_main

    if out.exists():
        shutil.rmtree(out)
    doctrees = sources.parent / "doctrees"
    options = ["-b", "html", "-q", "-W", "--keep-going", "-j", "auto", "-d", str(doctrees)]
    return int(build_main([*options, str(sources), str(out)]))


if __name__ == "__main__":
    sys.exit(main())
