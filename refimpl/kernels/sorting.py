"""The features of decision stumps, sorted once before the first round.

Every round of a training then finds its stump in one linear pass (:mod:`refimpl.kernels.stumps`):
Viola & Jones (2004), as Algorithm A.2 of Amores, Sebe & Radeva (2006) asks.

Not handled here: missing values, sparse input.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.arrays import FloatArray, IntArray, RowArray, UInt32Array
from refimpl.kernels.arguments import Array, Kind, check_all, floats, int64s
from refimpl.kernels.contract import checked
from refimpl.results import from_new_arrays, immutable, sealed

FIELDS: dict[str, Kind] = {
    "A": floats("n_A", "d", nonempty=True, finite=True),
    "B": floats("n_B", "d", nonempty=True, finite=True, optional=True),
    "rows": Array(("uint16", "uint32"), ("r",)),
    "row_ptr": int64s("d+1", ascends_to="r"),
    "starts": Array(("uint32",), ("b",)),
    "bin_ptr": int64s("d+1", ascends_to="b"),
    "common": int64s("d"),
    "common_row": int64s("d"),
}
"""What the fields of sorted features must be."""


@immutable
@dataclass(frozen=True, eq=False)
class SortedFeatures:
    """The rows of a data set, sorted by each feature and cut into runs of equal value ("bins").

    The data set is a matrix A (``B is None``), or all the differences A[i] - B[j], row i * len(B) +
    j, which are never stored. The largest bin of each feature, its *common* bin, is left out: its
    weight is the total less the weights of the other bins.

    Attributes
    ----------
    A : ndarray, shape (n_A, d), float64
    B : ndarray, shape (n_B, d), float64, or None
    rows : ndarray, uint16 or uint32
        Row numbers, by feature, then by value, then ascending; the common bins' rows are left out.
    row_ptr : ndarray, shape (d + 1,), int64
        Feature f has the entries ``rows[row_ptr[f]:row_ptr[f + 1]]``.
    starts : ndarray, uint32
        Where the bins of a feature start within its entries; the common bin is left out.
    bin_ptr : ndarray, shape (d + 1,), int64
        Feature f has the bins ``starts[bin_ptr[f]:bin_ptr[f + 1]]``.
    common : ndarray, shape (d,), int64
        How many of the feature's bins hold values below the common one.
    common_row : ndarray, shape (d,), int64
        The first row of the common bin.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not sort the rows of a data set.

    See Also
    --------
    presort : Sort the features of a data set.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.kernels import presort
    >>> features = presort(np.array([[3.0], [1.0], [3.0]]))
    >>> features.n_rows, features.n_features, features.rows.tolist()
    (3, 1, [1])
    >>> features.threshold(0, 1, 1)
    2.0
    """

    A: FloatArray
    B: FloatArray | None
    rows: RowArray
    row_ptr: IntArray
    starts: UInt32Array
    bin_ptr: IntArray
    common: IntArray
    common_row: IntArray

    def __post_init__(self) -> None:
        lengths = check_all(FIELDS, vars(self))
        if len(self.rows) and self.rows.max() >= self.n_rows:
            raise ValueError(
                f"rows must be below {self.n_rows}, the number of rows; got {self.rows.max()}"
            )
        self._require_bins(lengths["d"])

    def _require_bins(self, d: int) -> None:
        """Refuse bins that do not cut the rows of a feature into one run after the other."""
        entries = np.diff(self.row_ptr)
        bins = np.diff(self.bin_ptr)
        first = self.bin_ptr[:-1]
        filled = bins > 0
        rises = self.starts[1:] > self.starts[:-1]
        # where a feature's bins begin
        rises[first[1:][(first[1:] > 0) & (first[1:] < len(self.starts))] - 1] = True
        begin = self.starts[first[filled]]
        end = self.starts[first[filled] + bins[filled] - 1]
        if (
            not rises.all()
            or begin.any()
            or (end >= entries[filled]).any()
            or (entries[~filled] > 0).any()
        ):
            raise ValueError(
                "starts must rise from 0 for each feature and stay below the number of its rows"
            )
        for name, most in (("common", bins), ("common_row", np.full(d, self.n_rows - 1))):
            array = getattr(self, name)
            if (array < 0).any() or (array > most).any():
                raise ValueError(
                    f"{name} must hold an index from 0 to the last for each of the {d} features"
                )

    @property
    def n_rows(self) -> int:
        """The number n of rows of the data set."""
        return len(self.A) * (1 if self.B is None else len(self.B))

    @property
    def n_features(self) -> int:
        """The number d of features."""
        return int(self.A.shape[1])

    @property
    def nbytes(self) -> int:
        """How many bytes the sorted rows hold, without A and B."""
        arrays = (self.rows, self.row_ptr, self.starts, self.bin_ptr, self.common, self.common_row)
        return sum(array.nbytes for array in arrays)

    def column(self, f: int) -> FloatArray:
        """Return feature f of every row: shape (n,), float64."""
        return _column(self.A, self.B, f)

    def bins(self, f: int) -> tuple[RowArray, UInt32Array, int]:
        """Return the rows of feature f, where its bins start, and the index of the common bin."""
        rows = self.rows[self.row_ptr[f] : self.row_ptr[f + 1]]
        starts = self.starts[self.bin_ptr[f] : self.bin_ptr[f + 1]]
        return rows, starts, self.common[f]

    def threshold(self, f: int, k: int, p: int) -> float:
        """Return the threshold that puts the k lowest distinct values of feature f on one side.

        For k = 0 the threshold is -inf, else the midpoint of two neighbouring values. If no float64
        lies between the two, it is the value that separates them for polarity p.
        """
        if k == 0:
            return -np.inf
        low = self._value(f, k - 1)
        high = self._value(f, k)
        middle = low / 2 + high / 2
        if not low < middle < high:
            return high if p > 0 else low  # p = 1 tests x < theta, p = -1 tests x > theta
        return middle

    def _value(self, f: int, k: int) -> float:
        """Return the k-th lowest distinct value of feature f."""
        rows, starts, common = self.bins(f)
        row = self.common_row[f] if k == common else rows[starts[k if k < common else k - 1]]
        if self.B is None:
            return float(self.A[row, f] + 0.0)
        i, j = divmod(int(row), len(self.B))
        return float(self.A[i, f] - self.B[j, f] + 0.0)


def require_rows(n: int) -> None:
    """Refuse more rows than uint32 numbers."""
    if n >= 2**32:
        raise ValueError(f"A and B must have at most {2**32 - 1} rows together; got {n}")


def _column(A: FloatArray, B: FloatArray | None, f: int) -> FloatArray:
    column = A[:, f] if B is None else (A[:, f, np.newaxis] - B[:, f]).ravel()
    return column + 0.0  # -0.0 becomes 0.0


@checked
def presort(
    A: FloatArray, B: FloatArray | None = None, *, threads: int | None = None
) -> SortedFeatures:
    """Sort the rows of A, or of all differences A[i] - B[j], by every feature.

    The sorting is done once, so that a round costs O(n d): Viola & Jones (2004), as Algorithm A.2
    of Amores, Sebe & Radeva (2006) asks.

    Parameters
    ----------
    A : ndarray, shape (n_A, d), float64
    B : ndarray, shape (n_B, d), float64, optional

    Returns
    -------
    SortedFeatures

    Raises
    ------
    ValueError
        If there are 2**32 rows or more.

    See Also
    --------
    best_stump : Find a stump with the sorted features.

    Examples
    --------
    >>> A, B = np.array([[3.0], [1.0]]), np.array([[0.0], [1.0], [5.0]])
    >>> features = presort(A, B)
    >>> features.n_rows, features.column(0).tolist()
    (6, [3.0, 2.0, -2.0, 1.0, 0.0, -4.0])
    """
    require_rows(len(A) * (1 if B is None else len(B)))
    row_type = np.uint16 if len(A) * (1 if B is None else len(B)) <= 2**16 else np.uint32
    rows = []
    starts = []
    common = []
    common_row = []
    for f in range(A.shape[1]):
        _, code, count = np.unique(_column(A, B, f), return_inverse=True, return_counts=True)
        order = np.argsort(code, kind="stable")
        start = np.cumsum(count) - count
        c = np.argmax(count)  # the lowest of the most frequent values
        common.append(c)
        common_row.append(order[start[c]])
        rows.append(np.delete(order, slice(start[c], start[c] + count[c])).astype(row_type))
        count[c] = 0
        starts.append(np.delete(np.cumsum(count) - count, c).astype(np.uint32))
    return from_new_arrays(
        SortedFeatures,
        sealed(A),  # a copy: the arrays stay the caller's
        None if B is None else sealed(B),
        rows=np.concatenate(rows),
        row_ptr=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        starts=np.concatenate(starts),
        bin_ptr=np.cumsum([0, *map(len, starts)], dtype=np.int64),
        common=np.array(common, dtype=np.int64),
        common_row=np.array(common_row, dtype=np.int64),
    )
