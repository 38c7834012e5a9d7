"""The reverse sweep beside branches that are not taken.

``np.where(x > 0, np.sqrt(x), 0)`` does not depend on the square root where x is 0, but 0 times
its infinite derivative is NaN. A cotangent that is 0 because nothing was taken there is not the
same as one that happens to be 0: this sweep carries along which elements of each cotangent the
target depends on at all, and leaves out the others, whatever their local derivatives are.

It does the work of :func:`symtape.numeric.reverse.sweep` a second time, and is asked only where
the first answer was not finite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from symtape.numeric.reverse import bare, bring_back, collect_wanted, gather
from symtape.primitives.broadcasting import sum_to
from symtape.primitives.choice import WHERE
from symtape.primitives.primitive import Array, Rule


def finite(found: dict[int, Array]) -> bool:
    """Whether every cotangent, batched or recorded, is finite."""
    for g in found.values():
        plain = g if type(g) is np.ndarray else _plain(g)
        # A product with itself is the quickest look at all elements; where it overflows they
        # may still be finite.
        if not isfinite(np.vdot(plain, plain).real) and not np.isfinite(plain).all():
            return False
    return True


def _plain(x: Any) -> Any:
    while True:
        if hasattr(x, "_value"):
            x = x._value
        elif hasattr(x, "value"):
            x = x.value
        else:
            return x


def masked_sweep(
    edges: Iterable[tuple[Any, ...]],
    cotangents: dict[Any, Array],
    wanted: set[int],
    wrapper: Any,
    first: Mapping[Any, Any],
) -> dict[int, Array]:
    """As :func:`symtape.numeric.reverse.sweep`, leaving out what the target does not depend on.

    `first` says of which elements of the `cotangents` it is a function, as a row of a Jacobian
    is of one.
    """
    found: dict[int, Array] = {}
    masks: dict[Any, Any] = dict(first)
    for like, kept, rule, source, last, output in edges:
        if type(output) is tuple:
            g = gather(output, cotangents, last, wanted, found)
            mask = None
        else:
            g = cotangents.pop(output, None) if last else cotangents.get(output)
            mask = masks.pop(output, None) if last else masks.get(output)
            if g is not None and last and output in wanted:
                found[output] = g
        if g is None:
            continue
        given = rule.unpack(kept) if wrapper is None else bare(rule.unpack(kept), wrapper)
        c = rule.function(g, *given)
        if c is None:
            continue
        passed = _pass_mask(rule, g, mask, given)
        if passed is not None:
            c = WHERE(passed, c, 0)
        if like is not None:
            c = bring_back(c, *like)
            passed = _shrunk(passed, like[0])
        if source in cotangents:
            c = cotangents[source] + c
            before = masks.get(source)
            passed = None if before is None or passed is None else np.logical_or(before, passed)
        cotangents[source] = c
        masks[source] = passed
    collect_wanted(cotangents, wanted, found)
    return found


def _pass_mask(rule: Rule, g: Any, mask: Any, given: tuple[Any, ...]) -> Any:
    """Of which elements of the new cotangent the target is a function; None of all.

    A rule that looks at no values only moves cotangents, so that it can be asked itself where
    they go. The numbers that are sent through it are such that no two of them cancel.
    """
    if not rule.blind:
        return mask if rule.elementwise else None
    if mask is None and not rule.selects:
        return None
    shape = np.shape(g) if mask is None else mask.shape
    marks = np.sqrt(np.arange(2.0, 2.0 + np.prod(shape, dtype=int))).reshape(shape)
    sent = rule.function(marks if mask is None else WHERE(mask, marks, 0), *given)
    return np.not_equal(sent, 0)


def _shrunk(mask: Any, shape: tuple[int, ...]) -> Any:
    if mask is None or mask.shape == shape:
        return mask
    return np.not_equal(sum_to(mask.astype(float), shape), 0)
