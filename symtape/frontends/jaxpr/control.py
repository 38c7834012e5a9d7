"""Primitives that run jaxprs: calls, branches and loops, replayed as Python runs them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.table import Call, reads
from symtape.recording.tensor import Tensor

_CALLS: Final = (
    "jit",
    "pjit",
    "closed_call",
    "core_call",
    "call",
    "checkpoint",
    "remat",
    "remat2",
    "custom_vmap_call",
    "eval_jaxpr",
    "composite",
)

_CUSTOM: Final = (
    "custom_jvp_call",
    "custom_jvp_call_jaxpr",
    "custom_vjp_call",
    "custom_vjp_call_jaxpr",
)

RUNNERS: Final = frozenset(
    [*_CALLS, *_CUSTOM, "cond", "while", "scan", "platform_index", "debug_callback", "debug_print"]
)
"""These are replayed even where no operand is a Tensor: to compile them would take longer."""


@reads(*_CALLS)
def _run_call(call: Call, *operands: Any) -> Any:
    body = call.params.get("jaxpr", call.params.get("call_jaxpr", call.params.get("call")))
    return call.run(body, *operands)


@reads(*_CUSTOM)
def _function_itself(call: Call, *operands: Any) -> Any:
    """What the function computes; the rule that comes with it is somebody's claim."""
    body = call.params.get("call_jaxpr", call.params.get("fun_jaxpr"))
    return call.run(body, *operands)


@reads("cond")
def _run_branch(call: Call, index: Any, *operands: Any) -> Any:
    branches = call.params["branches"]
    for place, branch in enumerate(branches[:-1]):
        if _is_at_most(index, place):
            return call.run(branch, *operands)
    return call.run(branches[-1], *operands)


def _is_at_most(index: Any, place: int) -> bool:
    # A truth value that was made an integer is asked itself, so that the path says what was asked.
    if index.dtype.kind == "b":
        return not bool(index)
    return bool(np.less_equal(index, place))


@reads("while")
def _run_while(call: Call, *operands: Any) -> Any:
    first = int(call.params["cond_nconsts"])
    second = first + int(call.params["body_nconsts"])
    asked, fixed, state = operands[:first], operands[first:second], list(operands[second:])
    while True:
        (going,) = call.run(call.params["cond_jaxpr"], *asked, *state)
        if getattr(going, "ndim", 0):
            raise call.refuse("a loop that stops by element, as jax.vmap makes of one, is not read")
        if not bool(going):
            return state
        state = call.run(call.params["body_jaxpr"], *fixed, *state)


@reads("scan")
def _run_scan(call: Call, *operands: Any) -> Any:
    """Unrolled: each step is recorded."""
    params = call.params
    fixed, carried, length = (int(params[k]) for k in ("num_consts", "num_carry", "length"))
    consts, state = operands[:fixed], list(operands[fixed : fixed + carried])
    sequences = operands[fixed + carried :]
    rows: list[list[Any]] = []
    steps = range(length - 1, -1, -1) if params["reverse"] else range(length)
    for step in steps:
        results = call.run(params["jaxpr"], *consts, *state, *(xs[step] for xs in sequences))
        state = results[:carried]
        rows.append(results[carried:])
    if params["reverse"]:
        rows.reverse()
    outputs = call.outputs[carried:]
    return [
        *state,
        *(_stack_values([row[k] for row in rows], aval) for k, aval in enumerate(outputs)),
    ]


def _stack_values(values: list[Any], aval: Any) -> Any:
    if not values:
        return np.zeros(aval.shape, aval.dtype)
    if any(isinstance(value, Tensor) for value in values):
        return np.stack(values)
    return np.stack([np.asarray(value) for value in values])


@reads("debug_callback", "debug_print")
def _return_nothing(call: Call, *operands: Any) -> Any:
    return []


@reads("platform_index")
def _platform(call: Call) -> Any:
    """The place of the branch for the processor, or of the one for all platforms."""
    for place, platforms in enumerate(call.params["platforms"]):
        if platforms is None or "cpu" in platforms:
            return np.asarray(place, np.int32)
    raise call.refuse("there is no branch for the CPU")


@reads("pure_callback", "io_callback", "ffi_call")
def _refuse_callback(call: Call, *operands: Any) -> Any:
    raise call.refuse("what is computed outside of JAX has no program to read")
