"""How many threads a kernel uses, and the loops that they share.

On a platform without threads the kernels run on one, and a warning says so at the import.
"""

import warnings

from refimpl.kernels.contract import check_threads
from refimpl.resources import processors as allowed

cdef extern from "grain.h":
    enum:
        REFIMPL_LEAST_PROCESSORS

cdef extern from "compiler.h":
    enum:
        REFIMPL_THREADS

cdef extern from "widths.h":
    int refimpl_width

cdef extern from "pool.h" namespace "refimpl" nogil:
    ctypedef void (*Steps)(void* loop, Py_ssize_t first, Py_ssize_t last, int thread) noexcept nogil
    void _run "refimpl::run"(
        Steps steps, void* loop, Py_ssize_t n, Py_ssize_t chunk, int threads
    ) except +


cdef class Loop:
    """A loop whose steps are independent.

    A subclass holds what the steps read and write, and says what step i does.
    """

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        """Do step i. Meanwhile no other thread has the number `thread`, which selects the scratch
        memory.
        """
        pass

    cdef int run(self, Py_ssize_t n, int n_threads, Py_ssize_t chunk=0) except -1:
        """Do steps 0 to n - 1 on up to `n_threads` threads, which take `chunk` steps at a time.

        Raises MemoryError where a vector of refimpl_fast.vectors has no memory to grow.
        """
        if chunk == 0:
            chunk = n // (32 * n_threads)
        try:
            with nogil:
                _run(<Steps> &_steps, <void*> self, n, chunk, n_threads)
        except MemoryError:
            raise MemoryError("memory ran out in a kernel; pass fewer rows at a time") from None
        return 0


cdef void _steps(Loop loop, Py_ssize_t first, Py_ssize_t last, int thread) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(first, last):
        loop.at(i, thread)


LEAST_PROCESSORS = REFIMPL_LEAST_PROCESSORS  # more than 1 in the build with checks only

if not REFIMPL_THREADS:
    warnings.warn(
        "refimpl_fast was built without threads: every kernel runs on one thread, whatever "
        "`threads` is",
        stacklevel=2,
    )


def processors():
    """Return how many processors the kernels may use; see :func:`refimpl.resources.processors`."""
    return max(REFIMPL_LEAST_PROCESSORS, allowed()) if REFIMPL_THREADS else 1


def vector_bytes():
    """Return how wide the vectors are that the kernels use on this processor.

    64 (AVX-512: x86-64-v4), 32 (AVX2: x86-64-v3) or 16 (SSE2, NEON), and 0 where the compiler was
    neither GCC nor Clang: then the width is the compiler's choice.
    """
    return refimpl_width


cdef int thread_count(threads) except -1:
    """Return the number of threads that `threads` asks for, at most one for each processor."""
    check_threads(threads)
    if threads is None:
        return processors()
    return min(threads, processors()) if threads > 1 else 1
