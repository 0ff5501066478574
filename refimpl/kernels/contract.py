"""What each kernel takes, as a table, and the check that both twins make of it, once for each call.

A kernel trusts nothing that could make it read or write where it must not: shapes, lengths, dtypes and index ranges are
checked here, so the reference and ``refimpl_fast`` refuse the same arguments with the same message. Values of floats
are not looked at unless the table says *finite*: that takes as long as some kernels do.

Not handled here: what only the kernel sees on its way, such as the members of the lists that it opens.
"""

import functools
import inspect
import numbers

import numpy as np

MOST_NEIGHBOURS = 2**24  # that a query may ask for where there may be fewer points: the answer has a place for each
ROUNDING = 1e-9  # by which a sum of weights may be above 1
LARGEST = 1e140  # the squares of larger values, summed, would leave float64

# ------------------------------------------------------------------------------------------------ kinds of arguments


class Array:
    """An array: its dtypes, its shape by named lengths, and what its values must be.

    Parameters
    ----------
    dtypes : tuple of str
        Any of them.
    shape : tuple of str or int
        A name stands for one length wherever it occurs in a call; "n+1" is one more than n.
    below : str, optional
        The values are indices below this length.
    least : int, default 0
        The least index; -1 where it stands for none.
    optional : bool, default False
        Whether None is allowed.
    finite : bool, default False
        Whether NaN and infinities are refused.
    largest : float, optional
        The largest absolute value, no NaN; infinity refuses NaN alone.
    ascends_to : str, optional
        The values are places in a list of this length, which they divide: they begin at 0, never fall, and end there.
    written : bool, default False
        Whether the kernel writes to it.
    like : str, optional
        The argument whose dtype it must have, or "argument.attribute".
    nonempty : bool or str, default False
        Whether every length must be at least 1, or the name of the one that must.
    weights : bool, default False
        Whether the values must be weights: not negative, and no more than 1 together.
    positive : bool, default False
        Whether the values must be above 0 and finite.
    only : tuple of float, optional
        The two values that there may be.
    ascending : bool, default False
        Whether no value along the last axis may be below the one before it; none may be NaN.
    """

    def __init__(self, dtypes, shape, *, below=None, least=0, optional=False, finite=False, largest=None,
                 ascends_to=None, written=False, like=None, nonempty=False, weights=False, positive=False, only=None,
                 ascending=False):  # fmt: skip
        self.dtypes = dtypes
        self.shape = shape
        self.below = below
        self.least = least
        self.optional = optional
        self.finite = finite
        self.largest = largest
        self.ascends_to = ascends_to
        self.written = written
        self.like = like
        self.nonempty = nonempty
        self.weights = weights
        self.positive = positive
        self.only = only
        self.ascending = ascending
        self.known = frozenset(map(np.dtype, dtypes))  # in the machine's byte order
        self.axes = [_parts(wanted) for wanted in shape]
        self.free = not (below or finite or largest or ascends_to or weights or positive or only or ascending)

    def check_form(self, name, value, lengths, values):
        """Check type, dtype, shape and layout, and enter the lengths that are new."""
        if value is None and self.optional:
            return
        if type(value) not in (np.ndarray, np.memmap):  # masked arrays and matrices compute otherwise
            raise TypeError(f"{name} must be a numpy.ndarray; got {_kind(value)}")
        if value.dtype not in self.known:
            raise TypeError(f"{name} must hold {' or '.join(self.dtypes)}; got {value.dtype}")
        if self.like is not None and value.dtype != _dtype_of(self.like, values):
            raise TypeError(f"{name} must hold {_dtype_of(self.like, values)}, as {self.like} does; got {value.dtype}")
        if value.ndim != len(self.shape):
            raise ValueError(f"{name} must have {len(self.shape)} dimensions; got an array of shape {value.shape}")
        for axis, (wanted, more) in enumerate(self.axes):
            length = value.shape[axis]
            if wanted not in lengths and wanted is not None:
                lengths[wanted] = length - more
                if length < more:
                    raise ValueError(f"{name} must have at least {more} entries; got {length}")
            expected = more if wanted is None else lengths[wanted] + more
            if length != expected:
                raise ValueError(f"{name} must have the length {expected} along axis {axis}; got shape {value.shape}")
        if self.nonempty and (lengths[self.nonempty] if isinstance(self.nonempty, str) else value.size) == 0:
            raise ValueError(f"{name} must not be empty; got shape {value.shape}")
        if not value.flags.c_contiguous or not value.flags.aligned:
            raise ValueError(f"{name} must be C-contiguous; pass numpy.ascontiguousarray({name})")
        if self.written and not value.flags.writeable:
            raise ValueError(f"{name} must be writeable: the result is written to it")

    def check_values(self, name, value, lengths):
        """Check indices, and floats that must be finite."""
        if self.free or value is None:
            return
        if self.below is not None and value.size:
            least, most, end = value.min(), value.max(), length_of(self.below, lengths)
            if least < self.least or most >= end:
                wrong = least if least < self.least else most
                raise ValueError(f"{name} must hold indices from {self.least} to {end - 1}; got {wrong}")
        if self.ascends_to is not None:
            end = lengths[self.ascends_to]
            if value[0] != 0 or value[-1] != end or (value[1:] < value[:-1]).any():
                raise ValueError(f"{name} must ascend from 0 to {end}; got {_in_short(value)}")
        if self.weights and value.size and not (value.min() >= 0 and value.sum() <= 1 + ROUNDING):
            raise ValueError(f"{name} must hold weights of at least 0 that add up to at most 1; got {_in_short(value)}")
        if self.positive and value.size and not (value.min() > 0 and np.isfinite(value.max())):
            raise ValueError(f"{name} must hold positive finite numbers; got {_in_short(value)}")
        if self.only is not None and not ((value == self.only[0]) | (value == self.only[1])).all():
            wrong = value[(value != self.only[0]) & (value != self.only[1])][0]
            raise ValueError(f"{name} must hold {self.only[0]} or {self.only[1]}; got {wrong}")
        if self.ascending and not ((value[..., 1:] >= value[..., :-1]).all() and (value == value).all()):
            raise ValueError(f"{name} must not fall along the last axis, nor hold NaN; got {_in_short(value)}")
        if self.finite and not np.isfinite(value).all():
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
            raise ValueError(f"{name} must be finite; got {value[place]} at {place}")
        if self.largest is not None:
            require_within(value, name, self.largest)


