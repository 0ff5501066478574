"""A picture as matplotlib writes it, in a third of the bytes: the same shapes in the same places.

Places keep tenths of a point, which no screen shows. Not handled here: colours (`themes.py`).
"""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from paper_figures.themes import LIGHT, SMALLEST

SVG, LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
GROUP = f"{{{SVG}}}g"
NAMED = re.compile(r"(?:key|series) ")  # ids by which answers.py finds the parts of a series
TENTHS = 10
INK = f"fill:{LIGHT.ink.lower()}"
FONT = f"font:{SMALLEST}px 'DejaVu Sans',Verdana,sans-serif"  # where DejaVu is not, as wide a font
OF_ALL = re.compile(rf"font-family:[^;]*;|font-size:{SMALLEST}px;|text-anchor:start;")
"""What the root says of all texts."""


def shorter(svg: bytes) -> bytes:
    """Return a picture without what nobody sees, and with short names and paths."""
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(svg)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    names = _names(root)
    for element in root.iter():
        element.tail = None
        element.text = element.text if (element.text or "").strip() else None
        _shorten(element, names)
    _flatten(root)
    _inherit(root)
    root.set("style", f"{INK};{FONT}")  # most texts have these
    return ElementTree.tostring(root).replace(b" />", b"/>")


def _names(root: Element) -> dict[str, str]:
    """Return a short name for each id to which a part of the picture refers."""
    words = [word for element in root.iter() for word in element.attrib.values()]
    referred = (re.match(r"(?:url\()?#([\w.-]+)", word) for word in words)
    ids = dict.fromkeys(found[1] for found in referred if found)
    return {name: f"a{place}" for place, name in enumerate(ids)}


def _shorten(element: Element, names: dict[str, str]) -> None:
    """Shorten what an element says of itself."""
    own = element.attrib
    if not NAMED.match(own.get("id", "")):
        own["id"] = names.get(own.get("id", ""), "")
    if "d" in own:
        own["d"] = shorter_path(own["d"])
    if LINK in own:
        own["href"] = own.pop(LINK)
    for name, value in own.items():
        if name in ("x", "y"):
            value = _number(_tenths(value))
        if name == "transform":
            value = re.sub(r"rotate\(-0[^)]*\)", "", value)
            value = re.sub(r"(?<=ate\()[^)]*", _rounded, value)  # of translate and of rotate
        if name in ("style", "transform"):
            value = OF_ALL.sub("", re.sub(r"([;:]) ", r"\1", value))
            value = re.sub(r"(?<![\d.#])0(?=\.\d)", "", value)
        own[name] = re.sub(r"^((?:url\()?#)([\w.-]+)", lambda to: to[1] + names[to[2]], value)
    for name, nothing in (("id", ""), ("x", "0"), ("y", "0"), ("transform", "")):
        if own.get(name) == nothing:
            del own[name]


def _rounded(numbers: re.Match[str]) -> str:
    return " ".join(_number(_tenths(number)) for number in numbers[0].split())


def _flatten(element: Element) -> None:
    """Take apart groups that say nothing, and let a group say what all of its parts say."""
    parts: list[Element] = []
    for part in element:
        _flatten(part)
        parts += list(part) if part.tag == GROUP and not part.attrib else [part]
    element[:] = parts
    styles = {part.get("style") for part in parts}
    if element.tag == GROUP and "style" not in element.attrib and len(styles) == 1 and all(styles):
        element.set("style", styles.pop() or "")
        for part in parts:
            del part.attrib["style"]
    alone = element.tag == GROUP and [part.tag for part in parts] == [GROUP]
    if alone and not element.attrib.keys() & {"clip-path", *parts[0].attrib}:
        element.attrib |= parts[0].attrib
        element[:] = list(parts[0])


def _inherit(element: Element) -> None:
    """Take the ink out of what is within nothing that says another."""
    for part in element:
        said = part.attrib.pop("style", "").split(";")
        if others := ";".join(word for word in said if word != INK):
            part.set("style", others)
        if "fill" not in others:
            _inherit(part)


def shorter_path(d: str) -> str:
    """Return a path of absolute M, L, Q, C and z as steps from place to place."""
    written, before = "", ""
    at = start = [0, 0]
    for command, numbers in re.findall("([MLQCz])([^MLQCz]*)", d):
        word, places = command.lower(), [_tenths(number) for number in numbers.split()]
        steps = [place - at[i % 2] for i, place in enumerate(places)]
        if word == "l" and steps[1] == 0:
            word, steps = "h", steps[:1]
        elif word == "l" and steps[0] == 0:
            word, steps = "v", steps[1:]
        at = places[-2:] or start
        start = at if word == "m" else start
        repeated = word == before and word != "m"
        written += (" " if repeated else word) + " ".join(map(_number, steps))
        before = word
    return re.sub(r"(?<=\.\d) (?=\.)| (?=-)", "", written)


def _tenths(number: str) -> int:
    return round(float(number) * TENTHS)


def _number(tenths: int) -> str:
    return re.sub(r"^(-?)0\.", r"\1.", f"{tenths / TENTHS:g}")
