"""What a report says beside a difference: the misprint and what the paper leaves open; which
differences may be accepted; how functions of other names are called.

Not tested here: which differences are found (test_kernels.py, test_trainings.py).
"""

import json

import numpy as np
import pytest
from asked import differences

from refimpl.check.comparing import Difference, value_fault
from refimpl.check.reports import ACCEPTED, Report, remarks
from refimpl.check.subject import FormError, Output, call, in_order

TIE, CHOICE = ACCEPTED["ties"], ACCEPTED["choices"]


def report(*kinds, **options):
    differences = [Difference("adaboost", kind, "f", "BD:A.2:8", "words") for kind in kinds]
    return Report("mine", differences=differences, **options)


def test_a_misprint_and_an_open_reading_are_named():
    (line,) = remarks("BD:A.2:12", "wrong")
    assert line.startswith("ERRATUM BD-1: the paper has alpha_t = 1 / log(beta_t); the reference")
    for kind in (TIE, CHOICE, ACCEPTED["uncompared"]):
        (line,) = remarks("BD:A.2:8", kind)
        assert "which of several stumps of least error" in line and "lowest feature" in line
    assert not remarks("BD:A.2:12", "no answer")
    for source in ("BM:7.3:9", "BM:8.1:4", "BM:8.3:2", "FT:1:3", "FT:2:5"):
        assert any("(ties)" in line for line in remarks(source, TIE)), source
    assert remarks("FT:2:3", "wrong")[1].startswith("ERRATUM FT-8")  # FT:thm5, and so FT:2:3
    assert not remarks("BD:A.2:8", "wrong")
    assert not remarks("BD:A.2:12", "last bits")
    assert not remarks("Faloutsos & Lin (1995), eq. 3", "wrong")
    assert remarks("BD:A.2:1", "wrong") == []  # not BD:A.2:12


def test_the_exit_code_of_accepted_kinds():
    assert report(TIE, CHOICE).code == 1
    assert report(TIE, CHOICE, accepted=frozenset({TIE})).code == 1
    assert report(TIE, CHOICE, accepted=frozenset({TIE, CHOICE})).code == 0
    assert report(TIE, "wrong", accepted=frozenset({TIE})).code == 1
    assert "--accept ties makes the exit code 0" in report(TIE).text()
    assert report(TIE, "wrong").text().endswith("\ndiffers")
    assert report(TIE, accepted=frozenset({TIE})).outcome().endswith("(accepted)")
    assert json.loads(report(decides=False).as_json())["result"] == "no verdict"
    (difference,) = json.loads(report(TIE).as_json())["differences"]
    assert difference["remarks"] == remarks("BD:A.2:8", TIE)


def test_functions_of_other_names_get_the_arguments_in_order():
    assert call(lambda a, b: a - b, "f", {"X": 5, "Y": 3}) == 2
    assert call(lambda Y, X: X - Y, "f", {"X": 5, "Y": 3}) == 2  # by name
    assert call(lambda **given: given["X"], "f", {"X": 5, "Y": 3}) == 5
    with pytest.raises(FormError, match=r"f must take X, Y, by name or in this order; got f"):
        call(lambda a: a, "f", {"X": 5, "Y": 3})
    with pytest.raises(FormError, match="got f"):  # X is not the second
        call(lambda a, X: a - X, "f", {"X": 5, "Y": 3})
    assert call(lambda X, b: X - b, "f", {"X": 5, "Y": 3}) == 2
    assert in_order(lambda a, b: 0, ["X", "Y"]) and not in_order(lambda Y, X: 0, ["X", "Y"])


def test_an_infinite_difference_is_not_called_float32():
    output = Output("theta", "BD:A.2:8", "optimum")
    fault = value_fault(output, -np.inf, -3.0, 0.0)
    assert fault is not None and "float32" not in fault.words


def test_a_number_beyond_a_wide_tolerance_is_wrong_and_no_last_bits():
    output = Output("objective", "LM:eq3", "digits", 1e-3)
    assert value_fault(output, 83.375, 83.375 * (1 + 0.9e-3), 0.0) is None
    assert value_fault(output, 83.375, 83.375 * (1 - 2.6e-3), 0.0).kind == "wrong"


def test_results_that_are_no_arrays():
    class Other:
        def __array__(self, *options, **more):
            raise RuntimeError("none")

    for result, named in (
        (Other(), "Other"),
        ([1, [2, 3]], "list"),
        (iter([1]), "list_iterator"),
        (np.ones(2) * 1j, "dtype complex128"),
        (np.array(["a"]), "dtype <U1"),
        (np.ma.masked_array(np.ones(2), mask=True), "masked elements"),
    ):
        found = differences("lipschitz", lambda D, member, F=result: [{"F": F}])
        assert {one.words for one in found} == {f"round 1: F must be an array; got {named}"}
