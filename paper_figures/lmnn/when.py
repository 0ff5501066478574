"""When LMNN pays: on its paper's sets and on six others, beside what a user would take today.

One rule for all: a quarter of the training points, of each class alike, chooses among the few
settings of a learner, which is then trained on all of them.

The points of the paper's sets are on principal components, as there. Those of the six others are
standardised. Both are then divided by one number, so that their mean squared length is 1; nothing
but NCA depends on it.

Not handled here: the rows (`when_results.py`), so that a change of these computes nothing anew.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from paper_figures.comparisons import learners as today
from paper_figures.registry import Context, Job, Task

Made: TypeAlias = Callable[[Any, Sequence[Any], int], Any]
"""Makes a learner from the kernels' name, the steps that prepare points, and a seed."""

METHOD, SEVERAL = "LMNN", "LMNN, a metric for each class"
BOOSTING = "gradient boosting"
KS = (1, 3, 5)  # of target neighbours and of votes
PENALTIES = (0.1, 1.0, 10.0, 100.0)  # of the SVC
LENGTHS = (1.0, 3.0, 10.0)  # root mean squared lengths of NCA's points
FEATURES = ("sqrt", 0.3)  # of a split of the random forest
RATES = (0.05, 0.1)  # of gradient boosting
FEW_COLUMNS = 200  # up to which gradient boosting gets columns as they are
HELD_OUT = 0.25
COMPONENTS = 0.95  # the share of the variance that they keep
# a set, how its images are prepared, and whether its points are then on principal components
SETS: Mapping[str, tuple[tuple[str, str, bool], ...]] = {
    "small": (("wine", "as they are", False), ("wdbc-small", "as they are", True)),
    "paper": (
        ("MNIST-10", "normalised", True),
        ("letters", "as they are", True),
        ("isolet", "as they are", True),
        ("yalefaces", "as they are", True),
        ("20news", "as they are", True),
        ("magic", "as they are", False),
        ("segment", "as they are", False),
        ("satellite", "as they are", False),
        ("faults", "as they are", False),
        ("pen-digits", "as they are", False),
        ("opt-digits", "as they are", False),
    ),
}
N_TRAIN = {"small": 118, "paper": 1000}
N_TEST = {"small": 200, "paper": 1000}
REPETITIONS = {"small": 2, "paper": 20}
BLOCK = {"small": 1, "paper": 5}  # repetitions of a task
KERNELS = ("subgradient", "trees", "growing")


# ---------------------------------------------------------------------------------------- learners


def preparation(images: str, on_components: bool) -> list[Any]:
    """Return the steps that prepare points for every learner that measures distances."""
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    from paper_figures.lmnn.scaled import Scaled, normalised

    first = PCA(COMPONENTS, svd_solver="full") if on_components else StandardScaler()
    steps = [first, Scaled()]
    if images == "normalised":
        steps.insert(0, FunctionTransformer(normalised))
    return steps


def chosen(learner: Any, grid: Any, seed: int) -> Any:
    """Return a learner that chooses its settings by the rule of this module."""
    from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit

    part = StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    return GridSearchCV(learner, grid, cv=part, error_score="raise")


def _pipeline(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps)


def _votes(k: int = 3) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(k)


def _one(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    from refimpl.estimators import LMNN

    both = ("lmnn__n_neighbors", "kneighborsclassifier__n_neighbors")
    grid = [{key: [k] for key in both} for k in KS]
    return chosen(_pipeline(*steps, LMNN(kernels=kernels, n_jobs=1), _votes()), grid, seed)


def _several(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    from refimpl.estimators import MultiMetricLMNN

    model = MultiMetricLMNN(kernels=kernels, n_jobs=1, random_state=seed)
    return chosen(_pipeline(*steps, model), {"multimetriclmnn__n_neighbors": KS}, seed)


def _nearest(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    return chosen(_pipeline(*steps, _votes()), {"kneighborsclassifier__n_neighbors": KS}, seed)


def _nca(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    """Return NCA, which chooses its unit of length, and the votes at the middle unit."""
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    from paper_figures.lmnn.scaled import Scaled

    analysis = NeighborhoodComponentsAnalysis(random_state=seed)
    length, votes = "scaled-2__length", "kneighborsclassifier__n_neighbors"
    pairs = [(unit, 3) for unit in LENGTHS] + [(LENGTHS[1], k) for k in KS if k != 3]
    grid = [{length: [unit], votes: [k]} for unit, k in pairs]
    return chosen(_pipeline(*steps, Scaled(), analysis, _votes()), grid, seed)


def _lda(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    learner = _pipeline(*steps, LinearDiscriminantAnalysis(), _votes())
    return chosen(learner, {"kneighborsclassifier__n_neighbors": KS}, seed)


def _svc(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    from sklearn.svm import SVC

    return chosen(_pipeline(*steps, SVC()), {"svc__C": PENALTIES}, seed)


def _forest(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    """Return a random forest of the columns as they are."""
    from sklearn.ensemble import RandomForestClassifier

    return chosen(RandomForestClassifier(random_state=seed), {"max_features": FEATURES}, seed)


def _boosting(kernels: Any, steps: Sequence[Any], seed: int) -> Any:
    """Return gradient boosting; the steps are none where the columns are few."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    learner = _pipeline(*steps, HistGradientBoostingClassifier(random_state=seed))
    return chosen(learner, {"histgradientboostingclassifier__learning_rate": RATES}, seed)


LEARNERS: Mapping[str, Made] = {
    METHOD: _one,
    SEVERAL: _several,
    "k-NN": _nearest,
    "NCA, k-NN": _nca,
    "LDA, k-NN": _lda,
    "SVC": _svc,
    "random forest": _forest,
    BOOSTING: _boosting,
}


# ------------------------------------------------------------------------------------------- tasks


def compare(
    job: Job,
    *,
    data_set: str,
    images: str,
    on_components: bool,
    repetitions: Sequence[int],
    n_train: int,
    n_test: int,
    learners: Sequence[str],
) -> dict[str, Any]:
    """Return what each learner shows on each split; two thirds of the points train at most.

    The random forest gets the columns as they are, and so does gradient boosting where they are
    few: a fit on many takes minutes. The others get prepared points.
    """
    loaded = job.load(data_set)
    n_train = min(n_train, 2 * len(loaded.y) // 3)
    few = loaded.X.shape[1] <= FEW_COLUMNS

    def maker(name: str) -> today.Learner:
        def make(seed: int) -> Any:
            steps = [] if few and name == BOOSTING else preparation(images, on_components)
            return LEARNERS[name](job.kernels_name, steps, seed)

        return make

    makers = {name: maker(name) for name in learners}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trainings that end at their limit of steps
        runs = [
            today.compare(job, loaded, repetition, makers, n_train=n_train, n_test=n_test)
            for repetition in repetitions
        ]
    return {"runs": runs, "about": today.described(loaded, n_train)}


def tasks(context: Context) -> list[Task]:
    """Return the splits of all sets."""
    scale = context.scale
    return [
        Task(
            "when",
            compare,
            {
                "data_set": name,
                "images": images,
                "on_components": on_components,
                "repetitions": list(range(first, min(first + BLOCK[scale], REPETITIONS[scale]))),
                "n_train": N_TRAIN[scale],
                "n_test": N_TEST[scale],
                "learners": list(LEARNERS),
            },
            (name,),
            KERNELS,
        )
        for name, images, on_components in SETS[scale]
        for first in range(0, REPETITIONS[scale], BLOCK[scale])
    ]
