"""Both twins of every kernel: the same bits, and the same words for what they refuse.

The arguments are those of the one table: :mod:`refimpl.kernels.contract` says what a kernel takes,
:mod:`refimpl.check.subjects` how they are drawn. Not tested here: many cases (`make fuzz`), and
that a kernel computes what its paper says (tests/check/test_vectors.py, the other files here).
"""

import inspect

import numpy as np
import pytest
from agreement import KERNELS, require_twins
from drawn import array, drawn, pairs
from forest_problems import random_forest
from refusals import refusal

from refimpl import kernels as reference
from refimpl.kernels.arguments import Array, Choice, Instance, Integer, Number, length_of
from refimpl.kernels.contract import CONTRACT
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.typing import Kernels

CASES = 60
OTHER_SIZES = {
    "scan_nearest": 600,  # the reference's loop takes seconds
    "least_similar": 400_000,  # fewer are not worth two threads
    "lloyd": 7000,  # the same, for the sums of its means
    "hamming_distances": 40_000,
    "hamming_nearest": 40_000,
    "hamming_within": 40_000,
}
every = pytest.mark.parametrize("kernel", CONTRACT)


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@every
def test_twins_agree_bit_for_bit(kernel):
    from tests.fuzz.compare import run

    kinds = {run(23, number, kernel)[1] for number in range(CASES)}
    assert kinds == {"valid", "hostile"}


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@every
def test_twins_agree_on_arguments_of_thousands(kernel):
    """Where several threads share the work and blocks are full."""
    from tests.benchmarks.map.kernels import CASES as SIZES

    case = SIZES[kernel]
    values = case.draw(np.random.default_rng(0), OTHER_SIZES.get(kernel, case.sizes[1]))
    require_twins(kernel, values, (1, 2, 7))


def node(n, p, **more):
    """Return pairs of n points, with weights on a grid, and what kernels take beside them."""
    rng = np.random.default_rng(n)
    listed = pairs(rng, n, p)
    weights = np.rint(64 * rng.normal(size=len(listed["first"]))) / 64
    return {**listed, "v": weights, "base": -0.25, "tol": 1e-9, **more}


def at_edges():
    """Yield sums of 8, 128 and 8192 numbers, which NumPy adds up in other orders, blocks that are
    just full, and parts for several threads.
    """
    for n in (2, 7, 8, 9, 15, 127, 128, 129, 136, 257, 1100):
        yield "leading_direction", node(n, 2 * n, d=3)
        yield "leading_direction", node(n, 2 * n, d=3, tol=0.1)
    for d in (8191, 8192, 8193, 9001):
        yield "leading_direction", node(6, 5, d=d)
        yield "matrix_vector", {"n": 1, "d": d}
        yield "matrix_vector", {"n": 5, "d": d}
    for n, d in ((15_000, 65), (6000, 300), (300, 5000)):
        yield "matrix_vector", {"n": n, "d": d}
        yield "vector_matrix", {"n": n, "d": d}
    listed = node(1500, 700_000)  # five parts
    yield "pair_product", {**listed, "v": np.random.default_rng(0).normal(size=len(listed["v"]))}
    yield "best_thresholds", {**listed, "f": 1}
    yield "best_thresholds", {**listed, "f": 2}
    for d in (1, 15, 16, 17, 40, 256, 257, 300, 530):
        for m, n in ((3, 77), (1, 13), (2, 8)):
            yield "weighted_l1", {"n_Q": m, "n_X": n, "d": d}


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize(("kernel", "given"), at_edges())
def test_twins_agree_where_blocks_are_full(kernel, given):
    require_twins(kernel, drawn(kernel, np.random.default_rng(0), **given), (1, 2, 3, 8, 64))


@every
def test_the_contract_names_the_arguments_in_their_order(kernel):
    for kernels in KERNELS:
        assert [*CONTRACT[kernel], "threads"] == list(
            inspect.signature(getattr(kernels, kernel)).parameters
        )


@every
def test_the_protocol_has_the_function_of_the_reference(kernel):
    assert getattr(Kernels, kernel) is getattr(reference, kernel)


