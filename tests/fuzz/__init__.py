"""A fuzzer of both twins: ``python -m tests.fuzz --cases 100000 --seed 1``. It says how to repeat what it finds."""
