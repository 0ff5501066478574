"""Make the vectors of ``refimpl.check`` and hold them against the oracles: ``python -m
tests.vectors``.
"""
