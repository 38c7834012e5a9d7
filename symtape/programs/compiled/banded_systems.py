"""Systems with a banded matrix, by LAPACK in machine code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from symtape.graph.graph import Graph, Node
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.linear_algebra import (
    copy_columns,
    copying_source,
    find_scipys_function,
    leave_unless_done,
    write_call,
)
from symtape.programs.compiled.nests import strides_of

_MOST: Final = 1 << 14
"""Numbers that lie on the stack, of bands or of right sides."""


def suits_bands(node: Node, given: Sequence[Any]) -> bool:
    """Whether LAPACK is called, and bands and solutions have room on the stack."""
    below, above = node.params["below"], node.params["above"]
    n = len(given[1])
    return n > 1 and 0 < math.prod(node.shape) <= _MOST and (2 * below + above + 1) * n <= _MOST


def bands_source(name: str, graph: Graph) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; of a matrix that SciPy refuses it returns 1."""
    node, (ab, b) = graph.nodes[-1], graph.at
    n, *behind = b.shape
    columns = behind[0] if behind else 1
    solved = "%solved" if behind else "%a2"
    called, words, shifts = _find_call(node.params, len(ab), n, columns, solved)
    function = find_scipys_function(called)
    constants, call = write_call(name, called, function, words)
    whole = f"i{function.bits}"
    (band, place), strides = strides_of(ab) or (0, 0), (*(strides_of(b) or ()), 0)[:2]
    lines = [
        *(*copying_source(name), *constants, f"define internal i32 @{name}(ptr %table) {{"),
        *("begin:", f"  %info = alloca {whole}", f"  %pivots = alloca {whole}, i64 {n}"),
        f"  %room = alloca double, i64 {(2 * node.params['below'] + len(ab)) * n}",
        *([f"  %solved = alloca double, i64 {n * columns}"] if behind else []),
        *load_addresses(3),
        *(f"  %{k} = getelementptr double, ptr %room, i64 {by}" for k, by in shifts.items()),
        copy_columns(name, "%a1", solved, (n, columns), strides),
    ]
    if "d" in shifts:
        lines.append(copy_columns(name, "%a0", "%room", (n, len(ab)), (place, band)))
    else:
        step = node.params["below"] * (not node.params["definite"]) + len(ab), 1
        lines.append(copy_columns(name, "%a0", "%bands", (len(ab), n), (band, place), step))
    lines += leave_unless_done(call, whole, "found")
    if behind:
        lines.append(copy_columns(name, solved, "%a2", (columns, n), (n, 1)))
    return [*lines, "  ret i32 0", "off:", "  ret i32 1", "}"]


def _find_call(
    params: Mapping[str, Any], bands: int, n: int, columns: int, solved: str
) -> tuple[str, list[Any], dict[str, int]]:
    """The function that SciPy calls, what it is given, and how far in a copy its bands lie."""
    below, above, definite = params["below"], params["above"], params["definite"]
    right = [solved, n, "%info"]
    if definite and bands == 2:
        places = {"d": above * n, "e": n if below else 1}
        return "dptsv", [n, columns, "%d", "%e", *right], places
    if definite:
        words = ["U" if above else "L", n, bands - 1, columns, "%bands", bands, *right]
        return "dpbsv", words, {"bands": 0}
    if below == above == 1:
        places = {"dl": 2 * n, "d": n, "du": 1}
        return "dgtsv", [n, columns, "%dl", "%d", "%du", *right], places
    words = [n, below, above, columns, "%room", below + bands, "%pivots", *right]
    return "dgbsv", words, {"bands": below}
