"""``symtape.record``: a function as the Graph of what it computes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any, Literal

from symtape.errors import BudgetSpent, Escaped
from symtape.frontends.reach import reaches
from symtape.frontends.reading import asks_types, is_in_vain, note, readings, telling
from symtape.graph import freeze
from symtape.graph.graph import Graph
from symtape.recording.run import Run

__all__ = ["record", "recorded"]


def record(
    function: Callable[..., Any],
    *args: Any,
    budget: int | None = None,
    escapes: Literal["refuse", "constant"] = "refuse",
) -> Graph:
    """Run `function` on `args` and freeze what it did.

    Parameters
    ----------
    function : callable
        Plain NumPy code; arrays that it makes of its values, and writes into, are recorded too.
    *args : array_like
        One for each argument; integers are taken as floats.
    budget : int, optional
        Most operations to record.
    escapes : {"refuse", "constant"}
        What to do where a value leaves for plain Python (``float(x)``, ``math.sin(x)``) or for a
        library, so that nothing is known of how what comes back depends on it: refuse, or take it
        for the constant that it is at `args`. Where it was is in ``graph.escapes``.

    Returns
    -------
    Graph
        Its inputs are `args`; its outputs the tensors that `function` returned, nested
        structures taken apart.

    Raises
    ------
    Escaped
        A value left, and `escapes` is "refuse"; names the call, the line and a remedy.
    NotTraceable
        `function` returned None, or something that is no number or array.
    NotOnTape
        An argument is no array of real numbers.
    BudgetSpent
        More operations than `budget`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.sum(x * x), [1.0, 2.0])
    >>> [node.name for node in graph.nodes]
    ['input', 'multiply', 'sum']
    >>> graph.evaluate([3.0, 4.0])
    (np.float64(25.0),)
    """
    if escapes not in ("refuse", "constant"):
        raise ValueError(f"escapes={escapes!r}: expected 'refuse' or 'constant'")
    graph = recorded(function, *args, budget=budget)
    if graph.escapes and escapes == "refuse":
        raise _refused(function, args, graph)
    return graph


def recorded(function: Callable[..., Any], *args: Any, budget: int | None = None) -> Graph:
    """The graph of a function as it stands; as it is read, where a value leaves it.

    What leaves it all the same is in its escapes.
    """
    left: list[tuple[Callable[..., Any], Graph]] = []
    failed: Exception | None = None
    as_it_stands = () if asks_types(function) else (function,)
    for way in itertools.chain(as_it_stands, readings(function)):
        try:
            graph = freeze.record(way, *args, budget=budget)
        except BudgetSpent:
            raise
        except Exception as error:
            if getattr(way, "own_error", None) is error:
                raise
            failed = telling(failed, error)
            continue
        if not graph.escapes:
            if way is not function:
                note(function, worked=True)
            return graph
        left.append((way, graph))
    for way, graph in () if is_in_vain(function) else left:
        if not reaches(way, graph):
            note(function, worked=True)
            return dataclasses.replace(graph, escapes=())
    note(function, worked=False)
    if not left:
        assert failed is not None
        raise failed
    return left[0][1]


def _refused(function: Callable[..., Any], args: tuple[Any, ...], graph: Graph) -> Escaped:
    words = f"a value left the computation by {graph.escapes[0]}"
    try:
        Run(function, graph.at, {}, tuple(range(len(args))), several=True)
    except Escaped as error:
        words = error.args[0]
    meant = "if it is meant as a constant of this point, say escapes='constant'"
    return Escaped(words, meant, graph.escapes[0].code)
