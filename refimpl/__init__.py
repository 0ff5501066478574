"""Reference implementations of five papers on learned distances, embeddings and search.

Pure NumPy and SciPy; every algorithm mirrors its paper's pseudocode. The hot paths live in
:mod:`refimpl.kernels` and are exchanged by passing another module as ``kernels=``.
"""

__version__ = "0.1.0"

from refimpl.results import FileFormatError, load, save

__all__ = ["FileFormatError", "load", "save"]
