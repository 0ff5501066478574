"""Objects with a counted distance, embeddings by references, and retrieval by them."""

from refimpl.spaces.objects import (
    CallableSpace,
    PrecomputedSpace,
    Space,
    as_space,
)

__all__ = [
    "CallableSpace",
    "PrecomputedSpace",
    "Space",
    "as_space",
]