def test_all_have_the_same_kernels():
    assert {name for name in vars(Kernels) if not name.startswith("_")} == set(CONTRACT)
    assert all(kernels.__all__ == reference.__all__ for kernels in KERNELS)


# ------------------------------------------------------------------------------- what is refused


def ints(*values):
    return np.array(values, dtype=np.int64)


def points(*values):
    return np.array(values, dtype=np.int32)


FIVE = np.arange(15.0).reshape(5, 3)
LISTED = {"first": points(0, 1), "second": points(2, 3)}
SEARCHED = {"tree": reference.build_tree(FIVE), "Q": FIVE}
TREES = {"trees": kmeans_trees(FIVE, 2, rng=np.random.default_rng(0)), "Q": FIVE}
GIVEN = {
    "best_bin_first": TREES,
    "best_plane": LISTED,
    "best_stump": {"features": reference.presort(FIVE)},
    "best_thresholds": LISTED,
    "bucket_votes": {
        **{"starts": ints(0), "ends": ints(1), "members": ints(0), "buckets": ints([0])},
        "n": 1,
    },
    "chamfer_distances": dict.fromkeys("AB", np.ones((5, 5, 5), dtype=bool)),
    "chamfer_nearest": dict.fromkeys("QX", np.ones((5, 5, 5), dtype=bool)),
    "forest_words": {"forest": random_forest(np.random.default_rng(0), 2, 3, 4), "X": FIVE},
    "gather_candidates": {"starts": ints(0, 2), "items": points(0, 1), "words": points([0])},
    "leading_direction": LISTED,
    "least_similar": {"taken": np.zeros(5, dtype=bool)},
    "meet_pairs": LISTED,
    "pair_product": LISTED,
    "split_pairs": LISTED,
    "transferred_differences": {"slopes": np.ones(5)},
    "tree_leaves": TREES,
    "tree_nearest": SEARCHED,
    "tree_within": SEARCHED,
}
"""What five of everything, drawn as the contract says, would not be."""


def usual(kernel):
    """Return arguments in which every array is given and has entries; lengths are five."""
    kinds, rng = CONTRACT[kernel], np.random.default_rng(0)
    values = {}
    for name, kind in kinds.items():
        if isinstance(kind, Integer | Number):
            values[name] = 2 if isinstance(kind, Integer) else 0.5
        elif isinstance(kind, Choice):
            values[name] = kind.choices[-1]
    axes = [axis for kind in kinds.values() for axis in getattr(kind, "axes", ())]
    lengths = {key: 5 for key, _ in axes if key is not None}
    values = drawn(kernel, rng, **{**lengths, **values, **GIVEN.get(kernel, {})})
    for name, kind in kinds.items():
        if isinstance(kind, Array) and kind.optional and not kind.written:
            values[name] = array(rng, kind, lengths | lengths_of(kernel, values)[0])
    return values


REMEDY = "pass numpy.require("


def unlike(value):
    """Yield what no array argument may be, and what is said of it."""
    for other in (None, value.tolist(), 3, np.ma.array(value), "text"):
        yield other, TypeError, "must be a numpy.ndarray"
    if value.ndim == 2:
        yield value.view(np.matrix), TypeError, "must be a numpy.ndarray"
    with np.errstate(all="ignore"):
        others = [value.astype(dtype) for dtype in ("complex128", ">i2", "U1", "float16")]
    for other in others:
        yield other, TypeError, "must hold "
    yield value[..., np.newaxis], ValueError, f"must have {value.ndim} dimensions; got an array of"
    if value.size > 1:
        yield np.repeat(value, 2, axis=-1)[..., ::2], ValueError, f"must be C-contiguous; {REMEDY}"
        data = np.frombuffer(b"\0" + value.tobytes(), dtype=np.uint8)[1:]
        if value.itemsize > 1:
            yield (
                data.view(value.dtype).reshape(value.shape),
                ValueError,
                f"must be aligned; {REMEDY}",
            )


def lengths_of(kernel, values):
    """Return the named lengths, how often each name occurs, and the argument that has it first."""
    lengths, counts, first = {}, {}, {}
    for name, kind in CONTRACT[kernel].items():
        kind.check_form(name, values.get(name), lengths, values)
        for axis in getattr(kind, "axes", ()):
            counts[axis[0]] = counts.get(axis[0], 0) + (values.get(name) is not None)
            first.setdefault(axis[0], name)
        if isinstance(kind, Instance):
            for key in kind.lengths(values[name]):
                counts[key] = counts.get(key, 0) + 1
                first.setdefault(key, name)
    return lengths, counts, first


