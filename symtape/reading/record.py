"""``symtape.record``: a function as the Graph of what it computes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any, Final, Literal

from symtape.errors import BudgetSpent, Escaped, NotTraceable, Unsupported
from symtape.graph import freeze
from symtape.graph.graph import Graph, has_complex_nodes
from symtape.reading.functions import keep
from symtape.reading.reach import reaches
from symtape.reading.readings import choose_error, is_in_vain, note, ways_to_run
from symtape.reading.running import run_of
from symtape.recording.misfits import check_function, misfit
from symtape.recording.of_leaves import OfLeaves, tree_of
from symtape.recording.refusals import CACHE, KEPT, code_of
from symtape.recording.run import Run, is_found_equal

_FOUND_AGAIN: Final = frozenset(map(code_of, (CACHE, KEPT)))
"""How a value comes back of which a recording knows nothing."""


def record(
    function: Callable[..., Any],
    *args: Any,
    budget: int | None = None,
    escapes: Literal["refuse", "constant"] = "refuse",
    **kwargs: Any,
) -> Graph:
    """Run `function` on `args` and freeze what it did.

    Parameters
    ----------
    function : callable
        Plain NumPy code; arrays that it makes of its values, and writes into, are recorded too.
    *args : array_like, or tree
        One for each argument; integers are taken as floats. Of a tree (nested dicts, lists, tuples,
        dataclasses, objects with arrays in their fields) each array and number of floats is an
        input, and everything else is passed on unchanged.
    budget : int, optional
        Most operations to record.
    escapes : {"refuse", "constant"}
        What to do where a value leaves for plain Python (``float(x)``, ``math.sin(x)``) or for a
        library, so that nothing is known of how what comes back depends on it: refuse, or take it
        for the constant that it is at `args`. Where it was is in ``graph.escapes``.
    **kwargs
        Arguments by keyword, as those of a tree.

    Returns
    -------
    Graph
        Its inputs are `args`, those by keyword last; its outputs the tensors that `function`
        returned, nested structures taken apart.

    Raises
    ------
    Escaped
        A value left, and `escapes` is "refuse"; names the call, the line and a remedy.
    NotTraceable
        `function` returned None, or something other than numbers and arrays.
    NotOnTape
        An argument is not an array of real numbers.
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
    function, args = flat(function, args, kwargs)
    graph = _record_computed(function, *args, budget=budget)
    if graph.escapes and escapes == "refuse":
        raise _refusal_error(function, args, graph)
    if escapes == "refuse" and _is_suspect(graph):
        _check_uncached(function, graph)
    return graph


def _is_suspect(graph: Graph) -> bool:
    """Whether a recording may be that of a function given what an earlier call computed."""
    if not all(map(graph.is_computed, graph.outputs)):
        return True
    rows = {node.primitive for node in graph.nodes}
    comparing = {row for row in rows if row is not None and row.compares}
    compared = [
        (at, followed)
        for at, node in enumerate(graph.nodes if comparing else ())
        if node.primitive in comparing
        for followed, other in (node.inputs, node.inputs[::-1])
        if graph.nodes[followed].dtype.kind in "fc"
        and graph.is_computed(followed)
        and not graph.is_computed(other)
    ]
    if not compared:
        return False
    values = iter(graph.select([*itertools.chain(*compared)]).evaluate(*graph.at))
    return any(
        is_found_equal(graph.nodes[at].row, next(values), next(values)) for at, _ in compared
    )


def _check_uncached(function: Callable[..., Any], graph: Graph) -> None:
    every = tuple(range(len(graph.at)))
    try:
        run_of(function, graph.at, {}, every, several=True)
    except BudgetSpent:
        raise
    except Exception as error:  # of transforms, which take less than what is recorded
        if getattr(error, "code", None) in _FOUND_AGAIN:
            raise


def flat(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function of numbers and arrays alone, and these, in place of one of trees or keywords."""
    check_function(function)
    if not kwargs and all(tree_of(arg) is None for arg in args):
        return function, args
    from symtape.symbolic.naming import argument_names

    made = OfLeaves(function, args, kwargs, argument_names(function, len(args)))
    return (made, tuple(made.numbers)) if made.numbers else (function, args)


def record_readable(function: Callable[..., Any], *args: Any, budget: int | None = None) -> Graph:
    """The graph of a function as engines read it: complex numbers by their parts.

    What leaves it is in its escapes. Where complex numbers cannot be taken apart, they stay.
    """
    return readable(_record_computed(function, *args, budget=budget))


def readable(graph: Graph) -> Graph:
    """`graph` with its complex numbers taken apart, if they can be."""
    if not has_complex_nodes(graph):
        return graph
    # Loading it takes long, and nobody who differentiates asks for it.
    from symtape.graph.cartesian.lower import split_complex_nodes

    try:
        return split_complex_nodes(graph)
    except Unsupported:
        return graph


_OF_A_VIEW: Final = "buffer source array is read-only"
"""What compiled code says of a value that left; a run refuses the value in words."""


def _record_computed(function: Callable[..., Any], *args: Any, budget: int | None = None) -> Graph:
    try:
        return _graph_of(function, *args, budget=budget)
    except (TypeError, ValueError, OverflowError) as error:
        if str(error) == _OF_A_VIEW:
            Run(function, args, {}, tuple(range(len(args))), several=True)
        given = function.given if isinstance(function, OfLeaves) else {}
        if (told := misfit(error, given)) is error:
            raise
        raise told from error


def _graph_of(function: Callable[..., Any], *args: Any, budget: int | None = None) -> Graph:
    """The graph of a function as it stands; as it is read, where a value leaves it."""
    left: list[tuple[Callable[..., Any], Graph]] = []
    failed: Exception | None = None
    for way in ways_to_run(function):
        try:
            graph = freeze.record(way, *args, budget=budget)
        except BudgetSpent:
            raise
        except Exception as error:  # of users' code: raised again where no way helps
            if getattr(way, "own_error", None) is error:
                raise
            failed = choose_error(failed, error)
            continue
        if not graph.escapes:
            if way is not function:
                keep(function)
                note(function, worked=True)
            return graph
        left.append((way, graph))
    for way, graph in () if is_in_vain(function) else left:
        if not reaches(way, graph):
            note(function, worked=True)
            return dataclasses.replace(graph, escapes=())
    note(function, worked=False)
    if not left:
        raise failed or NotTraceable("there is no way to run the function")
    return left[0][1]


def _refusal_error(function: Callable[..., Any], args: tuple[Any, ...], graph: Graph) -> Escaped:
    words = f"a value left the computation by {graph.escapes[0]}"
    try:
        run = Run(function, graph.at, {}, tuple(range(len(args))), several=True)
    except Escaped as error:
        words = error.args[0]
    else:
        words = run.tape.wrote.args[0] if run.tape.wrote else words
    meant = "if it is meant as a constant of this point, pass escapes='constant'"
    return Escaped(words, meant, graph.escapes[0].code)
