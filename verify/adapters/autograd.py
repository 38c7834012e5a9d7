"""HIPS autograd: functions in ``autograd.numpy``, and what autograd says their derivatives are."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends import autograd as reader
from symtape.process.extras import load
from verify.model.foreign import (
    Foreign,
    check_positional,
    halves,
    leaves_mapped,
    one_or_all,
    original_of,
    wrap_transform,
)

_NEEDED_BY: Final = "verify.adapters.autograd"

Function = Callable[..., Any]


def adapt(function: Function) -> Foreign:
    """A function in ``autograd.numpy``, or a derivative by autograd, as one that can be verified.

    Parameters
    ----------
    function : callable
        Takes and returns arrays. What ``autograd.make_jvp(f)`` and ``make_vjp(f)`` give returns
        functions; call them inside one of your own.

    Raises
    ------
    MissingExtra
        autograd is not installed.
    UsageError
        It needs arguments by keyword.
    """
    load("autograd", _NEEDED_BY)
    check_positional(function)
    return Foreign(
        framework="autograd",
        original=function,
        run=functools.partial(_run, function),
        read=functools.partial(reader.read, function),
    )


def _run(function: Function, *arguments: Any) -> Any:
    with warnings.catch_warnings():
        # A constant has a derivative, 0, as the verdict says.
        warnings.filterwarnings("ignore", "Output seems independent of input")
        answer = function(*arguments)
    return leaves_mapped(answer, lambda x: x, str(getattr(function, "__name__", "it")))


def derivatives(function: Function, quantity: str) -> dict[str, Foreign]:
    """The derivatives that autograd itself takes of `function`, reverse mode first.

    Parameters
    ----------
    function : callable
        In ``autograd.numpy``, or what :func:`adapt` made of it.
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.

    Returns
    -------
    dict
        By the name of the mode; each takes what a claim of that quantity takes.
    """
    original = original_of(function)
    return {
        mode: adapt(wrap_transform(take, original, name))
        for mode, (name, take) in _MODES[quantity].items()
    }


def _operators() -> Any:
    return load("autograd", _NEEDED_BY)


def _numpy() -> Any:
    return load("autograd.numpy", _NEEDED_BY)


def _gradient(function: Function, *xs: Any) -> Any:
    grad = _operators().grad
    return one_or_all([grad(function, k)(*xs) for k in range(len(xs))])


def _jacobian(function: Function, *xs: Any) -> Any:
    jacobian = _operators().jacobian
    return one_or_all([jacobian(function, k)(*xs) for k in range(len(xs))])


def _jacobian_forward(function: Function, *xs: Any) -> Any:
    return one_or_all([_columns(function, k, xs) for k in range(len(xs))])


def _columns(function: Function, argnum: int, xs: tuple[Any, ...]) -> Any:
    """The Jacobian by one argument, a column for each direction of it."""
    push = _operators().make_jvp(function, argnum)(*xs)
    shape = np.shape(xs[argnum])
    columns = [push(direction)[1] for direction in _directions(shape)]
    stacked = _numpy().stack(columns, axis=-1)
    return _numpy().reshape(stacked, np.shape(columns[0]) + shape)


def _directions(shape: tuple[int, ...]) -> list[Any]:
    size = int(np.prod(shape))
    return [np.reshape(row, shape) for row in np.eye(size)]


def _hessian(function: Function, *xs: Any) -> Any:
    grad, jacobian = _operators().grad, _operators().jacobian
    return _blocks(len(xs), lambda i, j: jacobian(grad(function, i), j)(*xs))


def _hessian_forward(function: Function, *xs: Any) -> Any:
    grad = _operators().grad
    return _blocks(len(xs), lambda i, j: _columns(grad(function, i), j, xs))


def _blocks(count: int, block: Callable[[int, int], Any]) -> Any:
    rows = [tuple(block(i, j) for j in range(count)) for i in range(count)]
    return rows[0][0] if count == 1 else tuple(rows)


def _vjp(function: Function, *xs_and_cotangent: Any) -> Any:
    *xs, cotangent = xs_and_cotangent
    make = _operators().make_vjp
    return one_or_all([make(function, k)(*xs)[0](cotangent) for k in range(len(xs))])


def _jvp(function: Function, *xs_and_tangents: Any) -> Any:
    xs, tangents = halves(xs_and_tangents)
    make = _operators().make_jvp
    return sum(make(function, k)(*xs)(tangents[k])[1] for k in range(len(xs)))


def _hvp(function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)
    return one_or_all([_row(function, k, xs, vectors) for k in range(len(xs))])


def _row(function: Function, argnum: int, xs: Any, vectors: Any) -> Any:
    """One block of the product: the gradient by one argument, pulled back by each of them."""
    grad, numpy = _operators().grad, _numpy()

    def slope_along(*inner: Any) -> Any:
        slopes = [grad(function, k)(*inner) for k in range(len(inner))]
        return sum(numpy.sum(s * v) for s, v in zip(slopes, vectors, strict=True))

    return grad(slope_along, argnum)(*xs)


def _hvp_forward(function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)
    grad = _operators().grad
    return one_or_all([_jvp(grad(function, k), *xs, *vectors) for k in range(len(xs))])


_MODES: Final[dict[str, dict[str, tuple[str, Callable[..., Any]]]]] = {
    "gradient": {
        "reverse": ("autograd.grad", _gradient),
        "forward": ("autograd.make_jvp", _jacobian_forward),
    },
    "jacobian": {
        "reverse": ("autograd.jacobian", _jacobian),
        "forward": ("autograd.make_jvp", _jacobian_forward),
    },
    "hessian": {
        "reverse": ("autograd.hessian", _hessian),
        "forward over reverse": ("autograd.make_jvp of autograd.grad", _hessian_forward),
    },
    "vjp": {"reverse": ("autograd.make_vjp", _vjp)},
    "jvp": {"forward": ("autograd.make_jvp", _jvp)},
    "hvp": {
        "reverse": ("autograd.hessian_vector_product", _hvp),
        "forward over reverse": ("autograd.make_jvp of autograd.grad", _hvp_forward),
    },
}
"""By quantity and mode: what users call it, and how it is taken."""
