"""Hold other implementations against the reference: vectors, and the command
``python -m refimpl.check``.

The vectors (``vectors/``, JSON) give for every kernel of :mod:`refimpl.kernels` and for whole
trainings the inputs, the expected results, how far a correct answer may differ, and the printed
line that each result stands for. They are readable from any language:
:mod:`refimpl.check.encoding` says how numbers are written, ``vectors/schema.json`` is the schema.

Not handled here: how fast an implementation is.
"""

__all__: list[str] = []
