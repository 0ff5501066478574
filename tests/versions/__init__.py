"""The core of the suite on several versions of Python and of the libraries: ``make versions``."""
