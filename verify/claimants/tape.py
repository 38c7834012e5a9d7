"""What symtape's tape claims: a derivative as a function of points, directions and all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
    >>> product = tape_derivative(lambda x, g: np.sin(x), Quantity("vjp", directions=1), 2)
    >>> product(0.0, 3.0)
    (np.float64(3.0),)
    """
    rows = quantity.rows(count)
    match quantity.name:
        case "gradient":
            derivative: Function = symtape.grad(function, argnums=rows)
        case "jacobian":
            derivative = symtape.jacobian(function, argnums=rows)
        case "hessian":
            derivative = _hessian(function, quantity, count)
        case "vjp":
            derivative = _pulled_back(function, quantity, count)
        case "jvp":
            derivative = _pushed_forward(function, quantity, count)
        case _:
            derivative = _hessian_times(function, quantity, count)
    return derivative


def _hessian(function: Function, quantity: Quantity, count: int) -> Function:
    moving = quantity.moving(count)
    whole = symtape.hessian(function, argnums=moving)
    if quantity.rows(count) == quantity.columns(count) == moving:
        return whole

    def blocks(*point: Any) -> Any:
        found = whole(*point)
        return tuple(found[moving.index(i)][moving.index(j)] for i, j in quantity.parts(count))

    return blocks


def _pulled_back(function: Function, quantity: Quantity, count: int) -> Function:
    rows, along = quantity.rows(count), quantity.along(count)

    def product(*point: Any) -> Any:
        restricted = _restrict_function(function, point, rows)
        value, pull_back = symtape.vjp(restricted, *(point[i] for i in rows))
        return pull_back(pack(value, iter([point[at] for at in along])))

    return product


def _pushed_forward(function: Function, quantity: Quantity, count: int) -> Function:
    rows, along = quantity.rows(count), quantity.along(count)

    def product(*point: Any) -> Any:
        restricted = _restrict_function(function, point, rows)
        primals, tangents = ([point[i] for i in places] for places in (rows, along))
        found = flatten(symtape.jvp(restricted, primals, tangents)[1])
        return found[0] if len(found) == 1 else tuple(found)

    return product


def _hessian_times(function: Function, quantity: Quantity, count: int) -> Function:
    rows, along = quantity.rows(count), quantity.along(count)

    def product(*point: Any) -> Any:
        moved = _restrict_function(function, point, rows)
        if len(rows) == 1:
            return symtape.hvp(moved)(point[rows[0]], point[along[0]])
        vectors = [point[at] for at in along]
        places = tuple(range(len(rows)))

        def slope(*xs: Any) -> Any:
            first = symtape.grad(moved, argnums=places)(*xs)
            return sum(np.sum(v * y) for v, y in zip(vectors, first, strict=True))

        return symtape.grad(slope, argnums=places)(*(point[i] for i in rows))

    return product


def _restrict_function(function: Function, point: Sequence[Any], rows: Sequence[int]) -> Function:
    """`function` of some of its arguments, with the others as they are at a point."""

    def call_restricted(*xs: Any) -> Any:
        whole = list(point)
        for at, x in zip(rows, xs, strict=True):
            whole[at] = x
        return function(*whole)

    return call_restricted
