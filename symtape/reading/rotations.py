"""``scipy.spatial.transform`` of tensors: SciPy's own code in Python for what it has compiled.

SciPy has each function of rotations twice, compiled for arrays of NumPy and in Python for others.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from symtape.process.extras import find_loaded
from symtape.reading.dispatch import Substitute, substitute_for_arrays
from symtape.recording.inside import read_inside

_MODULES: Final = ("_rotation", "_rigid_transform")


def substitutes() -> dict[str, dict[str, Substitute]]:
    """By the module of the compiled functions, as far as it is loaded."""
    found: dict[str, dict[str, Substitute]] = {}
    for name in _MODULES:
        compiled = find_loaded(f"scipy.spatial.transform.{name}_cy")
        python = find_loaded(f"scipy.spatial.transform.{name}_xp")
        if compiled and python:
            found[compiled.__name__] = {
                function: substitute_for_arrays(functools.partial(read_inside, kept))
                for function, kept in vars(python).items()
                if _is_twin(getattr(compiled, function, None), kept)
            }
    return found


def _is_twin(original: Any, kept: Any) -> bool:
    return callable(original) and callable(kept) and original is not kept
