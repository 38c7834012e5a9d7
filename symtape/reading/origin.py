"""Whose code it is that runs: ours, that of a library, or the user's."""

from __future__ import annotations

import functools
import sys
from typing import Any, Final, Literal

Whose = Literal["ours", "user", "library"]

_FOLDERS: Final = ("site-packages", "dist-packages")
_OURS: Final = frozenset(("symtape", "verify"))


@functools.lru_cache(maxsize=4096)  # modules
def _whose(name: str, file: str) -> Whose:
    root = name.partition(".")[0]
    if root in _OURS:
        return "ours"
    known = root == "numpy" or root in sys.stdlib_module_names - {"__main__"}
    return "library" if known or any(folder in file for folder in _FOLDERS) else "user"


def whose(scope: dict[str, Any]) -> Whose:
    """Whose module it is that has these globals."""
    return _whose(str(scope.get("__name__", "")), str(scope.get("__file__") or ""))
