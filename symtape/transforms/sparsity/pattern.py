"""The pattern of a Jacobian: which entries a recording allows to be other than 0.

How sets of indices go through the rule of an operation, and what of it they look at.

By what a rule is, something is known of it: it is elementwise, and chooses by a constant or scales
by one; it only moves cotangents; it is written in sums of products with values, which count by
where they are 0 if they are constants; it reduces, or mixes, along axes; it is of stacks of
matrices; or nothing. A value that is followed may be any number in another call, so nothing here
looks at one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from symtape.graph.freeze import hashable
from symtape.numeric.reverse import walk_edges
from symtape.primitives.arithmetic import MULTIPLY
from symtape.primitives.primitive import PRIMITIVES, Primitive, Rule
from symtape.primitives.reductions import SUM
from symtape.recording.stack import STACK
from symtape.recording.structure import flatten
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor
from symtape.transforms.sparsity.index_sets import IndexSets, everywhere, stack_parts, unite_along
from symtape.transforms.sparsity.tables import distinct

Traces = Callable[[Any], bool]
"""Whether a tape follows a value."""

_MOVING: Final = {"joins": "moves", "picks": "moves", "puts": "moves"}
"""Rules of such rows only move cotangents, as arrays of integers say."""

_WRITTEN: Final = {"accumulates": "products", "solves": "products"}
"""Rules of such rows are written in sums, products and the row itself, and are run on sets."""


def kind_of(rule: Rule) -> str | None:
    """What is known of a rule: a dependence, ``"elementwise"``, ``"moves"``; None of a user's."""
    return _kinds(len(PRIMITIVES)).get(rule)


@lru_cache(maxsize=1)  # of the present table
def _kinds(count: int) -> dict[Rule, str]:
    rules = [
        (row, rule)
        for row in PRIMITIVES.values()
        for rule in (*row.rules, *(row.complex_rules or ()))
        if rule is not None
    ]
    return {rule: _kind(row, rule) for row, rule in rules if _is_own(rule)}


def _is_own(rule: Rule) -> bool:
    """Whether a rule is of symtape: one of a user may look at what changes between calls."""
    return getattr(rule.function, "__module__", "").startswith("symtape.")


def _kind(row: Primitive, rule: Rule) -> str:
    if rule.elementwise:
        if row is MULTIPLY:
            return "scales"
        return "chooses" if rule.selects and row.select is not None else "elementwise"
    if rule.blind:
        return "moves"
    return (_MOVING | _WRITTEN).get(row.dependence, row.dependence)


def moves_by(rule: Rule, kept: Any, traces: Traces) -> bool:
    """Whether a rule moves cotangents to where a value says that is another in the next call.

    What is found for one call alone may look at it.
    """
    if not STACK.recorders or kind_of(rule) != "moves":
        return False
    items = rule.unpack(kept)
    looked_at = [
        item[1:] if need == "xs" else item for need, item in zip(rule.needs, items, strict=True)
    ]
    return any(map(traces, flatten(looked_at)))


def description(rule: Rule, kept: Any, traces: Traces) -> Any:
    """What :func:`pull_sets` looks at, as a key: two calls that have it in common answer alike."""
    kind = None if moves_by(rule, kept, traces) else kind_of(rule)
    if kind == "elementwise" or rule.only == 0:
        return None
    items = rule.unpack(kept)
    if kind == "moves" and "xs" in rule.needs:
        items = tuple(
            (np.shape(item[0]), *item[1:]) if need == "xs" else item
            for need, item in zip(rule.needs, items, strict=True)
        )
    return tuple([_key(item, str(kind), traces) for item in items])


def _key(item: Any, kind: str, traces: Traces) -> Any:
    if type(item) is tuple and any(isinstance(part, Tensor | np.ndarray) for part in item):
        return tuple([_key(part, kind, traces) for part in item])
    if not isinstance(item, Tensor | np.ndarray):
        return hashable(item)
    value = np.asarray(_bare(item))
    if kind == "moves":
        return hashable(value)
    if kind == "chooses" and not isinstance(item, Tensor):
        return hashable(value)
    if kind in ("products", "scales") and not traces(item):
        return value.shape, _zeros_of(value)
    return value.shape, None


