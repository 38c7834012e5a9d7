"""Instances of the classes of others; where there is none, the reason."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from verify.auditing import NotPosed, shorten_error, silence


def make(kind: Any, options: Mapping[str, Any]) -> Any:
    """An instance of a class with some options.

    Raises
    ------
    NotPosed
        The class refuses them, and how.

    Examples
    --------
    >>> make(complex, {"real": 2.0})
    (2+0j)
    """
    try:
        with silence():
            return kind(**options)
    except Exception as error:  # theirs: the reason is told
        raise NotPosed(f"{kind.__name__} cannot be made: {shorten_error(error)}") from error


def make_of_known(kind: Any, known: Mapping[str, Any]) -> Any:
    """An instance of a class with those of the known options that it takes."""
    taken = inspect.signature(kind).parameters
    return make(kind, {name: value for name, value in known.items() if name in taken})


def make_of_numbers(kind: type) -> Any:
    """An instance of a class that needs no arguments, or only numbers.

    Raises
    ------
    NotPosed
        It needs others.

    Examples
    --------
    >>> from fractions import Fraction
    >>> make_of_numbers(Fraction)
    Fraction(0, 1)
    """
    reason = ""
    for arguments in ({}, *_numbers(kind)):
        try:
            with silence():
                return kind(**arguments)
        except Exception as error:  # noqa: BLE001  # whatever the class raises
            reason = reason or f"{type(error).__name__}: {error}"
    raise NotPosed(
        f"no {kind.__name__} can be made without arguments or with numbers alone: {reason}"
    )


def _numbers(kind: type) -> Iterator[dict[str, float]]:
    try:
        required = required_by(kind)
    except (TypeError, ValueError):
        return
    if required:
        yield {name: 1.0 + k / 4 for k, name in enumerate(required)}
        yield dict.fromkeys(required, 2)


def required_by(kind: type) -> list[str]:
    """What a constructor requires, by name.

    Examples
    --------
    >>> from string import Template
    >>> required_by(Template)
    ['template']
    """
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(kind).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in several]


def described(options: Mapping[str, Any]) -> str:
    """Options, as they stand behind the name of a pair.

    Examples
    --------
    >>> described({"nu": 1.5}), described({})
    ('[nu=1.5]', '')
    """
    said = ", ".join(f"{name}={value}" for name, value in options.items())
    return f"[{said}]" if said else ""
