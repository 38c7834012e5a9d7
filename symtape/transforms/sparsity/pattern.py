"""The pattern of a Jacobian: which entries a recording allows to be other than 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from symtape.numeric.reverse import walk_edges
from symtape.recording.stack import STACK
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor
from symtape.transforms.sparsity.index_sets import IndexSets
from symtape.transforms.sparsity.rules import Traces, description, kind_of, pull_sets
from symtape.transforms.sparsity.tables import distinct


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Where a matrix may have entries, row by row and in order of columns.

    Attributes
    ----------
    rows, columns : int arrays
        Of each entry.
    shape : (int, int)
        Of the matrix.
    """

    rows: Any
    columns: Any
    shape: tuple[int, int]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def from_mask(cls, mask: Any) -> Pattern:
        """Where a matrix of truth values is true."""
        rows, columns = np.nonzero(mask)
        return cls(rows, columns, mask.shape)

    def symmetric(self) -> Pattern:
        """With the transpose of each entry, too."""
        rows, columns = self.rows, self.columns
        both = np.concatenate([rows * self.shape[1] + columns, columns * self.shape[1] + rows])
        rows, columns = np.divmod(distinct(both), max(self.shape[1], 1))
        return Pattern(rows, columns, self.shape)


def trace_key(tape: GradientTape, target: Tensor, sources: Sequence[Tensor]) -> Any:
    """What the pattern of a recording depends on, as a key; None where calls cannot be told apart.

    Two recordings of the same key took the same path through operations of the same shapes.
    """
    follows = _follows(tape)
    numbers: dict[Any, int] = {source._id: place for place, source in enumerate(sources)}
    number = numbers.setdefault
    parts: list[Any] = [tuple([source.shape for source in sources]), target.shape]
    for like, kept, rule, source, _, output in walk_edges(tape._edges):
        if kind_of(rule) is None:
            return None
        made = (
            tuple([(number(part[0], len(numbers)), part[1]) for part in output])
            if type(output) is tuple
            else number(output, len(numbers))
        )
        looked_at = description(rule, kept, follows)
        parts.append((rule, made, number(source, len(numbers)), like, looked_at))
    return (number(target._id, len(numbers)), *parts)


def _follows(tape: GradientTape) -> Traces:
    """Whether a value may be another in a later call: of the tape, or of a program."""
    if not STACK.recorders:
        return tape.traces
    return lambda value: tape.traces(value) or STACK.traces(value)


def pattern_of(tape: GradientTape, target: Tensor, sources: Sequence[Tensor]) -> Pattern:
    """The pattern of the Jacobian of `target` by `sources`, each taken flat, one after another.

    Source
    ------
    A. Griewank, A. Walther, *Evaluating Derivatives*, 2nd ed. (2008), section 7.1, on the
    propagation of bit patterns.
    """
    sizes = [prod(source.shape) for source in sources]
    edges = list(walk_edges(tape._edges))
    rows, columns = [], []
    first = 0
    for sets, size in zip(_sweep_edges(edges, tape, target, sources), sizes, strict=True):
        if sets is not None:
            column, row = sets.members()
            rows.append(row)
            columns.append(column + first)
        first += size
    whole = (target.size, sum(sizes))
    row = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    column = np.concatenate(columns) if columns else np.zeros(0, np.int64)
    order = np.argsort(row * whole[1] + column, kind="stable")
    return Pattern(row[order], column[order], whole)


def _sweep_edges(
    edges: Sequence[tuple[Any, ...]],
    tape: GradientTape,
    target: Tensor,
    sources: Sequence[Tensor],
) -> list[IndexSets | None]:
    """For each source, of which elements of the target each of its elements is a part."""
    widest = max([target.size, *[prod(source.shape) for source in sources]])
    follows = _follows(tape)
    sets: dict[int, IndexSets] = {target._id: IndexSets.units(target.shape, widest)}
    for like, kept, rule, source, _, output in edges:
        g = _gather_sets(output, sets) if type(output) is tuple else sets.get(output)
        found = None if g is None else pull_sets(rule, g, kept, like, follows)
        if found is not None:
            before = sets.get(source)
            sets[source] = found if before is None else before | found
    return [sets.get(source._id) for source in sources]


def _gather_sets(output: tuple[Any, ...], sets: dict[int, IndexSets]) -> Any:
    parts = [sets.get(identity) for identity, _, _ in output]
    known = next((part for part in parts if part is not None), None)
    if known is None:
        return None
    return tuple(
        known.none(shape) if part is None else part
        for part, (_, shape, _) in zip(parts, output, strict=True)
    )
