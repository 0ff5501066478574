"""How many threads a kernel uses; shared by the kernels."""

cdef extern from *:
    """
    #ifdef _OPENMP
    #include <omp.h>
    static int built_with_openmp(void) { return 1; }
    static int processors(void) { return omp_get_max_threads(); }
    #else
    static int built_with_openmp(void) { return 0; }
    static int processors(void) { return 1; }
    #endif
    """
    int built_with_openmp() nogil
    int processors() nogil


cdef inline int thread_count(threads) except -1:
    import operator
    import warnings

    if threads is None:
        return processors()
    try:
        threads = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads: {threads!r}; pass a number of at least 1, or None for all processors") from None
    if threads < 1:
        raise ValueError(f"threads: {threads!r}; pass a number of at least 1, or None for all processors")
    if threads > 1 and not built_with_openmp():
        warnings.warn("refimpl_fast was built without OpenMP: it runs on one thread", RuntimeWarning, stacklevel=3)
    return threads


cdef inline int team(int n_threads, Py_ssize_t tasks) noexcept nogil:
    """No more threads than tasks: to wake a thread that has none costs more than a small task."""
    return <int> max(<Py_ssize_t> 1, min(<Py_ssize_t> n_threads, tasks))


cdef enum:
    GRAIN = 400_000  # numbers to be looked at that are worth a thread: some 200 microseconds


cdef inline int worth(int n_threads, Py_ssize_t numbers) noexcept nogil:
    """No more threads than the work pays for: on a busy machine a short loop would wait for each of them."""
    return team(n_threads, 1 + numbers // GRAIN)
