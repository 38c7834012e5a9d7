"""What rows need to know of a library when they are written.

Dtypes: what NumPy computes in, where another library would choose otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.programs.emitted.dialect import COMPARISONS, Dialect
from symtape.programs.emitted.expression import Binding, Written, call

_PROMOTING: Final = frozenset(("add", "multiply", "divide", "power", *COMPARISONS))
"""Operators of PyTorch that take a truth value beside a number."""

_OF_TWO_DTYPES: Final = frozenset(("astype", "astype_discrete", "getitem_by", "eig", "eigvals"))
"""Rows whose result has another dtype than what it is computed from, or an index among these."""


def promote_arguments(s: Spelling, node: Node, args: Sequence[Argument]) -> Sequence[Argument]:
    """Arguments in the dtype that NumPy computes in, where the library would choose another."""
    single = node.dtype == np.float32
    if (s.dialect.promotes and not single) or node.name in _OF_TWO_DTYPES:
        return args
    given = args[node.name == "where" :]
    wanted = node.dtype
    if node.name in COMPARISONS:
        weak = [np.asarray(x.node.constant).item() if is_plain(x) else x.node.dtype for x in given]
        wanted = np.result_type(*weak)
    known = any(x.node.dtype == wanted and not is_plain(x) for x in given)
    if s.dialect.of_tensors:
        promotes_kinds = known and node.name in _PROMOTING
    else:
        promotes_kinds = node.row.elementwise and (known or not single)

    def cast(x: Argument) -> Argument:
        before, plain = x.node.dtype, is_plain(x)
        by_itself = promotes_kinds and before.kind != wanted.kind
        if before == wanted or wanted.kind == "b" or by_itself:
            return x
        if not plain and np.promote_types(before, wanted) != wanted:
            return x
        made = x.written if plain else s.cast(x, wanted)
        return Argument(made, dataclasses.replace(x.node, dtype=wanted))

    return [*args[: len(args) - len(given)], *map(cast, given)]


def is_plain(x: Argument) -> bool:
    """Whether it is written as a number of Python."""
    return x.node.constant is not None and not x.node.shape


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
        return Written(f"{x.written.parenthesise(Binding.ATOM)}.{name}({', '.join(given)})")

    def cast(self, x: Argument, dtype: Any) -> Written:
        """An array of another dtype."""
        name = "to" if self.dialect.of_tensors else "astype"
        return self.method(x, name, self.dialect.dtype(dtype))


def refusal(node: Node, title: str) -> Unsupported:
    """What is said of an operation that a language has nothing for."""
    where = f" at {node.origin}" if node.origin else ""
    called = node.row.spelling or node.name
    return Unsupported(f"{called}{where} cannot be written in {title}")
