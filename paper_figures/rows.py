"""Rows that every paper's figures have: a number beside the printed one, or why there is none."""

from paper_figures.store import NOT_AVAILABLE


def number_row(keys, published, ours, **more):
    """Give the row of a number that has no standard deviation.

    Parameters
    ----------
    keys : dict
        What the row is about.
    published, ours : float or None
    **more
        Further fields, such as ``why``.

    Returns
    -------
    dict
    """
    return keys | {"published": published, "ours": ours, "std": None} | more


def absent_row(keys, why, published=None):
    """Give the row of a number that could not be computed, and why."""
    return number_row(keys, published, None, status=NOT_AVAILABLE, why=why)


def absent_rows(results, keys):
    """Give one row with the first reason among results that are not there; none if all are.

    Parameters
    ----------
    results : list of registry.Result
    keys : dict

    Returns
    -------
    list of dict
    """
    why = next((r.why for r in results if r.value is None and r.why), None)
    return [] if why is None else [absent_row(keys, why)]
