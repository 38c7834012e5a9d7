"""Rows that are loops of their own in C: sums, products, places."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.programs.compiled.slices import is_basic
from symtape.programs.emitted.c_indices import (
    broadcast_index,
    index_before_indexing,
    place,
    shift_index,
    write_loops,
)
from symtape.programs.emitted.expression import Binding, Written, product


class Source(Protocol):
    """What writes a function, as its loops see it."""

    graph: Graph

    def write_element(self, at: int, index: Sequence[str]) -> Written:
        """An element of a value."""
        ...

    def keep(self, at: int) -> str:
        """The name of the array of a value, which has one from now on."""
        ...

    def table(self, array: Any) -> str:
        """The name of an array of whole numbers."""
        ...


@dataclass(frozen=True)
class Loops:
    """An operation that is about to be written.

    Attributes
    ----------
    source : Source
    at : int
        The node.
    name : str
        Of the array that it is written into.
    """

    source: Source
    at: int
    name: str

    @property
    def node(self) -> Node:
        """The operation."""
        return self.source.graph.nodes[self.at]

    def shape(self, k: int) -> tuple[int, ...]:
        """Of an argument."""
        return self.source.graph.nodes[self.node.inputs[k]].shape

    def write_element(self, k: int, index: Sequence[str]) -> Written:
        """An element of an argument."""
        return self.source.write_element(self.node.inputs[k], index)

    def fill_result(self, value: str) -> list[str]:
        """The result, with the same number everywhere."""
        return write_loops(self.node.shape, lambda index: [f"{self.out(index)} = {value};"])

    def out(self, index: Sequence[str]) -> str:
        """An element of the result."""
        return place(self.name, self.node.shape, index) if self.node.shape else f"{self.name}[0]"


@dataclass(frozen=True)
class Loop:
    """How a row is written.

    Attributes
    ----------
    lines : callable ``(loops) -> lines``
    takes : callable ``(graph, node) -> bool``
        Whether it can be written.
    reads_again : bool
        Whether it reads an element of an argument more often than once.
    """

    lines: Callable[[Loops], list[str]]
    takes: Callable[[Graph, Node], bool] = lambda graph, node: True
    reads_again: bool = False


def _reduction(start: str, step: str) -> Loop:
    """``step`` has the accumulator at 0 and the element at 1."""

    def lines(loops: Loops) -> list[str]:
        shape, axis = loops.shape(0), loops.node.params["axis"]
        axes = tuple(range(len(shape))) if axis is None else axis
        axes = tuple(k % len(shape) for k in (axes if isinstance(axes, tuple) else (axes,)))

        def add(index: tuple[str, ...]) -> list[str]:
            kept = loops.node.params["keepdims"]
            out = ["0" if k in axes else i for k, i in enumerate(index) if kept or k not in axes]
            target = loops.out(out)
            return [step.format(target, loops.write_element(0, index).text)]

        return [*loops.fill_result(start), *write_loops(shape, add)]

    return Loop(lines, lambda graph, node: graph.nodes[node.inputs[0]].dtype.kind != "c")


def _contract(loops: Loops, terms: Sequence[Sequence[str]], out: Sequence[str]) -> list[str]:
    """The product of all arguments, whose axes have names, summed over the names not in `out`."""
    extents: dict[str, int] = {}
    for k, term in enumerate(terms):
        for name, n in zip(term, loops.shape(k), strict=True):
            extents[name] = n if extents.get(name, 1) == 1 else extents[name]
    summed = sorted(set(extents) - set(out))

    def line(index: tuple[str, ...]) -> list[str]:
        at = dict(zip((*out, *summed), index, strict=True))
        factors = []
        for k, term in enumerate(terms):
            shape = [extents[name] for name in term]
            place = broadcast_index(loops.shape(k), shape, [at[name] for name in term])
            factors.append(loops.write_element(k, place))
        text = functools.reduce(functools.partial(product, "*"), factors).text
        return [f"{loops.out(index[: len(out)])} {'+=' if summed else '='} {text};"]

    start = loops.fill_result("0.0") if summed else []
    return [*start, *write_loops([extents[name] for name in (*out, *summed)], line)]


def _matmul(loops: Loops) -> list[str]:
    a, b = len(loops.shape(0)), len(loops.shape(1))
    rows, columns = ["row"] * (a > 1), ["column"] * (b > 1)
    stack = [f"stack {k}" for k in range(max(a, b) - 2)]
    left = [*stack[len(stack) - max(a - 2, 0) :], *rows, "inner"]
    right = [*stack[len(stack) - max(b - 2, 0) :], "inner", *columns]
    return _contract(loops, [left, right], [*stack, *rows, *columns])


def _einsum(loops: Loops) -> list[str]:
    inputs, out = loops.node.params["subscripts"].replace(" ", "").split("->")
    return _contract(loops, inputs.split(","), out)


def _make_cumulative_loop(start: str, sign: str) -> Loop:
    def lines(loops: Loops) -> list[str]:
        axis, shape = loops.node.params["axis"] % len(loops.shape(0)), loops.shape(0)

        def line(index: tuple[str, ...]) -> list[str]:
            i, value = index[axis], loops.write_element(0, index)
            if shape[axis] == 1:
                return [f"{loops.out(index)} = {value.text};"]
            before = [f"{one} - 1" if k == axis else one for k, one in enumerate(index)]
            last = f"({i} ? {loops.out(before)} : {start})"
            return [f"{loops.out(index)} = {last} {sign} {value.parenthesise(Binding.SIGN)};"]

        return write_loops(shape, line)

    return Loop(lines)


def _write_scatter(loops: Loops) -> list[str]:
    params = loops.node.params
    based = params.get("based", False)
    indices = params["indices"] if "indices" in params else (params["index"],)
    found = loops.fill_result("0.0")
    if based:
        found = write_loops(
            loops.node.shape,
            lambda index: [f"{loops.out(index)} = {loops.write_element(0, index).text};"],
        )
    for k, at in enumerate(indices):
        found += _add_argument_to_places(loops, k + based, at)
    return found


def _add_argument_to_places(loops: Loops, k: int, at: Any) -> list[str]:
    """One argument added to its places."""
    places = np.arange(int(np.prod(loops.node.shape))).reshape(loops.node.shape)[at]
    shape, basic = np.shape(places), is_basic(at)

    def line(index: tuple[str, ...]) -> list[str]:
        value = loops.write_element(k, broadcast_index(loops.shape(k), shape, index))
        if basic:
            return [
                f"{loops.out(index_before_indexing(at, loops.node.shape, index))} += {value.text};"
            ]

        where = place(loops.source.table(places), shape, index)
        return [f"{loops.name}[{where}] += {value.text};"]

    return write_loops(shape, line)


def _write_joining(loops: Loops) -> list[str]:
    axis, start, found = loops.node.params["axis"] % len(loops.node.shape), 0, []
    for k in range(len(loops.node.inputs)):
        shape = loops.shape(k)
        stacked = len(shape) < len(loops.node.shape)

        def line(
            index: tuple[str, ...], k: int = k, start: int = start, stacked: bool = stacked
        ) -> list[str]:
            at = "0" if stacked else index[axis]
            out = [*index[:axis], shift_index(at, start), *index[axis + (not stacked) :]]
            return [f"{loops.out(out)} = {loops.write_element(k, index).text};"]

        found += write_loops(shape, line)
        start += 1 if stacked else shape[axis]
    return found


def _write_constant_index(loops: Loops) -> list[str]:
    """An index by arrays of constants."""
    before = loops.shape(0)
    places = np.arange(int(np.prod(before))).reshape(before)[loops.node.params["index"]]
    name = loops.source.keep(loops.node.inputs[0])
    table = loops.source.table(places)
    return write_loops(
        loops.node.shape,
        lambda index: [f"{loops.out(index)} = {name}[{place(table, loops.node.shape, index)}];"],
    )


def _is_plain_einsum(graph: Graph, node: Node) -> bool:
    text = node.params["subscripts"]
    return "->" in text and "." not in text


LOOPS: Final[Mapping[str, Loop]] = {
    "all": _reduction("1", "{0} = {0} && ({1});"),
    "any": _reduction("0", "{0} = {0} || ({1});"),
    "concatenate": Loop(_write_joining),
    "cumprod": _make_cumulative_loop("1.0", "*"),
    "cumsum": _make_cumulative_loop("0.0", "+"),
    "einsum": Loop(_einsum, _is_plain_einsum, reads_again=True),
    "matmul": Loop(_matmul, reads_again=True),
    "max": _reduction("-INFINITY", "{0} = maximum({0}, {1});"),
    "min": _reduction("INFINITY", "{0} = minimum({0}, {1});"),
    "outer": Loop(lambda loops: _contract(loops, ["i", "j"], "ij"), reads_again=True),
    "prod": _reduction("1.0", "{0} *= {1};"),
    "scatter": Loop(_write_scatter),
    "stack": Loop(_write_joining),
    "sum": _reduction("0.0", "{0} += {1};"),
    "sum_of_slices": Loop(_write_scatter),
}
"""By the names of rows."""

_TAKEN: Final = Loop(_write_constant_index)


def loop_of(node: Node) -> Loop | None:
    """The loop that a row is; None of one that stands where it is used."""
    if node.name == "getitem":
        return None if is_basic(node.params["index"]) else _TAKEN
    return LOOPS.get(node.name)
