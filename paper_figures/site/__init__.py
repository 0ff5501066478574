"""The site: a reader for each paper, the API reference, the figures and claims.

``python -m paper_figures.site`` writes it (``make site``). It needs a checkout, since it shows the
Cython sources and the tests, and the dependency group ``site``.

- ``printed.py`` reads the marks of the code and the tables of the PAPER.md files.
- ``snippets.py`` cuts the marked statements out of the files, and tests and Cython lines.
- ``steps.py`` reads ``steps/<paper>.toml``: each printed step in our own words and as a formula.
- ``tracing.py`` runs an algorithm as printed and records what its marked lines computed;
  ``examples/`` has a small example for each algorithm, ``pictures.py`` draws its state.
- ``reader.py`` and ``rows.py`` lay all that out, a page for each paper; ``whole.py`` has whole
  algorithms, ``errata.py`` and ``typeset.py`` the errata, ``demos/`` examples with sliders.
- ``front.py`` has the first page, ``api.py`` the public names, ``others.py`` other implementations.
- ``figures.py`` has the pages of figures and claims, ``documents.py`` the Markdown files of the
  project and the data files, ``listings.py`` the Cython modules.
- ``finish.py`` makes the written files lighter; ``rst.py`` has what all pages share.
- ``templates/`` has the HTML of our pages, ``source/`` the Sphinx configuration, the pages written
  by hand, the style and the scripts.

Nothing is loaded from elsewhere: formulas are MathML, pictures are files of the site.
"""
