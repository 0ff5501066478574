"""Every figure and table of the five papers, ours beside the published numbers.

``python -m paper_figures`` computes (run.py), stores (store.py), draws (plots.py) and shows
(gallery/); with ``--report`` it draws and shows what is stored. A paper is a room of studies
(study.py): each declares its cells, one function that computes a cell, and the views of what came
out.

What a stored figure looks like (``OUT/<paper>/<figure>.json``):

- ``paper, figure, title, study, version, scale, kernels, seed``: a record is current by its
  version; ``key``: the cells and data that it is made of;
- ``cells, seconds, cpu_seconds``: what was computed, and its time; ``machines``: the processors and
  the BLAS; ``versions`` of the libraries;
- ``data``: ``[{"name", "sha256"}]``; ``notes``: texts; ``drawing``, if any: what only the picture
  needs;
- ``rows``: the keys of the row, ``published`` (number or null), ``ours`` (number; null only with
  its ``why``), ``error`` (the standard error; 0: counted or exact; null: unknown), ``n`` (the runs
  behind it, or one more than the degrees of freedom of its error) and, where the print is rounded,
  ``tolerance``;
- ``sha256``: the check sum of all that.

A record holds numbers, not what they mean. The room `judge` judges each row when it is shown:
same, better, worse or different, and explained or open; not comparable, read off;
curve not available as numbers, beyond the paper, not available. ``published/<paper>/verdicts.toml``
says which side is better, which errors apply, and what explains a difference. An explanation names
a stored figure, the experiment, and covers only rows that have a row of the experiment at the same
keys. A test holds the rules against the committed records.
"""
