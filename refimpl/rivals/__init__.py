"""The methods that the papers compare against, each from its own source.

===============================  ====================================  ==========================
rival, function                  source                                compared against it
===============================  ====================================  ==========================
AdaBoost with stumps             Viola & Jones, IJCV 57 (2004),        boosted distance: Table 2
``adaboost.adaboost_classifier`` Table 1
L1, L2, RCA, Mahalanobis         Bar-Hillel et al., ICML 2003, § 2;    boosted distance: Table 2
``nearest_neighbor``             Amores et al. (2006), § 4.3
``.fit_distance``
NDA, ``nda.nonparametric_``      Fukunaga, "Introduction to            boosted distance: Figure 3
``discriminant_analysis``        Statistical Pattern Recognition"
                                 (1990), § 10.2
FastMap                          Faloutsos & Lin, SIGMOD 1995,         BoostMap: § 11.2
``fastmap.fastmap``              ``FastMap``
MetricMap                        Wang et al., Knowledge and            BoostMap: § 4.2
``metricmap.metricmap``          Information Systems 2 (2000)
Lipschitz embeddings             Athitsos et al. (2005), § 4.1,        BoostMap: § 4.1
``lipschitz.lipschitz``,         eqs. 5-7
``random_sets``,
``random_singletons``
Bourgain's embedding             Bourgain, Israel J. Math. 52 (1985)   BoostMap: § 4.1
``lipschitz.bourgain``
SparseMap                        Hristescu & Farach-Colton, Rutgers    BoostMap: § 4.1
``sparsemap.sparsemap``          99-50 (1999)
k-means trees                    Muja & Lowe, VISAPP 2009, § 3.2;      search forest: § 4, Fig. 1
``kmeans_trees.kmeans_trees``    Nister & Stewenius, CVPR 2006
p-stable hashing                 Datar et al., SoCG 2004, § 3.2        search forest: § 4, Fig. 1
``lsh.lsh``
spectral hashing                 Weiss et al., NIPS 2008               search forest: § 4, Fig. 1
``spectral_hashing``
``.spectral_hashing``
scan of binary codes             Li et al. (2011), Table 1             search forest: Table 1
``hamming_scan.hamming_scan``
scan of rotated vectors          Weinberger & Saul (2008), § 4.2       LMNN's ball trees: § 4.2
``rotated_scan.rotated_scan``
DBOOST                           Wang, Yang & Feng, ICML 2007          FTUNE: § 4
``dboost.dboost``
===============================  ====================================  ==========================

``candidates`` holds what the rivals of the search forest return, and their recall; ``whitening``
computes the root of an inverse covariance. ``refimpl.rivals.fastmap`` is a module, imported when it
is first asked for.

Examples
--------
>>> import numpy as np
>>> import refimpl
>>> tables = refimpl.rivals.lsh.lsh([[0.0], [9.0]], 2, 1, 4.0, rng=np.random.default_rng(0))
>>> tables.candidates([[9.0]], 1).of(0)
array([1])
"""

import importlib
from types import ModuleType

__all__ = [
    "adaboost",
    "candidates",
    "dboost",
    "fastmap",
    "hamming_scan",
    "kmeans_trees",
    "lipschitz",
    "lsh",
    "metricmap",
    "nda",
    "nearest_neighbor",
    "rotated_scan",
    "sparsemap",
    "spectral_hashing",
    "whitening",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"refimpl.rivals.{name}")
    raise AttributeError(f"module 'refimpl.rivals' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
