"""One case: the same arguments for both twins."""

import warnings

import numpy as np

from refimpl.kernels.contract import CONTRACT
from tests.support.agreement import require_twins

from .hard import Hard, arguments_of
from .hostile import mutate

HOSTILE = 0.4  # share of the cases with a wrong argument
THREADS = (None, 1, 2, 7)
NAMES = tuple(CONTRACT)


def run(seed, number, only=None):
    """Run case `number` of a seed, of one kernel if `only` names it. Returns the kernel's name and
    the kind of case.
    """
    rng = np.random.default_rng([seed, number])
    kernel = only or NAMES[rng.integers(len(NAMES))]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        values = arguments_of(kernel, rng)
        finite = True
        hostile = rng.random() < HOSTILE
        if hostile:
            values, finite = mutate(Hard(rng), values)
        threads = values.pop("threads", THREADS[rng.integers(len(THREADS))])
        require_twins(kernel, values, (threads,), finite)
    return kernel, "hostile" if hostile else "valid"
