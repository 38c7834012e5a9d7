"""What rows need to know of a library when they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.programs.emitted.dialect import Dialect
from symtape.programs.emitted.expression import Binding, Written, call


@dataclass(frozen=True, slots=True)
class Argument:
    """What an operation is given: how it is written, and the node that it is."""

    written: Written
    node: Node


@dataclass(frozen=True)
class Spelling:
    """What rows need to know when they are written.

    Attributes
    ----------
    dialect : Dialect
    array : callable ``(array) -> str``
        The name of a constant array.
    """

    dialect: Dialect
    array: Callable[[Any], str]

    def call(self, name: str, *given: Argument | Written | str, **named: str) -> Written | None:
        """A call of the function of a row; None where there is none."""
        function = self.dialect.function(name) or f"{self.dialect.module}.{name}"
        words = [x.written if isinstance(x, Argument) else x for x in given]
        return call(function, *words, **named)

    def method(self, x: Argument, name: str, *given: str) -> Written:
        """A call of a method."""
        return Written(f"{x.written.within(Binding.ATOM)}.{name}({', '.join(given)})")

    def cast(self, x: Argument, dtype: Any) -> Written:
        """An array of another dtype."""
        name = "to" if self.dialect.of_tensors else "astype"
        return self.method(x, name, self.dialect.dtype(dtype))

    def along(self, node: Node) -> dict[str, str]:
        """The arguments of a reduction."""
        (axis, keepdims), d = (node.params.get("axis"), node.params.get("keepdims")), self.dialect
        axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
        named = {} if axis is None else {d.axis: repr(axis)}
        return {**named, d.keepdims: "True"} if keepdims else named


def refusal(node: Node, title: str) -> Unsupported:
    """What is said of an operation that a language has nothing for."""
    where = f" at {node.origin}" if node.origin else ""
    called = node.row.spelling or node.name
    return Unsupported(f"{called}{where} cannot be written in {title}")
