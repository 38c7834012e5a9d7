"""Rows that take elements, or add to them, where whole numbers say that are known at a call.

Numbers below 0 count from the end. Where one lies beyond an axis the code gives up, and NumPy says
so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node, isolate_operation
from symtape.primitives.indexing import GETITEM_BY, SCATTER_BY, Slot
from symtape.programs.compiled.addresses import load_addresses
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.placements import move_elements
from symtape.programs.compiled.rewriting import Builder, applies_to


class Lookup(Loop):
    """What a node evaluates that looks rows of an array up.

    Parameters
    ----------
    graph : Graph
        The operation alone.
    sizes : sequence of int
        Of the axes that are indexed.
    width : int
        Elements of a row.
    adds : bool
        Whether rows are added to zeros rather than taken.
    """

    def __init__(self, graph: Graph, sizes: Sequence[int], width: int, adds: bool) -> None:
        super().__init__(graph)
        self.sizes, self.width, self.adds = sizes, width, adds


@applies_to(GETITEM_BY, SCATTER_BY)
def index_by_arrays_alone(build: Builder, node: Node) -> int | None:
    """A lookup whose known numbers are inputs as well, and lie as those of a call do."""
    template = node.params["template"]
    known = [item for item in template if type(item) is not Slot]
    if not known or not all(map(_is_of_whole_numbers, known)):
        return None
    slots = [item for item in template if type(item) is Slot]
    first, *given = node.inputs
    shapes = {build.nodes[i].shape for i in given}
    if any(item.boolean for item in slots) or len(shapes) > 1:
        return None
    (shape,) = shapes
    if np.broadcast_shapes(shape, *map(np.shape, known)) != shape:
        return None
    numbers = []
    for item in template:
        if type(item) is Slot:
            numbers.append(given[item.number])
        else:
            spread = np.broadcast_to(np.asarray(item, np.int64), shape)
            numbers.append(build.add_constant(spread.copy() if shape else spread[()]))
    slots = [Slot(k, boolean=False) for k in range(len(numbers))]
    params = {**node.params, "template": tuple(slots)}
    return build.apply(node.row, (first, *numbers), params, node)


def _is_of_whole_numbers(item: Any) -> bool:
    kind = type(item)
    return kind is int or kind is np.int64 or (kind is np.ndarray and item.dtype.kind in "iu")


def lookup_of(graph: Graph, at: int, values: Sequence[Any]) -> Lookup | None:
    """The lookup that an operation is; None where it is none, or the arrays lie otherwise."""
    node = graph.nodes[at]
    if node.primitive not in (GETITEM_BY, SCATTER_BY):
        return None
    first, *numbers = [values[i] for i in node.inputs]
    template = node.params["template"]
    if not all(type(item) is Slot and not item.boolean for item in template):
        return None
    if [item.number for item in template] != list(range(len(numbers))):
        return None
    adds = node.primitive is SCATTER_BY
    shape = node.params["shape"] if adds else np.shape(first)
    indexed = len(numbers)
    if not all(_is_contiguous(x, np.float64) for x in (first, values[at])):
        return None
    if not all(_is_contiguous(x, np.int64) for x in numbers) or len({x.shape for x in numbers}) > 1:
        return None
    rows = (first if adds else values[at]).shape
    if rows != numbers[0].shape + shape[indexed:] or not min((*shape, *rows)):
        return None
    given = isolate_operation(node, [first, *numbers])
    return Lookup(given, shape[:indexed], math.prod(shape[indexed:]), adds)


def _is_contiguous(x: Any, dtype: type[np.generic]) -> bool:
    """Whether `x` is an array that lies so, or a number."""
    if type(x) is dtype:
        return True
    return isinstance(x, np.ndarray) and x.ndim > 0 and x.dtype == dtype and x.flags.c_contiguous


def lookup_source(name: str, loop: Lookup) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``, which is not 0 where a number is beyond an axis."""
    node: Node = loop.graph.nodes[-1]
    count = len(loop.sizes)
    rows = math.prod(loop.graph.nodes[1].shape)
    lines = [f"define internal i32 @{name}(ptr %table) {{", "begin:", *load_addresses(count + 2)]
    if loop.adds:
        size = 8 * math.prod(node.shape)
        lines.append(
            f"  call void @llvm.memset.p0.i64(ptr %a{count + 1}, i8 0, i64 {size}, i1 false)"
        )
    lines += ["  br label %turn", "turn:", "  %i = phi i64 [ 0, %begin ], [ %next, %latch ]"]
    for k, size in enumerate(loop.sizes):
        lines += _read_number(k, size)
    last = count - 1
    of, to = ("%i", f"%row{last}") if loop.adds else (f"%row{last}", "%i")
    lines += [
        *(f"  %of.k = mul i64 {of}, {loop.width}", f"  %to.k = mul i64 {to}, {loop.width}"),
        "  %of = getelementptr double, ptr %a0, i64 %of.k",
        f"  %to = getelementptr double, ptr %a{count + 1}, i64 %to.k",
    ]
    way, length = "added" if loop.adds else "copied", "run" if loop.width > 1 else "single"
    return [
        *lines,
        *(f"  %length = add i64 {loop.width}, 0", "  br label %move", "move:"),
        *move_elements(way, length, "move"),
        *("latch:", "  %next = add nuw nsw i64 %i, 1", f"  %more = icmp ult i64 %next, {rows}"),
        "  br i1 %more, label %turn, label %done",
        *("done:", "  ret i32 0", "off:", "  ret i32 1", "}"),
    ]


def _read_number(k: int, size: int) -> list[str]:
    """The whole number of axis `k`, and of the row that it and those before it say."""
    lines = [
        f"  %p{k} = getelementptr i64, ptr %a{k + 1}, i64 %i",
        f"  %g{k} = load i64, ptr %p{k}",
        f"  %below{k} = icmp slt i64 %g{k}, 0",
        f"  %w{k} = add i64 %g{k}, {size}",
        f"  %k{k} = select i1 %below{k}, i64 %w{k}, i64 %g{k}",
        f"  %in{k} = icmp ult i64 %k{k}, {size}",
        f"  br i1 %in{k}, label %on{k}, label %off",
        f"on{k}:",
    ]
    before = f"%row{k - 1}" if k else "0"
    return [
        *lines,
        f"  %before{k} = mul i64 {before}, {size}",
        f"  %row{k} = add i64 %before{k}, %k{k}",
    ]
