"""How a call is written down in a script that knows nothing of symtape."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Spelling:
    """A call with ``{0}``, ``{1}``, ... for its arguments, and what stands before it.

    The imports are pairs of a module and a name, the setup lines that make the object it is of.
    """

    imports: tuple[tuple[str, str], ...]
    setup: tuple[str, ...]
    call: str

    def give(self, arguments: Sequence[str]) -> Spelling:
        """The call of arguments that are written so."""
        return replace(self, call=self.call.format(*arguments))


def spelling_of(function: Callable[..., Any], count: int) -> Spelling | None:
    """How a call of `count` arguments is written; None where no name imports the function.

    What wraps a function says so itself, by an attribute ``spelled``.
    """
    if (said := getattr(function, "spelled", None)) is not None:
        spelled: Spelling | None = said()
        return spelled
    # NumPy's ufuncs do not say where they are from.
    module = getattr(function, "__module__", None) or "numpy" * isinstance(function, np.ufunc)
    name = getattr(function, "__qualname__", getattr(function, "__name__", ""))
    found = getattr(sys.modules.get(module or ""), name, None)
    if not (name.isidentifier() and callable(found)) or module == "__main__":
        return None
    given = ", ".join(f"{{{k}}}" for k in range(count))
    return Spelling(((module, name),), (), f"{name}({given})")
