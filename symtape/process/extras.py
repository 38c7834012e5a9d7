"""Optional packages: the one place that says which is missing and how to install it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any, Final

from symtape.errors import MissingExtra

_EXTRAS: Final = {
    "jax": "jax",
    "jaxlib": "jax",
    "torch": "torch",
    "autograd": "autograd",
    "tensorflow": "tensorflow",
    "llvmlite": "llvm",
    "hypothesis": "pytest",
    "pytest": "pytest",
}
"""The extra of ours that brings a package."""


def load(package: str, wanted_by: str) -> Any:
    """The module of an optional package.

    Parameters
    ----------
    package : str
        A module of it, as ``"jax.numpy"``.
    wanted_by : str
        What the user called, for the message: ``"symtape.from_jax"``.

    Raises
    ------
    MissingExtra
        It is not installed, or it cannot be imported; an ``ImportError``.

    Examples
    --------
    >>> load("math", "verify.auditing").pi
    3.141592653589793
    >>> load("not_a_package", "verify.auditing")
    Traceback (most recent call last):
    ...
    symtape.errors.MissingExtra: verify.auditing needs not_a_package, which is not installed; \
pip install not_a_package
    """
    root = package.partition(".")[0]
    if not is_installed(root):
        raise MissingExtra(
            f"{wanted_by} needs {root}, which is not installed; "
            f"pip install {_name_requirement(root)}"
        )
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingExtra(
            f"{wanted_by} needs {package}, which is installed but does not import: {error}; "
            f"pip install --force-reinstall {_name_requirement(root)}"
        ) from error


def is_installed(package: str) -> bool:
    """Whether a package can be found, without importing it.

    Examples
    --------
    >>> is_installed("numpy"), is_installed("not_a_package")
    (True, False)
    """
    if package in sys.modules:
        return sys.modules[package] is not None
    return importlib.util.find_spec(package) is not None


def find_loaded(module: str) -> Any:
    """A module, if it has been loaded; whole, where another thread loads it just now.

    Examples
    --------
    >>> find_loaded("sys").__name__, find_loaded("not_a_module")
    ('sys', None)
    """
    return importlib.import_module(module) if sys.modules.get(module) is not None else None


def _name_requirement(package: str) -> str:
    """What to give to pip: the extra that brings the package, or the package itself."""
    return f"'symtape[{_EXTRAS[package]}]'" if package in _EXTRAS else package
