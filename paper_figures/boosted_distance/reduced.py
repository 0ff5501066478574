"""What `reductions` computes: NN after LDA and NDA in other readings (Amores et al. 2006, § 4.2).

The paper gives neither LDA's solver nor NDA's neighbours, and does not say whether PCA comes first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from paper_figures.boosted_distance.splits import balanced_error, split_rows
from paper_figures.registry import Job
from refimpl.rivals.nda import nonparametric_discriminant_analysis
from refimpl.typing import FloatArray, Labels

Map: TypeAlias = Callable[[FloatArray], FloatArray]


def reductions(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetition: int,
    share: float | None,
    dimensions: Sequence[int],
    readings: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return NN's error (L2) without reduction, and after each reading by number of dimensions.

    A reading has the `method`: "PCA", "LDA" or "NDA"; `first`, the dimensions that PCA leaves
    before it (None: no PCA); and further arguments of the method. `share` is the part of the data
    to train on; None is the paper's protocol. An error is the mean of the two classes' rates, in
    per cent; None where a method has not so many dimensions.
    """
    loaded = job.load(data_set, **options)
    train, test = split_rows(job, loaded, repetition, share)
    X, y, Q, truth = loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test]
    errors: list[list[float | None]] = []
    for reading in readings:
        A, B = X, Q
        arguments = {name: v for name, v in reading.items() if name not in ("method", "first")}
        if reading["first"] is not None:
            pca = _pca(X, y)
            A, B = pca(X)[:, : reading["first"]], pca(Q)[:, : reading["first"]]
        project = METHODS[reading["method"]](A, y, **arguments)
        A, B = project(A), project(B)
        errors.append(
            [_error(A[:, :k], y, B[:, :k], truth) if k <= A.shape[1] else None for k in dimensions]
        )
    return {"none": _error(X, y, Q, truth), "errors": errors}


def _error(X: FloatArray, y: Labels, Q: FloatArray, truth: Labels) -> float:
    from sklearn.neighbors import KNeighborsClassifier

    nearest = KNeighborsClassifier(1, algorithm="brute").fit(X, y)
    return balanced_error(nearest.predict(Q), truth)


def _pca(X: FloatArray, y: Labels) -> Map:
    from sklearn.decomposition import PCA

    project: Map = PCA().fit(X).transform
    return project


def _lda(X: FloatArray, y: Labels, **arguments: Any) -> Map:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    project: Map = LinearDiscriminantAnalysis(**arguments).fit(X, y).transform
    return project


def _nda(X: FloatArray, y: Labels, **arguments: Any) -> Map:
    return nonparametric_discriminant_analysis(X, y, **arguments).transform


METHODS: dict[str, Callable[..., Map]] = {"PCA": _pca, "LDA": _lda, "NDA": _nda}
