"""Where a function of JAX calls what has a ``custom_jvp`` or a ``custom_vjp``, and with what."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.library import precision
from symtape.frontends.jaxpr.replay import bind_params
from symtape.process.extras import load
from symtape.recording.origin import Origin
from verify.adapters.own_rules import Application, set_signature, weights

_NEEDED_BY: Final = "verify.adapters.jax"

_PLACE: Final = re.compile(r"(?P<name>\S+) at (?P<file>.+):(?P<line>\d+)")

_CALLS: Final = ("jit", "pjit", "checkpoint", "remat2")
"""Primitives that run another program once."""

_CUSTOM: Final = ("custom_vjp_call", "custom_jvp_call")


def applications(function: Callable[..., Any], xs: Sequence[Any]) -> Iterator[Application]:
    """Each call that is made once, outside of loops and branches, in the order of the program.

    Parameters
    ----------
    function : callable
        Of JAX's arrays.
    xs : sequence of arrays
    """
    jax = load("jax", _NEEDED_BY)
    arrays = [np.asarray(x) for x in xs]
    with precision(x.dtype for x in arrays):
        # Another function each time: what JAX traced before may be of another precision.
        closed = jax.make_jaxpr(functools.partial(function))(*arrays)
        found = list(_calls(closed.jaxpr, closed.consts, arrays, [True] * len(arrays)))
    for equation, values, depends in found:
        if (one := _application(jax, equation, values, depends)) is not None:
            yield one


Call = tuple[Any, list[Any], list[bool]]


def _calls(
    body: Any, consts: Sequence[Any], given: Sequence[Any], moving: Sequence[bool]
) -> Iterator[Call]:
    """Run a program; its calls of custom functions, with the values that they are given.

    With each value goes whether it depends on one of those that are `moving`.
    """
    moved = {x for x, moves in zip(body.invars, moving, strict=True) if moves}
    known = dict(zip((*body.constvars, *body.invars), (*consts, *given), strict=True))
    for equation in body.eqns:
        values = [x.val if hasattr(x, "val") else known[x] for x in equation.invars]
        depends = [not hasattr(x, "val") and x in moved for x in equation.invars]
        if any(depends):
            moved.update(equation.outvars)
        if equation.primitive.name in _CUSTOM:
            yield equation, values, depends
        elif equation.primitive.name in _CALLS:
            inner = equation.params["jaxpr"]
            consts = getattr(inner, "consts", ())
            yield from _calls(getattr(inner, "jaxpr", inner), consts, values, depends)
        known.update(zip(equation.outvars, _bind_equation(equation, values), strict=True))


def _bind_equation(equation: Any, values: Sequence[Any]) -> list[Any]:
    primitive = equation.primitive
    functions, params = bind_params(equation)
    if primitive.name == "custom_vjp_call" and "subfuns" in params:
        *others, backward = params["subfuns"]
        params = {**params, "subfuns": (*others, _keep_own_lines(backward))}
    results = primitive.bind(*functions, *values, **params)
    return list(results) if primitive.multiple_results else [results]


def _keep_own_lines(backward: Any) -> Any:
    """A backward pass whose operations come from its lines; JAX says the call's in their place."""
    try:
        wrapping = importlib.import_module("jax._src.linear_util").transformation2
        info = importlib.import_module("jax._src.source_info_util")
        state, plain = info._source_info_context, info.SourceInfo
    except (ImportError, AttributeError):
        return backward

    @wrapping  # type: ignore[untyped-decorator]
    def call_with_lines(function: Callable[..., Any], *args: Any) -> Any:
        before = state.context
        state.context = plain(None, before.name_stack)
        try:
            return function(*args)
        finally:
            state.context = before

    return call_with_lines(backward)


def _application(
    jax: Any, equation: Any, values: Sequence[Any], depends: Sequence[bool]
) -> Application | None:
    moving = [at for at, x in enumerate(equation.invars) if depends[at] and _is_float(x.aval)]
    outputs = [at for at, x in enumerate(equation.outvars) if _is_float(x.aval)]
    if not moving or not outputs:
        return None

    def call_alone(*xs: Any) -> Any:
        whole = list(values)
        for at, x in zip(moving, xs, strict=True):
            whole[at] = x
        found = _bind_equation(equation, whole)
        terms = [found[at] * _weights(found[at], k) for k, at in enumerate(outputs)]
        return sum(jax.numpy.sum(term) for term in terms)

    name, arguments = _names(equation)
    some = [arguments[at] for at in moving] if len(arguments) == len(values) else []
    function = (
        set_signature(call_alone, name, some) if some else set_signature(call_alone, name, [""])
    )
    point = tuple(np.asarray(values[at])[()] for at in moving)
    return Application(name, function, point, _place(equation))


def _place(equation: Any) -> Origin | None:
    """Where the rule begins; JAX says ``rule at file.py:7``."""
    for kept in ("bwd", "jvp_jaxpr_fun"):
        info = getattr(equation.params.get(kept), "debug_info", None)
        found = _PLACE.fullmatch(str(getattr(info, "func_src_info", "")))
        if found is not None:
            return Origin(found["file"], int(found["line"]), found["name"])
    return None


def _weights(output: Any, which: int) -> Any:
    return weights(tuple(output.shape), which).astype(output.dtype)


def _is_float(aval: Any) -> bool:
    dtype = getattr(aval, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "f"


def _names(equation: Any) -> tuple[str, list[str]]:
    """What the function and its arguments are called, as far as JAX kept it."""
    inner = equation.params["call_jaxpr"]
    info = getattr(getattr(inner, "jaxpr", inner), "debug_info", None)
    forward = getattr(equation.params.get("fwd_jaxpr_thunk"), "debug_info", None)
    arguments = getattr(info, "arg_names", None) or getattr(forward, "arg_names", None)
    name = str(getattr(info, "func_name", "") or "a custom rule")
    return name, [str(argument) for argument in arguments or ()]
