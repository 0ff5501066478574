"""scikit-learn estimators over the papers; needs scikit-learn (``pip install 'refimpl[figures]'``).

One module for each paper: :mod:`.boosted_distance`, :mod:`.boostmap`, :mod:`.search_forest`, :mod:`.lmnn` and
:mod:`.ftune`.
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError("refimpl.estimators needs scikit-learn: pip install 'refimpl[figures]'") from error

from refimpl.estimators.boosted_distance import BoostedDistanceClassifier
from refimpl.estimators.boostmap import BoostMap, BoostMapClassifier
from refimpl.estimators.ftune import FTuneClassifier, LandmarkTransformer
from refimpl.estimators.lmnn import LMNN, MultiMetricLMNN
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
