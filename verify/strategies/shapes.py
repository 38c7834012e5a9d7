"""Shapes that go together, axes and indices."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.extra import numpy as of_numpy

from verify.errors import UsageError

Shape = tuple[int, ...]


def shapes(
    signature: str, *, loops: int = 2, smallest: int = 1, largest: int = 4
) -> st.SearchStrategy[tuple[Shape, ...]]:
    """Shapes of the arguments of a generalised ufunc, loop dimensions included.

    Parameters
    ----------
    signature : str
        As NumPy writes it: ``"(m,n),(n,k)->(m,k)"``; ``"(),()->()"`` for shapes that broadcast.
    loops : int
        Most dimensions before those of the signature; they broadcast mutually.
    smallest, largest : int
        Of an axis; 0 allows arrays without entries.

    Returns
    -------
    strategy of tuples of shapes
        One an argument; simplest first: no loops, short axes.

    Raises
    ------
    UsageError
        A signature that NumPy would not take, or bounds in the wrong order.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(shapes("(m,n),(n,k)->(m,k)"), lambda pair: pair[0][-1] == 2)
    ((1, 2), (2, 1))
    """
    count = signature.split("->")[0].count("(")
    try:
        drawn = of_numpy.mutually_broadcastable_shapes(
            signature=strip_signature(signature),
            max_dims=loops,
            min_side=smallest,
            max_side=largest,
        )
        drawn.validate()
    except InvalidArgument as error:
        raise UsageError(
            f"shapes({signature!r}, loops={loops}, smallest={smallest}, largest={largest}): "
            f"{error}; expected a signature such as '(m,n),(n,k)->(m,k)'"
        ) from error
    return drawn.map(lambda found: tuple(found.input_shapes[:count]))


def strip_signature(signature: Any) -> Any:
    """`signature` as Hypothesis wants it, which has no blanks."""
    return "".join(signature.split())


def axes(ndim: int) -> st.SearchStrategy[int | tuple[int, ...] | None]:
    """What ``axis=`` of a reduction over `ndim` axes may be: None, a number, a tuple of them.

    Parameters
    ----------
    ndim : int
        0 or more.

    Returns
    -------
    strategy of None, int or tuple of int
        Numbers count from either end; a tuple has no axis twice.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(axes(3), lambda axis: isinstance(axis, tuple) and len(axis) == 2)
    (0, 1)
    """
    if not ndim:
        return st.none()
    return st.one_of(
        st.none(), st.integers(-ndim, ndim - 1), of_numpy.valid_tuple_axes(ndim, min_size=1)
    )


def indices(shape: Shape, *, newaxis: bool = True) -> st.SearchStrategy[Any]:
    """Basic indices into an array of `shape`: numbers, slices, an ellipsis, new axes.

    Parameters
    ----------
    shape : tuple of int
    newaxis : bool
        Whether ``None`` may be among them.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import find
    >>> np.zeros((2, 3))[find(indices((2, 3)), lambda index: True)].ndim <= 3
    True
    """
    if newaxis:
        return of_numpy.basic_indices(shape, allow_newaxis=True)
    return of_numpy.basic_indices(shape)


def integer_indices(shape: Shape) -> st.SearchStrategy[Any]:
    """Index arrays into an array of `shape` without empty axes, one an axis; repeats are likely.

    Parameters
    ----------
    shape : tuple of int
        With one axis at least.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import find
    >>> np.zeros((2, 3))[find(integer_indices((2, 3)), lambda index: True)].ndim <= 2
    True
    """
    small = of_numpy.array_shapes(max_dims=2, max_side=3)
    return of_numpy.integer_array_indices(shape, result_shape=small)
