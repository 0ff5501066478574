"""Read a page of HTML as a tree of elements; a tag that is not closed is an error."""

from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "input", "img", "wbr", "br", "source"})


class Element:
    """An element: its tag, attributes, and children (elements and texts)."""

    def __init__(self, tag, attributes):
        self.tag = tag
        self.attributes = attributes
        self.children = []

    def __getitem__(self, name):
        return self.attributes[name]

    @property
    def classes(self):
        return self.attributes.get("class", "").split()

    @property
    def text(self):
        """All text within, as it is written."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def all(self, tag, **wanted):
        """Return the elements within that have a tag and attributes, in the order of the page."""
        inside = []
        for child in self.children:
            if isinstance(child, Element):
                if child.tag == tag and wanted.items() <= child.attributes.items():
                    inside.append(child)
                inside += child.all(tag, **wanted)
        return inside

    def only(self, tag, **wanted):
        (element,) = self.all(tag, **wanted)
        return element


class _Builder(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("page", {})]

    def handle_starttag(self, tag, attributes):
        element = Element(tag, dict(attributes))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop().tag == tag

    def handle_data(self, text):
        self.open[-1].children.append(text)


def read_page(text):
    """Return the tree of a page."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    (page,) = builder.open
    return page