def misshapen(name, kind, value, counts, first):
    """Yield arrays of another length along an axis whose length is fixed, or that are empty."""
    for axis, (key, _) in enumerate(kind.axes):
        if (key is None or counts[key] > 1) and value.shape[axis]:
            yield np.concatenate([value, value], axis=axis), "must have the length"
        filled = key is not None if kind.nonempty is True else key == kind.nonempty
        if filled and first[key] == name and value.shape[axis]:
            nothing = np.delete(value, np.s_[:], axis=axis)
            yield nothing, f"{name} must not be empty; got shape {nothing.shape}"


def with_entry(value, entry):
    """Return a copy with another last entry."""
    changed = value.copy()
    changed.flat[-1] = entry
    return changed


def out_of_range(kind, value, lengths):
    """Yield arrays with a value that the contract does not allow, and what is said of it."""
    if kind.below is not None:
        end = length_of(kind.below, lengths)
        for wrong in (end, kind.least - 1, np.iinfo(value.dtype).max):
            yield with_entry(value, wrong), f"must hold indices from {kind.least} to {end - 1}; got"
    if kind.ascends_to is not None:
        end = lengths[kind.ascends_to]
        yield with_entry(value, end + 1), f"must ascend from 0 to {end}; got"
        yield value[::-1] + np.arange(len(value))[::-1], f"must ascend from 0 to {end}; got"
    if kind.finite:
        for wrong in (np.nan, np.inf, -np.inf):
            yield with_entry(value, wrong), f"must be finite; got {wrong} at"
    if kind.largest is not None:
        beyond = () if kind.largest == np.inf else (np.inf, -np.inf, 1.5 * kind.largest)
        for wrong in (np.nan, *beyond):
            yield with_entry(value, wrong), f"must hold values from {-kind.largest} to"
    if kind.weights:
        for wrong in (-1e-9, 1.5, np.nan):
            yield with_entry(value, wrong), "must hold weights of at least 0 that add up to at mo"
    if kind.positive:
        for wrong in (0.0, -1.0, np.inf, np.nan):
            yield with_entry(value, wrong), "must hold positive finite numbers; got"
    if kind.only is not None:
        yield with_entry(value, 7), f"must hold {kind.only[0]} or {kind.only[1]}; got 7"
    if kind.ascending:
        yield with_entry(value, np.nan), "must not fall along the last axis, nor hold NaN"


def wrong_values(kind, value, lengths):
    """Yield (wrong argument, error, what is said of it) for one argument of the contract."""
    if isinstance(kind, Array):
        for other, error, message in unlike(value):
            if other is not None or not kind.optional:
                yield other, error, message
        for other, message in out_of_range(kind, value, lengths) if value.size else ():
            yield np.ascontiguousarray(other), ValueError, message
        if kind.written:
            sealed = value.copy()
            sealed.flags.writeable = False
            yield sealed, ValueError, "must be writeable"
    elif isinstance(kind, Integer):
        for other in (1.5, "1", None, True, np.True_, [1]):
            yield other, TypeError, "must be an integer; got"
        most = 2**63 - 1 if kind.most is None else length_of(kind.most, lengths)
        for other in (length_of(kind.least, lengths) - 1, most + 1, 2**64):
            yield other, ValueError, "must be "
    elif isinstance(kind, Number):
        for other in ("1", None, True, 1j, [1.0]):
            yield other, TypeError, "must be a number; got"
        for other in (np.nan, np.inf, *(() if kind.least is None else (kind.least - 1,))):
            yield other, ValueError, "must be finite"
    elif isinstance(kind, Choice):
        for other in ("neither", None, 3, [kind.choices[0]]):
            yield other, ValueError, f"must be {kind.choices[0]!r} or {kind.choices[1]!r}; got"
    else:
        for other in (None, 3, "text", np.zeros((2, 2))):
            yield other, TypeError, f"must be a {kind.name}; got"


