"""The table of cases, which each paper's module fills."""

CASES = {}


def case(draw):
    """Enter the function under its own name."""
    CASES[draw.__name__] = draw
    return draw