class Integer:
    """A whole number from `least` to `most`, each a number or the name of a length."""

    def __init__(self, least, most=None):
        self.least = least
        self.most = most

    def check_form(self, name, value, lengths, values):
        """Check the type."""
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
            raise TypeError(f"{name} must be an integer; got {_kind(value)}")

    def check_values(self, name, value, lengths):
        """Check the range."""
        least = length_of(self.least, lengths)
        most = 2**63 - 1 if self.most is None else length_of(self.most, lengths)
        if not least <= value <= most:
            limit = f"at least {least}" if self.most is None and value < least else f"from {least} to {most}"
            raise ValueError(f"{name} must be {limit}; got {value}")


class Number:
    """A real number of at least `least`, or any where that is None; never NaN or infinite."""

    def __init__(self, least=None):
        self.least = least

    def check_form(self, name, value, lengths, values):
        """Check the type."""
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
            raise TypeError(f"{name} must be a number; got {_kind(value)}")

    def check_values(self, name, value, lengths):
        """Check the range."""
        if not np.isfinite(value) or (self.least is not None and value < self.least):
            limit = "finite" if self.least is None else f"finite and at least {self.least}"
            raise ValueError(f"{name} must be {limit}; got {value}")


class Choice:
    """One of some strings or booleans."""

    def __init__(self, *known):
        self.known = known

    def check_form(self, name, value, lengths, values):
        """Check that it is one of them."""
        one_of(value, self.known, name)

    def check_values(self, name, value, lengths):
        """Nothing more."""


class Instance:
    """An object of a class of the project, whose own constructor checks it; `lengths` enters what it brings."""

    def __init__(self, module, name, lengths):
        self.module = module
        self.name = name
        self.lengths = lengths

    def check_form(self, name, value, lengths, values):
        """Check the class, and enter its lengths."""
        wanted = getattr(__import__(self.module, fromlist=[self.name]), self.name)
        if not isinstance(value, wanted):
            raise TypeError(f"{name} must be a {self.name}; got {_kind(value)}")
        for key, length in self.lengths(value).items():
            expected = lengths.setdefault(key, length)
            if length != expected:
                raise ValueError(f"{name} has {length} for {key}; the arguments before it have {expected}")

    def check_values(self, name, value, lengths):
        """Nothing more."""


