"""Whether a value that left a recording comes back into what the function returns.

``log.append(float(x[0]))`` is no escape where nothing is computed of the log. A recording that
takes what left for constant is asked at other points of its path: if it returns what the function
returns there, to the last bit, then nothing of it came back. Where the function rounds in another
order than its recording, as a fit does, it is recorded there anew, and that is asked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph import freeze
from symtape.graph.fidelity import points_around
from symtape.graph.graph import Graph
from symtape.reading.readings import same_values
from symtape.recording.for_programs import FOR_PROGRAM
from symtape.recording.refusals import KEPT, STATE
from symtape.recording.solvers import ITERATION
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor

Function = Callable[..., Any]

_POINTS: Final = 3
"""Points at which the same bits are evidence enough."""

_SEEDS: Final = (0, 1)


def reaches(function: Function, graph: Graph) -> bool:
    """Whether what left `graph`, recorded of `function`, may reach what the function returns.

    Examples
    --------
    >>> log = []
    >>> def f(x):
    ...     log.append(x.tobytes())
    ...     return np.sum(x**2)
    >>> reaches(f, freeze.record(f, [1.0, 2.0]))
    False
    """
    # At the points of a program, or of other slices, more may come back than at those of a path.
    if FOR_PROGRAM.get() or any(one.how in (KEPT, STATE, ITERATION) for one in graph.escapes):
        return True
    points = [x for seed in _SEEDS for x in points_around(graph, graph.at, seed)]
    if len(points) < _POINTS:
        return True
    return not all(_same_at(function, graph, x) for x in points)


def _same_at(function: Function, graph: Graph, x: tuple[Any, ...]) -> bool:
    try:
        answers = flatten(function(*(np.copy(a)[()] for a in x)))
        replayed = list(graph.evaluate(*x))
        if _are_equal(answers, replayed):
            return True
        return same_values(replayed, answers) and _are_equal(
            freeze.record(function, *x).evaluate(*x), replayed
        )
    except BudgetSpent:
        raise
    except Exception:  # noqa: BLE001  # users' code: nothing is known where it raises
        return False


def _are_equal(found: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether results are the same to the last bit."""
    return len(found) == len(others) and all(
        np.array_equal(np.asarray(x), np.asarray(y)) for x, y in zip(found, others, strict=True)
    )


def find_unreached(
    ways: Sequence[Function],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    keys: Collection[int | str],
) -> Function | None:
    """The first of `ways` to run a function out of which nothing comes back that left.

    The arguments at `keys` are differentiated; the others are numbers, out of which nothing leaves.
    """
    given = dict(enumerate(args)) | kwargs
    leaves = [
        (leaf, _is_moved(leaf, key in keys)) for key, x in given.items() for leaf in flatten(x)
    ]

    def call_with_leaves(way: Function, *moved: Any) -> Any:
        following = iter(moved)
        filled = [next(following) if moves else leaf for leaf, moves in leaves]
        values = pack(list(given.values()), iter(filled))
        return way(*values[: len(args)], **dict(zip(kwargs, values[len(args) :], strict=True)))

    point = [_plain(leaf) for leaf, moves in leaves if moves]
    for way in ways:
        of_leaves = functools.partial(call_with_leaves, way)
        try:
            graph = freeze.record(of_leaves, *point)
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001  # it is no way
            continue
        if not reaches(of_leaves, graph):
            return way
    return None


def _is_moved(leaf: Any, differentiated: bool) -> bool:
    if isinstance(leaf, Tensor):
        return leaf.dtype.kind in "fc"
    if not differentiated:
        return False
    if isinstance(leaf, np.ndarray | np.inexact):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, float | complex)


def _plain(leaf: Any) -> Any:
    return leaf._value if isinstance(leaf, Tensor) else leaf
