"""Functions asked as a module is, in this process."""

from types import SimpleNamespace

from refimpl.check.asking import Asking
from refimpl.check.files import folder
from refimpl.check.serving import Server


def asking(**functions):
    """Return what asks these functions by their names."""
    return Asking(Server(SimpleNamespace(**functions)), folder())


def differences(name, function):
    """Return what differs on the vectors of a kernel or training."""
    return asking(**{name: function}).ask([name])
