"""Arguments of a kernel, drawn as its row of :mod:`refimpl.kernels.contract` describes them."""

import numpy as np

from refimpl.kernels.arguments import Array, length_of
from refimpl.kernels.contract import CONTRACT


def drawn(kernel, rng, **given):
    """Draw the arrays of a kernel that are not given.

    What is given by a name that is no argument's is a length, unless a given argument has another.
    """
    kinds = CONTRACT[kernel]
    values = {name: value for name, value in given.items() if name in kinds}
    lengths = {}
    for name, value in values.items():
        kinds[name].check_form(name, value, lengths, values)
    lengths = {name: n for name, n in given.items() if name not in kinds} | lengths
    for name, kind in kinds.items():
        if isinstance(kind, Array) and not kind.optional and name not in values:
            values[name] = array(rng, kind, lengths)
    return {name: values[name] for name in kinds if name in values}


def pairs(rng, n, p):
    """Draw about p pairs (i, j) of n points, i < j, in order, as a node of a tree lists them."""
    places = np.unique(rng.integers(n * n, size=2 * p))
    places = places[places // n < places % n]
    first, second = np.divmod(places, n)
    return {"n": n, "first": first.astype(np.int32), "second": second.astype(np.int32)}


def array(rng, kind, lengths):
    """Draw an array of a kind: any indices, normal floats, equal weights, even steps."""
    dtype = kind.dtypes[-1]
    shape = [length_of(length, lengths) for length in kind.shape]
    if kind.only is not None:
        return rng.choice(kind.only, shape).astype(dtype)
    if kind.below is not None:
        return rng.integers(kind.least, length_of(kind.below, lengths), shape).astype(dtype)
    if kind.ascends_to is not None:
        return np.linspace(0, lengths[kind.ascends_to], *shape).astype(dtype)
    if kind.weights:
        return np.full(shape, 1 / max(1, np.prod(shape)))
    if kind.positive:
        return rng.uniform(0.5, 1.5, shape)
    if kind.ascending:
        return np.sort(rng.normal(size=shape), axis=-1)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype != "float64":
        most = 2**64 if dtype == "uint64" else 10
        return rng.integers(0, most, shape, dtype="uint64").astype(dtype)
    return rng.normal(size=shape)
