"""Find nearest neighbours and impostors with ball trees: Weinberger & Saul (2008), § 4.

A *ball tree* divides the points into groups, and each group into two smaller groups. A lower bound
on the distance from a query to a group can rule out the whole group at once. A group that is not
divided further is a *leaf*. All distances are squared, as in the paper's constraints.
"""

from refimpl.ball_trees.classes import Impostors, class_trees, impostors
from refimpl.ball_trees.search import Neighbors, as_tree, nearest_neighbors

__all__ = ["Impostors", "Neighbors", "as_tree", "class_trees", "impostors", "nearest_neighbors"]
