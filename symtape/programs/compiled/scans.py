"""Running sums, running products and linear recurrences, by machine code, in the order of NumPy.

Each line waits for its last number, so that several lines are done beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, isolate_operation
from symtape.primitives.cumulative import CUMPROD, CUMSUM, RECURRENCE
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import offsets

_STEPS: Final = {
    CUMSUM: ("%s = fadd double %last, %x0",),
    CUMPROD: ("%s = fmul double %last, %x0",),
    RECURRENCE: ("%m = fmul double %x0, %last", "%s = fadd double %m, %x1"),
}
"""How each number ``%s`` of a line comes of the one before, and of those of the arguments."""

_BESIDE: Final = 4
"""Lines that are done at once."""


class Scan(Loop):
    """What a node evaluates that runs along an axis.

    Parameters
    ----------
    graph : Graph
        The operation alone.
    lines : sequence of array of int
        For each argument, and for the result, where in memory the elements of each line are.
    """

    def __init__(self, graph: Graph, lines: Sequence[Any]) -> None:
        super().__init__(graph)
        self.lines = lines


def scan_of(graph: Graph, at: int, values: Sequence[Any]) -> Scan | None:
    """The scan that an operation is; None where it is none."""
    node = graph.nodes[at]
    if node.primitive not in _STEPS or not node.shape or min(node.shape) == 0:
        return None
    if node.dtype != np.float64:
        return None
    given = [values[i] for i in node.inputs]
    layouts = [offsets(x) for x in given]
    if any(one is None or one.shape != node.shape for one in layouts):
        return None
    layouts.append(np.arange(layouts[0].size).reshape(node.shape))
    axis = node.params.get("axis", -1)
    lines = [np.moveaxis(one, axis, -1).reshape(-1, node.shape[axis]) for one in layouts]
    return Scan(isolate_operation(node, given), lines)


def scan_source(name: str, scan: Scan, keep: Callable[[Any], int]) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``; `keep` says where a table of numbers is kept."""
    count, length = scan.lines[0].shape
    whole = count - count % _BESIDE
    head = [f"define internal i32 @{name}(ptr %table) {{", "begin:"]
    head += load_addresses(len(scan.lines))
    words = ", ".join(f"ptr %a{k}" for k in range(len(scan.lines)))
    lines = []
    for beside, first, end in ((_BESIDE, 0, whole), (1, whole, count)):
        if first < end:
            lines += _lines_function(f"{name}.{beside}", scan, beside, length, keep)
            head.append(f"  call void @{name}.{beside}({words}, i64 {first}, i64 {end})")
    return [*lines, *head, "  ret i32 0", "}"]


def _lines_function(
    name: str, scan: Scan, beside: int, length: int, keep: Callable[[Any], int]
) -> list[str]:
    """The function that does lines from one to another, some at a time."""
    node = scan.graph.nodes[-1]
    arrays = range(len(scan.lines))
    result = arrays[-1]
    words = ", ".join(f"ptr noalias %a{k}" for k in arrays)
    lines = [f"define internal void @{name}({words}, i64 %first, i64 %end) {{", "begin:"]
    lines += ["  br label %line", "line:", "  %k = phi i64 [ %first, %begin ], [ %k.next, %latch ]"]
    for j in range(beside):
        lines.append(f"  %k.{j} = add i64 %k, {j}")
        for a in arrays:
            starts = keep(scan.lines[a][:, 0].astype(np.int32))
            lines += [
                f"  %w{a}.{j} = getelementptr i32, ptr inttoptr (i64 {starts} to ptr), i64 %k.{j}",
                f"  %o{a}.{j} = load i32, ptr %w{a}.{j}",
                f"  %b{a}.{j} = getelementptr double, ptr %a{a}, i32 %o{a}.{j}",
            ]
        given = result - 1  # a sum begins with its term, a recurrence with the last argument
        lines.append(f"  %s0.{j} = load double, ptr %b{given}.{j}")
        lines.append(f"  store double %s0.{j}, ptr %b{result}.{j}")
    if length > 1:
        lines += ["  br label %turn", "turn:"]
        lines.append("  %i = phi i64 [ 1, %line ], [ %next, %turn ]")
        for j in range(beside):
            lines.append(f"  %last.{j} = phi double [ %s0.{j}, %line ], [ %s.{j}, %turn ]")
        for a in arrays:
            step = int(scan.lines[a][0, 1] - scan.lines[a][0, 0])
            lines.append(f"  %d{a} = mul i64 %i, {step}")
        for j in range(beside):
            for a in arrays:
                lines.append(f"  %p{a}.{j} = getelementptr double, ptr %b{a}.{j}, i64 %d{a}")
            for a in arrays[:-1]:
                lines.append(f"  %x{a}.{j} = load double, ptr %p{a}.{j}")
            for step_ in _STEPS[node.row]:
                lines.append("  " + " ".join(_number_word(word, j) for word in step_.split(" ")))
            lines.append(f"  store double %s.{j}, ptr %p{result}.{j}")
        lines += ["  %next = add nuw nsw i64 %i, 1", f"  %more = icmp ult i64 %next, {length}"]
        lines.append("  br i1 %more, label %turn, label %latch")
    else:
        lines.append("  br label %latch")
    return [
        *lines,
        *("latch:", f"  %k.next = add i64 %k, {beside}", "  %on = icmp ult i64 %k.next, %end"),
        *("  br i1 %on, label %line, label %done", "done:", "  ret void", "}"),
    ]


def _number_word(word: str, line: int) -> str:
    """A word of an instruction, as that of one of several lines."""
    if not word.startswith("%"):
        return word
    comma = "," if word.endswith(",") else ""
    return f"{word.removesuffix(',')}.{line}{comma}"
