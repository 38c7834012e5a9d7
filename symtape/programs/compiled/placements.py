"""Rows that put elements elsewhere, by machine code: what is gathered, joined, turned, scattered.

Where each element goes is known when the program is made: as runs of neighbours, which are copied
or added one after the other, in the order of NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node, isolate_operation
from symtape.primitives.indexing import SCATTER
from symtape.programs.compiled.addresses import load_addresses, type_of_numbers
from symtape.programs.compiled.element_plans import find_sources
from symtape.programs.compiled.entry import VECTORISED
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.nests import offsets
from symtape.programs.compiled.slices import SUM_OF_SLICES

Ints = np.ndarray[Any, np.dtype[np.int64]]

_MOST_LENGTHS: Final = 3
"""Of runs that are copied in loops of their own."""

_FEW_PARTS: Final = 8

_LONG: Final = 16
"""Elements of a run that the C library copies."""

_LARGEST: Final = 2**31
"""Elements, whose numbers are words of 32 bits."""


@dataclass(frozen=True)
class Part:
    """Runs of neighbours of one argument, and where they go.

    Attributes
    ----------
    argument : int
    sources, targets : array of int
        Where each run begins, in elements.
    length : int
        Of a run.
    adds : bool
        Whether it is added to what is there.
    """

    argument: int
    sources: Ints
    targets: Ints
    length: int
    adds: bool = False


class Placement(Loop):
    """What a node evaluates that puts elements elsewhere.

    Parameters
    ----------
    graph : Graph
        The operation alone.
    parts : sequence of Part
    is_whole : bool
        Whether they leave no element of the result out.
    """

    def __init__(self, graph: Graph, parts: Sequence[Part], is_whole: bool) -> None:
        super().__init__(graph)
        self.parts, self.is_whole = parts, is_whole


def placement_of(graph: Graph, at: int, values: Sequence[Any], exact: bool) -> Placement | None:
    """The placement that an operation is; None where it is none, or a view."""
    node = graph.nodes[at]
    given = [values[i] for i in node.inputs]
    parts = _parts(node, given, values[at], exact)
    if parts is None:
        return None
    size = math.prod(node.shape)
    is_whole = not parts[0].adds and sum(len(x.targets) * x.length for x in parts) == size
    return Placement(isolate_operation(node, given), parts, is_whole)


def _parts(node: Node, given: Sequence[Any], value: Any, exact: bool) -> list[Part] | None:
    row = node.row
    arrays = [x for x in given if isinstance(x, np.ndarray)]
    sizes = [math.prod(node.shape), *(x.size for x in arrays)]
    if node.part is not None or not 1 < max(sizes) < _LARGEST or not min(sizes):
        return None
    layouts = [offsets(x) for x in given]
    if any(one is None for one in layouts) or {np.asarray(x).dtype for x in given} != {node.dtype}:
        return None
    if isinstance(value, np.float64 | np.float32) and row.moves and arrays:
        return _moved_parts(node, layouts)
    if not isinstance(value, np.ndarray) or not value.ndim:
        return None
    if row is SCATTER or row is SUM_OF_SLICES:
        parts = _scattered_parts(node, layouts, exact)
        # NumPy adds float32s in double precision in places.
        is_other = exact and node.dtype == np.float32 and any(one.adds for one in parts or ())
        return None if is_other else parts
    if not (row.moves or row.dependence == "joins") or not value.flags.c_contiguous:
        return None
    if any(np.may_share_memory(value, x) for x in arrays):
        return None
    return _moved_parts(node, layouts)


def _moved_parts(node: Node, layouts: Sequence[Any]) -> list[Part] | None:
    """Of a row that hands elements on."""
    places = find_sources(node, [one.shape for one in layouts])
    if places is None:
        return None
    ends = np.cumsum([0, *(one.size for one in layouts)])
    argument = np.searchsorted(ends, places, side="right") - 1
    sources = np.concatenate([one.ravel() for one in layouts])[places]
    parts = []
    for number in range(len(layouts)):
        targets = np.flatnonzero((argument == number) & (places >= 0))
        if targets.size:
            parts += _runs(number, sources.ravel()[targets], targets)
    return parts or None


def _scattered_parts(node: Node, layouts: Sequence[Any], exact: bool) -> list[Part] | None:
    """Of values that are put in zeros, or added to an array."""
    based = node.params.get("based", False)
    if based and exact:  # a sum of negative zeros
        return None
    whole = np.arange(math.prod(node.shape)).reshape(node.shape)
    indices = list(node.params.get("indices") or (node.params["index"],))
    parts = _runs(0, layouts[0].ravel(), whole.ravel()) if based else []
    is_alone = len(indices) == 1 and not based and not _has_numbers(indices[0])
    for number, index in enumerate(indices, start=int(based)):
        targets = whole[index]
        if not np.size(targets):
            return None
        sources = np.broadcast_to(layouts[number], np.shape(targets))
        once = not _has_numbers(index)
        parts += _runs(number, sources.ravel(), np.ravel(targets), not is_alone, once)
    return parts


def _has_numbers(index: Any) -> bool:
    """Whether an index has arrays of whole numbers, which may take an element more than once."""
    items = index if isinstance(index, tuple) else (index,)
    return any(np.asarray(x).dtype.kind in "iu" and np.ndim(x) for x in items)


def _runs(
    argument: int, sources: Ints, targets: Ints, adds: bool = False, once: bool = True
) -> list[Part]:
    """Elements as runs of neighbours, by length; in order, where one may be met more than once."""
    ends = np.flatnonzero((np.diff(sources) != 1) | (np.diff(targets) != 1)) + 1
    starts = np.concatenate([[0], ends])
    lengths = np.diff([*starts, sources.size])
    kinds = np.unique(lengths).tolist()
    if len(kinds) > (_MOST_LENGTHS if once else 1):
        kinds = [math.gcd(*kinds)]
        starts = np.arange(0, sources.size, kinds[0])
        lengths = np.full(starts.shape, kinds[0])
    chosen = [(length, starts[lengths == length]) for length in kinds]
    return [Part(argument, sources[at], targets[at], length, adds) for length, at in chosen]


def placement_source(
    name: str, loop: Placement, keep: Callable[[Any], int], called: set[tuple[str, ...]]
) -> list[str]:
    """Assembly of ``i32 @NAME(ptr %table)``.

    Parameters
    ----------
    name : str
    loop : Placement
    keep : callable
        Says where a table of numbers is kept.
    called : set
        The functions of :func:`placing_functions` that it calls are added.
    """
    graph, count = loop.graph, len(loop.graph.inputs)
    lines = [f"define internal i32 @{name}(ptr %table) {{", *load_addresses(count + 1)]
    if not loop.is_whole:
        size = graph.nodes[-1].dtype.itemsize * math.prod(graph.nodes[-1].shape)
        lines.append(f"  call void @llvm.memset.p0.i64(ptr %a{count}, i8 0, i64 {size}, i1 false)")
    # Written out for their numbers they are quicker, and many of them take long to be optimised.
    attribute = "" if len(loop.parts) <= _FEW_PARTS else " noinline"
    for part in loop.parts:
        ways = [_written_places(places, keep) for places in (part.targets, part.sources)]
        length = "single" if part.length == 1 else "run" if part.length < _LONG else "long"
        kind = type_of_numbers(graph.nodes[-1].dtype)
        way = "added" if part.adds else "copied", *(kind for kind, _ in ways), length, kind
        called.add(way)
        given = ", ".join(words for _, words in ways)
        lines.append(
            f"  call void @place.{'.'.join(way)}(ptr %a{count}, ptr %a{part.argument}, {given}, "
            f"i64 {len(part.targets)}, i64 {part.length}){attribute}"
        )
    return [*lines, "  ret i32 0", "}"]


def _written_places(places: Ints, keep: Callable[[Any], int]) -> tuple[str, str]:
    """A progression by its first and its step; else the address of a table."""
    first = int(places[0])
    step = int(places[1]) - first if len(places) > 1 else 0
    if bool((np.diff(places) == step).all()):
        return "steps", f"i64 {first}, i64 {step}"
    return "table", f"ptr inttoptr (i64 {keep(places.astype(np.int32))} to ptr), i64 0"


def placing_functions(called: Iterable[tuple[str, ...]]) -> list[str]:
    """Assembly that placements call: runs are copied, or added, to where they belong."""
    return [line for ways in sorted(called) for line in _placing_function(*ways)]


def _placing_function(way: str, targets: str, sources: str, length: str, number: str) -> list[str]:
    kinds = {"steps": "i64 %{0}.first, i64 %{0}.step", "table": "ptr %{0}.table, i64 %{0}.no"}
    given = ", ".join(kinds[kind].format(x) for kind, x in ((targets, "to"), (sources, "of")))
    name = f"place.{way}.{targets}.{sources}.{length}.{number}"
    given = f"ptr noalias %out, ptr noalias %in, {given}, i64 %count, i64 %length"
    lines = [
        f"define internal void @{name}({given}) {'noinline ' if length == 'long' else ''}{{",
        *("begin:", "  br label %turn", "turn:"),
        "  %i = phi i64 [ 0, %begin ], [ %next, %latch ]",
    ]
    for kind, x, base in ((targets, "to", "out"), (sources, "of", "in")):
        if kind == "steps":
            lines.append(f"  %{x}.m = mul i64 %i, %{x}.step")
            lines.append(f"  %{x}.k = add i64 %{x}.m, %{x}.first")
        else:
            lines.append(f"  %{x}.p = getelementptr i32, ptr %{x}.table, i64 %i")
            lines.append(f"  %{x}.w = load i32, ptr %{x}.p")
            lines.append(f"  %{x}.k = sext i32 %{x}.w to i64")
        lines.append(f"  %{x} = getelementptr {number}, ptr %{base}, i64 %{x}.k")
    if length == "long" and way == "copied":
        lines += _copy_run(number)
    else:
        lines += move_elements(way, length, "turn", number)
    return [
        *lines,
        *("latch:", "  %next = add nuw nsw i64 %i, 1", "  %more = icmp ult i64 %next, %count"),
        *(f"  br i1 %more, label %turn, label %done{VECTORISED}", "done:", "  ret void", "}"),
    ]


def _copy_run(number: str) -> list[str]:
    """A long run, by the C library."""
    return [
        f"  %bytes = shl i64 %length, {2 if number == 'float' else 3}",
        "  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %of, i64 %bytes, i1 false)",
        "  br label %latch",
    ]


def move_elements(way: str, length: str, before: str, number: str = "double") -> list[str]:
    """Assembly that moves an element, or a run of ``%length``, from ``%of`` to ``%to``.

    Parameters
    ----------
    way : str
        ``copied`` or ``added``.
    length : str
        ``single``, or anything else of a run.
    before : str
        The label of the block that it goes on with.
    number : str
        The type of an element.
    """
    is_one = length == "single"
    lines = [] if is_one else ["  br label %each", "each:"]
    if not is_one:
        lines.append(f"  %j = phi i64 [ 0, %{before} ], [ %after, %each ]")
        lines += [f"  %{x}.j = getelementptr {number}, ptr %{x}, i64 %j" for x in ("to", "of")]
    at = "" if is_one else ".j"
    lines.append(f"  %x = load {number}, ptr %of{at}")
    if way == "added":
        lines += [f"  %old = load {number}, ptr %to{at}", f"  %sum = fadd {number} %old, %x"]
    lines.append(f"  store {number} {'%sum' if way == 'added' else '%x'}, ptr %to{at}")
    if is_one:
        return [*lines, "  br label %latch"]
    lines += ["  %after = add nuw nsw i64 %j, 1", "  %on = icmp ult i64 %after, %length"]
    return [*lines, "  br i1 %on, label %each, label %latch"]
