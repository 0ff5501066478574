"""Brute force for the rivals of the search forest: plain loops over Python numbers. Imports neither package."""


def differing_bits(a, b):
    """Hamming distance of two codes, rows of words."""
    return sum((int(x) ^ int(y)).bit_count() for x, y in zip(a, b, strict=True))


def nearest_codes(codes, query, k):
    """The k nearest as (distance, index), the lowest index first among equals."""
    return sorted((differing_bits(code, query), i) for i, code in enumerate(codes))[:k]


def codes_within(codes, query, radius):
    """All within the radius, in the same order."""
    return [(d, i) for d, i in nearest_codes(codes, query, len(codes)) if d <= radius]
