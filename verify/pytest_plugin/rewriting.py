"""Keeps pytest from rewriting our assertions, which are no tests.

pytest marks all modules of a distribution that has a plugin. It then parses and compiles each of
them anew, which takes seconds where no bytecode is kept, as in containers.
"""

from __future__ import annotations

import sys
from typing import Final

_OURS: Final = {"symtape", "verify"}


def leave_alone() -> None:
    """Take our packages from what pytest marked."""
    for finder in sys.meta_path:
        marked = getattr(finder, "_must_rewrite", None)
        if isinstance(marked, set):
            marked -= _OURS
            getattr(finder, "_marked_for_rewrite_cache", {}).clear()
