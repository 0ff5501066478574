"""scikit-learn estimators over the papers; needs scikit-learn (``pip install 'refimpl[figures]'``).

One module for each paper: :mod:`.boosted_distance` and :mod:`.boostmap`.
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError("refimpl.estimators needs scikit-learn: pip install 'refimpl[figures]'") from error

from refimpl.estimators.boosted_distance import BoostedDistanceClassifier
from refimpl.estimators.boostmap import BoostMap, BoostMapClassifier

__all__ = ["BoostMap", "BoostMapClassifier", "BoostedDistanceClassifier"]
