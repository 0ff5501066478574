"""What an import brings along: SciPy's parts and scikit-learn's metrics come when first needed.

Each case imports in a child process and counts the modules there.

Not handled here: seconds, which depend on the machine and on what else runs; who imports whom
within the packages (test_imports.py).
"""

import pytest
from processes import ROOT, output

import refimpl

SCIKIT_LEARN = "sklearn.base sklearn.utils.metaestimators sklearn.utils.multiclass"
"""The parts of scikit-learn without which an estimator is none."""


def modules_after(*names, then=""):
    """Return the names of all modules that a new Python knows after it has imported `names`."""
    code = f"import sys, {', '.join(names)}\n{then}\nprint(*sys.modules)"
    return set(output("-c", code).split())


def of_libraries(modules):
    """Return the public packages of SciPy and scikit-learn among `modules`."""
    return {
        name
        for name in modules
        if name.startswith(("scipy.", "sklearn."))
        and name.count(".") == 1
        and not name.partition(".")[2].startswith("_")
        and name != "scipy.version"
    }


def test_import_refimpl_brings_neither_scipy_nor_kernels():
    modules = modules_after("refimpl")
    packages = {name.partition(".")[0] for name in modules}
    assert not {"scipy", "sklearn", "joblib", "refimpl_fast"} & packages
    rooms = {f"refimpl.{room}" for room in refimpl.ROOMS}
    assert not rooms & modules


def test_rooms_and_rivals_bring_no_part_of_scipy():
    rivals = [f"refimpl.rivals.{path.stem}" for path in (ROOT / "refimpl" / "rivals").glob("*.py")]
    rooms = [f"refimpl.{room}" for room in refimpl.ROOMS if room != "estimators"]
    assert not of_libraries(modules_after(*rooms, *(name for name in rivals if "__" not in name)))


def test_the_fast_kernels_bring_no_part_of_scipy():
    pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)
    assert not of_libraries(modules_after("refimpl_fast"))


def test_estimators_bring_what_their_base_class_brings():
    pytest.importorskip("sklearn")
    base = of_libraries(modules_after(*SCIKIT_LEARN.split()))
    assert of_libraries(modules_after("refimpl.estimators")) <= base


def test_a_part_of_scipy_comes_when_it_is_needed():
    """The tests above see a part that is there."""
    then = "import numpy; refimpl.boostmap.edges.canny(numpy.zeros((1, 4, 4)))"
    assert "scipy.ndimage" in of_libraries(modules_after("refimpl.boostmap.edges", then=then))
