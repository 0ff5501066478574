"""The base class of embeddings by distances to reference objects: BoostMap's and its rivals'."""

from typing import Any

from refimpl.arrays import as_matrix, as_vectors_like, in_dimensions
from refimpl.checks import as_count
from refimpl.resources import check_free_memory
from refimpl.spaces.objects import Space, as_space
from refimpl.typing import ArrayLike, FloatArray, IntArray


class Embedding:
    """A map from objects of a space to vectors, by distances to some of the database's objects.

    A subclass gives `d`, `references` and ``_coordinates(D)``: vectors from the distances D, shape
    (m, cost), to the references.

    Raises
    ------
    NotImplementedError
        From a member that a subclass must give and does not.

    See Also
    --------
    refimpl.rivals.lipschitz.LipschitzEmbedding : An embedding.

    Examples
    --------
    >>> from refimpl.rivals.lipschitz import lipschitz
    >>> from refimpl.spaces import Embedding, PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> embedding = lipschitz(space, [0, 2])
    >>> isinstance(embedding, Embedding), embedding.cost
    (True, 2)
    >>> embedding.embed(space, [[1, 3, 7]])
    array([[1., 7.]])
    """

    @property
    def d(self) -> int:
        """The number of dimensions."""
        raise NotImplementedError

    @property
    def references(self) -> IntArray:
        """The database objects to which distances are measured, sorted: an array of int64."""
        raise NotImplementedError

    @property
    def cost(self) -> int:
        """The number of exact distances that a new object takes; a shared reference counts once."""
        return len(self.references)

    def embed(self, space: Space, Q: Any = None) -> FloatArray:
        """Map the m objects Q, by default all database objects, to vectors: float64, shape (m, d).

        `space` is the database whose objects the references are, and Q has the form that it takes.
        TypeError or ValueError says that Q does not fit `space`, or that a reference is not in it.
        """
        space = as_space(space)
        Q = space.objects if Q is None else Q
        return self._coordinates(space.distances(Q, self.references))

    def _coordinates(self, D: FloatArray) -> FloatArray:
        raise NotImplementedError


def as_dimension(d: Any, largest: int) -> int:
    """Return the checked number of dimensions to keep."""
    return as_count(d, "d", most=largest, why="the dimensions of the embedding")


def as_embedded(
    Q: ArrayLike, X: ArrayLike, d: int, matrices: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Return two checked sets of vectors, to be compared by so many matrices of distances."""
    embedded = in_dimensions(as_matrix(Q, "Q"), d, "Q", "the dimensions of the embedding")
    vectors = as_vectors_like(X, embedded, "X")
    needed = 8 * matrices * len(embedded) * len(vectors)
    check_free_memory(needed, "the matrix of distances", "queries or objects")
    return embedded, vectors
