"""Measure every kernel and every public training at three sizes, in both twins, beside peers.

``python -m tests.benchmarks.map`` writes the table and the picture of ``tests/benchmarks``.
"""