def length_of(wanted, lengths):
    """Return the length that `wanted` stands for: a number, a name, or a name and "+1" or more."""
    name, more = _parts(wanted)
    return more if name is None else lengths[name] + more


def _parts(wanted):
    """The name of a length, None for a number, and what is added to it."""
    if not isinstance(wanted, str):
        return None, wanted
    name, _, more = wanted.partition("+")
    return name, int(more or 0)


def one_of(value, allowed, name):
    """Check that a value is one of those allowed.

    Parameters
    ----------
    value : object
    allowed : iterable of str or bool
        In the order in which the message gives them.
    name : str
        How the message calls the argument.

    Returns
    -------
    object
        `value`.

    Raises
    ------
    ValueError
        If it is another, or of another type.
    """
    if not any(isinstance(value, type(one)) and value == one for one in allowed):
        known = [repr(one) for one in allowed]
        others = f"{', '.join(known[:-1])} or " if len(known) > 1 else ""
        raise ValueError(f"{name} must be {others}{known[-1]}; got {value!r}")
    return value


def require_within(values, name, largest=LARGEST):
    """Refuse an array with values beyond `largest`, or NaN."""
    if values.size and not (values.min() >= -largest and values.max() <= largest):
        place = tuple(int(i) for i in np.argwhere(~(np.abs(values) <= largest))[0])
        raise ValueError(f"{name} must hold values from {-largest} to {largest}; got {values[place]} at {place}")


def _dtype_of(name, values):
    """The dtype of the argument of that name, or of "argument.attribute"."""
    name, *attribute = name.split(".")
    return getattr(values[name], attribute[0]).dtype if attribute else values[name].dtype


def floats(*shape, **options):
    """An array of float64."""
    return Array(("float64",), shape, **options)


def points(*shape, **options):
    """An array of float32 or float64."""
    return Array(("float32", "float64"), shape, **options)


def words(*shape, **options):
    """An array of uint64."""
    return Array(("uint64",), shape, **options)


def int32s(*shape, **options):
    """An array of int32."""
    return Array(("int32",), shape, **options)


def int64s(*shape, **options):
    """An array of int64."""
    return Array(("int64",), shape, **options)


def booleans(*shape, **options):
    """An array of booleans."""
    return Array(("bool",), shape, **options)


def _kind(value):
    return "None" if value is None else type(value).__name__


def _in_short(value):
    return np.array2string(np.asarray(value), threshold=6, edgeitems=3)


# ------------------------------------------------------------------------------------------------ the table

_BALL_TREE = Instance("refimpl.kernels.trees", "BallTree", lambda t: dict(zip("nd", t.points.shape, strict=True)))
_KMEANS_TREES = Instance("refimpl.rivals.kmeans_trees", "KMeansTrees", lambda t: {"n": t.n, "d": t.centres.shape[1]})
_FOREST = Instance("refimpl.kernels.forest", "SearchForest", lambda f: {"M": len(f.roots), "d": f.planes.shape[1]})
_LISTED = {"first": int32s("p"), "second": int32s("p"), "v": floats("p")}  # pairs: the kernels look at the points
_TRIPLES = {
    "triples": int32s("t", 3, below="n", nonempty=True),
    "y": floats("t", only=(1, -1)),
    "w": floats("t", weights=True),
}
_EMBEDDINGS = {"F": floats("m", "n", largest=2.0**1000), **_TRIPLES}  # so that margins and their sums are finite
_SORTED = Instance("refimpl.kernels.stumps", "SortedFeatures", lambda s: {"n": s.n_rows, "d": s.n_features})

