"""The Sphinx configuration of the site; ``python -m paper_figures.site`` runs it in a copy."""

import refimpl
from paper_figures.site.listings import link_of

project = "refimpl"
author = "the refimpl authors"
copyright = "the refimpl authors"
version = release = refimpl.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.linkcode",
    "numpydoc",
    "paper_figures.site.docstrings",
    "paper_figures.site.listings",
    "paper_figures.site.mathml",
]
exclude_patterns = ["_static", "_extra", "_templates"]
templates_path = ["_templates"]
html_extra_path = ["_extra"]  # records and pictures
html_math_renderer = "mathml"
linkcode_resolve = link_of

autodoc_preserve_defaults = True  # the text of a module would hold a path of this machine
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the sections of the docstrings have the types
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
numpydoc_validation_checks = {
    *("GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL09", "GL10"),  # the form of all sections
    *("SS01", "SS02", "SS03", "SS04", "SS05"),  # the summary line
    *("PR02", "PR05", "PR06", "PR09", "PR10"),  # parameters that there are, and their types
    *("RT05", "YD01"),  # results
    *("SA01", "SA02", "SA03", "SA04", "EX01"),  # See Also and Examples
}
numpydoc_validation_exclude = {
    r"\.[A-Z]\w*\.\w+$",  # methods: the example stands at their class
    r"^refimpl_fast\.",  # they refer to their twins
    r"^refimpl\.typing\.",  # users do not call them
    r"\.algorithm\.",  # as printed: the long form stands at the form for use
}
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries = False

html_theme = "pydata_sphinx_theme"
html_title = "refimpl"
html_static_path = ["_static"]
html_css_files = ["reader.css"]
html_context = {"default_mode": "auto"}
html_copy_source = False
html_use_index = html_domain_indices = False  # no page leads to them
html_show_search_summary = False  # it would fetch pages, which a page from the disk may not
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars: dict[str, list[str]] = {"[!a]**": []}  # a list of pages for the API alone
html_theme_options = {
    "logo": {"text": "refimpl"},
    "navbar_align": "left",
    "navbar_end": [],  # controls.js.jinja
    "navbar_persistent": [],
    "primary_sidebar_end": [],
    "collapse_navigation": True,
    "footer_start": [],
    "footer_end": [],
    "show_prev_next": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
    "back_to_top_button": False,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "search_as_you_type": False,
    "external_links": [],
}
