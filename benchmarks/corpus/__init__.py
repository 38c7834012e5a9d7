"""Derivatives as people write them, right and wrong ones, and what the verifier says of them.

``python -m benchmarks.corpus`` judges all of them; see :mod:`benchmarks.corpus.run`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Final

from benchmarks.corpus.registry import Group, Row

__all__ = ["rows"]

_MACHINERY: Final = {"__main__", "reference", "registry", "run", "table"}


@functools.cache
def rows() -> dict[str, Row]:
    """Every row by its name, which is ``"group: name"``."""
    found: dict[str, Row] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda each: each.name):
        if module.name in _MACHINERY:
            continue
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for group in vars(loaded).values():
            if isinstance(group, Group):
                for row in group.rows:
                    if row.name in found:
                        raise ValueError(f"two rows are called {row.name!r}")
                    found[row.name] = row
    return found
