"""The files of the vectors: what is encoded is read back, the schema is kept, and damaged files are
refused with a clear message.

Not tested here: that the reference makes the committed vectors (test_vectors.py), their use.
"""

import json
import shutil

import numpy as np
import pytest

import refimpl.kernels
from refimpl.check import cli
from refimpl.check.drawing import Lcg
from refimpl.check.encoding import decode, encode
from refimpl.check.files import UnusableError, cases_of, folder, load
from refimpl.check.subjects import KERNELS, TRAININGS
from refimpl.kernels.contract import CONTRACT


@pytest.mark.parametrize(
    "value",
    [
        np.array([0.1, -0.0, 5e-324, np.inf, -np.inf, 1e308, np.nan]),
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.array([2**64 - 1, 0], dtype=np.uint64),
        np.array([True, False]),
        np.zeros((0, 3)),
        np.array([1.5, 2.5], dtype=np.float32),
    ],
    ids=lambda value: str(value.dtype),
)
def test_arrays_are_read_back_bit_for_bit(value):
    back = decode(json.loads(json.dumps(encode(value))))
    assert back.dtype == value.dtype and back.shape == value.shape
    assert back.tobytes() == value.tobytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": [1]}, "an array of shape .* must have 2 values; got 1"),
        ({"dtype": "text"}, "dtype must be one of"),
        ({"values": ["0x1p+0", "0x1.zp0"]}, "what is no float64: '0x1.zp0'"),
        ({"values": [1.5, "0x1p+0"]}, "what is no float64: 1.5"),
        ({"dtype": "int64", "values": [1, 1.5]}, "what is no int64: 1.5"),
    ],
)
def test_an_array_that_cannot_be_read(change, words):
    array = {"dtype": "float64", "shape": [2], "values": ["0x1p+0", "0x1p+0"], **change}
    with pytest.raises(ValueError, match=words):
        decode(array)


def test_a_tree_and_a_float_are_read_back():
    tree = refimpl.kernels.build_tree(np.arange(12.0).reshape(6, 2), leaf_size=2)
    assert decode(json.loads(json.dumps(encode(tree)))) == tree
    assert decode(encode(0.1)) == 0.1 and decode(encode(3)) == 3 and decode(encode(None)) is None


def test_the_generator_by_hand():
    """x_1 = 6364136223846793005 * 1 + 1442695040888963407 mod 2**64, >> 33."""
    x = (6364136223846793005 + 1442695040888963407) % 2**64
    assert Lcg(1).draw() == x >> 33
    recipe = {"generator": "lcg", "dtype": "float64", "seed": 1, "shape": [2], "exponent": -1}
    recipe |= {"low": -5, "high": 5}
    first = (-5 + (x >> 33) % 11) / 2
    assert decode(recipe)[0] == first
    one_by_one = Lcg(77).array((1000,), 0, 2**31 - 1)
    recipe |= {"dtype": "int64", "seed": 77, "shape": [1000], "low": 0, "high": 2**31 - 1}
    assert decode(recipe).tolist() == one_by_one.tolist()


def test_there_are_vectors_of_every_kernel_and_training():
    listed = json.loads((folder() / "index.json").read_text(encoding="utf-8"))["files"]
    subjects = (KERNELS | TRAININGS).values()
    assert set(listed) == {f"{one.kind}s/{one.name}.json" for one in subjects}
    assert set(CONTRACT) == set(KERNELS)
    size = sum(path.stat().st_size for path in folder().rglob("*.json"))
    assert size < 3_000_000
    for kernel in KERNELS.values():
        flags = {flag for case in cases_of(kernel) for flag in case.flags}
        assert flags - {"large"} == set(kernel.flags)


def test_all_vectors_keep_the_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((folder() / "schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for path in folder().glob("*/*.json"):
        validator.validate(json.loads(path.read_text(encoding="utf-8")))
    content = json.loads((folder() / "kernels/projections.json").read_text(encoding="utf-8"))
    for edit in (
        lambda c: c.pop("outputs"),
        lambda c: c.update(colour="red"),
        lambda c: c["outputs"][0].update(agreement="roughly"),
        lambda c: first(c).update(id="x"),
        lambda c: first(c)["arguments"].update(X=0.5),
    ):
        wrong = json.loads(json.dumps(content))
        edit(wrong)
        assert not validator.is_valid(wrong)


# ------------------------------------------------------------------------------------------ damage


@pytest.fixture
def copy(tmp_path):
    """A folder with the vectors of one kernel."""
    where = tmp_path / "vectors"
    (where / "kernels").mkdir(parents=True)
    for name in ("index.json", "kernels/projections.json"):
        shutil.copy(folder() / name, where / name)
    return where


def change(where, edit):
    """Edit the file."""
    path = where / "kernels" / "projections.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def refused(where, words):
    with pytest.raises(UnusableError, match=words):
        cases_of(KERNELS["projections"], where)


def first(content):
    return content["cases"][0]


def test_a_changed_digit_is_refused(copy):
    change(copy, lambda c: first(c)["expected"]["XA"]["values"].__setitem__(0, "0x0p+0"))
    refused(copy, "is damaged: its sha256 is not the one in index.json")


def test_files_that_cannot_be_read(copy):
    path = copy / "kernels" / "projections.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    refused(copy, "must be JSON")
    path.write_text("[]", encoding="utf-8")
    refused(copy, "must hold a JSON object")
    path.unlink()
    refused(copy, "cannot read .*projections.json: No such file")
    with pytest.raises(UnusableError, match=r"does not list kernels/other\.json"):
        load(copy, "kernels", "other")


def test_the_command_refuses_damaged_vectors(copy, tmp_path, capsys):
    change(copy, lambda c: c.update(version=2))
    path = tmp_path / "mine.py"
    path.write_text("projections = print", encoding="utf-8")
    arguments = ["kernels", str(path), "--vectors", str(copy), "--only", "projections"]
    assert cli.main([*arguments, "--examples", "0"]) == 2
    assert "version 1; got" in capsys.readouterr().err
