"""Arrays away from kinks, arrays full of ties, and arrays that are exact in every reading."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from verify.errors import UsageError
from verify.regions.shapes import to_shape
from verify.strategies.numbers import Draw, draw_integer, one_of

_LONGEST: Final = 512
"""Most entries: each is drawn."""


def kink_safe(shape: Any, gap: float = 0.25) -> st.SearchStrategy[np.ndarray]:
    """Arrays whose entries differ by `gap` at least, from one another and from zero, in size too.

    No ``abs``, ``max``, ``sort`` or ``where(x > y, ...)`` of them stands at a kink. They are
    built of permuted cumulative gaps, so that nothing is thrown away.

    Parameters
    ----------
    shape : int or tuple of int
    gap : float
        Above 0; whole multiples of it are drawn.

    Returns
    -------
    strategy of float64 arrays, shape `shape`
        Shrinks to ``gap * [1, 2, 3, ...]``.

    Raises
    ------
    UsageError
        A shape that is none, or of more than 512 entries, or a gap that is not above 0.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(kink_safe(3, gap=0.5), lambda x: True)
    array([0.5, 1. , 1.5])
    """
    found = _shape(shape)
    if not gap > 0:
        raise UsageError(f"gap={gap!r}; expected a number above 0")

    return _kink_safe(found, gap)


@st.composite
def _kink_safe(draw: Draw, shape: tuple[int, ...], gap: float) -> np.ndarray:
    count = int(np.prod(shape))
    sizes = np.cumsum([1 + draw_integer(draw, 4) for _ in range(count)]) * gap
    signs = [1 - 2 * draw_integer(draw, 2) for _ in range(count)]
    order = _permutation(draw, count)
    return np.asarray(np.array(sizes * signs, dtype=np.float64)[order].reshape(shape))


def with_ties(shape: Any) -> st.SearchStrategy[np.ndarray]:
    """Arrays in which entries are equal, opposite, or zero, of either sign, more often than not.

    Parameters
    ----------
    shape : int or tuple of int

    Returns
    -------
    strategy of float64 arrays, shape `shape`
        Shrinks to zeros.

    Raises
    ------
    UsageError
        A shape that is none, or of more than 512 entries.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(with_ties(3), lambda x: len(set(abs(x))) == 2)
    array([0., 0., 1.])
    """
    return _with_ties(_shape(shape))


@st.composite
def _with_ties(draw: Draw, shape: tuple[int, ...]) -> np.ndarray:
    seen = [0.0]
    entries = []
    for _ in range(int(np.prod(shape))):
        if draw_integer(draw, 4) < 3:
            near = one_of(draw, seen)
        else:
            near = (
                (1 + draw_integer(draw, 8)) / 2
                if draw_integer(draw, 2)
                else float(1 + draw_integer(draw, 3))
            )
            seen += [x for x in (near, -near) if x not in seen]
        entries.append(near)
    if draw_integer(draw, 4) == 3:
        entries = [-x for x in entries]
    return np.array(entries, dtype=np.float64).reshape(shape)


def dyadics(shape: Any, bits: int = 3, largest: int = 4) -> st.SearchStrategy[np.ndarray]:
    """Arrays of whole multiples of ``2**-bits``, which every reading takes exactly.

    Parameters
    ----------
    shape : int or tuple of int
    bits : int
        From 0 to 52.
    largest : int
        Bound of every entry in size.

    Returns
    -------
    strategy of float64 arrays, shape `shape`
        Shrinks to wholes, then to zeros.

    Raises
    ------
    UsageError
        A shape that is none, or of more than 512 entries; bits or a bound that do not fit.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(dyadics(2), lambda x: x[0] > 1)
    array([2., 0.])
    """
    found = _shape(shape)
    if not (0 <= bits <= 52 and 1 <= largest * 2**bits <= 2**53):
        raise UsageError(
            f"bits={bits!r}, largest={largest!r}; expected bits from 0 to 52 and a bound from 1, "
            "so that every multiple is a float"
        )

    return _dyadics(found, bits, largest)


@st.composite
def _dyadics(draw: Draw, shape: tuple[int, ...], bits: int, largest: int) -> np.ndarray:
    entries = [_dyadic(draw, bits, largest) for _ in range(int(np.prod(shape)))]
    return np.array(entries, dtype=np.float64).reshape(shape)


def _dyadic(draw: Draw, bits: int, largest: int) -> float:
    """The coarser the plainer: a whole first, then with ever more bits behind the point."""
    fine = (0, bits)[draw_integer(draw, 2)]
    size: float = draw_integer(draw, largest * 2**fine + 1) / 2**fine
    return -size if draw_integer(draw, 2) else size


def _permutation(draw: Draw, count: int) -> np.ndarray:
    left = list(range(count))
    return np.array([left.pop(draw_integer(draw, len(left))) for _ in range(count)], dtype=int)


def _shape(given: Any) -> tuple[int, ...]:
    shape = to_shape(given)
    if int(np.prod(shape)) > _LONGEST:
        raise UsageError(f"shape={shape}; expected at most {_LONGEST} entries, as each is drawn")
    return shape
