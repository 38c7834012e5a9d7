"""The forward sweep: tangents pushed through the operations of a recording, in their order.

Where the reverse sweep needs of an operation what its VJP rules keep, this one is told of the
operation itself: its row, inputs, parameters and output. A row says in ``jvp`` how a tangent goes
through it; where it says nothing, its VJP rules are transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from symtape.numeric.reverse import bare
from symtape.primitives.primitive import Array, Primitive, Rule

Tangents: TypeAlias = dict[int, Array]
"""The tangent of what an identity names."""

Step: TypeAlias = tuple[Primitive | None, tuple[Any, ...], Any, Any]
"""An operation: its row, inputs, parameters, and its output, or a tuple of them.

Of one that has a gradient of its own, and no row, the parameters are its edges, and the inputs the
identities of what they go to. A tuple, as there is one for each operation.
"""

Plan: TypeAlias = list[tuple[Step, tuple[int, ...]]]
"""Steps in order, each with the identities that no later one needs."""

_float64 = np.float64


def plan_steps(steps: Sequence[Step], targets: set[int], kind: Any) -> Plan:
    """The steps that `targets` are computed by, in order.

    Parameters
    ----------
    steps : sequence of Step
        In order; of two with one output the later counts.
    targets : set of int
    kind : type
        What stands in for arrays in the steps.
    """
    wanted, plan = set(targets), []
    sources: Iterable[int]
    for step in reversed(steps):
        row, inputs, _, output = step
        if type(output) is tuple:
            made = {part._id for part in output}
            if wanted.isdisjoint(made):
                continue
            wanted -= made
        elif output._id in wanted:
            wanted.discard(output._id)
        else:
            continue
        sources = inputs if row is None else [x._id for x in inputs if type(x) is kind]
        plan.append((step, tuple([one for one in sources if one not in wanted])))
        wanted.update(sources)
    plan.reverse()
    return plan


def push(
    plan: Iterable[tuple[Step, tuple[int, ...]]],
    tangents: Tangents,
    targets: set[int],
    wrapper: Any,
    transposed: Callable[[Step, Tangents], Sequence[Array | None]],
) -> Tangents:
    """Push `tangents` forward through a plan that :func:`plan_steps` made.

    Parameters
    ----------
    plan : iterable of (Step, identities)
    tangents : dict
        Tangent by identity; used up.
    targets : set of int
        Identities whose tangent is asked for.
    wrapper : type or None
        What inputs are unwrapped from to the bare array in ``_value``; None where the sweep itself
        is recorded.
    transposed : callable ``(step, tangents) -> tangents of its outputs``
        Pushes through a step by its VJP rules.

    Returns
    -------
    dict
        Tangent by identity; of `targets`, those that were reached are in it.
    """
    for step, behind in plan:
        row, _, _, output = step
        if row is None or not _is_pushed(row, step):
            parts = output if type(output) is tuple else (output,)
            for part, t in zip(parts, transposed(step, tangents), strict=True):
                if t is not None:
                    tangents[part._id] = match_value(t, part._value)
        else:
            found = _WAYS.get(row.jvp, _push_by_rules)(row, step, tangents, wrapper)
            if found is None:
                pass
            elif type(output) is tuple:
                for part, t in zip(output, found, strict=True):
                    tangents[part._id] = match_value(t, part._value)
            else:
                tangents[output._id] = match_value(found, output._value)
        for identity in behind:
            if identity not in targets:
                tangents.pop(identity, None)
    return tangents


def match_value(tangent: Array, value: Array) -> Array:
    """A tangent in the shape and dtype of what it is the tangent of."""
    if type(tangent) is _float64 and type(value) is _float64:
        return tangent
    if tangent.shape != value.shape:
        tangent = np.broadcast_to(tangent, value.shape)
    kind = value.dtype
    if tangent.dtype is not kind and tangent.dtype != kind:
        if tangent.dtype.kind == "c" and kind.kind != "c":
            tangent = np.real(tangent)
        tangent = tangent if tangent.dtype == kind else tangent.astype(kind)
    return tangent


def _is_pushed(row: Primitive, step: Step) -> bool:
    """Whether the row's own way of pushing forward is one of these numbers."""
    way = row.jvp
    if way == "linear" or way == "multilinear":
        return not row.missing
    output = step[3]
    if row.missing or not way or (way == "symmetric" and type(output) is tuple):
        return False
    if not row.of_reals:
        return True
    parts = output if type(output) is tuple else (output,)
    return not any(map(_is_complex, (*step[1], *parts)))


