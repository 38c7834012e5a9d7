"""The reverse sweep: cotangents pulled back through the records of a tape.

A tape is one flat list, with :data:`WIDTH` items for each traced input of each operation, its
edges::

    output, last, input, rule, kept, like

``output`` and ``input`` are identities (a tuple of ``(identity, shape, dtype)`` for the output
of an operation with several); ``last`` says that no further edge of the operation follows in
the sweep.  ``kept`` is what the VJP ``rule`` said it needs, in the form that ``rule.only`` says
(see :class:`symtape.primitives.primitive.Rule`).  ``like`` is None, or the ``(shape, dtype)``
that the cotangent has to be brought back to because the operation broadcast or promoted its
input.  The list is flat because a tuple an edge would be an object for the garbage collector
to walk over again and again, which on small arrays costs more than the arithmetic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.numeric.batch import add_to
from symtape.primitives.broadcasting import sum_to
from symtape.primitives.primitive import Array

WIDTH: Final = 6
"""Items of an edge."""

Edges: TypeAlias = list[Any]
"""The flat list of a tape."""


_BLOCK: Final = 32 * WIDTH


def drain_edges(edges: Edges) -> Iterator[tuple[Any, ...]]:
    """The edges from the last, as ``(like, kept, rule, input, last, output)``, freed on the way."""
    if len(edges) > _BLOCK:
        return itertools.chain.from_iterable(_drain_blocks(edges))
    given = walk_edges(edges)
    edges.clear()
    return given


def _drain_blocks(edges: Edges) -> Iterator[Iterator[tuple[Any, ...]]]:
    while edges:
        block = edges[-_BLOCK:]
        del edges[-_BLOCK:]
        block.reverse()
        items = iter(block)
        yield zip(items, items, items, items, items, items, strict=False)


def walk_edges(edges: Edges) -> Iterator[tuple[Any, ...]]:
    """As :func:`drain_edges`, but nothing is freed, and what is recorded meanwhile is left out."""
    items = iter(edges[::-1])
    return zip(items, items, items, items, items, items, strict=False)


def bring_back(cotangent: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """`cotangent` in the shape and dtype of the input, which was broadcast or promoted.

    A real number that was promoted to a complex one changes its real part alone.
    """
    if cotangent.shape != shape:
        cotangent = sum_to(cotangent, shape)
    if cotangent.dtype != dtype:
        if dtype.kind == "f" and cotangent.dtype.kind == "c":
            cotangent = np.real(cotangent)
        cotangent = cotangent if cotangent.dtype == dtype else cotangent.astype(dtype)
    return cotangent


def sweep(
    edges: Iterable[tuple[Any, ...]],
    cotangents: dict[Any, Array],
    wanted: set[int],
    wrapper: Any,
) -> dict[int, Array]:
    """Pull `cotangents` back along `edges`, which come last operation first.

    Parameters
    ----------
    edges : iterable of edges
        From :func:`drain_edges` or :func:`walk_edges`.
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
    # Those of which the total is an array that was made here, which nobody else has.
    own: set[int] = set()
    take, look = cotangents.pop, cotangents.get
    for like, kept, rule, source, last, output in edges:
        g = take(output, None) if last else look(output)
        if g is None:
            if type(output) is not tuple:
                continue
            g = gather(output, cotangents, last, wanted, found)
            if g is None:
                continue
        elif last and output in wanted:
            found[output] = g
        only, function = rule.only, rule.function
        if only == 0:
            c = function(g)
        elif only > 0:
            c = function(g, kept._value if type(kept) is wrapper else kept)
        elif wrapper is None:
            c = function(g, *kept)
        elif rule.scatters and like is None:
            before = look(source)
            if source in own and add_to(before, kept[1], g):
                continue
            own.add(source)
            c = function(g, *kept)
            cotangents[source] = c if before is None else before + c
            continue
        else:
            c = function(g, *bare(kept, wrapper))
        if c is None:
            continue
        if like is not None:
            c = bring_back(c, *like)
        before = look(source)
        if before is None:
            cotangents[source] = c
        elif source in own and type(before) is np.ndarray and _fits(before, c):
            before += c
        else:
            own.add(source)
            cotangents[source] = before + c
    collect_wanted(cotangents, wanted, found)
    return found


def collect_wanted(cotangents: dict[Any, Array], wanted: set[int], found: dict[int, Array]) -> None:
    """Add what is left of the wanted cotangents to what was found."""
    for source in wanted:
        if source in cotangents:
            g = cotangents[source]
            found[source] = g if source not in found else found[source] + g


def _fits(total: Array, c: Array) -> bool:
    """Whether a cotangent is added to an array in place as beside it."""
    return type(c) is np.ndarray and c.dtype is total.dtype and c.shape == total.shape


def bare(kept: tuple[Any, ...], wrapper: Any) -> tuple[Any, ...]:
    """What a rule kept, tuples of inputs among it, as bare arrays."""
    return tuple(
        [
            item._value
            if type(item) is wrapper
            else bare(item, wrapper)
            if type(item) is tuple
            else item
            for item in kept
        ]
    )


def gather(
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
