"""What symtape's tape claims: a derivative as a function of points, directions and all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import symtape
from symtape.recording.structure import flatten, pack
from verify.model.quantity import Quantity

Function = Callable[..., Any]


def tape_derivative(function: Function, quantity: Quantity, count: int) -> Function:
    """The derivative of `function` as symtape's transforms give it.

    Parameters
    ----------
    function : callable
        Of points, whose directions it does not look at.
    quantity : Quantity
    count : int
        Of the arguments and directions at a point.

    Returns
    -------
    callable
        Of points; returns the parts of the derivative.

    Examples
    --------
    >>> import numpy as np
    >>> product = tape_derivative(lambda x, g: np.sin(x), Quantity("vjp", directions=1), 2)
    >>> product(0.0, 3.0)
    (np.float64(3.0),)
    """
    if quantity.name in _PRODUCTS:
        return _product(function, quantity, count)
    if quantity.name == "hessian":
        return _hessian(function, quantity, count)
    transform = symtape.grad if quantity.name == "gradient" else symtape.jacobian
    return transform(function, argnums=quantity.rows(count))


def _hessian(function: Function, quantity: Quantity, count: int) -> Function:
    moving = quantity.moving(count)
    whole = symtape.hessian(function, argnums=moving)
    if quantity.rows(count) == quantity.columns(count) == moving:
        return whole

    def blocks(*point: Any) -> Any:
        found = whole(*point)
        return tuple(found[moving.index(i)][moving.index(j)] for i, j in quantity.parts(count))

    return blocks


def _product(function: Function, quantity: Quantity, count: int) -> Function:
    """A product, as a function of points that hold its directions behind the arguments."""
    rows, along, multiply = (
        quantity.rows(count),
        quantity.direction_places(count),
        _PRODUCTS[quantity.name],
    )

    def product(*point: Any) -> Any:
        def restricted(*xs: Any) -> Any:
            whole = list(point)
            for at, x in zip(rows, xs, strict=True):
                whole[at] = x
            return function(*whole)

        return multiply(restricted, [point[i] for i in rows], [point[i] for i in along])

    return product


def _pull_back(function: Function, primals: list[Any], cotangents: list[Any]) -> Any:
    value, pull_back = symtape.vjp(function, *primals)
    return pull_back(pack(value, iter(cotangents)))


def _push_forward(function: Function, primals: list[Any], tangents: list[Any]) -> Any:
    found = flatten(symtape.jvp(function, primals, tangents)[1])
    return found[0] if len(found) == 1 else tuple(found)


def _multiply_hessian(function: Function, primals: list[Any], vectors: list[Any]) -> Any:
    return symtape.hvp(function, tuple(range(len(primals))))(*primals, tuple(vectors))


_PRODUCTS: Final = {"vjp": _pull_back, "jvp": _push_forward, "hvp": _multiply_hessian}
