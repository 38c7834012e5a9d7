"""Gradients registered by name, for operations that come without one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, ParamSpec, TypeVar

from symtape.errors import NoGradient
from symtape.primitives.primitive import PRIMITIVES, Params, Primitive
from symtape.primitives.protocol import load_late_rows
from symtape.recording.joint import joint_edges
from symtape.recording.origin import locate
from symtape.recording.tensor import Tensor, apply

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
Y = TypeVar("Y")

_REGISTERED: Final[dict[str, Callable[..., Any]]] = {}


class Operation:
    """One application of an operation, as a registered gradient sees it."""

    __slots__ = ("inputs", "name", "origin", "outputs", "params")

    def __init__(
        self, name: str, inputs: tuple[Any, ...], outputs: tuple[Any, ...], params: Params
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.params = params
        self.origin = locate()


def missing_rules(
    primitive: Primitive,
    inputs: Sequence[Any],
    params: Params,
    output: Any,
    ids: set[int],
) -> list[Any]:
    """Edges that look the gradient up in the registry when it is asked for, and not before."""
    outputs = output if type(output) is tuple else (output,)
    name = primitive.name if primitive.missing else f"{primitive.name} of complex numbers"
    operation = Operation(name, tuple(inputs), outputs, params)
    traced = [at for at, x in enumerate(inputs) if type(x) is Tensor and x._id in ids]
    return joint_edges(name, inputs, traced, functools.partial(_ask, operation))


def _ask(operation: Operation, *cotangents: Tensor) -> list[Any]:
    gradient = _REGISTERED.get(operation.name)
    if gradient is None:
        origin = operation.origin
        raise NoGradient(
            f"gradient registry has no entry for: {operation.name}",
            f"{origin} in {origin.function}" if origin else "",
            f"give it one with symtape.RegisterGradient({operation.name!r}), or compute with "
            "functions that have one",
        )
    answer = gradient(operation, *cotangents)
    answer = list(answer) if isinstance(answer, list | tuple) else [answer]
    if len(answer) != len(operation.inputs):
        raise ValueError(
            f"the gradient registered for {operation.name} returned {len(answer)} values, but "
            f"the operation has {len(operation.inputs)} inputs; return one (or None) for each"
        )
    return answer


class RegisterGradient:
    """Register the gradient of an operation by its name; a decorator.

    Parameters
    ----------
    op_name : str
        The name that ``NoGradient: gradient registry has no entry for: NAME`` shows.

    Raises
    ------
    KeyError
        A gradient for `op_name` is registered, or built in.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> cube = symtape.register_op("DocCube")(lambda x: x**3)
    >>> @symtape.RegisterGradient("DocCube")
    ... def _cube_gradient(op, dy):
    ...     (x,) = op.inputs
    ...     return 3 * x**2 * dy
    >>> x = symtape.Variable(2.0)
    >>> with symtape.GradientTape() as tape:
    ...     y = cube(x)
    >>> tape.gradient(y, x).numpy()
    np.float64(12.0)
    """

    def __init__(self, op_name: str) -> None:
        if not isinstance(op_name, str):
            raise TypeError(f"op_name={op_name!r}; expected the name of an operation, a str")
        load_late_rows()
        row = PRIMITIVES.get(op_name)
        if op_name in _REGISTERED or (row is not None and not row.missing):
            raise KeyError(
                f"a gradient for {op_name!r} is registered already; "
                "choose another name for your operation"
            )
        self._name = op_name

    def __call__(self, gradient: F) -> F:
        """Register `gradient`, called as ``gradient(op, *cotangents)``."""
        _REGISTERED[self._name] = gradient
        return gradient


def register_op(name: str | None = None) -> Callable[[Callable[P, Y]], Callable[P, Y]]:
    """Make a NumPy function one operation of its own, without a gradient; a decorator.

    The function is run on plain arrays. Its gradient is a ``NoGradient`` error until one is given
    with :class:`RegisterGradient`.

    Parameters
    ----------
    name : str, optional
        The operation's name; the function's own by default.

    Examples
    --------
    >>> import symtape
    >>> @symtape.register_op("DocDouble")
    ... def double(x):
    ...     return 2 * x
    >>> double(symtape.constant(2.0)).numpy()
    np.float64(4.0)
    """

    def declare(function: Callable[P, Y]) -> Callable[P, Y]:
        chosen = name or function.__name__
        row = Primitive(name=chosen, inputs="*xs", evaluate=function, vjp="missing")

        def operation(*args: P.args, **params: P.kwargs) -> Any:
            return apply(row, args, params)

        operation.__name__ = chosen
        operation.__doc__ = function.__doc__
        return operation

    return declare
