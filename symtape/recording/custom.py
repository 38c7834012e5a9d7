"""Gradients of the user's own: stop_gradient and custom_gradient."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from symtape.primitives.rearranging import STOP_GRADIENT
from symtape.recording.joint import joint_edges
from symtape.recording.misfits import check_function
from symtape.recording.stack import STACK, Recorder, call_observed
from symtape.recording.structure import flatten, pack
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, apply, constant, tensor_of
from symtape.recording.variable import Variable

P = ParamSpec("P")
Y = TypeVar("Y")


def stop_gradient(x: Any) -> Tensor:
    """The same value, constant to every tape.

    Examples
    --------
    >>> import symtape
    >>> x = symtape.Variable(3.0)
    >>> with symtape.GradientTape() as tape:
    ...     y = x * symtape.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float64(3.0)
    """
    result: Tensor = apply(STOP_GRADIENT, (x,), {})
    return result


class _VariableWatcher(Recorder):
    """Notes which trainable variables a function reads."""

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}

    def read_variable(self, variable: Variable) -> None:
        if variable.trainable:
            self.variables[variable._id] = variable


def custom_gradient(function: Callable[P, tuple[Y, Callable[..., Any]]]) -> Callable[P, Y]:
    """Give a function a gradient of its own; a decorator.

    Parameters
    ----------
    function : callable ``(*xs) -> (y, grad)``
        ``y`` a tensor, or a list or tuple of them; ``grad(*dys)`` returns one gradient (or
        None) for each of `xs`, of its shape. If the function reads trainable variables that are
        not among its arguments, ``grad(*dys, variables=...)`` is called and returns a pair: the
        gradients of `xs`, and a list of those of `variables`.

    Returns
    -------
    callable ``(*xs) -> y``

    Raises
    ------
    ValueError
        ``grad`` returned a wrong number of gradients (when it is asked).
    TypeError
        Variables are used and ``grad`` takes no ``variables``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> @symtape.custom_gradient
    ... def log1pexp(x):
    ...     e = np.exp(x)
    ...     def grad(upstream):
    ...         return upstream * (1 - 1 / (1 + e))
    ...     return np.log(1 + e), grad
    >>> x = symtape.Variable(0.0)
    >>> with symtape.GradientTape() as tape:
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x).numpy()
    np.float64(0.5)
    """
    check_function(function)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        taken = [_take_argument(arg) for arg in args]
        leaves = flatten([args, kwargs], objects=False)
        own = {x._id for x in leaves if isinstance(x, Variable)}
        watcher = _VariableWatcher()
        STACK.push(watcher)
        try:
            result, grad = _value_and_grad(call_observed(function, *taken, **kwargs), function)
        finally:
            STACK.remove(watcher)
        captured = [v for key, v in watcher.variables.items() if key not in own]
        _check_variables(function, grad, captured)
        outputs = [_fresh(part) for part in flatten(result)]
        _record_custom(_CheckedGradient(function.__name__, taken, captured, grad), outputs)
        for recorder in STACK.recorders:
            recorder.customise(function.__name__, wrapper, taken, kwargs)
        return pack(result, iter(outputs))

    return wrapper


def grad_pass_through(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function the gradient of the identity, as for quantisation; a decorator.

    Parameters
    ----------
    function : callable ``(x) -> y``
        Whose result has the shape of its argument.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> rounded = symtape.grad_pass_through(np.round)
    >>> symtape.grad(lambda x: rounded(x) ** 2)(1.75)
    np.float64(4.0)
    """
    check_function(function)

    def pass_through(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any, variables: Any = None) -> Any:
            parts = list(cotangents)
            return parts if variables is None else (parts, [None] * len(variables))

        return call_observed(function, *args, **kwargs), grad

    pass_through.__name__ = getattr(function, "__name__", type(function).__name__)
    return functools.wraps(function)(custom_gradient(pass_through))


