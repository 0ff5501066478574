"""The ASCII formulas of PAPER.md as HTML, and what differs between two of them."""

import re
from difflib import SequenceMatcher
from html import escape

_ATOM = re.compile(
    r"""`[^`]*`                                              # code
    | [A-Za-z]{2,}(?:-[A-Za-z]+)+ | [a-z]-test | [A-Z]+-\d+ | [A-Za-z]{2,}'[a-z]+ | \d+'s  # words
    | [A-Z]{2}:[\w.:]+                                       # a printed line
    | c\*                                                   # a star that is part of a name
    | [A-Za-z]+(?:'+(?![a-z]))?(?:_\w+|_\{[^}]*\})?(?:\^\w+)?  # names
    | (?:\^|_)(?:\w+|\+|\([^)]*\))                         # what is above or below a bracket
    | \*\*-?\d+ | \d+(?:\.\d+)?(?:e-\d+)? | <- | <= | >= | \s+ | .""",
    re.VERBOSE,
)
_SIGNS = {"<-": "←", "<=": "≤", ">=": "≥", "-": "−", "c*": "<i>c</i>*"}
_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
LETTERS = dict(zip(_NAMES.split(), "αβγδεζηθικλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
"""{the name of a Greek letter: the letter}."""


def _atoms(text: str) -> list[str]:
    """Return the parts of a text that are set as one: names with their indices, numbers, signs."""
    return _ATOM.findall(text)


def _set(atom: str) -> str:
    """Return an atom as HTML: indices below, powers above, Greek letters, and signs."""
    if atom[0] == "`":
        return f"<code>{escape(atom[1:-1])}</code>"
    if atom.startswith("**"):
        return f"<sup>{atom[2:].replace('-', '−')}</sup>"
    if atom in _SIGNS:
        return _SIGNS[atom]
    if atom[0] in "^_" and len(atom) > 1:
        tag = "sup" if atom[0] == "^" else "sub"
        return f"<{tag}>{escape(atom[1:].strip('()'))}</{tag}>"
    base, power, above = atom.partition("^")
    name, index, below = base.partition("_")
    text = _letter(name)
    if index:
        text = "Σ" if name == "sum" else f"<i>{text}</i>"
        text += f"<sub>{'<sub>'.join(map(_letter, below.strip('{}').split('_')))}"
        text += "</sub>" * (1 + below.count("_"))
    elif len(name) == 1 and name.isalpha() and name not in "aAI":
        text = f"<i>{text}</i>"
    return text + (f"<sup>{_letter(above)}</sup>" if power else "")


def _letter(name: str) -> str:
    bare = name.rstrip("'")
    return escape(LETTERS.get(bare, bare)) + "′" * (len(name) - len(bare))


def typeset(text: str) -> str:
    """Return a text as HTML."""
    return "".join(map(_set, _atoms(text)))


def compared(published: str, corrected: str) -> tuple[str, str]:
    """Return both as HTML, with marks at what differs.

    Where less than half is equal, both are whole sentences of their own, and nothing is marked.
    """
    before, after = _atoms(published), _atoms(corrected)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.5:
        return typeset(published), typeset(corrected)
    left, right = "", ""
    for kind, a, b, c, d in matcher.get_opcodes():
        parts = "".join(map(_set, before[a:b])), "".join(map(_set, after[c:d]))
        mark = kind != "equal"
        left += f'<mark class="was">{parts[0]}</mark>' if mark and parts[0] else parts[0]
        right += f"<mark>{parts[1]}</mark>" if mark and parts[1] else parts[1]
    return left, right
