"""FTUNE and DSELECT of Kar & Jain, "Similarity-based Learning via Data Driven Embeddings" (2011).

The words of this room:

- A *similarity* K is a function of two objects that is large if they are alike.
- A *landmark* is a training object that every object is compared with.
- A *one-vs-all problem* is to separate the objects of a class from all others. There is one problem
  for two classes, and one for each class otherwise.
- A *landmark pair* (x^+, x^-) has a landmark x^+ of the problem's class, and x^- of another class.
- A *transfer function* f is an antisymmetric function of the difference K(x, x^+) - K(x, x^-). A
  ramp is an example.
- The *landmarked space* of d pairs has the d values of f as coordinates. A linear classifier is
  trained in it.
- A *selection* is a way to choose landmarks: at random, or by DSELECT, which chooses landmarks that
  are dissimilar to each other.

The algorithms as printed are in :mod:`refimpl.ftune.algorithm`.
"""

from refimpl.ftune.landmarks import diverse_landmarks, dselect, landmark_pairs, random_landmarks
from refimpl.ftune.model import (
    BIAS,
    CS,
    SLOPES,
    FTuneOptions,
    FTuneTraining,
    LandmarkClassifier,
    Landmarks,
    TrainedProblem,
)
from refimpl.ftune.problems import NormalizationWarning
from refimpl.ftune.similarities import Ramp, landmarked
from refimpl.ftune.training import bbs, estimate_memory, ftune, ftune_single_and_per_class

__all__ = [
    "BIAS",
    "CS",
    "SLOPES",
    "FTuneOptions",
    "FTuneTraining",
    "LandmarkClassifier",
    "Landmarks",
    "NormalizationWarning",
    "Ramp",
    "TrainedProblem",
    "bbs",
    "diverse_landmarks",
    "dselect",
    "estimate_memory",
    "ftune",
    "ftune_single_and_per_class",
    "landmark_pairs",
    "landmarked",
    "random_landmarks",
]
