"""FTUNE and DSELECT: Kar & Jain (2011). The algorithms as printed are in :mod:`refimpl.ftune.algorithm`."""

from refimpl.ftune.arguments import NormalizationWarning
from refimpl.ftune.landmarks import diverse_landmarks, dselect, landmark_pairs, random_landmarks
from refimpl.ftune.problems import CS, SLOPES, estimate_memory
from refimpl.ftune.space import LandmarkClassifier, Landmarks, Ramp, landmarked
from refimpl.ftune.training import BIAS, bbs, ftune

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
