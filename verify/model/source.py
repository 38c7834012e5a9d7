"""Code that people wrote, as a report quotes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
