"""The data sets of the papers: one table of files, one way to fetch them, one loader.

>>> from paper_figures.data import load
>>> load("wdbc-small").X.shape
(569, 30)

It does not split, scale or whiten: that is a protocol's business and stands in the paper's module.
"""

from paper_figures.data.fetch import DataNotAvailable, fetch, search_path
from paper_figures.data.files import FILES, DataFile
from paper_figures.data.recipes import DataSet
from paper_figures.data.sets import at_hand, describe, load, names

__all__ = [
    "FILES",
    "DataFile",
    "DataNotAvailable",
    "DataSet",
    "at_hand",
    "describe",
    "fetch",
    "load",
    "names",
    "search_path",
]
