"""The user's own names: for what a recording holds, and for what a function computes on its way."""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph


def local_names(graph: Graph) -> dict[int, str]:
    """The nodes that are assigned to a variable in the user's source, with its name.

    A line that computes one value, ``name = ...``, names it; of a line in a loop it is the last.
    """
    consumed: set[int] = set()
    lines: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for at, node in enumerate(graph.nodes):
        if node.primitive is None or node.origin is None:
            continue
        statement = _find_assignments(node.origin.file).get(node.origin.line)
        if statement is None:
            continue
        first, _ = statement
        place = node.origin.file, first
        lines[place].append(at)
        for i in node.inputs:
            if i in lines[place]:
                consumed.add(i)
    found: dict[int, str] = {}
    for (file, first), nodes in lines.items():
        roots = [at for at in nodes if at not in consumed]
        if len(roots) == 1:
            found[roots[0]] = _find_assignments(file)[first][1]
    return found


@functools.lru_cache(maxsize=64)  # by files, of which few are asked for
def _find_assignments(file: str) -> dict[int, tuple[int, str]]:
    """The first line and the name of each assignment to one name, by each of its lines."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, LookupError):  # the last, by doctest, of other examples
        return {}
    found: dict[int, tuple[int, str]] = {}
    for one in ast.walk(tree):
        target = _target(one)
        if target is not None and isinstance(one, ast.stmt):
            for line in range(one.lineno, (one.end_lineno or one.lineno) + 1):
                found[line] = one.lineno, target
    return found


def _target(one: ast.AST) -> str | None:
    match one:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return None if isinstance(value, ast.Lambda) else name
        case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


_SIZES: Final = ("n", "d", "m", "p", "k")


@dataclass(frozen=True, slots=True)
class Constant:
    """An array that a graph holds, by a variable.

    Attributes
    ----------
    name : str
    value : array
        Of the variable.
    negative, turned : bool
        Whether the graph holds its negative, or its transpose.
    is_own : bool
        Whether the name is none of the user's, so that its values have to be said.
    """

    name: str
    value: Any
    negative: bool = False
    turned: bool = False
    is_own: bool = False


def constant_names(
    function: Callable[..., Any], graph: Graph, taken: set[str]
) -> dict[int, Constant]:
    """The variable for each array that is a constant of a graph, by its position.

    It is the one in which the function finds the array; ``c1``, ``c2`` where there is none, or
    where several arrays are equal to it, so that its name would be a guess.
    """
    found: dict[int, Constant] = {}
    variables = {n: v for n, v in arrays_around(function).items() if n not in taken}
    fresh = iterate_numbered_names("c", taken | set(variables))
    for position, node in enumerate(graph.nodes):
        if node.constant is None or not node.shape or position in graph.inputs:
            continue
        value = np.asarray(node.constant)
        known = _find_constant(value, variables) or _find_constant(
            value, {c.name: c.value for c in found.values()}
        )
        found[position] = known or Constant(next(fresh), value, is_own=True)
    return found


def _find_constant(value: Any, variables: Mapping[str, Any]) -> Constant | None:
    """`value` as a variable, its negative, its transpose, or both."""
    for negative, turned in ((False, False), (True, False), (False, True), (True, True)):
        wanted = -value if negative and value.dtype.kind == "f" else value
        wanted = wanted.T if turned and value.ndim == 2 else wanted
        same = {name: held for name, held in variables.items() if _is_same(held, wanted)}
        if same:
            first = next(iter(same))
            alone = all(held is same[first] for held in same.values())
            return Constant(first, wanted, negative, turned) if alone else None
    return None


def arrays_around(function: Callable[..., Any]) -> dict[str, Any]:
    """The arrays that a function reads from around it."""
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    around: Mapping[str, Any] = getattr(function, "__globals__", {})
    found = {name: around[name] for name in code.co_names if name in around}
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
    return {n: v for n, v in found.items() if isinstance(v, np.ndarray | list)}


def _is_same(variable: Any, value: Any) -> bool:
    try:
        array = np.asarray(variable)
    except ValueError:  # a ragged list
        return False
    return array.shape == value.shape and bool(np.array_equal(array, value))


def iterate_numbered_names(prefix: str, taken: set[str]) -> Iterator[str]:
    """``v1``, ``v2`` and so on, but for names that are taken."""
    names = (f"{prefix}{number}" for number in itertools.count(1))
    return (name for name in names if name not in taken)


def size_names(labels: Sequence[str], taken: set[str]) -> dict[str, str]:
    """A letter for each size, such as ``n`` for ``X.shape[0]``."""
    free = [name for name in _SIZES if name not in taken]
    more = iterate_numbered_names("n", taken)
    return {label: free.pop(0) if free else next(more) for label in labels}
