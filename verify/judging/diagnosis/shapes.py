"""What an array of a wrong shape would be, told where its numbers bear it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.primitives.broadcasting import sum_to
from verify.adapters.dense import dense
from verify.claimants.claim import Claim, fresh, parts_of
from verify.judging.diagnosis.nearby import points_beside
from verify.judging.rounding.programs import Point
from verify.oracles.closed_form import shape_of

_CLOSE: Final = 1e-9
_LEAST: Final = 2
"""Points at which the numbers have to fit: at one that is zero everything does."""

Reading = Callable[[Any, Any], tuple[Any, Any]]
"""What has to be the same, of an array that is claimed and the one that is exact."""


def shape_in_words(claim: Claim, point: Point) -> str:
    """What the first array of a wrong shape would be; empty if it is nothing that is known."""
    shapes = shape_of(point.graph, claim.quantity)
    tape = claim.tape(len(point.x))
    pairs: list[list[tuple[Any, Any]]] = []
    for x in (point.x, *points_beside(point.x)):
        try:
            with np.errstate(all="ignore"), claim.calls.limit_call("the claim", x, BudgetSpent):
                found = parts_of(claim.derivative(*map(fresh, x)), shapes)
                arrays = [np.asarray(dense(part), dtype=float) for part in found]
                pairs.append(list(zip(arrays, tape.answer(x, shapes).parts, strict=True)))
        except Exception:  # noqa: BLE001  # users' code, at points of nobody's choice
            continue
    for each in zip(*pairs, strict=True):
        (ours, theirs), *_ = each
        if ours.shape != theirs.shape and len(each) >= _LEAST:
            readings = _readings(claim.quantity.name, ours.shape, theirs.shape)
            return next((words for words, reading in readings if _fit(each, reading)), "")
    return ""


def _fit(pairs: tuple[tuple[Any, Any], ...], reading: Reading) -> bool:
    """Whether what has to be the same is, at points that are not all zero."""
    try:
        made = [reading(ours, theirs) for ours, theirs in pairs]
    except ValueError:
        return False
    telling = any(np.any(theirs) for _, theirs in made)
    return telling and all(
        ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=_CLOSE, atol=1e-12)
        for ours, theirs in made
    )


def _readings(
    quantity: str, given: tuple[int, ...], shape: tuple[int, ...]
) -> Iterator[tuple[str, Reading]]:
    """What arrays of a shape may be where another shape is right, in words."""
    if len(shape) > 1 and given == shape[::-1]:
        yield "is it transposed?", lambda ours, theirs: (ours.T, theirs)
    if int(np.prod(given)) == int(np.prod(shape)):
        words = f"return np.reshape(..., {shape}) of it, which has the same entries"
        yield words, lambda ours, theirs: (ours.reshape(theirs.shape), theirs)
    if given + given == shape:
        size = int(np.prod(given))
        yield (
            "is it the diagonal alone?",
            lambda ours, theirs: (ours.ravel(), np.diag(theirs.reshape(size, size))),
        )
    over = tuple(range(len(shape) - len(given)))
    if quantity == "jacobian" and given == shape[len(over) :]:
        words = "is it the gradient of the sum of the outputs, instead of the Jacobian?"
        yield words, lambda ours, theirs: (ours, np.sum(theirs, axis=over))
    if quantity in ("gradient", "vjp", "hvp"):
        words = "is the sum over the axes missing along which the argument was broadcast?"
        yield words, lambda ours, theirs: (_sum_to_shape(ours, theirs.shape), theirs)


def _sum_to_shape(array: Any, shape: tuple[int, ...]) -> Any:
    """An array summed to a shape that can be broadcast to its own.

    Raises
    ------
    ValueError
        It cannot.
    """
    np.broadcast_to(np.zeros(shape), array.shape)
    return sum_to(array, shape)
