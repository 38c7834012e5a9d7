"""Lengths at which a program of symbols is held against the derivative itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.programs.emitted.resizing import Axis, resize_arguments
from symtape.programs.emitted.sizes import Lengths

Values = Callable[[Sequence[Any]], list[Any]]
"""The arrays of a derivative at some arguments."""

Made = Callable[[Lengths, Sequence[Any]], list[Any] | None]
"""Those of the program at some lengths; None where it refuses the arguments."""

_SHORT: Final = 5
"""Below it lengths may be exceptions, which are refused."""

_ALONE: Final = (0, 1, 2, 3, 4, 6, 9, 10, 12, 16)
_EQUAL: Final = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
_LONG: Final = (13, 14, 15, 16, 20, 25, 30, 36, 49, 64, 101)
"""Even and odd, multiples, powers, squares and primes."""


def least_lengths(
    symbols: Mapping[str, frozenset[Axis]],
    args: Sequence[Any],
    made: Made,
    values: Values,
    long: bool,
) -> dict[str, int] | None:
    """From which length on each symbol was right wherever it was tried; None if there is none.

    Parameters
    ----------
    symbols : mapping
        The axes that have each length.
    args : sequence
        The point, of whose numbers others are made.
    made, values : callable
        The program, and the derivative that it is held against.
    long : bool
        Long arrays are tried, too.
    """

    def is_right(lengths: Lengths) -> bool | None:
        given = {axis: lengths[name] for name, some in symbols.items() for axis in some}
        return _is_right(resize_arguments(args, given), lengths, made, values)

    least: dict[str, int] = {}
    for name, lengths in _iterate_single_lengths(symbols):
        n = lengths[name]
        found = is_right(lengths)
        if found is False and n >= _SHORT:
            return None
        if found is False or (found is None and n == least.get(name, 0) and n < _SHORT):
            least[name] = n + 1
    for n in (*_EQUAL, *_LONG * long):
        if n >= max(least.values(), default=0) and is_right(dict.fromkeys(symbols, n)) is False:
            return None
    return least


def _iterate_single_lengths(symbols: Mapping[str, Any]) -> Iterator[tuple[str, Lengths]]:
    """Each length in turn while the others are apart from it."""
    for name in symbols:
        others = dict(zip([s for s in symbols if s != name], _primes(), strict=False))
        for n in _ALONE:
            yield name, {s: n if s == name else others[s] for s in symbols}


def _primes() -> Iterator[int]:
    return (n for n in range(5, 1000) if all(n % k for k in range(2, n)))


def _is_right(args: Sequence[Any], lengths: Lengths, made: Made, values: Values) -> bool | None:
    """Whether a program is right; None where the function itself raises, or has no finite value."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = values(args)
        except Exception:  # noqa: BLE001  # code of the user at shapes that it is not made for
            return None
        try:
            found = made(lengths, args)
        except (ValueError, TypeError, LookupError, ArithmeticError):
            return False
    return found is None or all(map(_is_near, found, wanted))


def _is_near(a: Any, b: Any) -> bool:
    size = float(np.max(np.abs(b), initial=0.0))
    return np.shape(a) == np.shape(b) and np.allclose(
        a, b, rtol=1e-6, atol=1e-9 * size if np.isfinite(size) else 0.0, equal_nan=True
    )
