"""The packages whose code is read where a reader meets it."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, Final

from symtape.reading.origin import root_package
from symtape.reading.unsourced import Scope

_NOT_READ: Final = frozenset(
    (
        *("symtape", "numpy", "jax", "jaxlib", "torch", "sympy"),
        *("flint", "numba", "threading", "concurrent", "asyncio", "multiprocessing", "importlib"),
        *("inspect", "logging", "warnings", "typing", "abc", "linecache", "ast", "re", "enum"),
        *("pytest", "_pytest", "collections", "contextvars", "weakref", "pickle", "copyreg"),
    )
)
"""Packages whose code is not read: ours, frameworks, and code about code."""

_READ: Final = (
    *("numpy.polynomial", "symtape.recording.of_leaves", "symtape.reading.reach"),
    "symtape.programs.specialised.arguments",
)
"""Parts of these that call others', or compute with arrays as users do."""


def is_read(function: Any) -> bool:
    """Whether it is a function in Python whose code is read where a reader meets it."""
    if type(function) is not FunctionType:
        return False
    scope = function.__globals__
    if type(scope) is Scope:
        return False
    # What is typed in, as an example in a docstring of ours, is nobody's library.
    return _is_module_read(scope.get("__name__")) or function.__code__.co_filename.startswith("<")


@functools.lru_cache(maxsize=4096)  # names
def _is_module_read(name: object) -> bool:
    """Whether the functions of a module, by its name, are read."""
    return root_package(name) not in _NOT_READ or str(name).startswith(_READ)
