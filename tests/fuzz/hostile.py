"""Arguments made wrong, one at a time, as a caller may pass them by mistake."""

import types

import numpy as np

INTEGERS = (
    -1, 0, 1, 2**31, 10**18, 2**63 - 1, 2**64, -(2**63), True, 1.5, None, "1", [1], np.int8(1),
    np.float64(2),
)  # fmt: skip
NUMBERS = (
    np.nan, np.inf, -np.inf, -1.0, -0.0, 1e308, 0, True, None, "x", 10**400, 1j, np.float32(0.5),
)  # fmt: skip
STRINGS = ("", "none", b"box", None, 3, ["box"])
THREADS = (0, -1, 3, 2**26, 2**29, 100_000, 10**9, 2**64, 1.0, True, "2", [1])
DTYPES = "float32 float64 >f8 int32 int64 uint8 uint64 bool complex128 object U3".split()
EXTREMES = (-1, 10**6, -(10**7), 2**31 - 1, 2**62, -(2**63))
INSTEAD = (None, "text", 3, types.SimpleNamespace(), np.array(1.0), np.array([]))


def mutate(s, values):
    """Make one argument wrong, or odd: (values, whether finite arguments stayed finite)."""
    name = s.pick(*values, "threads")
    values = dict(values)
    if name == "threads":
        values["threads"] = s.pick(*THREADS)
        return values, True
    value, finite = values[name], True
    if s.chance(0.05):
        value = s.pick(*INSTEAD)
    elif isinstance(value, np.ndarray):
        value, finite = _array(s, value)
    elif isinstance(value, bool | int | np.integer):
        value = s.pick(*INTEGERS)
    elif isinstance(value, float):
        value = s.pick(*NUMBERS)
        finite = isinstance(value, int | float) and abs(value) < 1e300
    elif isinstance(value, str):
        value = s.pick(*STRINGS)
    else:
        value = s.pick(None, 3, "text", np.zeros((2, 2)))
    values[name] = value
    return values, finite


def _array(s, value):
    """Make an array wrong, or odd: (array, whether it stayed finite)."""
    kind = s.integer(0, 8)
    if kind < 6:
        return s.pick(*_forms(s, value)) if kind < 5 else value[:0].copy(), True
    value = value.copy()
    if kind == 6:
        value.setflags(write=False)
        return value, True
    if value.size == 0:
        return value, True
    place = np.unravel_index(s.integer(0, value.size - 1), value.shape)
    if value.dtype.kind == "f":
        value[place] = s.pick(np.nan, np.inf, -np.inf)
        if s.chance(0.2):
            value[:] = np.nan
        return value, False
    if value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype)
        value[place] = min(max(s.pick(*EXTREMES), int(limits.min)), int(limits.max))
    return value, True


def _forms(s, value):
    """Return an array as a list, of another dtype, length, number of dimensions or layout."""
    axis = s.integer(0, value.ndim - 1)
    data = np.frombuffer(b"\0" + value.tobytes(), dtype=np.uint8)[1:]
    with np.errstate(all="ignore"):
        cast = value.astype(s.pick(*DTYPES))
    return (
        value.tolist(),
        cast,
        np.ascontiguousarray(np.delete(value, np.s_[-1:], axis=axis)),
        np.concatenate([value, value], axis=axis),
        value.ravel(),
        value[None],
        value[..., None],
        np.asfortranarray(value),
        value[::-1],
        np.repeat(value, 2, axis=-1)[..., ::2],
        data.view(value.dtype).reshape(value.shape),
    )
