"""The arguments of each kernel as a table, and the check that both twins make for each call.

A kernel trusts no argument that could make it read or write outside of its arrays. Shapes, lengths,
dtypes and index ranges are checked here, so the reference and ``refimpl_fast`` refuse the same
arguments with the same message. The values of floats are checked only where the table says so
(*finite*, *largest*, ...), because that takes as long as some kernels do.

Not handled here: faults that only the kernel itself can see, such as wrong members of a list that
it reads.
"""

import functools
import inspect
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from refimpl.arrays import LARGEST
from refimpl.kernels.arguments import (
    Array,
    Choice,
    Instance,
    Integer,
    Kind,
    Number,
    booleans,
    check_all,
    floats,
    int32s,
    int64s,
    points,
    words,
)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# the largest k where there may be fewer points: the result has a place for each of the k
MOST_NEIGHBOURS = 2**24

# ---------------------------------------------------------------------------------------- the table

_BALL_TREE = Instance(
    "refimpl.kernels.growing", "BallTree", lambda t: dict(zip("nd", t.points.shape, strict=True))
)
_KMEANS_TREES = Instance(
    "refimpl.kernels.clustering", "RegionTrees", lambda t: {"n": t.n, "d": t.centres.shape[1]}
)
_FOREST = Instance(
    "refimpl.kernels.forest", "SearchForest", lambda f: {"M": len(f.roots), "d": f.planes.shape[1]}
)
# pairs: the kernels look at the points
_LISTED = {"first": int32s("p"), "second": int32s("p"), "v": floats("p")}
_TRIPLES = {
    "triples": int32s("t", 3, below="n", nonempty=True),
    "y": floats("t", only=(1, -1)),
    "w": floats("t", weights=True),
}
# so that margins and their sums are finite
_EMBEDDINGS = {"F": floats("m", "n", largest=2.0**1000), **_TRIPLES}
_WITH_MARGINS = {
    "F": _EMBEDDINGS["F"],
    "triples": _TRIPLES["triples"],
    "y": _TRIPLES["y"],
    "margin": floats("t", largest=2.0**1000),
}
_SORTED = Instance(
    "refimpl.kernels.sorting", "SortedFeatures", lambda s: {"n": s.n_rows, "d": s.n_features}
)

CONTRACT: dict[str, dict[str, Kind]] = {
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
    "tree_leaves": {"trees": _KMEANS_TREES, "Q": floats("m", "d", largest=LARGEST)},
    "best_bin_first": {
        "trees": _KMEANS_TREES,
        "Q": floats("m", "d", largest=LARGEST),
        "most": Integer(0, "n"),
    },
    # eigen
    "leading_direction": {
        "x": floats("n", "d"),
        **_LISTED,
        "base": Number(),
        "start": floats("d", nonempty=True),
        "tol": Number(0),
    },
    # forest
    "forest_words": {"forest": _FOREST, "X": points("n", "d", like="forest.planes")},
    "gather_candidates": {
        "starts": int64s("V+1"),
        "items": int32s("I"),
        "alive": booleans("n"),
        "words": int32s("n_Q", "M", below="V"),
        "c": floats("M", positive=True),
        "most": Integer(0),
        "counters": floats("t", "n", written=True, optional=True),
    },
    "plane_values": {"X": points("n", "d"), "p": points("d", like="X", nonempty=True)},
    "rerank": {
        "Q": points("n_Q", "d", nonempty="d"),
        "X": points("n", "d", like="Q"),
        "offsets": int64s("n_Q+1", ascends_to="p"),
        "rows": int64s("p", below="n"),
        "k": Integer(0, MOST_NEIGHBOURS),
    },
    # hamming
    "hamming_distances": {"Q": words("n_Q", "words"), "X": words("n_X", "words")},
    "hamming_nearest": {
        "Q": words("n_Q", "words"),
        "X": words("n_X", "words"),
        "k": Integer(0, "n_X"),
    },
    "hamming_within": {
        "Q": words("n_Q", "words"),
        "X": words("n_X", "words"),
        "radii": int64s("n_Q"),
    },
    # hashing
    "projections": {"X": floats("n", "d"), "A": floats("d", "h")},
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
    # losses
    "minimize_z": {
        **_WITH_MARGINS,
        "least": floats("m", finite=True),
        "S": floats("m", "n", only=(0, 1), optional=True),
    },
    "next_weights": {**_WITH_MARGINS, "F": floats("n", largest=2.0**1000), "alpha": Number()},
    "z_values": {
        **_WITH_MARGINS,
        "alpha": floats("m", finite=True),
        "S": floats("m", "n", only=(0, 1), optional=True),
    },
    # pairs
    "best_thresholds": {
        "A": floats("n", "f", finite=True, nonempty="n"),
        **_LISTED,
        "base": Number(),
    },
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
    # planes
    "best_plane": {
        "X": points("n", "d", nonempty=True),
        **_LISTED,
        "base": Number(),
        "start": floats("d+1"),
        "augment": Number(),
        "tol": Number(0),
        "offset": Choice("eigenvector", "best"),
        "refine": Integer(0),
    },
    # products
    "matrix_vector": {"A": floats("n", "d"), "v": floats("d")},
    "vector_matrix": {"u": floats("n"), "A": floats("n", "d")},
    # scan
    "weighted_l1": {"Q": floats("n_Q", "d"), "A": floats("n_Q", "d"), "X": floats("n_X", "d")},
    "weighted_l1_nearest": {
        "Q": floats("n_Q", "d"),
        "A": floats("n_Q", "d"),
        "X": floats("n_X", "d"),
        "k": Integer(0, "n_X"),
    },
    # similarity
    "add_similarity": {
        "S": floats("n_Q", "n_X", written=True),
        "Q": floats("n_Q", "d"),
        "X": floats("n_X", "d"),
        "alpha": floats("T"),
        "feature": int64s("T", below="d"),
        "polarity": int64s("T", only=(1, -1)),
        "threshold": floats("T"),
    },
    # sorting
    "presort": {
        "A": floats("n_A", "d", finite=True, nonempty=True),
        "B": floats("n_B", "d", finite=True, nonempty=True, optional=True),
    },
    # stumps
    "best_stump": {"features": _SORTED, "w": floats("n", weights=True), "l": booleans("n")},
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
        "Q": floats("m", "d", largest=LARGEST),
        "X": floats("n", "d", nonempty=True),
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
    "margin_sums": {**_EMBEDDINGS, "S": floats("m", "n", only=(0, 1), optional=True)},
    "weighted_errors": {**_EMBEDDINGS},
}
"""What each kernel takes beside ``threads``: its arguments in their order."""