def _is_complex(x: Any) -> bool:
    if type(x) is float or type(x) is int:
        return False
    value = getattr(x, "_value", x)
    return value.dtype.kind == "c" if hasattr(value, "dtype") else type(value) is complex


def _push_by_rules(row: Primitive, step: Step, tangents: Tangents, wrapper: Any) -> Any:
    """The sum of what a rule for each input gives; the VJP rules of what is symmetric."""
    _, inputs, _, output = step
    rules = row.rules if type(row.jvp) is str else row.jvp
    total: Any = None
    for argnum, x in enumerate(inputs):
        if (t := tangents.get(getattr(x, "_id", 0))) is None:
            continue
        rule = rules[0 if row.variadic else argnum]
        if rule is None:
            continue
        only = rule.only
        if only == 0:
            found = rule.function(t)
        elif only > 0:
            kept = output if only == 3 else inputs[only - 1]
            found = rule.function(t, kept._value if type(kept) is wrapper else kept)
        else:
            found = rule.function(t, *_kept_items(rule, argnum, step, wrapper))
        if found is not None:
            total = found if total is None else _sum(total, found)
    return total


def _kept_items(rule: Rule, argnum: int, step: Step, wrapper: Any) -> tuple[Any, ...]:
    _, inputs, params, output = step
    items = rule.keep(argnum, inputs, output, params)
    return items if wrapper is None else bare(items, wrapper)


def _sum(one: Any, other: Any) -> Any:
    if type(one) is tuple:
        return tuple(a + b for a, b in zip(one, other, strict=True))
    return one + other


def _linear(row: Primitive, step: Step, tangents: Tangents, wrapper: Any) -> Any:
    _, inputs, params, _ = step
    given = [tangents.get(getattr(x, "_id", 0)) for x in inputs]
    if len(given) == 1:
        return None if given[0] is None else row(given[0], **params)
    if all(t is None for t in given):
        return None
    filled = [
        np.zeros(np.shape(x), np.result_type(x)) if t is None else t
        for t, x in zip(given, inputs if wrapper is None else bare(inputs, wrapper), strict=True)
    ]
    return row(*filled, **params)


def _multilinear(row: Primitive, step: Step, tangents: Tangents, wrapper: Any) -> Any:
    _, inputs, params, _ = step
    plain = inputs if wrapper is None else bare(inputs, wrapper)
    total: Any = None
    for argnum, x in enumerate(inputs):
        if (t := tangents.get(getattr(x, "_id", 0))) is not None:
            found = row(*plain[:argnum], t, *plain[argnum + 1 :], **params)
            total = found if total is None else total + found
    return total


def _reduces(row: Primitive, step: Step, tangents: Tangents, wrapper: Any) -> Any:
    _, (x,), params, output = step
    t, (rule,) = tangents.get(x._id), row.rules
    if t is None or rule is None:
        return None
    ones = np.ones(output._value.shape, output._value.dtype)[()]
    slopes = rule.function(ones, *_kept_items(rule, 0, step, wrapper))
    return np.sum(t * slopes, axis=params["axis"], keepdims=params["keepdims"])


_WAYS: dict[Any, Callable[[Primitive, Step, Tangents, Any], Any]] = {
    "linear": _linear,
    "multilinear": _multilinear,
    "reduces": _reduces,
    "symmetric": _push_by_rules,
}
"""How a tangent goes through a row, by what the row says in ``jvp``."""
