"""A derivative as a function in C99: loops over arrays that lie row by row."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.programs.emitted.c_elements import OWN, C, name_function, own_function
from symtape.programs.emitted.c_indices import (
    broadcast_index,
    index_before_indexing,
    index_before_reshape,
    place,
    shift_index,
    write_loops,
)
from symtape.programs.emitted.c_loops import Loops, loop_of
from symtape.programs.emitted.derivative import Derivative
from symtape.programs.emitted.expression import Binding, Written, number, wrap_line
from symtape.programs.emitted.layout import WIDTH, list_needed_nodes, uses
from symtape.programs.emitted.naming import Constants, Names
from symtape.programs.emitted.python import summary
from symtape.programs.emitted.spelling import refusal

_KEYWORDS: Final = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while j0 j1 jn y0 y1 yn gamma main modulo NAN INFINITY work "
    "i j k l m n"
)

_WORDS: Final = frozenset({*_KEYWORDS.split(), *C.functions.values(), *OWN})
"""Names that no variable may have: of the language, of its library, and of loops."""

_MOST_ON_STACK: Final = 8192
"""Numbers; more need memory from the caller."""

_LONGEST: Final = 12
"""Operations of one statement."""

_MOVES: Final = (
    "broadcast_to",
    "diagonal",
    "flip",
    "getitem",
    "reshape",
    "transpose",
    "tril",
    "triu",
)


def is_spelled(graph: Graph, node: Node) -> bool:
    """Whether C has something for a node."""
    if (loop := loop_of(node)) is not None:
        return loop.takes(graph, node)
    if node.name in _MOVES:
        return True
    words = [Written(f"x{k}") for k in range(len(node.inputs))]
    if node.params and node.name not in ("astype", "ones_like", "zeros_like"):
        return False
    return C.element(node.name, *words) is not None


class CSource:
    """The source of a derivative in C99.

    Parameters
    ----------
    derivative : Derivative
    function : callable
        Of the user, for the names of its constants.
    """

    def __init__(self, derivative: Derivative, function: Callable[..., Any]) -> None:
        self.derivative, self.graph = derivative, derivative.graph
        self.names = Names(derivative.arguments, _WORDS | {derivative.name})
        self._constants = Constants(function, self.names.fresh)
        self._arguments = [_safe(name) for name in derivative.arguments]
        self._lines: list[str] = []
        self._names_of: dict[int, str] = {}
        self._size: dict[int, int] = {}
        self._memory: list[tuple[str, str, int]] = []
        self._results = self._outputs()

    def _outputs(self) -> list[str]:
        """The names of the results, for the caller's arrays."""
        d = self.derivative
        first = {"hvp": "product", "value_and_grad": "grad"}.get(d.quantity.name, d.quantity.prefix)
        if d.quantity.name == "hessian" and len(d.by) > 1:
            return [self.names.fresh(f"{first}_{a}_{b}") for a in d.by for b in d.by]
        many = [f"{first}_{name}" for name in d.by] if len(d.by) > 1 else [first]
        value = ["value"] if d.quantity.name == "value_and_grad" else []
        return [self.names.fresh(name) for name in (*value, *many)]

    def text(self) -> str:
        """All of it."""
        graph = self.graph
        for name, at in zip(self._arguments, graph.inputs, strict=True):
            self._names_of[at] = name
        guarded = list_needed_nodes(dataclasses.replace(graph, outputs=())) if graph.path else []
        rest = [at for at in list_needed_nodes(graph) if at not in set(guarded)]
        self._uses = uses(graph, [*guarded, *rest])
        self._consumers = _consumers(graph, [*guarded, *rest])
        for at in guarded:
            self._compute(at)
        for step in graph.path:
            self._decide(step.node, step.outcome)
        for at in rest:
            self._compute(at)
        for name, at in zip(self._results, graph.outputs, strict=True):
            self._store(name, at)
        return self._laid_out()

    def _compute(self, at: int) -> None:
        """Make an array or a variable of a value, unless it stands where it is used."""
        node = self.graph.nodes[at]
        _check_dtype(node)
        if node.primitive is None:
            return
        if not is_spelled(self.graph, node) or node.part is not None:
            raise refusal(node, C.title)
        if (loop := loop_of(node)) is not None:
            name = self._declare_value(at)
            self._lines += loop.lines(Loops(self, at, name))
            self._names_of[at] = name
        elif self._is_kept(at):
            name = self._declare_value(at)
            self._fill(name, at)
            self._names_of[at] = name
            self._size[at] = 0

    def _is_kept(self, at: int) -> bool:
        """Whether it has a name of its own."""
        node = self.graph.nodes[at]
        if at in self.derivative.names:
            return True
        if node.name in _MOVES and not node.name.startswith("tri"):
            source = self.graph.nodes[node.inputs[0]]
            if source.primitive is None or node.inputs[0] in self._names_of:
                return False
        if at in self.graph.outputs and self._uses[at] == 1:
            return False
        self._size[at] = 1 + sum(self._size.get(i, 0) for i in node.inputs)
        if self._uses[at] > 1 or self._size[at] > _LONGEST:
            return True
        (user,) = self._consumers.get(at, [None])[:1] or [None]
        if user is None:
            return False
        by = self.graph.nodes[user]
        again = math.prod(by.shape) > math.prod(node.shape)
        loop = loop_of(by)
        return again or (loop is not None and loop.reads_again)

    def _declare_value(self, at: int) -> str:
        """A new name, and memory for it."""
        node = self.graph.nodes[at]
        name = self.names.fresh(self.derivative.names.get(at, ""))
        kind = "int" if node.dtype.kind == "b" else "double"
        if node.shape or loop_of(node) is not None:
            self._memory.append((kind, name, math.prod(node.shape)))
        return name

    def _fill(self, name: str, at: int) -> None:
        node = self.graph.nodes[at]
        if not node.shape:
            kind = "int" if node.dtype.kind == "b" else "double"
            self.line(f"const {kind} {name} = {self.write_element(at, ()).text};")
            return
        self._lines += write_loops(node.shape, lambda index: self._set(name, at, index))

    def _set(self, name: str, at: int, index: Sequence[str]) -> list[str]:
        node = self.graph.nodes[at]
        return [f"{place(name, node.shape, index)} = {self.write_element(at, index).text};"]

    def _store(self, name: str, at: int) -> None:
        """An output into the caller's array."""
        if not self.graph.nodes[at].shape:
            self.line(f"{name}[0] = {self.write_element(at, ()).text};")
        else:
            self._fill(name, at)

    def write_element(self, at: int, index: Sequence[str]) -> Written:
        """An element of a value."""
        node = self.graph.nodes[at]
        if at in self._names_of:
            name = self._names_of[at]
            if not node.shape:
                held = loop_of(node) is not None
                return Written(f"{name}[0]" if held else name)
            return Written(place(name, node.shape, index))
        if node.primitive is None:
            return self._constant(node, index)
        if node.name in _MOVES:
            return write_moved_element(self, node, index)
        words = []
        for i in node.inputs:
            shape = self.graph.nodes[i].shape
            words.append(self.write_element(i, broadcast_index(shape, node.shape, index)))
        found = C.element(node.name, *words)
        assert found is not None
        return found

    def _constant(self, node: Node, index: Sequence[str]) -> Written:
        array = np.asarray(node.constant)
        if not array.shape:
            value = float(array.item())
            return number(value, "INFINITY", "NAN")
        if (array == array.ravel()[0]).all():
            return number(float(array.ravel()[0]), "INFINITY", "NAN")
        return Written(place(self._constants.name(array), node.shape, index))

    def keep(self, at: int) -> str:
        """The name of the array of a value, which has one from now on."""
        if at not in self._names_of:
            node = self.graph.nodes[at]
            name = self.names.fresh()
            self._memory.append(("double", name, math.prod(node.shape)))
            self._fill(name, at)
            self._names_of[at] = name
        return self._names_of[at]

    def table(self, array: Any) -> str:
        """The name of an array of whole numbers."""
        return self._constants.name(np.asarray(array, dtype=np.int64))

    def _decide(self, at: int, outcome: bool) -> None:
        condition = self.write_element(at, ("0",) * len(self.graph.nodes[at].shape))
        self.line(f"if ({f'!({condition.text})' if outcome else condition.text})")
        self.line("    return 1;")

    def line(self, text: str) -> None:
        """Add a statement."""
        self._lines.append(f"    {text}")

    def _laid_out(self) -> str:
        body = [
            *self._declarations(),
            *self._fill_results_with_nan(),
            *self._lines,
            "    return 0;",
        ]
        code = "\n".join(body)
        helpers = [
            own_function(name) for name in OWN if re.search(rf"\b{name_function(name)}\(", code)
        ]
        constants = [self._table(name, array) for name, array in self._constants.named]
        parts = ["#include <math.h>", *constants, *helpers]
        signature = f"int {self.derivative.name}({', '.join(self._parameters())})"
        head = "\n".join(textwrap.wrap(signature, WIDTH, subsequent_indent="    "))
        parts.append(f"{self._comment()}\n{head}\n{{\n{code}\n}}")
        return "\n\n".join(parts) + "\n"

    def _table(self, name: str, array: Any) -> str:
        kind = "int" if array.dtype.kind in "iub" else "double"
        flat = ", ".join(
            str(int(x)) if kind == "int" else number(float(x), "INFINITY", "NAN").text
            for x in array.ravel().tolist()
        )
        text = f"static const {kind} {name}[{array.size}] = {{{flat}}};"
        return "\n".join(wrap_line(text, WIDTH))

    @property
    def _needs_work(self) -> bool:
        return sum(size for _, _, size in self._memory) > _MOST_ON_STACK

    def _parameters(self) -> list[str]:
        given = []
        for name, at in zip(self._arguments, self.graph.inputs, strict=True):
            given.append(
                f"const double *{name}" if self.graph.nodes[at].shape else f"double {name}"
            )
        results = [f"double *restrict {name}" for name in self._results]
        return [*given, *results, *["double *restrict work"] * self._needs_work]

    def _declarations(self) -> list[str]:
        lines, start = [], 0
        for kind, name, size in self._memory:
            if self._needs_work and kind == "double":
                lines.append(f"    double *const {name} = work + {start};")
                start += size
            else:
                lines.append(f"    {kind} {name}[{size}];")
        return lines

    def _fill_results_with_nan(self) -> list[str]:
        """What the results are where the path is another."""
        if not self.graph.path:
            return []
        lines = []
        for name, at in zip(self._results, self.graph.outputs, strict=True):
            size = math.prod(self.graph.nodes[at].shape)
            lines += write_loops((size,), functools.partial(_set_nan, name))
        return lines

    def _comment(self) -> str:
        pairs = [
            *zip(self._arguments, self.graph.inputs, strict=True),
            *zip(self._results, self.graph.outputs, strict=True),
        ]
        shaped = [(name, self.graph.nodes[at].shape) for name, at in pairs]
        said = ", ".join(f"{name} of shape {shape}" for name, shape in shaped if shape)
        text = summary(self.derivative)
        text += f" Arrays lie row by row: {said}." if said else ""
        if self._needs_work:
            size = sum(size for kind, _, size in self._memory if kind == "double")
            text += f" work is memory for {size} numbers."
        if self.graph.path:
            text += (
                f" It holds on the path that {self.derivative.function} took at the point; "
                "elsewhere it returns 1, and the results are nan."
            )
        else:
            text += " It returns 0."
        lines = textwrap.wrap(text, WIDTH - 3, initial_indent="/* ", subsequent_indent="   ")
        return "\n".join(lines) + " */"


