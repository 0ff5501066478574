"""What all embeddings by distances to reference objects share: BoostMap's, and those of its rivals.

Not handled here: how references are chosen, and distances between embedded objects.
"""


from refimpl.checks import as_count, as_matrix, as_vectors_like
from refimpl.spaces.objects import as_space


class Embedding:
    """A map from objects of a space to vectors, from the objects' distances to some of the database's objects.

    A subclass gives `d`, `references` and ``_coordinates(D)``: vectors from the distances D, shape (m, cost), to the
    references.
    """

    @property
    def d(self):
        """The number of dimensions."""
        raise NotImplementedError

    @property
    def references(self):
        """The database objects to which distances are measured, sorted: an array of int64."""
        raise NotImplementedError

    @property
    def cost(self):
        """How many exact distances it takes to embed a new object; shared references count once."""
        return len(self.references)

    def embed(self, space, queries=None):
        """Map objects to vectors.

        Parameters
        ----------
        space : refimpl.spaces.Space
            The database whose objects the references are.
        queries : sequence of m objects, optional
            In the form that `space` takes; the default is all database objects.

        Returns
        -------
        numpy.ndarray of float64, shape (m, d)

        Raises
        ------
        TypeError, ValueError
            If `queries` do not fit `space`, or a reference is not in its database.
        """
        space = as_space(space)
        return self._coordinates(space.distances(space.objects if queries is None else queries, self.references))

    def _coordinates(self, D):
        raise NotImplementedError


def as_dimension(d, largest):
    """The checked number of dimensions to keep."""
    if as_count(d, "d") > largest:
        raise ValueError(f"d is {d}; the embedding has {largest} dimensions")
    return int(d)


def as_embedded(A, B, d):
    """The checked vectors of two sets of embedded objects."""
    A, B = as_matrix(A, "A"), as_matrix(B, "B")
    if A.shape[1] != d:
        raise ValueError(f"A has {A.shape[1]} columns; the embedding has {d} dimensions")
    return A, as_vectors_like(B, A, "B")