# ---------------------------------------------------------------------------------------- the check


def check(kernel: str, values: Mapping[str, Any]) -> dict[str, int]:
    """Check the arguments of a kernel, and return the lengths by their names."""
    return check_all(CONTRACT[kernel], values)


def check_threads(threads: object) -> None:
    """Check a number of threads: an integer of at least 1, or None for all that there are."""
    if threads is None or (type(threads) is int and threads >= 1):
        return
    if isinstance(threads, bool | np.bool_) or not isinstance(threads, numbers.Integral):
        raise TypeError(f"threads must be an integer of at least 1, or None; got {threads!r}")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, or None; got {threads}")


def checked(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Decorate a kernel, reference or fast, so that its arguments are checked first."""
    arguments = tuple(CONTRACT[function.__name__])
    signature = inspect.signature(function)
    parameters = set(signature.parameters)
    required = {p.name for p in signature.parameters.values() if p.default is p.empty}

    @functools.wraps(function)
    def wrapper(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        values = dict(zip(arguments, args, strict=False)) | options
        if len(args) + len(options) > len(values) or not required <= values.keys() <= parameters:
            signature.bind(*args, **options)  # raises, in the same words for both twins
        check_threads(values.get("threads"))
        check(function.__name__, values)
        return function(*args, **options)

    wrapper.__doc__ = _described(function.__name__, function.__doc__)
    return wrapper


THREADS = "threads : int, optional\n    Not used by the reference."
REFUSED = (
    "Raises\n------\nTypeError, ValueError\n"
    "    If an argument does not fit :data:`refimpl.kernels.contract.CONTRACT`."
)


def _described(name: str, text: str | None) -> str | None:
    """Return a kernel's docstring with what all have: `threads`, refusals, imports."""
    sections = re.split(r"\n\n(?=[A-Z][A-Za-z ]+\n---)", inspect.cleandoc(text or ""))
    if not any(section.startswith("Parameters") for section in sections):
        return text  # a twin's refers to the reference's
    if not re.search(r"^(\w+, )*threads\b", sections[1], re.MULTILINE):
        sections[1] += f"\n{THREADS}"
    place = next(i for i, s in enumerate(sections) if s.startswith(("Raises", "See")))
    own = sections.pop(place) if sections[place].startswith("Raises") else ""
    sections.insert(place, REFUSED + own.removeprefix("Raises\n------"))
    imports = ">>> import numpy as np\n"
    if "import " not in sections[-1]:
        imports += f">>> from refimpl.kernels import {name}\n"
    sections[-1] = sections[-1].replace(">>> ", f"{imports}>>> ", 1)
    return "\n\n".join(sections) + "\n"
