"""What a derivative has to be before its numbers mean anything: a function of its point.

A claim is called twice at the same point. One that answers differently, that lives on NumPy's or
Python's global random state, or that knows an array by its place in memory, is refused in words of
its own.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.graph import Graph
from verify.claimants.claim import Claim
from verify.claimants.determinism import describe_difference, unsteady, written_argument
from verify.errors import NotAFunction, UsageError
from verify.model.case import argument_names
from verify.model.foreign import Foreign
from verify.model.quantity import PRODUCTS

_ASIDE: Final = 2.0**-6
_DIGITS: Final = 2.0**-30
"""By how much what an array held before differs, and answers for it at least."""


def check_directions(claim: Claim, graph: Graph) -> None:
    """Refuse directions that do not fit what they belong to.

    Raises
    ------
    UsageError
        A cotangent not of the shape of its output, or a tangent not of that of its argument.
    """
    quantity, count = claim.quantity, len(graph.inputs)
    if not quantity.directions:
        return
    names = argument_names(claim.function, count)
    inputs, outputs = (
        [graph.nodes[at].shape for at in ends] for ends in (graph.inputs, graph.outputs)
    )
    pull = quantity.name == "vjp"
    shapes = outputs if pull else [inputs[i] for i in quantity.rows(count)]
    owners = ["the output"] * len(outputs) if pull else [names[i] for i in quantity.rows(count)]
    if len(shapes) != quantity.directions:
        raise UsageError(
            f"the function has {len(shapes)} outputs here, and {quantity.directions} elsewhere"
        )
    for at, shape, owner in zip(quantity.direction_places(count), shapes, owners, strict=True):
        if inputs[at] != shape:
            raise UsageError(
                f"the {PRODUCTS[quantity.name]} {names[at]} has shape {inputs[at]}, but "
                f"{owner} has shape {shape}; they must be equal"
            )


def check_repeatable(claim: Claim, point: tuple[Any, ...], shapes: list[tuple[int, ...]]) -> None:
    """Refuse a claim that answers differently when it is asked again.

    Parameters
    ----------
    claim : Claim
    point : tuple of arrays
    shapes : list of tuple of int
        Of the parts of the derivative.

    Raises
    ------
    NotAFunction
        In words; also what :meth:`Claim.answer` raises.
    """
    if claim.ours:
        return
    words = describe_difference(lambda: claim.answer(point, shapes).parts)
    if not words and not (claim.is_read or isinstance(claim.derivative, Foreign)):
        asked = iter([claim, replace(claim, derivative=_reuse_arrays(claim.derivative))])
        stale = describe_difference(lambda: next(asked).answer(point, shapes).parts, _DIGITS)
        words = stale and "answers for what its argument held before it was written into"
    if words:
        raise NotAFunction(
            f"{claim.claimant} {words}; a derivative is a function of its point", point, True
        )


def _reuse_arrays(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """As `derivative`, of arrays for which it was asked before, when they held other numbers."""

    def call_reusing(*given: Any) -> Any:
        arrays = [np.array(x) if np.ndim(x) else x for x in given]
        for array in filter(np.ndim, arrays):
            array[...] = array * (1 + _ASIDE) + _ASIDE
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            derivative(*arrays)
        for array, x in zip(arrays, given, strict=True):
            if np.ndim(array):
                array[...] = x
        return derivative(*arrays)

    return call_reusing


def other_dtype(claim: Claim, graph: Graph, parts: Sequence[Any]) -> str:
    """Words for a derivative in another dtype than what it belongs to; empty if it is the same.

    That is an argument, or of a push-forward an output. It is no fault of the values, which are
    judged in the dtype that they come in.
    """
    quantity, count = claim.quantity, len(graph.inputs)
    if claim.ours:
        return ""
    names = argument_names(claim.function, count)
    if quantity.name == "jvp":
        owners = [("the output", graph.nodes[at]) for at in graph.outputs]
    else:
        owners = [(names[i[0]], graph.nodes[graph.inputs[i[0]]]) for i in quantity.parts(count)]
    if quantity.name == "jacobian":
        # The output of a function may be of less precision than its argument, or of more.
        least = min(graph.nodes[at].dtype.itemsize for at in graph.outputs)
        owners = [owner for owner in owners if owner[1].dtype.itemsize <= least]
        if len(owners) < len(parts):
            return ""
    for part, (name, node) in zip(parts, owners, strict=True):
        if part.dtype != node.dtype:
            by = "" if quantity.name == "jvp" else f" by {name}"
            return (
                f"the {quantity.name}{by} is {part.dtype}, where {name} is {node.dtype}: it was "
                f"answered in {part.dtype}, and is judged in the ulps of that"
            )
    return ""


_FIRST: Final = 2
"""Points at which both are asked twice in any case."""

_FAILING: Final = 4
"""Failing points at which they are asked twice besides."""

_ON_A_COPY: Final = (
    "the function changes its argument {0} in place, for its caller as well; it was judged by what "
    "it returns when it works on a copy, as {0} = {0}.copy() gives it"
)


class Repeatability:
    """Counts the points at which function and claim were asked twice.

    Parameters
    ----------
    claim : Claim
    operations : int
        Most to record of the function.
    """

    def __init__(self, claim: Claim, operations: int) -> None:
        self._claim = claim
        self._operations = operations
        self._first = self._failing = 0

    def is_due(self) -> bool:
        """Whether to ask twice at the next point, as one of the first."""
        self._first += 1
        return self._first <= _FIRST

    def is_due_where_it_fails(self) -> bool:
        """Whether to ask twice at the next point that fails."""
        self._failing += 1
        return self._failing <= _FAILING

    def check_function(self, x: tuple[Any, ...]) -> str:
        """Refuse a function without a single value at `x`; words if it writes into it.

        Raises
        ------
        NotAFunction
        """
        with self._claim.calls.limit_call("the function", x, BudgetSpent):
            words = unsteady(self._claim.function, x, self._operations)
            written = "" if words else written_argument(self._claim.function, x)
        if words:
            raise NotAFunction(words, x)
        return _ON_A_COPY.format(written) if written else ""
