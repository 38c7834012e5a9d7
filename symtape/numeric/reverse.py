"""The reverse sweep: cotangents pulled back through the records of a tape.

A tape is a list of edges, one for each traced input of each operation::

    (output, last, input, only, function, kept, like)

``output`` and ``input`` are identities (a tuple of ``(identity, shape, dtype)`` for the output
of an operation with several); ``last`` says that no further edge of the operation follows in
the sweep.  ``function`` is the VJP rule and ``kept`` what it said it needs, in the form that
``only`` says (see :class:`symtape.primitives.primitive.Rule`).  ``like`` is None, or the
``(shape, dtype)`` that the cotangent has to be brought back to because the operation broadcast
or promoted its input.  Edges are flat, and operations have no record beside them, because on
small arrays the garbage collector's walks over them cost as much as the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from symtape.primitives.primitive import Array

__all__ = ["Edge", "sum_to", "sweep"]

Edge: TypeAlias = tuple[
    Any, bool, int, int, Callable[..., Any], Any, tuple[tuple[int, ...], np.dtype[Any]] | None
]


def sum_to(cotangent: Array, shape: tuple[int, ...]) -> Array:
    """Sum a broadcast `cotangent` back to `shape`: the transpose of broadcasting."""
    extra = cotangent.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        extra + axis
        for axis, length in enumerate(shape)
        if length == 1 and cotangent.shape[extra + axis] != 1
    )
    if axes:
        cotangent = np.sum(cotangent, axis=axes, keepdims=True)
    return cotangent if cotangent.shape == shape else cotangent.reshape(shape)


def _bring_back(cotangent: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    if cotangent.shape != shape:
        cotangent = sum_to(cotangent, shape)
    if cotangent.dtype != dtype:
        if dtype.kind == "f" and cotangent.dtype.kind == "c":
            cotangent = np.real(cotangent)
        cotangent = cotangent.astype(dtype)
    return cotangent


def sweep(
    edges: Iterable[Edge],
    cotangents: dict[Any, Array],
    wanted: set[int],
    wrapper: type | None,
) -> dict[int, Array]:
    """Pull `cotangents` back along `edges`, which come last operation first.

    Parameters
    ----------
    edges : iterable of Edge
        Consumed one at a time, so that a tape can free each as it goes.
    cotangents : dict
        Cotangent by identity; used up.
    wanted : set of int
        Identities whose cotangent is asked for.
    wrapper : type or None
        What rules kept is unwrapped from this type to the bare array in its ``_value``; None
        where the sweep itself is recorded.

    Returns
    -------
    dict
        Cotangent by identity, for those of `wanted` that were reached.
    """
    found: dict[int, Array] = {}
    take, look = cotangents.pop, cotangents.get
    for output, last, source, only, function, kept, like in edges:
        g = take(output, None) if last else look(output)
        if g is None:
            if type(output) is not tuple:
                continue
            g = _gather(output, cotangents, last, wanted, found)
            if g is None:
                continue
        elif last and output in wanted:
            found[output] = g
        if only == 0:
            c = function(g)
        elif only > 0:
            c = function(g, kept._value if type(kept) is wrapper else kept)
        else:
            c = function(g, *_bare(kept, wrapper))
        if c is None:
            continue
        if like is not None:
            c = _bring_back(c, *like)
        before = look(source)
        cotangents[source] = c if before is None else before + c
    for source in wanted:
        if source in cotangents:
            g = cotangents[source]
            found[source] = g if source not in found else found[source] + g
    return found


def _bare(kept: tuple[Any, ...], wrapper: type | None) -> Iterable[Any]:
    """What a rule kept, as bare arrays where the sweep is not recorded."""
    if wrapper is None:
        return kept
    return [
        item._value
        if type(item) is wrapper
        else tuple(_bare(item, wrapper))
        if type(item) is tuple
        else item
        for item in kept
    ]


def _gather(
    outputs: tuple[tuple[int, tuple[int, ...], np.dtype[Any]], ...],
    cotangents: dict[Any, Array],
    last: bool,
    wanted: set[int],
    found: dict[int, Array],
) -> tuple[Array, ...] | None:
    """The cotangents of an operation with several outputs; zeros for those not reached."""
    parts = [cotangents.get(identity) for identity, _, _ in outputs]
    if all(part is None for part in parts):
        return None
    if last:
        for (identity, _, _), part in zip(outputs, parts, strict=True):
            cotangents.pop(identity, None)
            if part is not None and identity in wanted:
                found[identity] = part
    return tuple(
        np.zeros(shape, dtype) if part is None else part
        for (_, shape, dtype), part in zip(outputs, parts, strict=True)
    )
