"""FTUNE and DSELECT: Kar & Jain (2011)."""

from refimpl.ftune.training import (
    BIAS,
    CS,
    SLOPES,
    LandmarkClassifier,
    Landmarks,
    NormalizationWarning,
    Ramp,
    bbs,
    diverse_landmarks,
    dselect,
    estimate_memory,
    ftune,
    landmark_pairs,
    landmarked,
    random_landmarks,
)

__all__ = [
    "BIAS",
    "CS",
    "SLOPES",
    "LandmarkClassifier",
    "Landmarks",
    "NormalizationWarning",
    "Ramp",
    "bbs",
    "diverse_landmarks",
    "dselect",
    "estimate_memory",
    "ftune",
    "landmark_pairs",
    "landmarked",
    "random_landmarks",
]
