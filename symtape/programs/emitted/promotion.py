"""Dtypes: what NumPy computes in, where another library would choose otherwise."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

import numpy as np

from symtape.graph.graph import Node
from symtape.programs.emitted.elements import COMPARISONS
from symtape.programs.emitted.spelling import Argument, Spelling

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
