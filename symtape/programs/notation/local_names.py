"""What the user calls the values that a function computes on its way."""

from __future__ import annotations

import ast
import functools
import linecache
from collections import defaultdict

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