def _take_argument(arg: Any) -> Any:
    """An argument as the function gets it: numbers as tensors, lists and the like as they are."""
    if isinstance(arg, np.ndarray | np.generic | int | float) and not isinstance(arg, bool):
        return arg if isinstance(arg, Tensor) else constant(arg)
    return arg


def _value_and_grad(returned: Any, function: Callable[..., Any]) -> tuple[Any, Callable[..., Any]]:
    if not (isinstance(returned, tuple) and len(returned) == 2 and callable(returned[1])):
        raise TypeError(
            f"{function.__name__} is a custom_gradient function and must return a pair "
            f"(value, grad) with a callable grad; got {returned!r}"
        )
    return returned


def _check_variables(
    function: Callable[..., Any], grad: Callable[..., Any], captured: list[Variable]
) -> None:
    if not captured:
        return
    spec = inspect.getfullargspec(grad)
    if "variables" not in (*spec.args, *spec.kwonlyargs) and spec.varkw is None:
        names = ", ".join(v.name for v in captured)
        raise TypeError(
            f"{function.__name__} reads the variables {names}, which are not among its "
            "arguments; its grad must take a keyword argument 'variables' and return a pair: "
            "the gradients of the arguments, and a list of those of the variables"
        )


def _fresh(part: Any) -> Tensor:
    """The same value under a new identity, so that what made it does not count."""
    tensor = part._read() if isinstance(part, Tensor) else constant(part)
    fresh = tensor_of(tensor._value)
    for recorder in STACK.recorders:
        recorder.alias(fresh, tensor)
    return fresh


def _record_custom(asked: _CheckedGradient, outputs: list[Tensor]) -> None:
    inputs = [x._read() if isinstance(x, Tensor) else x for x in (*asked.inputs, *asked.captured)]
    for recorder in STACK.recorders:
        if isinstance(recorder, GradientTape):
            traced = [position for position, x in enumerate(inputs) if recorder.traces(x)]
            if traced:
                edges = joint_edges(asked.name, inputs, traced, asked)
                recorder.append_edges(outputs[0] if len(outputs) == 1 else tuple(outputs), edges)


class _CheckedGradient:
    """Calls the user's grad and checks how many values it returned."""

    def __init__(
        self,
        name: str,
        arguments: list[Any],
        captured: list[Variable],
        grad: Callable[..., Any],
    ) -> None:
        self.name, self.captured, self.grad = name, captured, grad
        self.nested = any(isinstance(arg, dict | list | tuple) for arg in arguments)
        self.inputs = flatten(arguments, objects=False)

    def __call__(self, *cotangents: Tensor) -> list[Any]:
        others: Any = []
        if self.captured:
            own, others = self._pair(self.grad(*cotangents, variables=list(self.captured)))
        else:
            own = self.grad(*cotangents)
        if self.nested:
            own = flatten(own, objects=False)
        own = list(own) if isinstance(own, list | tuple) else [own]
        others = list(others) if isinstance(others, list | tuple) else [others]
        if len(own) != len(self.inputs):
            raise ValueError(
                f"custom_gradient: the grad of {self.name} returned {len(own)} values, but "
                f"{self.name} has {len(self.inputs)} arguments to be differentiated by; return "
                "one gradient (or None) for each"
            )
        if len(others) != len(self.captured):
            raise ValueError(
                f"custom_gradient: the grad of {self.name} returned {len(others)} variable "
                f"gradients, but {self.name} uses {len(self.captured)} variables"
            )
        return [*own, *others]

    def _pair(self, answer: Any) -> tuple[Any, Any]:
        if not (isinstance(answer, tuple | list) and len(answer) == 2):
            raise ValueError(
                f"custom_gradient: {self.name} uses variables, so its grad must return a pair: "
                "the gradients of the arguments, and a list of those of the variables; got "
                f"{answer!r}"
            )
        return answer[0], answer[1]
