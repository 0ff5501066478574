"""Search graphs on the queries of Athitsos et al. (2005), § 11.2: how many exact distances they
take.

Two of them: a best-first search over the exact graph of neighbours, and PyNNDescent, a library that
takes a distance of one's own. Every public function named in ``boostmap_readings.py`` is a task.
"""

from bisect import insort
from collections.abc import Callable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from paper_figures.boostmap.problem import SIGMA, load_problem
from paper_figures.registry import Job
from refimpl.boostmap.edges import chamfer, chamfer_nearest
from refimpl.typing import BoolArray, FloatArray, IntArray

K = 10  # § 11.2


def graph(
    job: Job,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    queries: int,
    degree: int,
    starts: int,
    widths: Sequence[int],
) -> dict[str, Any]:
    """Return the exact distances that a best-first search takes, by the width of its queue.

    The graph joins each database object with its `degree` nearest, both ways; a search begins at
    `starts` objects, the same for all queries.
    """
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    n = len(problem.database)
    ask = problem.queries[:queries]
    _, nearest = chamfer_nearest(
        problem.database, problem.database, degree + 1, kernels=job.kernels
    )
    links = both_ways(nearest[:, 1:], n)
    D = chamfer(ask, problem.database, kernels=job.kernels)
    first = job.rng.choice(n, starts, replace=False).tolist()
    searches = []
    for width in widths:
        counts, orders = zip(*(_searched(row, links, first, width) for row in D), strict=True)
        hits = _hits(D, orders, problem.distances)
        searches.append(
            {"setting": width, "distances": float(np.mean(counts)), "most": int(np.max(counts))}
            | hits
        )
    return {
        "searches": searches,
        "links": float(np.mean([len(linked) for linked in links])),
        "queries": len(ask),
        "objects": n,
        "build": n * (n - 1) // 2,
    }


def _hits(D: FloatArray, indices: Sequence[Any], distances: FloatArray) -> dict[str, float]:
    """Return the share of queries with all true k nearest, and the share of these that is found.

    Both are in per cent.
    """
    hits = np.array(
        [
            min(K, np.count_nonzero(row[ids] <= limit))
            for row, ids, limit in zip(D, indices, distances[:, K - 1], strict=False)
        ]
    )
    return {"success": float(100 * np.mean(hits == K)), "recall": float(100 / K * np.mean(hits))}


# -------------------------------------------------------------------------------- best-first search


