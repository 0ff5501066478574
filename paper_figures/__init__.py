"""Every figure and table of the five papers, ours beside the published numbers.

``python -m paper_figures`` computes (runner.py), stores (store.py), draws (plots.py) and shows
(gallery/); with ``--report`` it draws and shows what is stored (report.py). A paper is a room:
``<paper>/figures.py`` says what its figures are (registry.py holds the contract),
``<paper>/tasks.py`` computes, ``<paper>/plots.py`` draws. Stored results of tasks become stale when
what the second imports changes, not when the first or the third does.

What a stored figure looks like (``OUT/<paper>/<figure>.json``):

- ``paper, figure, title, scale, kernels, seed, seconds, versions``, and ``key``: does it still
  hold;
- ``cost``: the seconds, the processors' seconds and the memory (bytes) of each group of tasks, and
  ``machines``: the processors and the BLAS that the tasks ran on (cost.py); files of earlier
  versions have neither;
- ``data``: ``[{"name", "sha256"}]``; ``notes``: texts; ``drawing``, if any: what only the picture
  needs;
- ``rows``: the keys of the row, ``published`` (number or null), ``ours`` (number; null only with
  the status "not available" and its ``why``), ``std`` (of one repetition, or null; with
  ``repetitions``), ``error`` where the standard error is not std / sqrt(repetitions) (null:
  unknown), and, where the print is rounded, ``tolerance``. Rows with a number have no
  ``why``; where an earlier version wrote one, nothing reads it;
- ``sha256``: the check sum of all that; files of earlier versions have none.

A record holds numbers, not what they mean. The room `verdict` judges each row when it is shown:
same, better, worse or different, and explained or open; not comparable, read off;
curve not available as numbers, beyond the paper, not available. ``published/<paper>/verdicts.toml``
says which side is better, which errors apply, and what explains a difference. An explanation names
a stored figure, the experiment, and covers only rows that have a row of the experiment at the same
keys. A test holds the rules against the committed records.
"""