CONTRACT = {
    # chamfer
    "chamfer_distances": {
        "A": booleans("n_A", "height", "width"),
        "B": booleans("n_B", "height", "width"),
    },
    "chamfer_nearest": {
        "Q": booleans("n_Q", "height", "width"),
        "X": booleans("n_X", "height", "width"),
        "k": Integer(1, "n_X"),
    },
    # clustering
    "lloyd": {
        "X": floats("n", "d"),
        "rows": int64s("p", below="n"),
        "centres": floats("k", "d", nonempty=True, largest=LARGEST),
        "iterations": Integer(0),
    },
    "tree_leaves": {
        "trees": _KMEANS_TREES,
        "Q": floats("m", "d", largest=LARGEST),
    },
    "best_bin_first": {
        "trees": _KMEANS_TREES,
        "Q": floats("m", "d", largest=LARGEST),
        "most": Integer(0, "n"),
    },
    # forest
    "forest_words": {
        "forest": _FOREST,
        "X": points("n", "d", like="forest.planes"),
    },
    "gather_candidates": {
        "starts": int64s("V+1"),
        "items": int32s("I"),
        "alive": booleans("n"),
        "words": int32s("n_Q", "M", below="V"),
        "c": floats("M", positive=True),
        "most": Integer(0),
        "counters": floats("t", "n", written=True, optional=True),
    },
    "plane_values": {
        "X": points("n", "d"),
        "p": points("d", like="X", nonempty=True),
    },
    "rerank": {
        "Q": points("n_Q", "d", nonempty="d"),
        "X": points("n", "d", like="Q"),
        "offsets": int64s("n_Q+1", ascends_to="p"),
        "rows": int64s("p", below="n"),
        "k": Integer(0, MOST_NEIGHBOURS),
    },
    # hamming
    "hamming_distances": {
        "codes": words("n", "words"),
        "queries": words("m", "words"),
    },
    "hamming_nearest": {
        "codes": words("n", "words"),
        "queries": words("m", "words"),
        "k": Integer(0, "n"),
    },
    "hamming_within": {
        "codes": words("n", "words"),
        "queries": words("m", "words"),
        "radii": int64s("m"),
    },
    # hashing
    "projections": {
        "X": floats("n", "d"),
        "A": floats("d", "h"),
    },
    "bucket_votes": {
        "starts": int64s("b"),
        "ends": int64s("b"),
        "members": int64s("size"),
        "buckets": int64s("m", "tables", below="b", least=-1),
        "n": Integer(0, 2**31 - 1),
        "most": Integer(0),
    },
    # landmarks
    "least_similar": {
        "sums": floats("n", finite=True, written=True),
        "column": floats("n", finite=True),
        "taken": booleans("n"),
    },
    "transferred_differences": {
        "K": floats("n", "r"),
        "plus": int64s("d", below="r"),
        "minus": int64s("d", below="r"),
        "slopes": floats("m"),
    },
    # pairs
    "best_thresholds": {"A": floats("n", "f", finite=True, nonempty="n"), **_LISTED, "base": Number()},
    "meet_pairs": {
        "leaf": int64s("n", nonempty=True),
        "first": int32s("p"),
        "second": int32s("p"),
        "similar": Array(("uint8",), ("p",)),
        "T": floats("p"),
        "c": Number(),
    },
    "pair_product": {**_LISTED, "u": floats("n")},
    "split_pairs": {"left": booleans("n"), **_LISTED},
    # products
    "matrix_vector": {"A": floats("n", "d"), "v": floats("d")},
    "vector_matrix": {"u": floats("n"), "A": floats("n", "d")},
    # scan
    "weighted_l1": {
        "Q": floats("n_Q", "d"),
        "A": floats("n_Q", "d"),
        "X": floats("n_X", "d"),
    },
    "weighted_l1_nearest": {
        "Q": floats("n_Q", "d"),
        "A": floats("n_Q", "d"),
        "X": floats("n_X", "d"),
        "k": Integer(0, "n_X"),
    },
    # stumps
    "presort": {
        "A": floats("n_A", "d", finite=True, nonempty=True),
        "B": floats("n_B", "d", finite=True, nonempty=True, optional=True),
    },
    "best_stump": {
        "features": _SORTED,
        "w": floats("n", weights=True),
        "l": booleans("n"),
    },
    "add_similarity": {
        "S": floats("n_Y", "n_X", written=True),
        "Y": floats("n_Y", "d"),
        "X": floats("n_X", "d"),
        "alpha": floats("T"),
        "feature": int64s("T", below="d"),
        "polarity": int64s("T"),
        "threshold": floats("T"),
    },
    # subgradient
    "pair_distances": {
        "Z": floats("n", "r"),
        "first": int64s("p", below="n"),
        "second": int64s("p", below="n"),
    },
    "impostors": {
        "Q": floats("n_Q", "r", finite=True),
        "X": floats("n_X", "r", finite=True),
        "radii": floats("n_Q", finite=True),
        "classes_Q": int64s("n_Q"),
        "classes_X": int64s("n_X"),
    },
    "hinge_terms": {
        "targets": floats("n", "k", nonempty=True),
        "pairs": floats("p"),
        "start": int64s("n+1", ascends_to="p"),
        "h": Number(0),
    },
    "weighted_differences": {
        "Z": floats("n", "r"),
        "start": int64s("n+1", ascends_to="e"),
        "other": int64s("e", below="n"),
        "edge": int64s("e", below="p"),
        "weights": floats("p"),
    },
    # trees
    "build_tree": {
        "X": floats("n", "d", nonempty=True, largest=LARGEST),
        "leaf_size": Integer(2),
        "direction": Choice("axis", "principal"),
    },
    "tree_nearest": {
        "tree": _BALL_TREE,
        "Q": floats("m", "d", largest=LARGEST),
        "k": Integer(1, "n"),
        "skip": int64s("m", below="n", least=-1, optional=True),
        "bound": Choice("box", "ball"),
    },
    "tree_within": {
        "tree": _BALL_TREE,
        "Q": floats("m", "d", largest=LARGEST),
        "limits": floats("m", largest=np.inf),
        "strict": Choice(False, True),
        "skip": int64s("m", below="n", least=-1, optional=True),
        "bound": Choice("box", "ball"),
    },
    "scan_nearest": {
        "X": floats("n", "d", nonempty=True),
        "Q": floats("m", "d", largest=LARGEST),
        "k": Integer(1, "n"),
        "skip": int64s("m", below="n", least=-1, optional=True),
    },
    # triples
    "best_ranges": {
        "values": floats("m", "n", largest=2.0**1000),
        **_EMBEDDINGS,
        "thresholds": floats("m", "k", ascending=True),
        "ranges": int64s("r", 2, below="k+2", nonempty=True),
    },
    "margin_sums": _EMBEDDINGS,
    "minimize_z": {**_EMBEDDINGS, "least": floats("m", finite=True), "S": floats("m", "n", only=(0, 1), optional=True)},
    "weighted_errors": _EMBEDDINGS,
    "z_values": {**_EMBEDDINGS, "alpha": floats("m", finite=True), "S": floats("m", "n", only=(0, 1), optional=True)},
}
"""What each kernel takes beside ``threads``: its arguments in their order."""


