"""What is wrong with the docstring of a public name: numpydoc reads it, and calls are followed."""

import inspect

import raising
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate
from public_names import methods

SUMMARY = {"GL08", "SS01", "SS02", "SS03", "SS06"}
SECTIONS = SUMMARY | {"PR01", "RT01", "YD01", "SA01", "EX01"}


class Docstring(Validator):
    """A docstring as numpydoc reads it; the fields of a result count as its parameters."""

    source_file_name = source_file_def_line = None  # whose comments could turn a rule off

    def __init__(self, obj_name):
        super().__init__(get_doc_object(obj_name))
        self.raw_doc = inspect.getdoc(obj_name) or ""  # that of a base class, too

    @property
    def doc_all_parameters(self):
        fields = self.doc["Attributes"]
        return super().doc_all_parameters | {n: f for f in fields for n in f.name.split(", ")}


def complaints(name, thing, codes):
    """Yield what numpydoc says of a docstring under these codes."""
    for code, said in validate(thing, validator_cls=Docstring)["errors"]:
        if code in codes:
            yield f"{name}: {code} {said}"


def faults(name, thing):
    """Yield what is wrong with a public name; an algorithm as printed has a summary alone."""
    is_class, is_protocol = inspect.isclass(thing), getattr(thing, "_is_protocol", False)
    short = is_protocol or thing.__module__.endswith(".algorithm")
    takes_a_message = is_class and issubclass(thing, BaseException)
    codes = SUMMARY if short else SECTIONS - {"PR01"} if takes_a_message else SECTIONS
    yield from complaints(name, thing, codes)
    if not short and not takes_a_message and "\nRaises\n---" not in inspect.getdoc(thing):
        if path := raising.cause(thing):
            yield f"{name}: no Raises: {path}"
    for method, _ in methods(thing) if is_class and not is_protocol else ():
        yield from complaints(f"{name}.{method}", getattr(thing, method), SUMMARY)
