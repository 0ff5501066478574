"""What `trees` computes: AdaBoost with decision trees (Amores, Sebe & Radeva 2006, § 4.3).

The paper boosts C4.5 and took it from the toolbox of Stork & Yom-Tov (2004). That toolbox does not
prune: a node is a leaf below a share of all vectors. And its AdaBoost does not hand weights to the
tree, but draws a sample by them in each round. :func:`boosted_trees` tries both ways, with the
trees of scikit-learn; :func:`outside_trees` asks Weka, whose J48 is C4.5 revision 8.

Not handled here: trees with a branch for each value of a column, which the toolbox grows where a
column has ten values or fewer.
"""

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from paper_figures.boosted_distance.splits import balanced_error, split_rows
from paper_figures.registry import Job
from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.typing import FloatArray, IntArray, Labels

PACKAGE = "python-weka-wrapper3"
ADABOOST, TREE = "weka.classifiers.meta.AdaBoostM1", "weka.classifiers.trees.J48"


def boosted_trees(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    rounds: int,
    settings: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the errors of Boosted Distance, of AdaBoost with stumps, and with trees.

    An error is the mean of the two classes' rates, in per cent. "boosted" and "stumps" are lists
    over the repetitions, "trees" has such a list for each of `settings`: the arguments of
    scikit-learn's tree (`tree`), the least share of the training vectors that a node divides
    (`share`), the starting weights (`start`: "equal" or "by class") and `resample`.
    """
    loaded = job.load(data_set, **options)
    errors: dict[str, list[Any]] = {"boosted": [], "stumps": [], "trees": [[] for _ in settings]}
    for repetition in repetitions:
        train, test = split_rows(job, loaded, repetition)
        X, y, Q, truth = loaded.X[train], loaded.y[train], loaded.X[test], loaded.y[test]
        model = boosted_distance(X, y, rounds, kernels=job.kernels, threads=1)
        nearest = nearest_neighbor_boosted_distance(model, Q, X, y, kernels=job.kernels, threads=1)
        errors["boosted"].append(balanced_error(nearest, truth))
        stumps = adaboost_classifier(X, y, rounds, kernels=job.kernels, threads=1)
        errors["stumps"].append(balanced_error(stumps.predict(Q), truth))
        for place, setting in enumerate(settings):
            rng = job.rng_for("boosted trees", data_set, repetition, dict(setting))
            guess = boost(X, y, Q, rounds, setting, rng)
            errors["trees"][place].append(balanced_error(guess, truth))
    return {"errors": errors}


def starting_weights(second: IntArray, start: str) -> FloatArray:
    """Return weights of sum 1: equal ones, or half for each class (Algorithm A.2, line 4)."""
    n = len(second)
    if start == "equal":
        return np.full(n, 1.0 / n)
    weights: FloatArray = 0.5 / np.bincount(second, minlength=2)[second]
    return weights


def boost(
    X: FloatArray,
    y: Labels,
    Q: FloatArray,
    rounds: int,
    setting: Mapping[str, Any],
    rng: np.random.Generator,
) -> Labels:
    """Return the labels of `Q` by Algorithm A.2 with trees and its strong classifier.

    A tree without error ends the training; it counts only if it is the first.
    """
    classes, second = np.unique(y, return_inverse=True)
    points, queries = X.astype(np.float32), Q.astype(np.float32)
    w = starting_weights(second, setting["start"])
    votes = np.zeros(len(Q))
    for t, tree in enumerate(_trees(setting, len(y), rng, rounds)):
        if setting["resample"]:
            drawn = rng.choice(len(y), size=len(y), p=w)
            tree.fit(points[drawn], second[drawn])
        else:
            tree.fit(points, second, sample_weight=len(y) * w)
        wrong = tree.predict(points) != second
        error = float(w[wrong].sum())
        if error == 0.0 or (error >= 0.5 and not setting["resample"]):
            if t == 0:
                votes += 2.0 * tree.predict(queries) - 1.0
            break
        alpha = np.log((1.0 - error) / error) if error < 1.0 else -36.0
        votes += alpha * (2.0 * tree.predict(queries) - 1.0)
        w = w * np.exp(alpha * wrong)
        w /= w.sum()
    labels: Labels = classes[(votes >= 0).astype(np.int64)]
    return labels


def _trees(
    setting: Mapping[str, Any], n: int, rng: np.random.Generator, rounds: int
) -> Iterator[Any]:
    """Yield a new tree for each round."""
    from sklearn.tree import DecisionTreeClassifier

    least = max(2, int(np.ceil(setting["share"] * n)))
    for _ in range(rounds):
        yield DecisionTreeClassifier(
            criterion="entropy",
            min_samples_split=least,
            random_state=int(rng.integers(2**31)),
            **setting["tree"],
        )


# -------------------------------------------------------------------------------------------- J48


def versions() -> dict[str, str | None]:
    """Return the version of the package that brings Weka, and of Java; None where it is missing.

    They are parameters of the task, as its results depend on them.
    """
    try:
        package = version(PACKAGE)
    except PackageNotFoundError:
        package = None
    java = None
    if package is not None and shutil.which("java") is not None:
        said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
        java = said.stderr.splitlines()[0] if said.returncode == 0 and said.stderr else None
    return {PACKAGE: package, "java": java}


def outside_trees(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    rounds: int,
    ways: Sequence[Mapping[str, Any]],
    versions: Mapping[str, str | None],
) -> dict[str, Any]:
    """Return the errors of Weka's AdaBoostM1 with J48, a list over the repetitions for each way.

    A way has `start` and `resample`, as in :func:`boosted_trees`. Without Weka or Java "errors" is
    None.
    """
    if None in versions.values():
        return {"errors": None}
    loaded = job.load(data_set, **options)
    errors: list[list[float]] = [[] for _ in ways]
    for repetition in repetitions:
        train, test = split_rows(job, loaded, repetition)
        _, second = np.unique(loaded.y, return_inverse=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_arff(folder / "test.arff", loaded.X[test], second[test])
            for place, way in enumerate(ways):
                w = starting_weights(second[train], way["start"]) * len(train)
                write_arff(folder / "train.arff", loaded.X[train], second[train], w)
                guess = _ask_weka(folder, rounds, way["resample"], len(test))
                errors[place].append(balanced_error(guess, second[test]))
    return {"errors": errors}


def write_arff(path: Path, X: FloatArray, second: IntArray, w: FloatArray | None = None) -> None:
    """Write vectors of numbers, their class (0 or 1) and their weights as Weka reads them."""
    columns = "".join(f"@attribute a{j} numeric\n" for j in range(X.shape[1]))
    weights = ["" for _ in second] if w is None else [f",{{{value!r}}}" for value in w.tolist()]
    lines = [
        ",".join(map(repr, row)) + f",{label}{weight}\n"
        for row, label, weight in zip(X.tolist(), second.tolist(), weights, strict=True)
    ]
    head = f"@relation vectors\n{columns}@attribute class {{0,1}}\n@data\n"
    path.write_text(head + "".join(lines), encoding="ascii")


def _ask_weka(folder: Path, rounds: int, resample: bool, n: int) -> IntArray:
    """Return the classes that Weka gives to the vectors of test.arff."""
    spec = importlib.util.find_spec("weka")
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not locations:
        raise ModuleNotFoundError(f"the package weka must be importable; install {PACKAGE}")
    command = [
        *("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        *("-cp", str(Path(locations[0]) / "lib" / "weka.jar"), ADABOOST),
        *("-t", str(folder / "train.arff"), "-T", str(folder / "test.arff")),
        *("-I", str(rounds), "-p", "0", *(["-Q"] if resample else []), "-W", TREE),
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    classes = parse_predictions(said.stdout)
    if len(classes) != n:
        raise RuntimeError(f"Weka must classify {n} vectors; got {len(classes)}: {said.stderr}")
    return classes


def parse_predictions(text: str) -> IntArray:
    """Return the predicted classes of Weka's list: the number, then ``1:0`` twice, and more."""
    words = [line.split() for line in text.splitlines()]
    listed = [line for line in words if len(line) > 2 and line[0].isdigit()]
    return np.array([int(line[2].split(":")[1]) for line in listed], dtype=np.int64)
