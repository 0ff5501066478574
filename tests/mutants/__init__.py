"""Mutation testing: change one place of the code, run the tests that reach it, and see whether one
of them fails. CONTRIBUTING.md, "Mutants", says how it is used; `mutants.toml` is the configuration.
"""
