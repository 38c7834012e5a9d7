"""``.code``: the source of a derivative in a language."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.programs.emitted.derivative import Derivative, recorded_derivative
from symtape.programs.emitted.dialect import JAX, NUMPY, TORCH, Dialect
from symtape.programs.emitted.generic import generalise_lengths
from symtape.programs.emitted.python import PythonSource, is_spelled
from symtape.reading.faithful import check_faithful
from symtape.reading.record import flat, record
from symtape.symbolic.naming import argument_names

Recording = Callable[[Sequence[Any]], Derivative]
"""The derivative as it is recorded at some arguments."""

Language = Callable[[Recording, Callable[..., Any], Sequence[Any]], str]


def _make_python_language(dialect: Dialect) -> Language:
    def write(at: Recording, function: Callable[..., Any], args: Sequence[Any]) -> str:
        def record_again(args: Sequence[Any]) -> Derivative:
            return at(args).written_for(is_spelled(dialect))

        here = record_again(args)
        general = generalise_lengths(here, record_again, function, args)
        try:
            return PythonSource(general, dialect, function).text()
        except Unsupported as error:
            if not general.sizes:
                raise
            fixed = dataclasses.replace(here, fixed=f"at others {error}")
            return PythonSource(fixed, dialect, function).text()

    return write


def _c(at: Recording, function: Callable[..., Any], args: Sequence[Any]) -> str:
    from symtape.programs.emitted import c  # of use to this language alone

    return c.CSource(at(args).written_for(c.is_spelled, makes_arrays=False), function).text()


_MODULES: Final = frozenset(name for one in (NUMPY, JAX, TORCH) for name in one.imports)
"""Names that no argument may have."""

LANGUAGES: Final[Mapping[str, Language]] = {
    "numpy": _make_python_language(NUMPY),
    "jax": _make_python_language(JAX),
    "torch": _make_python_language(TORCH),
    "c": _c,
}
"""By the name that ``code`` takes."""


def source(
    function: Callable[..., Any],
    args: Sequence[Any],
    names: Sequence[str],
    name: str,
    language: str = "numpy",
    what: str | None = None,
    wrt: str | Sequence[str] | None = None,
) -> str:
    """A function that computes a derivative, as a person would have written it.

    Parameters
    ----------
    function : callable
        Of numbers and arrays.
    args, names : sequence
        The point, and what the arguments are called.
    name : str
        Of the function.
    language : str
        One of :data:`LANGUAGES`.
    what : str, optional
        One of :data:`symtape.programs.emitted.derivative.QUANTITIES`; by default the gradient, and
        the Jacobian of a function with an array for its value.
    wrt : str or sequence of str, optional
        The arguments by which it is differentiated; all by default.

    Raises
    ------
    ValueError
        `language`, `what` or `wrt` is not known.
    Unsupported
        The language has nothing for an operation; names it and the line.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language={language!r}: expected one of {', '.join(LANGUAGES)}")
    by = _places(wrt, names)
    safe = [f"{one}_" if one in _MODULES else one for one in names]
    # The point may be one at which the function overflows: its values are not asked for.
    with np.errstate(all="ignore"):
        return LANGUAGES[language](
            lambda at: recorded_derivative(function, at, safe, name, what, by), function, args
        )


def source_at(
    function: Callable[..., Any],
    args: Sequence[Any],
    language: str = "numpy",
    what: str | None = None,
    wrt: str | Sequence[str] | None = None,
) -> str:
    """As :func:`source`, of a function of trees too, whose recording is held against it first.

    Raises
    ------
    NotTraceable
        The recording is not the function.
    """
    name = getattr(function, "__name__", "")
    function, args = flat(function, tuple(args), {})
    names = argument_names(function, len(args))
    forward = record(function, *args)
    args = tuple(arg[()] for arg in forward.cast(args))
    check_faithful(function, forward, args)
    return source(function, args, names, name if name.isidentifier() else "f", language, what, wrt)


def _places(wrt: str | Sequence[str] | None, names: Sequence[str]) -> list[int]:
    wanted = list(names) if wrt is None else [wrt] if isinstance(wrt, str) else list(wrt)
    for one in wanted:
        if one not in names:
            raise ValueError(
                f"wrt={wrt!r}: there is no argument {one!r}; expected some of {', '.join(names)}"
            )
    if not wanted or len(set(wanted)) < len(wanted):
        raise ValueError(f"wrt={wrt!r}: expected some of {', '.join(names)}, each once")
    return [list(names).index(one) for one in wanted]
