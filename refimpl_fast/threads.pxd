"""How many threads a kernel uses, and the loops that they share; see threads.pyx."""

cdef class Loop:
    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil
    cdef int run(self, Py_ssize_t n, int n_threads, Py_ssize_t chunk=*) except -1

cdef int thread_count(threads) except -1


cdef inline int team(int n_threads, Py_ssize_t tasks) noexcept nogil:
    """No more threads than tasks: to wake a thread that has none costs more than a small task."""
    return <int> max(<Py_ssize_t> 1, min(<Py_ssize_t> n_threads, tasks))


cdef extern from "grain.h":
    enum:
        # numbers to be looked at that are worth a thread: some 200 microseconds
        GRAIN "REFIMPL_GRAIN"


cdef inline int worth(int n_threads, Py_ssize_t numbers) noexcept nogil:
    """No more threads than the work pays for."""
    return team(n_threads, 1 + numbers // GRAIN)
