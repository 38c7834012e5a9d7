"""Orders that floats get wrong: numbers that are tied, or the other way round, in exact arithmetic.

``np.sinc`` is 0 at -1 and at 2, but floats return 3.9e-17 and -3.9e-17; so the largest of both is
one of them in floats, and a tie in truth. Operations that choose by order are therefore asked
again, where floats are near each other, what exact arithmetic says of their inputs.

Underflow and rounding: floats that are on a kink because the way there put them on it. ``np.sqrt(x
* x)`` has the slope 1 at 1e-170, but its root is given 0.0; ``np.arccos(np.cos(x))`` has the slope
1 at 1e-9, but is given 1.0. What meets there in exact arithmetic says nothing of what floats do,
and the other way round.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.recording.structure import separate_entries
from symtape.rigorous.deciding import compare_by_middle
from symtape.symbolic.precise import enclose
from symtape.symbolic.program import ZERO
from symtape.symbolic.shadow import Shadow
from verify.judging.kinks.boundaries import RoundedChoice, goes_by_order, statements
from verify.judging.kinks.search import Kink, Search

_TIE_DISTANCE: Final = 2.0**-40
"""Floats nearer to each other than this, beside the largest in the program, are asked of again."""

_BITS: Final = 300


def apply_exact_order(form: Shadow, point: Sequence[Any]) -> Shadow | RoundedChoice:
    """The shadow with ties where there are ties in exact arithmetic.

    Parameters
    ----------
    form : Shadow
        At `point`.
    point : sequence of arrays

    Returns
    -------
    Shadow
        `form` itself where floats see every tie.
    RoundedChoice
        Floats choose otherwise than exact arithmetic does, which is no tie; or by a place.
    """
    values = list(form.values)
    largest = _largest(values)
    settled = False
    for at, node in enumerate(form.graph.nodes):
        if not goes_by_order(node):
            continue
        given = [np.asarray(values[i]) for i in node.inputs]
        if not _is_near_tie(node, given, _TIE_DISTANCE * largest):
            continue
        ranks = _ranks(form, node, point)
        if ranks is None:
            continue
        turned = _find_reversed_choices(node, given, ranks)
        if np.any(turned) and _matters(form, at, given, ranks, turned):
            return _rounded_choice(node)
        tied = _merge_ties(form, node, given, ranks)
        if all(map(np.array_equal, given, tied)):
            continue
        for i, value in zip(node.inputs, tied, strict=True):
            values[i] = value[()]
        values[at] = node.row.evaluate(*[value[()] for value in tied], **node.params)
        settled = True
    return replace(form, values=values) if settled else form


def _largest(values: Sequence[Any]) -> float:
    sizes = [np.abs(np.asarray(value)) for value in values if np.asarray(value).dtype.kind == "f"]
    return max((float(np.max(s[np.isfinite(s)], initial=0.0)) for s in sizes), default=0.0)


def _is_near_tie(node: Node, given: list[Any], gap: float) -> bool:
    """Whether an order of two floats might be another in exact arithmetic, as far as is seen."""
    if any(x.dtype.kind not in "fi" or not np.all(np.isfinite(x)) for x in given):
        return False
    match node.row.ties:
        case "zero":
            apart = np.abs(given[0])
        case "inputs":
            apart = np.abs(given[0] - given[1])
        case _:
            apart = np.diff(np.sort(np.concatenate(given, axis=None)))
    return bool(np.any(apart <= gap))


def _ranks(form: Shadow, node: Node, point: Sequence[Any]) -> list[Any] | None:
    """Where each input comes in the exact order of all and of 0, which is at 0.

    Numbers that may be equal have the same place. None where some are not known.
    """
    if any(form.ids[i] is None and form.graph.nodes[i].constant is None for i in node.inputs):
        return None
    ids = np.concatenate([[ZERO], *[np.ravel(statements(form, i)) for i in node.inputs]])
    try:
        balls = np.ravel(enclose(form.program, ids.astype(np.int64), point, _BITS)).tolist()
    except Unsupported:
        return None
    if not all(ball.is_finite() for ball in balls):
        return None
    order = sorted(range(len(balls)), key=functools.cmp_to_key(compare_by_middle(balls)))
    ranks = np.zeros(len(balls))
    for before, after in itertools.pairwise(order):
        ranks[after] = ranks[before] + bool(balls[before] < balls[after])
    return separate_entries(ranks[1:] - ranks[0], [form.graph.nodes[i].shape for i in node.inputs])


def _find_reversed_choices(node: Node, given: list[Any], ranks: list[Any]) -> Any:
    """Where floats may choose what exact arithmetic excludes, in the shape of the node.

    Of numbers that are equal in floats alone they may choose any.
    """
    row = node.row
    if row.ties == "zero":
        return (given[0] * ranks[0] <= 0) & (ranks[0] != 0)
    floats, places = (np.concatenate(xs, axis=None) for xs in (given, ranks))
    turned: Any = False
    for way in (1, -1):
        order = np.unique(np.stack([floats, way * places]), axis=1, return_inverse=True)[1]
        ours = separate_entries(np.ravel(order).astype(float), map(np.shape, given))
        if row.select is None:
            other = row.evaluate(*ours, **node.params) != row.evaluate(*ranks, **node.params)
        else:
            chosen = [places[np.asarray(row.select(*xs, **node.params))] for xs in (ours, ranks)]
            other = chosen[0] != chosen[1]
        turned = turned | np.asarray(other)
    return turned


def _matters(form: Shadow, at: int, given: list[Any], ranks: list[Any], turned: Any) -> bool:
    """Whether the value shows which of two numbers is chosen where exact arithmetic differs.

    It does if it would at a tie of both: what floats choose may be a constant that leaves no
    trace, as the 0 of a rectifier does in a sum.
    """
    node = form.graph.nodes[at]
    row = node.row
    if form.ids[at] is None:
        return True
    values = list(form.values)
    if row.select is not None:
        meeting = np.concatenate(given, axis=None)
        fixed = _find_constant_elements(form, node)
        chosen = [np.ravel(row.select(*xs, **node.params)) for xs in (given, ranks)]
        for ours, exact in zip(*(one[np.ravel(turned)].tolist() for one in chosen), strict=True):
            moved, still = (ours, exact) if fixed[exact] else (exact, ours)
            meeting[moved] = meeting[still]
        split = separate_entries(meeting, map(np.shape, given))
        for i, value in zip(node.inputs, split, strict=True):
            values[i] = value[()]
        values[at] = row.evaluate(*[value[()] for value in split], **node.params)
    return Search(replace(form, values=values)).matters(turned, at)


def _find_constant_elements(form: Shadow, node: Node) -> Any:
    """Which of all elements that a node is given are those of locally constant nodes."""
    return np.concatenate(
        [np.full(math.prod(form.graph.nodes[i].shape), form.ids[i] is None) for i in node.inputs]
    )


def _merge_ties(form: Shadow, node: Node, given: list[Any], ranks: list[Any]) -> list[Any]:
    """The inputs, with one value for what is one number in exact arithmetic."""
    floats, places = (np.concatenate(xs, axis=None) for xs in (given, ranks))
    fixed = _find_constant_elements(form, node)
    tied = floats.copy()
    for place in np.unique(places):
        some = places == place
        # A constant is the number that it is, and 0 is 0.
        known = floats[some & fixed] if np.any(some & fixed) else floats[some]
        tied[some] = 0.0 if place == 0 else known[0]
    return separate_entries(tied, map(np.shape, given))


def _rounded_choice(node: Node) -> RoundedChoice:
    words = (
        f"{node.name} chooses differently in floats and in exact arithmetic, between numbers that "
        "are nearly equal; give a point farther from their tie"
    )
    return RoundedChoice(words, node.name, node.origin)


_UNDERFLOWS: Final = float(np.finfo(float).smallest_normal)


def find_underflow(form: Shadow, kink: Kink) -> RoundedChoice | None:
    """Why the operation of a kink is not on it in exact arithmetic, if rounding put it there.

    The form is the one with the floats at the point.
    """
    for node in form.graph.nodes:
        if node.primitive is None or (node.name, node.origin) != (kink.op, kink.origin):
            continue
        for at in node.inputs:
            if form.graph.nodes[at].primitive is None:
                continue
            for value, exact in _iterate_rounded_kinks(form, node, at):
                why = "because it underflowed" if exact < _UNDERFLOWS else "by rounding"
                what = f"{value}" if value else f"a number that is 0.0 {why}"
                words = (
                    f"{node.name} is given {what}{' by rounding' if value else ''}; in exact "
                    "arithmetic the point is beside the kink that the floats are on"
                )
                return RoundedChoice(words, node.name, node.origin)
    return None


def _iterate_rounded_kinks(form: Shadow, node: Node, at: int) -> Iterator[tuple[float, float]]:
    """Floats at a kink of `node` that are other numbers in exact arithmetic, with their sizes.

    Of an operation that has its kinks at single numbers, one of one argument, at these; else at 0.
    """
    values, ids = np.asarray(form.values[at]), form.ids[at]
    if ids is None or values.dtype.kind != "f":
        return
    chosen = values == 0
    if (kinks := node.row.kinks) and node.row.elementwise and len(node.inputs) == 1:
        chosen = chosen | np.asarray(kinks(form.values[at], **node.params))
    if not np.any(chosen):
        return
    try:
        balls = enclose(form.program, ids[chosen], [form.values[k] for k in form.graph.inputs])
    except Unsupported:
        return
    for value, ball in zip(values[chosen].tolist(), np.ravel(balls).tolist(), strict=True):
        if ball.is_finite() and not ball.contains(value):
            yield value, abs(float(ball.mid()))
