"""The packages of the extra ``figures`` in pyproject.toml, which making figures needs.

They are imported where they are used, so that the figures can be listed without them.
"""

from importlib.util import find_spec

# the name to import: the name to install
PACKAGES = {
    "jinja2": "jinja2",
    "matplotlib": "matplotlib",
    "sklearn": "scikit-learn",
    "joblib": "joblib",
    "tqdm": "tqdm",
    "pooch": "pooch",
}


class MissingExtra(ImportError):
    """Packages of the extra ``figures`` are not installed."""


def require_extra(*modules: str) -> None:
    """Raise MissingExtra if one of these keys of PACKAGES, or of all, is not installed."""
    absent = [PACKAGES[name] for name in modules or PACKAGES if find_spec(name) is None]
    if absent:
        raise MissingExtra(f"paper_figures needs {_listed(absent)}: pip install 'refimpl[figures]'")


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
