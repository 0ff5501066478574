"""The search in a graph of nearest neighbours, beside BoostMap's embeddings: links, order, and each
distance counted once. Expected orders are those of all distances.

Not here: the tasks that measure it (test_boostmap_tasks.py).
"""

import numpy as np
from scipy.spatial.distance import cdist

from paper_figures.boostmap import graphs


def test_a_wide_search_of_a_connected_graph_is_exact_and_counts_each_object_once():
    X = np.random.default_rng(5).random((80, 2))
    D = cdist(X, X)
    links = graphs.both_ways(np.argsort(D, axis=1, kind="stable")[:, 1:8], 80)
    assert all(i in links[j] for i in range(80) for j in links[i])
    for q in range(0, 80, 7):
        asked = []

        def distance(rows, row=D[q], asked=asked):
            asked.extend(rows.tolist())
            return row[rows]

        order = graphs.search(distance, links, [0, 40], 80)
        assert [x for _, x in order[:10]] == np.argsort(D[q], kind="stable")[:10].tolist()
        assert len(asked) == len(set(asked)) <= 80
        narrow = graphs.search(lambda rows, row=D[q]: row[rows], links, [0, 40], 5)
        assert len(narrow) == 5 and narrow == sorted(narrow)


def test_links_go_both_ways_each_once():
    links = graphs.both_ways(np.array([[1, 2], [0, 2], [1, 3], [2, 1]]), 4)
    assert [sorted(of_object.tolist()) for of_object in links] == [
        [1, 2],
        [0, 2, 3],
        [0, 1, 3],
        [1, 2],
    ]


def test_a_narrow_search_ends_where_nothing_nearer_is_left():
    """Five objects on a line, linked to their neighbours; the query lies beside the last."""
    row = np.array([9.0, 7.0, 5.0, 3.0, 1.0])
    links = [np.array(x) for x in ([1], [0, 2], [1, 3], [2, 4], [3])]

    def searched(first, width):
        asked = []

        def distance(rows):
            asked.extend(rows.tolist())
            return row[rows]

        return graphs.search(distance, links, first, width), asked

    assert searched([0], 1) == ([(1.0, 4)], [0, 1, 2, 3, 4])
    # 0 and 1 are the two kept; 3 is never seen once 4 and 2 do not come nearer
    row = np.array([1.0, 2.0, 8.0, 9.0, 0.5])
    assert searched([0], 1) == ([(1.0, 0)], [0, 1])
    assert searched([0], 2) == ([(1.0, 0), (2.0, 1)], [0, 1, 2])
    assert searched([0, 4], 2) == ([(0.5, 4), (1.0, 0)], [0, 4, 3, 1])


def test_edge_images_as_vectors():
    image = np.zeros((3, 4), dtype=bool)
    image[1, 1] = image[2, 3] = True
    single = np.zeros((3, 4), dtype=bool)
    single[0, 0] = True
    vectors = graphs.as_vectors(np.array([image, single]))
    assert vectors.dtype == np.float32 and vectors.shape == (2, 1 + 2 + 12)
    assert vectors[:, :3].tolist() == [[2, 5, 11], [1, 0, 0]]  # the count, the places
    far = [min(np.hypot(r - 1, c - 1), np.hypot(r - 2, c - 3)) for r in range(3) for c in range(4)]
    np.testing.assert_allclose(vectors[0, 3:], far, rtol=1e-6)
    np.testing.assert_allclose(
        vectors[1, 3:], [np.hypot(r, c) for r in range(3) for c in range(4)], rtol=1e-6
    )
