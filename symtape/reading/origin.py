"""Whose code it is that runs: ours, that of a library, or the user's."""

from __future__ import annotations

import functools
import sys
from typing import Any, Final, Literal

Whose = Literal["ours", "user", "library"]

STEADY: Final = frozenset(
    (
        *("numpy", "scipy", "sympy", "mpmath", "jax", "jaxlib", "torch", "autograd", "numba"),
        *("symtape", "verify", "threading", "concurrent", "asyncio", "multiprocessing"),
        *("importlib", "inspect", "logging", "warnings", "typing", "abc", "re", "enum", "pickle"),
        *("copyreg", "linecache", "ast", "contextvars", "_weakrefset"),
    )
)
"""Packages that are taken for what they are: their code is not looked into."""

IMMUTABLE: Final = frozenset((int, bool, float, complex, str, bytes, type(None)))
"""Types of values that never change."""

_STANDARD: Final = sys.stdlib_module_names - {"__main__"}

_HEAP, _IMMUTABLE = 1 << 9, 1 << 8

_FOLDERS: Final = ("site-packages", "dist-packages")
_OURS: Final = frozenset(("symtape", "verify"))


@functools.lru_cache(maxsize=4096)  # modules
def _whose(name: str, file: str) -> Whose:
    root = name.partition(".")[0]
    if root in _OURS:
        return "ours"
    known = root == "numpy" or root in _STANDARD
    return "library" if known or any(folder in file for folder in _FOLDERS) else "user"


def whose(scope: dict[str, Any]) -> Whose:
    """Whose module it is that has these globals."""
    return _whose(str(scope.get("__name__", "")), str(scope.get("__file__") or ""))


def is_class_in_python(kind: type) -> bool:
    """Whether a class was made by a ``class`` statement, and not in compiled code."""
    return bool(kind.__flags__ & _HEAP) and not kind.__flags__ & _IMMUTABLE


def root_package(name: object) -> str:
    """The package that a module of this name belongs to.

    Examples
    --------
    >>> root_package("scipy.linalg"), root_package(None)
    ('scipy', '')
    """
    return str(name or "").partition(".")[0]


@functools.lru_cache(maxsize=4096)  # names
def is_steady(module: object) -> bool:
    """Whether a module, by its name, is of Python's own library or a package taken for what it is.

    Examples
    --------
    >>> is_steady("scipy.linalg"), is_steady("math"), is_steady("example")
    (True, True, False)
    """
    root = root_package(module)
    return root in STEADY or root in _STANDARD
