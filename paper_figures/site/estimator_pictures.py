"""The pictures of the guide "Each estimator in a picture", drawn when the site is built."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler

from paper_figures import plots
from paper_figures.plots import series_style
from paper_figures.site.examples import flowers
from paper_figures.themes import LIGHT
from refimpl import estimators
from refimpl.search_forest import to_terms

Draw = Callable[[Any, Figure], None]
SIZE = (5.2, 2.6)
KINDS = load_iris().target_names.tolist()


def write(sources: Path) -> None:
    """Draw all pictures into the folder of the guides."""
    for name, draw in PICTURES.items():
        files = plots.draw(draw, {"rows": []}, SIZE, png=False)
        (sources / "guides" / f"{name}.svg").write_bytes(files[".svg"])


def scatter(axis: Axes, X: Any, y: Any, names: list[str], **labels: str) -> None:
    """Draw points with a colour and a marker for each class."""
    for place, name in enumerate(names):
        own = X[y == place]
        axis.plot(*own.T, label=name, **series_style(place) | {"linestyle": "none"})
    axis.set(**labels)


def regions(model: Any, record: Any, figure: Figure) -> None:
    """Draw the irises, and the answer of a fitted classifier everywhere."""
    X, y = flowers(*range(150))
    axis = figure.subplots()
    model.fit(X, y)
    across, up = np.linspace(X.min(axis=0) - 0.3, X.max(axis=0) + 0.3, 90).T
    grid = np.array(np.meshgrid(across, up)).reshape(2, -1).T
    answers = model.predict(grid).reshape(len(up), len(across))
    colours = [series_style(place)["color"] for place in range(3)]
    axis.contourf(across, up, answers, levels=[-0.5, 0.5, 1.5, 2.5], colors=colours, alpha=0.18)
    scatter(axis, X, y, KINDS, xlabel="petal length (cm)", ylabel="petal width (cm)")
    plots.key(figure, plots.labelled(axis))


def lmnn(record: Any, figure: Figure) -> None:
    """Draw wine as its first two columns show it, and in the two dimensions that are learnt."""
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    learnt = estimators.LMNN(3, n_components=2, random_state=0).fit_transform(X, y)
    left, right = figure.subplots(1, 2)
    names = [f"vineyard {place + 1}" for place in range(3)]
    scatter(left, X[:, :2], y, names, title="the first two of 13 columns")
    scatter(right, learnt, y, names, title="two learnt dimensions")
    plots.key(figure, plots.labelled(left))


def several_metrics(record: Any, figure: Figure) -> None:
    """Draw for each kind of iris the points that its own metric has at distance 1 from its mean."""
    X, y = flowers(*range(150))
    model = estimators.MultiMetricLMNN(3, random_state=0).fit(X, y)
    axis = figure.subplots()
    scatter(axis, X, y, KINDS, xlabel="petal length (cm)", ylabel="petal width (cm)")
    angle = np.linspace(0, 2 * np.pi, 200)
    for place, L in enumerate(model.components_):
        circle = np.linalg.pinv(L) @ np.array([np.cos(angle), np.sin(angle)])[: len(L)]
        ring = X[y == place].mean(axis=0)[:, None] + circle
        axis.plot(*ring, color=series_style(place)["color"])
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    plots.key(figure, plots.labelled(axis))


def embedded_digits(record: Any, figure: Figure) -> None:
    """Draw which share of the ten nearest images is among the first p of an embedding."""
    X = load_digits().data
    train, Q = X[:600], X[600:700]
    nearest = pairwise_distances(Q, train, metric="manhattan").argsort(axis=1)[:, :10]
    axis = figure.subplots()
    p = np.array([10, 15, 20, 30, 50, 80, 120])
    for place, d in enumerate((4, 16, 64)):
        model = estimators.BoostMap(d, metric="manhattan", random_state=0).fit(train)
        F = model.transform(train), model.transform(Q)
        order = pairwise_distances(F[1], F[0], metric="manhattan").argsort(axis=1)
        both = list(zip(nearest, order, strict=True))
        found = [
            np.mean([np.isin(wanted, row[:most]).mean() for wanted, row in both]) for most in p
        ]
        axis.plot(p, found, label=f"{d} dimensions", **series_style(place))
    axis.set(xlabel="candidates p of 600 images", ylabel="share of the ten nearest", ylim=(0, 1.02))
    plots.key(figure, plots.labelled(axis))


def candidates(record: Any, figure: Figure) -> None:
    """Draw how many trees put each point into the leaf of a query."""
    X, _ = make_blobs(600, centers=6, cluster_std=1.2, random_state=3)
    model = estimators.SearchForestNeighbors(10, random_state=0).fit(X)
    query = X[:1]
    together = (to_terms(model.model_, X) == to_terms(model.model_, query)).mean(axis=1)
    found = model.kneighbors(query, return_distance=False)[0]
    axis = figure.subplots()
    look: dict[str, Any] = {"color": LIGHT.soft, "marker": ".", "linestyle": "none"}
    axis.plot(*X[together == 0].T, label="in no tree", **look)
    for place, (low, high) in enumerate([(0, 0.5), (0.5, 0.9), (0.9, 1)]):
        own = X[(together > low) & (together <= high)]
        words = f"up to {high:.0%} of the trees" if high < 1 else "more"
        axis.plot(*own.T, label=words, **series_style(3 - place) | {"linestyle": "none"})
    axis.plot(*X[found].T, label="the ten found", **plots.hollow(series_style(0)))
    axis.plot(*query.T, label="query", **look | {"color": LIGHT.ink, "marker": "*", "ms": 11})
    reach = np.abs(X[together > 0] - query).max(axis=0) + 0.5
    low, high = query[0] - reach, query[0] + reach
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axis.set(xlabel="$x_1$", ylabel="$x_2$")
    plots.key(figure, plots.labelled(axis), "in the leaf of the query:")


def landmarks(record: Any, figure: Figure) -> None:
    """Draw irises by their petals, and by their similarities to two pairs of landmarks."""
    X, y = flowers(*range(150))
    model = estimators.LandmarkTransformer(2, random_state=0)
    seen = model.fit_transform(X, y)
    left, right = figure.subplots(1, 2)
    scatter(left, X, y, KINDS, xlabel="petal length (cm)", ylabel="petal width (cm)")
    scatter(right, seen[:, :2], y, KINDS, xlabel="landmark pair 1", ylabel="landmark pair 2")
    plots.key(figure, plots.labelled(left))


PICTURES: dict[str, Draw] = {
    "BoostedDistanceClassifier": partial(regions, estimators.BoostedDistanceClassifier(100)),
    "BoostMap": embedded_digits,
    "BoostMapClassifier": partial(regions, estimators.BoostMapClassifier(random_state=0)),
    "SearchForestNeighbors": candidates,
    "LMNN": lmnn,
    "MultiMetricLMNN": several_metrics,
    "FTuneClassifier": partial(regions, estimators.FTuneClassifier(random_state=0)),
    "LandmarkTransformer": landmarks,
}
