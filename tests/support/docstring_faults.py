"""What is wrong with the docstring of a public name, as numpydoc reads it."""

import inspect
import re

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate
from public_names import methods

SUMMARY = {"GL08", "SS01", "SS02", "SS03", "SS06"}
SECTIONS = SUMMARY | {"PR01", "RT01", "YD01", "SA01", "EX01"}

CHECKS = re.compile(r"\braise \w|\b(as|require|check)_\w+\(")
SILENT = frozenset(
    f"{module}.{name}"
    for module, names in {
        "refimpl": "Step",
        "refimpl.ball_trees": "Impostors Neighbors",
        "refimpl.boosted_distance": "Differences Round",
        "refimpl.boosted_distance.weak_learners": "DepthTwoTrees Stumps",
        "refimpl.boostmap": "QuerySensitiveRound Round",
        "refimpl.ftune": "Ramp TrainedProblem",
        "refimpl.ftune.goodness": "Goodness transferred_margins",
        "refimpl.ftune.linear_models": "LinearModel",
        "refimpl.lmnn": "Check LMNNResult",
        "refimpl.rivals.fastmap": "line_projection",
        "refimpl.rivals.rotated_scan": "Scan principal_axes",
        "refimpl.rivals.sparsemap": "greedy_resampling",
        "refimpl.rivals.whitening": "centred centred_by_class principal_deviations",
        "refimpl.search_forest": "Round Selection",
        "paper_figures.rows": "differences exact means number of_points",
        "paper_figures.study": "Gathered Grid Seen View grid",
    }.items()
    for name in names.split()
)
"""Public names that raise no error, but for methods that say so themselves."""


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
    if not short and not takes_a_message:
        made = getattr(thing, "__post_init__", None) if is_class else inspect.unwrap(thing)
        if name in SILENT and made and CHECKS.search(inspect.getsource(made)):
            yield f"{name}: it raises, and is among SILENT"
        if name not in SILENT and "\nRaises\n---" not in (inspect.getdoc(thing) or ""):
            yield f"{name}: no Raises"
    for method, _ in methods(thing) if is_class and not is_protocol else ():
        yield from complaints(f"{name}.{method}", getattr(thing, method), SUMMARY)
