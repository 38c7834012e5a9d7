"""``scipy.spatial.transform`` of tensors: SciPy's own code in Python for what it has compiled.

SciPy has each function of rotations twice, compiled for arrays of NumPy and in Python for others.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final

from symtape.recording.in_place import holds_tensor

Function = Callable[..., Any]

_MODULES: Final = ("_rotation", "_rigid_transform")


def functions() -> dict[Function, Function]:
    """By the compiled function, as far as it is loaded."""
    found: dict[Function, Function] = {}
    for name in _MODULES:
        compiled = sys.modules.get(f"scipy.spatial.transform.{name}_cy")
        python = sys.modules.get(f"scipy.spatial.transform.{name}_xp")
        for function, kept in vars(python).items() if compiled and python else ():
            original = getattr(compiled, function, None)
            if callable(original) and callable(kept) and original is not kept:
                found[original] = _if_held(original, kept)
    return found


def _if_held(original: Function, kept: Function) -> Function:
    @functools.wraps(original)
    def function(*args: Any, **keywords: Any) -> Any:
        held = holds_tensor(args) or holds_tensor(list(keywords.values()))
        return (kept if held else original)(*args, **keywords)

    return function