# ------------------------------------------------------------------------------------------------ the check


def check(kernel, values):
    """Check the arguments of a kernel.

    Parameters
    ----------
    kernel : str
        Its name.
    values : dict
        Arguments by name.

    Returns
    -------
    dict of str -> int
        The lengths by their names.

    Raises
    ------
    TypeError
        If an argument is of the wrong type or dtype.
    ValueError
        If a shape, a layout, an index or a value does not fit.
    """
    lengths = {}
    arguments = CONTRACT[kernel]
    for name, kind in arguments.items():
        if name in values:
            kind.check_form(name, values[name], lengths, values)
    for name, kind in arguments.items():
        if name in values:
            kind.check_values(name, values[name], lengths)
    return lengths


def check_threads(threads):
    """Check a number of threads: an integer of at least 1, or None for all that the process may use."""
    if threads is None:
        return
    if isinstance(threads, bool | np.bool_) or not isinstance(threads, numbers.Integral):
        raise TypeError(f"threads must be an integer of at least 1, or None; got {threads!r}")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, or None; got {threads}")


def checked(function):
    """Decorate a kernel, reference or fast, so that its arguments are checked first."""
    arguments = tuple(CONTRACT[function.__name__])
    signature = inspect.signature(function)
    known = set(signature.parameters)
    required = {p.name for p in signature.parameters.values() if p.default is p.empty}

    @functools.wraps(function)
    def wrapper(*args, **options):
        values = dict(zip(arguments, args, strict=False)) | options
        if len(args) + len(options) > len(values) or not required <= values.keys() <= known:
            signature.bind(*args, **options)  # raises, in the same words for both twins
        check_threads(values.get("threads"))
        check(function.__name__, values)
        return function(*args, **options)

    return wrapper
