"""Functions that answer from a cache what an earlier call computed: a constant to any recording.

Such an answer does not depend on the argument, though it was found by it. Most functions never
come to this question: it is asked where a result depends on nothing that is followed, or where
what is followed was found equal to what is not, as ``x == self.last_x``. A function that keeps what
it computes returns, of a second call at a fresh point, what the first one recorded.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Escaped
from symtape.graph.graph import Graph
from symtape.recording.refusals import CACHE, KEPT, code_of, remedy
from symtape.recording.run import Run, is_found_equal
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor

_STEP: Final = 1e-3
"""Relative distance of fresh points: beyond the tolerances of keys, and in most domains."""

_GOLDEN: Final = (math.sqrt(5) - 1) / 2

_question_numbers: Final = itertools.count(1)
"""Each question has points of its own: a cache keeps those of the others."""


def is_suspect(run: Run) -> bool:
    """Whether a run may have been given what an earlier call computed."""
    if run.returned is None:
        return run.tape.found_equal or run.output._id not in run.tape._ids
    return run.tape.found_equal or not all(_followed_outputs(run))


def _followed_outputs(run: Run) -> list[bool]:
    return [run.tape.traces(output) for output in run.outputs]


def is_suspect_recording(graph: Graph) -> bool:
    """Whether a recording may be that of a function given what an earlier call computed."""
    if not all(map(graph.is_computed, graph.outputs)):
        return True
    compared = [
        (at, followed)
        for at, node in enumerate(graph.nodes)
        if node.primitive is not None and node.primitive.compares
        for followed, other in (node.inputs, node.inputs[::-1])
        if graph.nodes[followed].dtype.kind in "fc"
        and graph.is_computed(followed)
        and not graph.is_computed(other)
    ]
    if not compared:
        return False
    values = graph.values(*graph.at)
    return any(is_found_equal(graph.nodes[at].row, values[at], values[x]) for at, x in compared)


def check_uncached(
    function: Callable[..., Any], run: Run, again: Callable[[tuple[Any, ...], dict[str, Any]], Run]
) -> None:
    """Refuse a run of a function that keeps what it computes.

    Parameters
    ----------
    function : callable
    run : Run
        That of `function` which is suspect.
    again : callable ``(args, kwargs) -> Run``
        Another run of it.

    Raises
    ------
    Escaped
        It keeps tensors of one run for the next.
    """
    for sign in (1, -1):
        away = sign * _STEP * (1 + next(_question_numbers) * _GOLDEN % 1)
        args, kwargs = _move_leaves(run.args, away), _move_leaves(run.kwargs, away)
        ways = []
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for _ in range(2):
                    fresh = again(tuple(args), kwargs)
                    ways.append((fresh.tape.found_equal, _followed_outputs(fresh)))
        except BudgetSpent:
            raise
        except Exception as error:  # noqa: BLE001  # of users' code, outside of its domain
            if ways or getattr(error, "code", None) == code_of(KEPT):
                raise _cache_error(function) from None
        else:
            if ways[0] != ways[1]:
                raise _cache_error(function)
            return


def _cache_error(function: Callable[..., Any]) -> Escaped:
    name = getattr(function, "__name__", type(function).__name__)
    return Escaped(
        f"{name} keeps values between calls, and answered from {CACHE}: what it returned is a "
        f"constant, and its part of the derivative would be lost; {remedy(CACHE)}",
        code=code_of(CACHE),
    )


def _move_leaves(given: Any, away: float) -> Any:
    return pack(given, iter([_moved_leaf(leaf, away) for leaf in flatten(given)]))


def _moved_leaf(leaf: Any, away: float) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf.copy() if type(leaf) is np.ndarray else leaf
    value = leaf._value
    if value.dtype.kind not in "fc":
        return value
    # A float that nobody asks for otherwise.
    moved = np.where(value == 0, abs(away), value * (1 + away))
    return moved.astype(value.dtype)[()]