def _zeros_of(value: Any) -> bytes | None:
    """Where an array is 0, as a key; None if nowhere."""
    there = np.not_equal(value, 0)
    return None if there.all() else np.packbits(there).tobytes()


def pull_sets(rule: Rule, g: Any, kept: Any, like: Any, traces: Traces) -> Any:
    """The sets of an input, of those of the output; None where the rule knows of no path."""
    found = _apply_rule(rule, g, kept, traces)
    if found is None:
        return None
    return found if like is None else found.to_shape(like[0])


def _apply_rule(rule: Rule, g: Any, kept: Any, traces: Traces) -> Any:
    items = rule.unpack(kept)
    kind = kind_of(rule)
    if kind == "stacks":
        return _unite_everything(rule, g, items, in_stacks=True)
    if type(g) is tuple or moves_by(rule, kept, traces):
        return _unite_everything(rule, g, items)
    if kind == "elementwise":
        return g
    if kind == "chooses":
        plain = not any(isinstance(item, Tensor) for item in items)
        return IndexSets(g.table, np.asarray(rule.function(g.places, *items))) if plain else g
    if kind == "scales":
        return _drop_zeros(g, items, traces)
    if kind == "moves":
        return rule.function(g, *map(_bare, items))
    if kind == "products":
        return rule.function(g, *[_factor(item, traces) for item in items])
    given = dict(zip(rule.needs, items, strict=True))
    if kind == "reduces":
        x = given["x"] if "x" in given else given["a"]
        of_sum = SUM.rules[0]
        assert of_sum is not None
        return of_sum.function(g, x.shape, given["axis"], given["keepdims"])
    if kind == "mixes":
        return unite_along(g, given["axis"], np.shape(_pull_ones(rule, g, items)))
    if kind == "rows":
        (shape,) = (value for need, value in given.items() if need.endswith("_shape"))
        if g.ndim >= len(shape) and g.shape[-1] == shape[-1]:
            return unite_along(g, -1, g.shape).to_shape(shape)
    return _unite_everything(rule, g, items)


def _drop_zeros(g: IndexSets, items: tuple[Any, ...], traces: Traces) -> IndexSets:
    """Without those that a constant array multiplies by 0."""
    found: Any = g
    for item in items:
        if isinstance(item, Tensor | np.ndarray) and not traces(item):
            found = found * np.not_equal(_bare(item), 0)
    assert isinstance(found, IndexSets)
    return found


def _unite_everything(
    rule: Rule, g: Any, items: tuple[Any, ...], in_stacks: bool = False
) -> IndexSets | None:
    """Every element a part of all, or of all in the same place of a stack of matrices."""
    parts = g if type(g) is tuple else (g,)
    answer = _pull_ones(rule, g, items)
    if answer is None:
        return None
    shape = np.shape(answer)
    return stack_parts(parts, shape) if in_stacks else everywhere(parts, shape)


def _pull_ones(rule: Rule, g: Any, items: tuple[Any, ...]) -> Any:
    """What a rule makes of cotangents that are 1, which has the shape of the input."""
    ones = tuple(np.ones(part.shape) for part in g) if type(g) is tuple else np.ones(g.shape)
    with np.errstate(all="ignore"):
        return rule.function(ones, *map(_bare, items))


def _bare(item: Any) -> Any:
    if type(item) is tuple:
        return tuple(map(_bare, item))
    return item._value if isinstance(item, Tensor) else item


def _factor(item: Any, traces: Traces) -> Any:
    """A factor of a product: 1 where it may be other than 0."""
    if type(item) is tuple and any(isinstance(part, Tensor | np.ndarray) for part in item):
        return tuple(_factor(part, traces) for part in item)
    if not isinstance(item, Tensor | np.ndarray):
        return item
    return np.ones(item.shape) if traces(item) else np.not_equal(_bare(item), 0).astype(float)


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
