"""What is done to the pages that Sphinx wrote, so that they have less weight."""

import re
from pathlib import Path

__all__ = ["finish"]

PLAIN = re.compile(r'<span class="(?:n|p|w|o|bp)">([^<]*)</span>')
"""Names, operators, punctuation and white space of highlighted code keep the text's own colour."""


def finish(out: Path) -> None:
    """Take out what no reader sees.

    Parameters
    ----------
    out : Path
        The folder of the site.
    """
    for path in out.rglob("*.map"):  # of scripts, for whoever changes the theme
        path.unlink()
    for path in out.rglob("*.html"):
        path.write_text(PLAIN.sub(r"\1", path.read_text(encoding="utf-8")), encoding="utf-8")