@every
def test_what_the_contract_does_not_allow_is_refused_in_the_same_words(kernel):
    values = usual(kernel)
    lengths, counts, first = lengths_of(kernel, values)
    getattr(reference, kernel)(**values)
    for name, kind in CONTRACT[kernel].items():
        value = values.get(name)
        if isinstance(kind, Array) and value is None:
            continue
        for other, error, message in wrong_values(kind, value, lengths):
            said = refusal(kernel, **{**values, name: other}, error=error)
            assert said.startswith(f"{error.__name__}: {name} {message}"), (name, other, said)
        if isinstance(kind, Array):
            for other, message in misshapen(name, kind, value, counts, first):
                said = refusal(kernel, **{**values, name: other}, error=ValueError)
                assert message in said, (name, other.shape, said)
    for threads in (0, -1, 1.5, "2", True):
        error = ValueError if threads in (0, -1) else TypeError
        assert "threads must be" in refusal(kernel, **values, threads=threads, error=error)


RULES = {
    "below": "rows: lloyd rerank; words: gather_candidates; buckets: bucket_votes; "
    "plus, minus: transferred_differences; feature: add_similarity; ranges: best_ranges; "
    "triples: best_ranges margin_sums minimize_z next_weights weighted_errors z_values; "
    "first, second: pair_distances; other, edge: weighted_differences; "
    "skip: scan_nearest tree_nearest tree_within",
    "ascends_to": "offsets: rerank; start: hinge_terms weighted_differences",
    "finite": "sums, column: least_similar; least: minimize_z; alpha: z_values; "
    "A: best_thresholds presort; B: presort; Q, X, radii: impostors",
    "largest": "centres: lloyd; X: build_tree; limits: tree_within; values: best_ranges; "
    "Q: best_bin_first scan_nearest tree_leaves tree_nearest tree_within; "
    "F: best_ranges margin_sums minimize_z next_weights weighted_errors z_values; "
    "margin: minimize_z next_weights z_values",
    "weights": "w: best_ranges best_stump margin_sums weighted_errors",
    "positive": "c: gather_candidates",
    "only": "y: best_ranges margin_sums minimize_z next_weights weighted_errors z_values; "
    "S: margin_sums minimize_z z_values; polarity: add_similarity",
    "ascending": "thresholds: best_ranges",
    "written": "counters: gather_candidates; sums: least_similar; S: add_similarity",
    "nonempty": "centres: lloyd; start: leading_direction; p: plane_values; Q: rerank; "
    "triples: best_ranges margin_sums minimize_z next_weights weighted_errors z_values; "
    "A: best_thresholds presort; B: presort; leaf: meet_pairs; targets: hinge_terms; "
    "X: best_plane build_tree scan_nearest; ranges: best_ranges",
}
"""Which arguments have a rule, once more: a rule that the contract loses is missed here."""


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_is_lost(rule):
    listed = set()
    for part in RULES[rule].split("; "):
        names, _, kernels = part.partition(": ")
        listed |= {(kernel, name) for name in names.split(", ") for kernel in kernels.split()}
    assert listed == {
        (kernel, name)
        for kernel, kinds in CONTRACT.items()
        for name, kind in kinds.items()
        if isinstance(kind, Array) and getattr(kind, rule) not in (None, False)
    }


# ------------------------------------------------------------------- what only a kernel itself sees


