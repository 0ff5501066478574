"""Sums in the orders that the reference states.

Each function is compiled into the module that takes it, for the vector unit of its caller.
"""

ctypedef fused real:
    float
    double

cdef extern from "compiler.h":
    ctypedef void inlined_void "REFIMPL_ALWAYS void"

cdef extern from "rows.h":
    void row_lanes(const double* a, const double* v, Py_ssize_t d, double* out) noexcept nogil
    void add_rows(
        const double* u, const double* a, Py_ssize_t d, Py_ssize_t width, double* sums
    ) noexcept nogil

cdef enum:
    LANES = 16  # of refimpl.kernels.forest
    TOGETHER = 4  # rows whose lanes are added side by side, as in rows.h
    COLUMNS = 512  # columns whose sums stay in the nearest cache


cdef inline double folded(double* lanes) noexcept nogil:
    # lanes = lanes[:, :half] + lanes[:, half:] until one is left
    cdef Py_ssize_t i
    for i in range(8):
        lanes[i] = lanes[i] + lanes[i + 8]
    for i in range(4):
        lanes[i] = lanes[i] + lanes[i + 4]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


cdef inline double lane_dot(const real* a, const real* b, Py_ssize_t d) noexcept nogil:
    # _lane_sums(a.astype(np.float64) * b.astype(np.float64))
    cdef double[LANES] lanes
    cdef Py_ssize_t c, i, whole = d // LANES * LANES
    for i in range(LANES):
        lanes[i] = 0
    for c in range(whole // LANES):
        for i in range(LANES):
            lanes[i] += <double> a[c * LANES + i] * <double> b[c * LANES + i]
    for i in range(d - whole):
        lanes[i] += <double> a[whole + i] * <double> b[whole + i]
    return folded(lanes)


cdef inline inlined_void row_sums(
    const double* A, const double* v, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    # np.einsum("ij,j->i", A, v)
    # two lanes; of eight columns the last two first: see refimpl.kernels.matrix_vector
    cdef double[2 * TOGETHER] lanes
    cdef Py_ssize_t i = 0, c, k, row, rows, whole = d - d % 8
    cdef const double* a
    while i < n:
        rows = min(n - i, <Py_ssize_t> TOGETHER)
        a = A + i * d
        if rows == TOGETHER:
            row_lanes(a, v, d, lanes)
        else:
            for row in range(rows):
                lanes[2 * row], lanes[2 * row + 1] = 0, 0
                for c in range(0, whole, 8):
                    for k in range(6, -1, -2):
                        lanes[2 * row] += a[row * d + c + k] * v[c + k]
                        lanes[2 * row + 1] += a[row * d + c + k + 1] * v[c + k + 1]
        for row in range(rows):
            for c in range(whole, d):
                lanes[2 * row + c % 2] += a[row * d + c] * v[c]
            out[i + row] = lanes[2 * row] + lanes[2 * row + 1]
        i += rows


cdef inline inlined_void panel_sums(
    const double* u, const double* A, Py_ssize_t n, Py_ssize_t d, Py_ssize_t width, double* out
) noexcept nogil:
    # np.einsum("i,ij->j", u, A) for `width` columns: the rows u_i A_i are added in their order
    cdef double[COLUMNS] sums
    cdef Py_ssize_t i, c, whole = n - n % 4
    cdef const double* a
    for c in range(width):
        sums[c] = 0
    for i in range(0, whole, 4):
        add_rows(u + i, A + i * d, d, width, sums)
    for i in range(whole, n):
        a = A + i * d
        for c in range(width):
            sums[c] += u[i] * a[c]
    for c in range(width):
        out[c] = sums[c]


cdef inline inlined_void column_sums(
    const double* u, const double* A, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    # np.einsum("i,ij->j", u, A)
    cdef Py_ssize_t c = 0, width
    while c < d:
        width = min(d - c, <Py_ssize_t> COLUMNS)
        panel_sums(u, A + c, n, d, width, out + c)
        c += width


cdef inline double dot(const double* a, const double* b, Py_ssize_t d) noexcept nogil:
    # np.einsum("i,i", a, b)
    cdef double total
    row_sums(a, b, 1, d, &total)
    return total


cdef inline double pairwise_sum(const double* a, Py_ssize_t n) noexcept nogil:
    # a.sum(), as NumPy adds a contiguous array; see refimpl_fast.eigen.SUMS_ADD_SO
    cdef double[8] r
    cdef double total = 0
    cdef Py_ssize_t i, k, whole = n - n % 8, half
    if n > 128:
        half = n // 2
        half -= half % 8
        return pairwise_sum(a, half) + pairwise_sum(a + half, n - half)
    if n >= 8:
        for k in range(8):
            r[k] = a[k]
        for i in range(8, whole, 8):
            for k in range(8):
                r[k] += a[i + k]
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    else:
        whole = 0
    for i in range(whole, n):
        total += a[i]
    return total
