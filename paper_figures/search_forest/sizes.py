"""The sizes of the search forest's tasks: data sets, settings to choose from, draws, by scale."""

from typing import Any

SETS: dict[tuple[str, str], dict[str, Any]] = {
    ("figure1", "small"): {
        "data_set": "digits",
        "d": 30,
        "queries": 300,
        "K": 20,
        "trial": 900,
        "counts": (20, 40, 60, 100, 150, 200),
    },
    ("figure1", "paper"): {
        "data_set": "MNIST-10",
        "d": 64,
        "queries": 1000,
        "K": 100,
        "trial": 20_000,
        "counts": tuple(range(100, 1001, 100)),
    },
    ("figure2", "small"): {
        "data_set": "digits-gist",
        "d": 96,
        "queries": 300,
        "K": 20,
        "trial": 900,
        "counts": (20, 40, 60, 100, 150, 200),
    },
    ("figure2", "paper"): {
        "data_set": "tiny-images",
        "d": 384,
        "queries": 1000,
        "K": 100,
        "trial": 12_500,
        "counts": (250, *range(500, 5001, 500)),
    },
}
FUNCTIONS = (2, 4, 8, 12, 16, 24, 32)
WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
# Points of a leaf of k-means trees, by the regions of a node.
REGIONS: dict[tuple[str, str], tuple[tuple[int, ...], tuple[int, ...]]] = {
    ("figure1", "small"): ((2, 8), (8, 16, 32, 64, 128)),
    ("figure1", "paper"): ((2, 8, 32), (8, 16, 31, 63, 125, 250, 500, 1000)),
    ("figure2", "small"): ((2, 8), (8, 16, 32, 64, 128)),
    ("figure2", "paper"): ((2, 8, 32), (8, 16, 63, 250, 500, 1000)),
}
DRAWS = {"small": 2, "paper": 5}
# The paper's Figure 1: 17 trees of 12 layers. Figure 2: 60 trees, below 800 bits: 13 layers.
SIZES: dict[tuple[str, str], dict[str, Any]] = {
    ("figure1", "small"): {
        "trees": 8,
        "depth": 8,
        "n_train": 300,
        "all": 600,
        "bits": (16, 32, 64),
        "lams": (0.05, 0.1, 0.2),
        "functions": (2, 4, 8),
        "widths": (0.5, 1.0, 2.0, 4.0),
    },
    ("figure1", "paper"): {
        "trees": 17,
        "depth": 12,
        "n_train": 20_000,
        "all": 60_000,
        "bits": (32, 96, 200),
        "lams": (0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4),
        "functions": FUNCTIONS,
        "widths": WIDTHS,
    },
    ("figure2", "small"): {
        "trees": 12,
        "depth": 8,
        "n_train": 300,
        "all": None,
        "bits": (16, 64, 128),
        "lams": (0.05, 0.1),
        "functions": (2, 4, 8),
        "widths": (0.5, 1.0, 2.0, 4.0),
    },
    ("figure2", "paper"): {
        "trees": 60,
        "depth": 13,
        "n_train": 20_000,
        "all": None,
        "bits": (100, 500, 800),
        "lams": (0.0025, 0.005, 0.01, 0.02, 0.05, 0.1),
        "functions": (2, 4, 8, 12, 16, 24),
        "widths": (1.0, 2.0, 4.0, 8.0),
    },
}
REFINE = 10
MOVED = {"offset": "best", "refine": REFINE}
# The forests whose planes are compared: training points, lambdas to choose from, draws.
SPLITS: dict[str, dict[str, Any]] = {
    "small": {"n_train": 300, "lams": (0.05, 0.1), "draws": 2},
    "paper": {"n_train": 10_000, "lams": (0.01, 0.02, 0.05, 0.1, 0.2), "draws": 3},
}
# The same points on more and more of their components.
DIMENSIONS: dict[str, dict[str, Any]] = {
    "small": {
        "at": SETS["figure1", "small"],
        "others": (),
        "components": (4, 10, 30),
        "trees": 8,
        "depth": 8,
        "n_train": 300,
        "bits": 64,
        "lams": (0.05, 0.1),
        "functions": (2, 4, 8),
        "widths": (0.5, 1.0, 2.0, 4.0),
    },
    "paper": {
        "at": SETS["figure1", "small"] | {"data_set": "20news", "queries": 1000, "trial": 6000},
        "others": ({"data_set": "MNIST-10", "queries": 1000, "trial": 20_000},),
        "components": (8, 32, 200),
        "trees": 17,
        "depth": 12,
        "n_train": 13_192,
        "bits": 200,
        "lams": (0.02, 0.05, 0.1, 0.2),
        "functions": FUNCTIONS,
        "widths": WIDTHS,
    },
}
TIMES: dict[str, dict[str, Any]] = {
    "small": {"bits": (32, 64), "sizes": (20_000, 50_000, 100_000), "queries": 20, "d": 32},
    "paper": {
        "bits": (32, 64, 128, 256, 512),
        "sizes": (1_000_000, 5_000_000, 20_000_000, 50_000_000),
        "queries": 50,
        "d": 32,
    },
}
# Items are so many times as many as at first; a leaf holds 16, or as many times as many.
GROWTH: dict[str, dict[str, Any]] = {
    "small": {"sizes": (1024, 4096), "queries": 100, "passes": 3},
    "paper": {"sizes": (16_384, 65_536, 262_144), "queries": 1000, "passes": 5},
}
# Similarity by class. The trial has as large a share of each class as the database.
CLASSES: dict[str, dict[str, Any]] = {
    "small": {
        "sets": (("digits", 30, 600, 900),),
        "counts": (20, 100),
        "queries": 300,
        "shape": {"lams": (0.2, 0.5), "max_depth": 8, "trees": 8},
        "draws": 2,
    },
    "paper": {
        "sets": (
            ("MNIST-10", 64, 10_000, 20_000),
            ("tiny-images", 384, 10_000, 20_000),
            ("20news", 200, 10_000, 12_000),
        ),
        "counts": (100, 1000),
        "queries": 1000,
        "shape": {"lams": (0.1, 0.2, 0.5), "max_depth": 12, "trees": 17},
        "draws": 3,
    },
}
