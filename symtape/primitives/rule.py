"""A VJP rule of a row: what it computes, and what of a recorded operation it needs kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from symtape.errors import NoGradient

Array: TypeAlias = Any
"""An ndarray, a NumPy scalar, or one of the stand-ins for it (Tensor, Batched)."""

Params: TypeAlias = Mapping[str, Any]


class Rule:
    """A VJP rule for one input, with the list of what it needs to have kept.

    Parameters
    ----------
    function : callable ``(g, *needs) -> cotangent``
        Ordinary NumPy code, free of branches on values, so that a gradient can be recorded.
    inputs : tuple of str
        Names of the primitive's inputs.
    outputs : int
        How many it has; of several, ``y`` is the tuple.
    elementwise : bool
        Whether the primitive is.
    steady : tuple of str
        The inputs that it is not differentiable by.

    Attributes
    ----------
    blind : bool
        It looks at no value of a differentiable input, so that it only moves cotangents.
    selects : bool
        It hands some elements of a cotangent on and not others, as a steady input says.
    scatters : bool
        It puts the cotangent into a new array of zeros, of a shape and by an index that it keeps.
    """

    __slots__ = (
        "_items",
        "blind",
        "elementwise",
        "function",
        "keep",
        "needs",
        "only",
        "scatters",
        "selects",
    )

    def __init__(
        self,
        function: Callable[..., Array],
        inputs: tuple[str, ...],
        outputs: int = 1,
        *,
        elementwise: bool = False,
        steady: tuple[str, ...] = (),
    ) -> None:
        self.function = function
        self.needs = parameters(function)[1:]
        usual = _defaults(function)
        self._items = tuple([_source_of(need, inputs, usual) for need in self.needs])
        self.keep: Callable[..., tuple[Any, ...]] = self._keep_first
        # The commonest needs have a code of their own, so that recording them costs no loop:
        # 0 nothing, 1 first input, 2 second input, 3 output; -1 a tuple, -2 a tuple with a
        # tuple of inputs or outputs in it, -3 a tuple of shapes and parameters alone.
        codes = {(): 0, ("y",): 3}
        codes |= {(name,): i + 1 for i, name in enumerate(inputs[:2])}
        nested = "xs" in self.needs or (outputs > 1 and "y" in self.needs)
        values = {"y", "xs", *inputs}
        static = values.isdisjoint(self.needs)
        self.only: int = -2 if nested else codes.get(self.needs, -3 if static else -1)
        self.elementwise = elementwise
        self.blind: bool = values.difference(steady).isdisjoint(self.needs)
        self.selects: bool = elementwise and self.blind and not set(steady).isdisjoint(self.needs)

        self.scatters: bool = getattr(function, "scatters", False)

    @property
    def missing(self) -> bool:
        """Whether it only refuses."""
        return getattr(self.function, "refuses", False)

    # keep(argnum, inputs, output, params) collects, in order, what the function takes after the
    # cotangent.
    def _keep_first(
        self, argnum: int, inputs: Sequence[Array], output: Array, params: Params
    ) -> tuple[Any, ...]:
        # Written out and compiled when it is first used: a rule that keeps shapes and parameters
        # is recorded as often as the operation runs.
        items = "".join(f"{item}, " for item in self._items)
        names = {"shape": _shape, "dtype": _dtype}
        self.keep = eval(f"lambda argnum, inputs, output, params: ({items})", names)
        return self.keep(argnum, inputs, output, params)

    def unpack(self, kept: Any) -> tuple[Any, ...]:
        """What a tape keeps, as :attr:`only` says, as all that the function takes."""
        if self.only == 0:
            return ()
        return (kept,) if self.only > 0 else kept


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters; read off its code, which is quicker, if it is plain."""
    function = inspect.unwrap(function)
    if isinstance(function, FunctionType):
        code = function.__code__
        return code.co_varnames[: code.co_argcount]
    return tuple(inspect.signature(function).parameters)


def _defaults(function: Callable[..., Any]) -> Params:
    """Those of the parameters of a function that have one: static ones, which may be left out."""
    function = inspect.unwrap(function)
    if isinstance(function, FunctionType) and not function.__defaults__:
        return {}
    given = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in given if each.default is not each.empty}


def _source_of(need: str, inputs: tuple[str, ...], usual: Params) -> str:
    """The expression for what a rule calls `need`."""
    if need == "argnum":
        return need
    if need == "xs":
        return "tuple(inputs)"
    if need == "shapes":
        return "tuple([shape(x) for x in inputs])"
    places = {name: f"inputs[{place}]" for place, name in enumerate(inputs)} | {"y": "output"}
    if need in places:
        return places[need]
    owner, _, ending = need.rpartition("_")
    if ending == "shape" and inputs == (owner,):
        # The only input is the traced one, so it is a tensor.
        return "inputs[0]._value.shape"
    if ending in ("shape", "dtype") and owner in places:
        return f"{ending}({places[owner]})"
    return f"params.get({need!r}, {usual[need]!r})" if need in usual else f"params[{need!r}]"


def _shape(x: Array) -> tuple[int, ...]:
    try:
        found: tuple[int, ...] = x._value.shape
    except AttributeError:
        found = x.shape if hasattr(x, "shape") else np.shape(x)
    return found


def _dtype(x: Array) -> np.dtype[Any]:
    found: np.dtype[Any] = x.dtype if hasattr(x, "dtype") else np.result_type(x)
    return found


def make_refusing_rule(name: str) -> Callable[[Array], Array]:
    """The rule of an input by which the derivative is not known."""

    def refuse(g: Array) -> Array:
        raise NoGradient(
            f"gradient registry has no entry for: {name} by this argument",
            remedy="only the derivatives by its other arguments are known",
        )

    refuse.refuses = True  # type: ignore[attr-defined]
    return refuse