def both_ways(nearest: IntArray, n: int) -> list[IntArray]:
    """Return the links of a graph from each object's nearest.

    The links are a list of arrays: the neighbours of each object in either direction.
    """
    here = np.repeat(np.arange(n), nearest.shape[1])
    there = nearest.ravel()
    pairs = np.unique(np.concatenate([here * n + there, there * n + here]))
    return np.split(pairs % n, np.searchsorted(pairs // n, np.arange(1, n)))


def search(
    distance: Callable[[IntArray], FloatArray], links: list[IntArray], first: list[int], width: int
) -> list[tuple[float, int]]:
    """Search a graph best first, and keep the `width` nearest found so far.

    HNSW does the same on its ground layer.

    Y. A. Malkov & D. A. Yashunin, Efficient and robust approximate nearest neighbor search using
    hierarchical navigable small world graphs, IEEE PAMI 42 (2020), Algorithm 2.

    Parameters
    ----------
    distance : callable
        ``distance(rows)`` gives the exact distances of the query to database objects.
    links : list of ndarray
    first : list of int
        Where the search begins.
    width : int

    Returns
    -------
    list of (float, int)
        The nearest found, ascending, at most `width`.
    """
    seen = set(first)
    order = sorted(zip(distance(np.array(first)).tolist(), first, strict=True))[:width]
    waiting = list(order)  # sorted, so a heap
    while waiting:
        near, here = heappop(waiting)
        if near > order[-1][0] and len(order) >= width:
            return order
        new = [x for x in links[here].tolist() if x not in seen]
        seen.update(new)
        for pair in (
            zip(distance(np.array(new, dtype=np.intp)).tolist(), new, strict=True) if new else ()
        ):
            if len(order) < width or pair < order[-1]:
                heappush(waiting, pair)
                insort(order, pair)
                del order[width:]
    return order


def _searched(
    row: FloatArray, links: list[IntArray], first: list[int], width: int
) -> tuple[int, list[int]]:
    """Return how many distances one search looked at, and the k nearest that it found."""
    asked = []

    def distance(rows: IntArray) -> Any:
        asked.append(len(rows))
        return row[rows]

    order = search(distance, links, first, width)
    return sum(asked), [x for _, x in order[:K]]


# -------------------------------------------------------------------------------------- PyNNDescent


def has_pynndescent() -> bool:
    """Return whether PyNNDescent is installed."""
    return find_spec("pynndescent") is not None


def pynndescent(
    job: Job,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    queries: int,
    neighbors: int,
    trees: bool,
    widths: Sequence[float],
) -> dict[str, Any]:
    """Return exact distances that PyNNDescent takes, by the epsilon of its queries.

    Its metric is the chamfer distance.

    `trees`: whether it may also cut space by planes, for which it takes an edge image's distance
    transform as a vector (no chamfer distance is needed for that), or has the distance alone.
    """
    from importlib.metadata import version

    from pynndescent import NNDescent  # an extra

    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    n = len(problem.database)
    ask = problem.queries[:queries]
    D = chamfer(ask, problem.database, kernels=job.kernels)
    images = as_vectors(np.concatenate([problem.database, ask]))
    counter = np.zeros(1, dtype=np.int64)
    index = NNDescent(
        images[:n],
        metric=counted_chamfer(images.shape[1], ask[0].size, counter),
        n_neighbors=neighbors,
        tree_init=trees,
        random_state=job.seed,
        n_jobs=1,
    )
    index.prepare()
    build = int(counter[0])
    searches = []
    for epsilon in widths:
        counter[0] = 0
        ids, _ = index.query(images[n:], k=K, epsilon=epsilon)
        searches.append(
            {"setting": epsilon, "distances": counter[0] / len(ask)}
            | _hits(D, ids, problem.distances)
        )
    return {
        "searches": searches,
        "queries": len(ask),
        "objects": n,
        "build": build,
        "version": f"PyNNDescent {version('pynndescent')}, numba {version('numba')}",
    }


def as_vectors(images: BoolArray) -> NDArray[np.float32]:
    """Return edge images as the vectors of float32 that PyNNDescent takes.

    A vector holds the number of edge pixels, their positions, and the distance transform.

    Parameters
    ----------
    images : ndarray, shape (n, height, width), bool

    Returns
    -------
    ndarray, shape (n, 1 + m + height width)
        With m the largest number of edge pixels of an image.
    """
    flat = images.reshape(len(images), -1)
    m = flat.sum(axis=1).max()
    out = np.zeros((len(images), 1 + m + flat.shape[1]), dtype=np.float32)
    for row, image, pixels in zip(out, images, flat, strict=True):
        places = np.flatnonzero(pixels)
        row[0] = len(places)
        row[1 : 1 + len(places)] = places
        row[1 + m :] = distance_transform_edt(~image).ravel()
    return out


def counted_chamfer(length: int, pixels: int, counter: IntArray) -> Any:
    """Return the compiled chamfer distance of two rows of :func:`as_vectors`.

    Each call adds 1 to ``counter[0]``.

    Parameters
    ----------
    length : int
        Of a row.
    pixels : int
        Of an image.
    counter : ndarray of int64
        Must outlive the function: compiled code copies arrays that it names, so this one is reached
        by its address.
    """
    import numba  # an extra, PyNNDescent's

    here = length - pixels
    address = counter.ctypes.data
    pointer = address_of("int64")

    @numba.njit  # type: ignore[untyped-decorator] # numba has no hints
    def distance(a: Any, b: Any) -> Any:
        numba.carray(pointer(address), (1,))[0] += 1
        there = 0.0
        back = 0.0
        n = int(a[0])
        m = int(b[0])
        for j in range(1, n + 1):
            there += b[here + int(a[j])]
        for j in range(1, m + 1):
            back += a[here + int(b[j])]
        return np.float32(there / n + back / m)

    return distance


@lru_cache
def address_of(kind: str) -> Any:
    """Return a function for compiled code: address -> pointer to numbers of this kind."""
    from numba import types  # as above
    from numba.extending import intrinsic  # as above

    @intrinsic  # type: ignore[untyped-decorator] # numba has no hints
    def pointer(typing: Any, address: Any) -> Any:
        result = types.CPointer(getattr(types, kind))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(result))

        return result(types.int64), generate

    return pointer
