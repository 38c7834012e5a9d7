"""Code that people wrote, as a report quotes it, and how it spells a value."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symtape.one_line import OneLineRepr
from verify.files import places


@dataclass(frozen=True, slots=True, repr=False)
class Located(OneLineRepr):
    """Words about a line of the user's code: a path predicate, an escape."""

    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Source(OneLineRepr):
    """A function in its file."""

    file: str
    line: int
    code: str

    @property
    def place(self) -> str:
        """The file, or the cell of a notebook, and the line."""
        return places.format_place(self.file, self.line)


def source_of(function: Callable[..., Any]) -> Source | None:
    """The source of `function`, as a report shows it; None where there is none to be had.

    A function made inside the verifier, to call a row of the vocabulary, has none of its own.
    """
    if _made_here(function):
        return None
    try:
        function = inspect.unwrap(function)
        lines, first = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function)
    except (OSError, TypeError):
        return None
    return None if file is None else Source(places.relative(file), first, "".join(lines))


def _made_here(function: Callable[..., Any]) -> bool:
    module, name = (getattr(function, key, "") for key in ("__module__", "__qualname__"))
    return str(module).startswith("verify.") and "<locals>" in str(name)


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
