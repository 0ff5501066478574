"""A fuzzer of both twins: ``python -m tests.fuzz --cases 100000 --seed 1``. It says how to repeat
what it finds.

The arguments are small: in the ordinary build nearly all loops stay on one thread. With the build
that has bounds checks (``REFIMPL_DEBUG=1``) the smallest loops have several.
"""