def _set_nan(name: str, index: Sequence[str]) -> list[str]:
    return [f"{name}[{index[0]}] = NAN;"]


def _safe(name: str) -> str:
    return f"{name}_" if name in _WORDS else name


def _consumers(graph: Graph, nodes: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for at in nodes:
        for i in graph.nodes[at].inputs:
            found.setdefault(i, []).append(at)
    return found


def _check_dtype(node: Node) -> None:
    if node.dtype == np.float64 or node.dtype.kind in "bi":
        return
    where = f" at {node.origin}" if node.origin else ""
    raise Unsupported(
        f"{node.name}{where} is of dtype {node.dtype}; C is written of numbers of float64"
    )


def write_moved_element(source: CSource, node: Node, index: Sequence[str]) -> Written:
    """An element of what a row moves."""
    (at,) = node.inputs
    before = source.graph.nodes[at].shape
    match node.name:
        case "broadcast_to":
            return source.write_element(at, broadcast_index(before, node.shape, index))
        case "diagonal":
            k = node.params["offset"]
            row, column = shift_index(index[-1], max(-k, 0)), shift_index(index[-1], max(k, 0))
            return source.write_element(at, (*index[:-1], row, column))
        case "transpose":
            back = dict(zip(node.params["axes"], index, strict=True))
            return source.write_element(at, tuple(back[k] for k in range(len(before))))
        case "flip":
            axes = node.params["axis"]
            return source.write_element(
                at,
                tuple(
                    shift_index(f"-{i}" if i != "0" else "0", n - 1) if k in axes else i
                    for k, (i, n) in enumerate(zip(index, before, strict=True))
                ),
            )
        case "reshape":
            return source.write_element(at, index_before_reshape(node.shape, before, index))
        case "getitem":
            return source.write_element(
                at, index_before_indexing(node.params["index"], before, index)
            )
    row, column = index[-2], index[-1]
    sign = "<=" if node.name == "tril" else ">="
    inside = source.write_element(at, index).parenthesise(Binding.SUM)
    kept = f"{column} {sign} {shift_index(row, node.params['k'])}"
    return Written(f"{kept} ? {inside} : 0.0", Binding.CHOICE)
