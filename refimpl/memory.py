"""The cap on memory that trainings take: each estimates what it needs before the work starts."""


def check_memory(needed, max_memory, fewer, how="about"):
    """Raise MemoryError if an estimate exceeds the cap.

    Parameters
    ----------
    needed, max_memory : int
        Bytes.
    fewer : str
        Of what there could be less: for the message.
    how : {"about", "up to"}
        Whether the estimate is one, or an upper bound.
    """
    if needed > max_memory:
        raise MemoryError(
            f"max_memory is {max_memory:,} bytes; the training needs {how} {needed:,}. Pass more, or fewer {fewer}"
        )
