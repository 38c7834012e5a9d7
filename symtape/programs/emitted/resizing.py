"""Arguments of other lengths: which of them belong together, and values to record at.

Lengths at which a program of symbols is held against the derivative itself.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

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


Axis = tuple[int, int]
"""The number of an argument, and of its axis."""

_MOST_AXES: Final = 12
"""Of one length, that are tried apart."""

_SMALL: Final = 20
"""Lengths above it are made less, so that recording again is cheap."""


def free_axes(function: Callable[..., Any], args: Sequence[Any]) -> list[frozenset[Axis]]:
    """The axes that can have other lengths, those together that only can together.

    It is found by calling the function at other lengths. Axes of length 1 and 0 stay, for they
    broadcast.
    """
    shapes = [np.shape(arg) for arg in args]
    alike: dict[int, list[Axis]] = {}
    for number, shape in enumerate(shapes):
        for axis, length in enumerate(shape):
            if length > 1:
                alike.setdefault(length, []).append((number, axis))
    wanted = np.shape(_call_if_possible(function, args))
    found: list[frozenset[Axis]] = []
    for length, axes in alike.items():
        other = next(primes(length, [n for shape in shapes for n in shape]))

        def runs(some: frozenset[Axis], other: int = other) -> bool:
            got = _call_if_possible(function, resize_arguments(args, dict.fromkeys(some, other)))
            return got is not None and len(np.shape(got)) == len(wanted)

        found.extend(_group_linked_axes(axes, runs))
    return sorted(found, key=min)


def _group_linked_axes(
    axes: Sequence[Axis], runs: Callable[[frozenset[Axis]], bool]
) -> Iterator[frozenset[Axis]]:
    """The least sets of axes of one length that can be changed."""
    left = frozenset(axes)
    while left and len(axes) <= _MOST_AXES:
        first = min(left)
        if not runs(left):
            left -= {first}
            continue
        kept = left
        for other in sorted(left - {first}):
            if runs(kept - {other}):
                kept -= {other}
        yield kept
        left -= kept


def _call_if_possible(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a function returns; None where it raises, whatever it is that it has against `args`."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args)
    except Exception:  # noqa: BLE001  # code of the user at shapes that it is not made for
        return None


def primes(length: int, taken: Sequence[int], at_least: int = 5) -> Iterator[int]:
    """Lengths in place of another that nothing else has.

    Examples
    --------
    >>> list(itertools.islice(primes(5, [5, 7]), 3))
    [11, 13, 17]
    """
    least = max(at_least, min(length, _SMALL) + 1)
    for n in itertools.count(least):
        if n not in taken and all(n % k for k in range(2, n)):
            yield n


def resize_arguments(args: Sequence[Any], lengths: Mapping[Axis, int]) -> list[Any]:
    """Arguments with axes of other lengths, made of the same numbers.

    What is longer repeats its elements; a matrix that is longer both ways gets further numbers on
    its diagonal alone, so that what is positive definite, or triangular, stays so.

    Examples
    --------
    >>> resize_arguments([np.array([1.0, 2.0])], {(0, 0): 3})
    [array([1., 2., 1.])]
    >>> resize_arguments([np.array([[2.0, 1.0], [1.0, 2.0]])], {(0, 0): 3, (0, 1): 3})[0].tolist()
    [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 2.0]]
    """
    made = []
    for number, arg in enumerate(args):
        wanted = {axis: n for (which, axis), n in lengths.items() if which == number}
        if not wanted:
            made.append(arg)
            continue
        before = array = np.asarray(arg)
        for axis, n in wanted.items():
            array = np.take(array, np.arange(n) % before.shape[axis], axis=axis)
        if before.ndim == 2 and before.shape[0] == before.shape[1] and len(wanted) == 2:
            array = _border_with_identity(before, array)
        made.append(array)
    return made


def _border_with_identity(before: Any, array: Any) -> Any:
    size = len(before)
    if array.shape[0] != array.shape[1] or len(array) <= size:
        return array
    array[size:, :] = 0
    array[:, size:] = 0
    rest = np.arange(size, len(array))
    array[rest, rest] = before[rest % size, rest % size]
    return array
