"""Hints: what is known of an argument before the function is called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

_INFINITE: Final = float("inf")

_RANGE: Final = re.compile(
    r"(?:in|from|between)?\s*[\[(]\s*(-?[\d.]+(?:e-?\d+)?)\s*,\s*(-?[\d.]+(?:e-?\d+)?)\s*[\])]"
)
_CHAIN: Final = re.compile(r"(-?\d[\d.]*)\s*<=?\s*\w+\s*<=?\s*(-?\d[\d.]*)")
_SECTION: Final = re.compile(
    r"^Parameters\n-{3,}\n(.*?)(?=^\S[^\n]*\n-{3,}\n|\Z)", re.MULTILINE | re.DOTALL
)
_ENTRY: Final = re.compile(
    r"^(\S[^\n:]*?)\s*(?::([^\n]*))?\n((?:[ \t]+[^\n]*\n?|\n)*)", re.MULTILINE
)
_FIELD: Final = re.compile(
    r"^[ \t]*:(param|type)[ \t]+(?:[^\n:]*[ \t])?\*{0,2}(\w+):[ \t]*"
    r"((?:[^\n]*\n)(?:[ \t]+[^:\s][^\n]*\n)*)",
    re.MULTILINE,
)
"""Of the lists of fields that Sphinx reads: ``:param x: ...`` and ``:type x: ...``."""

_POSITIVE: Final = re.compile(
    r"(?<!non-)\b[Pp]ositive\b|> ?0\b|\b([Ss]tandard deviation|[Vv]ariance|[Vv]olatility)\b"
)
_TEMPERATURE: Final = re.compile(r"temperature.*\[K\]", re.IGNORECASE | re.DOTALL)
_PRESSURE: Final = re.compile(r"pressure.*\[Pa\]", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hint:
    """What is known of one argument.

    Attributes
    ----------
    lower, upper : float
        Where the function is defined in it; infinite where that is not known.
    shape : tuple of int or None
        Of the array that it is; () for a number; None where that is not known.
    near : float or None
        A value of the usual size.
    """

    lower: float = -_INFINITE
    upper: float = _INFINITE
    shape: tuple[int, ...] | None = None
    near: float | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether both bounds are known."""
        return self.lower > -_INFINITE and self.upper < _INFINITE

    def and_also(self, other: Hint) -> Hint:
        """What both know; where they disagree, what this one does."""
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if not lower < upper:
            lower, upper = self.lower, self.upper
        return Hint(
            lower,
            upper,
            other.shape if self.shape is None else self.shape,
            other.near if self.near is None else self.near,
        )


def hints_of(function: Callable[..., Any]) -> dict[str, Hint]:
    """What the docstring of a function says of its arguments, in the sections of numpydoc.

    Examples
    --------
    >>> def share(x, n):
    ...     '''A share.
    ...
    ...     Parameters
    ...     ----------
    ...     x : float
    ...         In the range [0, 1].
    ...     n : float
    ...         Positive.
    ...     '''
    >>> hints_of(share)["x"].upper, hints_of(share)["n"].lower
    (1.0, 0.0)
    """
    return {
        name: hint
        for name, (kind, words) in documented_parameters(inspect.getdoc(function) or "").items()
        if (hint := _hint(kind, words)) != Hint()
    }


def documented_parameters(text: str) -> Mapping[str, tuple[str, str]]:
    """The type and the words of each parameter that a docstring lists, as numpydoc or Sphinx."""
    section = _SECTION.search(f"{text}\n")
    if section is None:
        return _fields(f"{text}\n")
    found: dict[str, tuple[str, str]] = {}
    for entry in _ENTRY.finditer(section[1]):
        for name in entry[1].split(","):
            found[name.strip().lstrip("*")] = ((entry[2] or "").strip(), " ".join(entry[3].split()))
    return found


def _fields(text: str) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for what, name, words in _FIELD.findall(text):
        kind, said = found.get(name, ("", ""))
        words = " ".join(words.split())
        found[name] = (words, said) if what == "type" else (kind, words)
    return found


def _hint(kind: str, words: str) -> Hint:
    hint = Hint()
    if kind in ("float", "scalar", "number"):
        hint = replace(hint, shape=())
    if found := _RANGE.search(words) or _CHAIN.search(words):
        lower, upper = float(found[1]), float(found[2])
        if lower < upper:
            hint = replace(hint, lower=lower, upper=upper)
    elif _POSITIVE.search(words):
        hint = replace(hint, lower=0.0)
    if _TEMPERATURE.search(words):
        hint = replace(hint, near=350.0, lower=max(hint.lower, 0.0))
    elif _PRESSURE.search(words):
        hint = replace(hint, near=1e6, lower=max(hint.lower, 0.0))
    return hint
