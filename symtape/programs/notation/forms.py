"""A graph read as sums, and its forms in array notation, made and checked when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.programs.notation.adjoint import derivative
from symtape.programs.notation.algebra import (
    broadcast_sum,
    contract_terms,
    decimal,
    scale_sum,
    times,
)
from symtape.programs.notation.contraction import to_tree
from symtape.programs.notation.evidence import Evidence, Exact, PrintedForm, check_printed_form
from symtape.programs.notation.indexed import Base, NotReadable, Sum, array_as_sum
from symtape.programs.notation.mathematics import Mathematics
from symtape.programs.notation.meanings import MEANINGS, Notes
from symtape.programs.notation.names import (
    Constant,
    constant_names,
    iterate_numbered_names,
    local_names,
    size_names,
)
from symtape.programs.notation.normal import apply_elementwise
from symtape.programs.notation.sharing import nodes, share_subtrees
from symtape.programs.notation.tree import Name, Tree
from symtape.programs.notation.words import ELEMENTWISE, functions
from symtape.programs.notation.writing import text
from symtape.symbolic.notation import TEXT, Notation


@dataclass
class Reading:
    """A graph that is read.

    Attributes
    ----------
    graph : Graph
    names : sequence of str
        Of its inputs.
    constants : mapping
        From the positions of arrays that are constants to their variables.
    sums : list of Sum or None
        The meaning of each node, where it has one that floats can have.
    notes : Notes
    """

    graph: Graph
    names: Sequence[str]
    constants: Mapping[int, Constant]
    sums: list[Sum | None] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)

    def __post_init__(self) -> None:
        self.leaves = [
            Base("leaf", name, self.graph.nodes[at].shape)
            for name, at in zip(self.names, self.graph.inputs, strict=True)
        ]
        given = dict(zip(self.graph.inputs, self.leaves, strict=True))
        for position, node in enumerate(self.graph.nodes):
            if position in given:
                self.sums.append(array_as_sum(given[position]))
            elif node.primitive is None:
                self.sums.append(self._constant(position, node))
            else:
                self.sums.append(self._operation(node))

    @property
    def result(self) -> Sum:
        """What the graph returns.

        Raises
        ------
        NotReadable
            It depends on an operation that has no meaning here.
        """
        (at,) = self.graph.outputs
        found = self.sums[at]
        if found is None:
            raise NotReadable("an operation has no form in array notation")
        return found

    def _constant(self, position: int, node: Node) -> Sum | None:
        value = np.asarray(node.constant)
        if value.dtype.kind not in "fiub" or not np.all(np.isfinite(value)) or not value.size:
            return None
        if (value == value.flat[0]).all():
            return broadcast_sum(decimal(float(value.flat[0])), value.shape)
        if value.ndim == 2 and _is_multiple_of_unit(value):
            unit = array_as_sum(Base("delta", "eye", value.shape))
            return times(broadcast_sum(decimal(float(value[0, 0])), value.shape), unit)
        known = self.constants.get(position)
        if known is None:
            return None
        held = array_as_sum(Base("leaf", known.name, known.value.shape))
        held = contract_terms(held, (0, 1), (1, 0)) if known.turned else held
        return scale_sum(held, -1) if known.negative else held

    def _operation(self, node: Node) -> Sum | None:
        arguments = [self.sums[i] for i in node.inputs]
        if any(a is None for a in arguments):
            return None
        given = [a for a in arguments if a is not None]
        read = MEANINGS.get(node.name)
        try:
            if read is not None:
                return read(self.notes, node, given)
            if node.row.elementwise and not node.params and node.name in ELEMENTWISE:
                return apply_elementwise(node.name, [broadcast_sum(a, node.shape) for a in given])
        except NotReadable:
            return None
        return None


def _is_multiple_of_unit(value: Any) -> bool:
    rows, columns = value.shape
    return rows == columns and bool(np.array_equal(value, value[0, 0] * np.eye(rows)))


_LONGEST: Final = 700
"""Characters of a form above which nobody would read it."""

_MOST_VALUES: Final = 16
"""Of a constant that is said in whole."""

_MOST_AXES: Final = 2
"""Of a derivative that has more of them than the arguments it is taken by."""


@dataclass(frozen=True)
class Written:
    """A form in array notation.

    Attributes
    ----------
    lets : list of (str, Tree)
        What is shared.
    parts : list of Tree or None
        One for each array of the form, where it is readable and found to be true.
    sizes : list of (str, str)
        The letters for sizes that occur, and what they are: ``("n", "X.shape[0]")``.
    evidence : Evidence
    constants : list of (str, Tree)
        The values of constants that have no name of the user's.
    """

    lets: list[tuple[str, Tree]]
    parts: list[Tree | None]
    sizes: list[tuple[str, str]]
    evidence: Evidence
    constants: list[tuple[str, Tree]] = field(default_factory=list)

    def document(self, notation: Notation) -> str:
        """Lets, and what comes of them; all of the parts are there."""
        said = text if notation is TEXT else Mathematics(notation).write
        named = [
            *((Name(s, 0), Name(label, 0)) for s, label in self.sizes),
            *((Name(name, tree.rank), tree) for name, tree in (*self.constants, *self.lets)),
        ]
        lines = [f"{said(name)}{notation.equals}{said(tree)}" for name, tree in named]
        parts = [said(part) for part in self.parts if part is not None]
        opening, between, closing = notation.brackets
        whole = parts[0] if len(parts) == 1 else f"{opening}{between.join(parts)}{closing}"
        return notation.document(lines, whole)


@dataclass
class ArrayForms:
    """A function's value and derivatives in array notation.

    Attributes
    ----------
    function : callable
        In which constant arrays have their names.
    graph : Graph
    names : list of str
    point : sequence of arrays
    """

    function: Callable[..., Any]
    graph: Graph
    names: list[str]
    point: Sequence[Any]
    _slopes: dict[int, Sum] = field(default_factory=dict)

    @cached_property
    def _reserved_names(self) -> set[str]:
        """What nothing else can be called."""
        return {*self.names, *functions()}

    @cached_property
    def _held(self) -> dict[int, Constant]:
        return constant_names(self.function, self.graph, self._reserved_names)

    @property
    def constants(self) -> dict[str, Any]:
        """The arrays that are constants, by name."""
        return {c.name: c.value for c in self._held.values()}

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.graph, self.names, self._held)

    @cached_property
    def _user_variables(self) -> dict[Tree, str]:
        """The user's variables, by what they are."""
        called: dict[Tree, str] = {}
        taken = self._reserved_names | set(self.constants)
        for at, name in local_names(self.graph).items():
            inside = self._reading.sums[at]
            if inside is not None and name not in taken:
                taken.add(name)
                try:
                    called[to_tree(inside, self._size)] = name
                except NotReadable:
                    continue
        return called

    @cached_property
    def sizes(self) -> dict[str, tuple[str, int]]:
        """The letter for each size, by what it is, and how much it is."""
        found = self._reading.notes.sizes
        letters = size_names(list(found), self._reserved_names | set(self.constants))
        return {label: (letters[label], extent) for label, extent in found.items()}

    def _size(self, base: Base) -> Tree:
        return Name(self.sizes[base.name][0], 0)

    def write(self, title: str, exact: Exact) -> Written | None:
        """A form; None if no part of it is readable and found to be true."""
        sums = [self._sum(title, part) for part in range(len(exact.shapes))]
        kept = [k for k, inside in enumerate(sums) if inside is not None]
        found = self._check_parts(sums, kept, exact)
        if found is None and len(kept) > 1:
            kept = [k for k in kept if self._check_parts(sums, [k], exact) is not None]
            found = self._check_parts(sums, kept, exact)
        return found

    def _check_parts(
        self, sums: Sequence[Sum | None], kept: Sequence[int], exact: Exact
    ) -> Written | None:
        trees = [to_tree(inside, self._size) for k in kept if (inside := sums[k]) is not None]
        if not trees:
            return None
        lets, results = self._share_subtrees(trees)
        lines = [(name, text(t)) for name, t in lets]
        finals = [text(t) for t in results]
        if any(len(line) > _LONGEST for line in (*finals, *(line for _, line in lines))):
            return None
        known = {**self.constants, **dict(self.sizes.values())}
        shapes = [exact.shapes[k] for k in kept]
        printed = PrintedForm(self.names, known, lines, finals, shapes)
        evidence = check_printed_form(printed, exact.only(kept), self.point, self.symmetric)
        if evidence is None:
            return None
        parts = dict(zip(kept, results, strict=True))
        said, own = self._said_in([*lets, *enumerate(results)])
        return Written(lets, [parts.get(k) for k in range(len(sums))], said, evidence, own)

    def _share_subtrees(self, trees: list[Tree]) -> tuple[list[tuple[str, Tree]], list[Tree]]:
        taken = self._reserved_names | set(self.constants) | {s for s, _ in self.sizes.values()}
        own = {t: name for t, name in self._user_variables.items() if t not in trees}
        return share_subtrees(trees, own, iterate_numbered_names("v", taken | set(own.values())))

    def _said_in(
        self, trees: Sequence[tuple[Any, Tree]]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, Tree]]]:
        """What stands in trees and is to be said: sizes, and the values of nameless constants."""
        names = {node.text: node for _, t in trees for node in nodes(t) if isinstance(node, Name)}
        sizes = [(s, label) for label, (s, _) in self.sizes.items() if s in names]
        own = {c.name: c.value for c in self._held.values() if c.is_own and c.name in names}
        return sizes, [(c, Name(_values(v), names[c].rank)) for c, v in own.items()]

    @cached_property
    def symmetric(self) -> list[int]:
        """The arguments of which only a half is read, and that are symmetric matrices."""
        return [
            k
            for k, leaf in enumerate(self._reading.leaves)
            if leaf in self._reading.notes.halves and np.array_equal(self.point[k], self.point[k].T)
        ]

    def _sum(self, title: str, part: int) -> Sum | None:
        """One array of a form as a sum; None where that is too long or has no words."""
        try:
            inside = self._derive_part(title, part)
            if title in ("jacobian", "hessian") and len(inside.shape) > _MOST_AXES:
                return None
            to_tree(inside, self._size)
        except (NotReadable, RecursionError):
            return None
        return inside

    def _derive_part(self, title: str, part: int) -> Sum:
        value = self._reading.result
        leaves = self._reading.leaves
        if title == "value":
            return value
        if title == "gradient":
            value = contract_terms(value, range(len(value.shape)), ())
        if title in ("gradient", "jacobian"):
            return derivative(value, leaves[part])
        row, column = divmod(part, len(leaves))
        if row not in self._slopes:
            self._slopes[row] = derivative(value, leaves[row])
        return derivative(self._slopes[row], leaves[column])


def _values(array: Any) -> str:
    """An array on one line, in whole where it is small."""
    if array.size <= _MOST_VALUES:
        return f"array({array.tolist()!r})"
    said = np.array2string(array, separator=", ", threshold=1, edgeitems=2)
    return f"array({' '.join(said.split())}) of shape {array.shape}"
