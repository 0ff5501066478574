"""scikit-learn estimators over the papers; needs scikit-learn (``pip install 'refimpl[figures]'``).

There is one module for each paper: :mod:`.boosted_distance`, :mod:`.boostmap`,
:mod:`.search_forest`, :mod:`.lmnn` (with :mod:`.multi_metric_lmnn`) and :mod:`.ftune` (with
:mod:`.landmarks`).
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        "refimpl.estimators needs scikit-learn: pip install 'refimpl[figures]'"
    ) from error

from refimpl.estimators.boosted_distance import BoostedDistanceClassifier
from refimpl.estimators.boostmap import BoostMap, BoostMapClassifier
from refimpl.estimators.ftune import FTuneClassifier
from refimpl.estimators.landmarks import LandmarkTransformer
from refimpl.estimators.lmnn import LMNN
from refimpl.estimators.multi_metric_lmnn import MultiMetricLMNN
from refimpl.estimators.search_forest import SearchForestNeighbors

__all__ = [
    "LMNN",
    "BoostMap",
    "BoostMapClassifier",
    "BoostedDistanceClassifier",
    "FTuneClassifier",
    "LandmarkTransformer",
    "MultiMetricLMNN",
    "SearchForestNeighbors",
]