PLACES = "positions in members, from 0 to 1, the start not after the end; got"
ORDER = "first, second must hold pairs with first < second in ascending order of first"
PAIRED = [name for name, given in GIVEN.items() if given is LISTED]
SEEN = [
    *(
        (name, {"Q": codes, "X": codes, **more}, f"X must have from 1 to 65536 words; got {words}")
        for words in (0, 65537)
        for codes in [np.zeros((0, words), dtype=np.uint64)]
        for name, more in (
            ("hamming_distances", {}),
            ("hamming_nearest", {"k": 0}),
            ("hamming_within", {"radii": ints()}),
        )
    ),
    *(
        ("chamfer_distances", dict.fromkeys("AB", images), message)
        for images, message in (
            (np.ones((1, 1, 4097), dtype=bool), "at most 4096 pixels; got shape (1, 1, 4097)"),
            (np.ones((5, 0, 5), dtype=bool), "A must hold images of at least one pixel"),
            (np.zeros((5, 5, 5), dtype=bool), "A[0] has no edge pixel (and 4 more)"),
        )
    ),
    (
        "chamfer_nearest",
        dict.fromkeys("QX", np.ones((5, 0, 5), dtype=bool)),
        "Q must hold images of at least",
    ),
    *(
        ("transferred_differences", {"slopes": np.array([s])}, f"slopes must be positive; got {s}")
        for s in (np.nan, -np.inf, 0.0)
    ),
    ("least_similar", {"taken": np.ones(5, dtype=bool)}, "taken must leave a point to choose; got"),
    ("bucket_votes", {"ends": ints(2)}, f"{PLACES} 0 and 2"),
    ("bucket_votes", {"ends": ints(2**62)}, f"{PLACES} 0 and {2**62}"),
    ("bucket_votes", {"starts": ints(-1)}, f"{PLACES} -1 and 1"),
    ("bucket_votes", {"starts": ints(1), "ends": ints(0)}, f"{PLACES} 1 and 0"),
    *(
        ("bucket_votes", {"members": ints(i)}, f"members[0] must be a point from 0 to 0; got {i}")
        for i in (1, -1, 2**63 - 1)
    ),
    *(
        ("gather_candidates", {"items": points(0, i)}, f"points from 0 to 4; got {i}")
        for i in (5, -9)
    ),
    *(
        ("gather_candidates", {"starts": starts}, "starts must name parts of the 2 items")
        for starts in (ints(0, 3), ints(-1, 2), ints(2, 0), ints(-(2**63), 2))
    ),
    ("gather_candidates", {"counters": np.zeros((9, 4))}, "counters must have the length 5"),
    *(
        (name, {"first": points(0, i), "second": points(2, j)}, "must hold points from 0 to 4; got")
        for name in PAIRED
        for i, j in ((1, 5), (-1, 3), (5, 6), (-3, -2), (2**31 - 2, 2**31 - 1))
    ),
    *(
        (name, {"first": points(1, i), "second": points(3, j)}, f"{order}; pair 1 is ({i}, {j})")
        for name, order in (
            ("pair_product", ORDER),
            ("leading_direction", ORDER),
            ("best_plane", ORDER),
            ("meet_pairs", f"{ORDER} and of second"),
        )
        for i, j in ((0, 4), (2, 2), (3, 2))
    ),
    *(
        ("meet_pairs", {"first": points(0, 0), "second": points(3, j)}, f"pair 1 is (0, {j})")
        for j in (2, 3)
    ),
    *(
        (name, {"start": np.full(length, s)}, "start must have a length above 0")
        for name, length in (("leading_direction", 5), ("best_plane", 6))
        for s in (0.0, 1e200)
    ),
    *(
        (name, {x: np.full((5, 5), size)}, "x and v must be small enough for finite sums")
        for name, x, size in (
            ("leading_direction", "x", np.nan),
            ("leading_direction", "x", 1e200),
            ("best_plane", "X", np.nan),
        )
    ),
    *(
        (name, {"skip": ints(*range(5)), "k": 5}, "k must be at most 4, the number of points that")
        for name in ("tree_nearest", "scan_nearest")
    ),
    (
        "lloyd",
        {"X": np.full((5, 5), 1e141)},
        "X[rows] must hold values from -1e+140 to 1e+140; got 1e+141",
    ),
]


@pytest.mark.parametrize("kernel", sorted({name for name, *_ in SEEN}))
def test_what_only_a_kernel_sees_is_refused_in_the_same_words(kernel):
    for name, changes, message in SEEN:
        if name == kernel:
            said = refusal(kernel, **{**usual(kernel), **changes}, error=ValueError)
            assert message in said, (changes, said)


def test_rows_that_are_not_asked_for_may_hold_anything(kernels):
    kernels.lloyd(**{**usual("lloyd"), "X": np.full((5, 5), 1e141), "rows": ints()})


def test_a_missing_argument_is_named():
    for name in CONTRACT:
        missing = next(iter(CONTRACT[name]))
        assert refusal(name) == f"TypeError: missing a required argument: {missing!r}"
