"""How a call is written down in a script that knows nothing of symtape."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symtape.one_line import OneLineRepr


@dataclass(frozen=True, slots=True, repr=False)
class Spelling(OneLineRepr):
    """A call, and what stands before it.

    Attributes
    ----------
    imports : tuple of pairs of str
        Modules, and the name that each is imported for.
    setup : tuple of str
        Lines that make the object whose method is called.
    call : str
        With ``{0}``, ``{1}``, ... for the arguments.
    """

    imports: tuple[tuple[str, str], ...]
    setup: tuple[str, ...]
    call: str

    def take(self, path: Sequence[int]) -> Spelling:
        """An item of the answer, by indices one after the other."""
        return replace(self, call=self.call + "".join(f"[{k}]" for k in path))

    def give(self, arguments: Sequence[str]) -> Spelling:
        """The call of arguments that are written so."""
        return replace(self, call=self.call.format(*arguments))


def spelling_of(function: Callable[..., Any], count: int) -> Spelling | None:
    """How a call of `count` arguments is written; None where no name imports the function.

    What wraps a function says so itself, by an attribute ``spelled``.

    Examples
    --------
    >>> spelling_of(np.tanh, 1)
    Spelling(imports=(('numpy', 'tanh'),), setup=(), call='tanh({0})')
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
