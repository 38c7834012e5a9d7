"""Where all that a path computes is defined, as conditions on the real numbers in a box.

The conditions are what the function's own operations need. Where one of them fails, an operation
of the function is not defined, or has no derivative. That claim and derivative are defined
wherever the conditions hold is proved, never assumed.

Formulas may be undefined on a thin set, such as x = 0, where the operations are continuous all the
same, by what their rows say: ``sin(x) / x`` is the formula of ``sinc``. If the claim's operations
and the function's are continuous, and the claim's formula is that of the derivative beside a thin
set, then the derivative exists on it, and the claim is it: along almost all lines the function is
an integral of the claim, and so it is along the others, for both are continuous.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.primitives.primitive import Primitive
from symtape.prover.reader import Reader
from symtape.prover.ring import NeedsFinerKernel, NotReadable, Quotient
from symtape.prover.statements import Statements
from symtape.symbolic.boxes import boxes
from symtape.symbolic.interval import Interval
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.trees import Tree, is_rational
from verify.oracles.over_region.choices import ORDERS, is_constant
from verify.oracles.over_region.conditions import (
    Conditions,
    Leave,
    find_corner,
    find_hull,
    is_whole_domain,
    removable_gaps,
)
from verify.oracles.over_region.needs import (
    Need,
    Undefined,
    find_zero,
    has_poles,
    is_root,
    is_total,
    is_without_roots,
    needs_of_box,
    needs_of_function,
    nonzero,
    positive,
)

_ATTEMPTS: Final = 60

_CAPACITY: Final = 64
"""Kernels beside the inputs."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Where all that a path computes is defined.

    Attributes
    ----------
    conditions : tuple of str
        What the function's operations need; empty if they are defined all over the box.
    box : mapping
        An interval for each bounded number, in which all points lie that meet the conditions.
    decided : set of int
        The comparisons of the claim that have one outcome wherever the conditions hold.
    """

    conditions: tuple[str, ...]
    box: Mapping[str, Interval]
    decided: frozenset[int]


def find_domain(
    program: Program,
    shadows: tuple[Shadow, Shadow],
    order: Sequence[int],
    doubtful: Sequence[Sequence[int]],
    is_known: Callable[[int], bool],
    box: Mapping[str, Interval],
    meaning: Callable[[Fraction], Tree] | None = None,
    assumes: bool = False,
) -> Domain:
    """Where the operations of a function are defined, and derivative and claim with them.

    Parameters
    ----------
    program : Program
    shadows : tuple of Shadow
        Of the function and of the claim, in that program; they choose nothing by steps.
    order : sequence of int
        The statements of derivative and claim.
    doubtful : sequence of sequences of int
        The nodes of each that may not be defined.
    is_known : callable
        Whether a statement is known to be finite all over the box.
    box : mapping
        An interval for each input, by its name.
    meaning : callable, optional
        The number that a constant stands for.
    assumes : bool
        Whether what the function's operations need is assumed, where it is not proved.

    Raises
    ------
    Undefined
        A claim, or a derivative, may not be defined at a point where the function is.
    Kink
        That is known if the box is cut where the function has a kink.
    BudgetSpent
    """
    units: dict[Any, Any] = {}
    for _ in range(_ATTEMPTS):
        search = _Search(program, is_known, box, units, meaning)
        try:
            for made, nodes in zip(shadows, doubtful, strict=True):
                for node in nodes:
                    if made.ids[node] is None:
                        raise Undefined(f"{made.graph.nodes[node].row.name} may be undefined")
                search.note_exposed(made, nodes)
            search.visit(shadows[0], doubtful[0], assumes)
            search.visit(shadows[1], doubtful[1], assumes=False)
            search.settle(order)
        except NeedsFinerKernel:
            continue
        except (NotReadable, OverflowError) as error:
            raise Undefined(str(error)) from error
        told, box_there = tuple(search.conditions.told), dict(search.reader.signs.box)
        return Domain(told, box_there, search.decided_comparisons(shadows[1]))
    raise Undefined("its exponents have no common unit")


class Kink(Undefined):
    """The function has a kink where an input has a value, and is another one on each side.

    Parameters
    ----------
    side : int
        The place of the input.
    place : Fraction
    """

    def __init__(self, side: int, place: Fraction) -> None:
        super().__init__(f"the function has a kink where x{side} = {place}")
        self.side, self.place = side, place


class _Search:
    """One pass over function, claim and derivative, each statement once and after its arguments."""

    def __init__(
        self,
        program: Program,
        is_known: Callable[[int], bool],
        box: Mapping[str, Interval],
        units: dict[Any, Any],
        meaning: Callable[[Fraction], Tree] | None,
    ) -> None:
        names = [f"x{k}" for k in range(len(program.inputs))]
        self.program, self._is_known = program, is_known
        self.reader = Reader(box, _CAPACITY + len(names), units, defined=True)
        self.statements = Statements(program, self.reader, names, meaning)
        self.conditions = Conditions(self.reader)
        self._settled: set[int] = set()
        self._exposed: set[int] = set()

    def note_exposed(self, made: Shadow, doubtful: Sequence[int]) -> None:
        """Note the statements of nodes that are as defined as their formulas are.

        Of others the rows say where they are defined and smooth, which is asked.
        """
        for at in doubtful:
            node, ids = made.graph.nodes[at], np.ravel(made.ids[at])
            if not node.row.elementwise:
                given = self.program.list_needed(_flat(made.statements(i) for i in node.inputs))
                self._exposed |= set(self.program.list_needed(ids.tolist())).difference(given)
            elif node.row.domain is not None and not node.row.over:
                self._exposed.update(ids.tolist())

    def visit(self, made: Shadow, doubtful: Sequence[int], assumes: bool) -> None:
        """Settle the nodes that may be undefined; what the function needs is assumed."""
        for at in doubtful:
            node, ids = made.graph.nodes[at], np.ravel(made.ids[at]).tolist()
            is_needed = self._are_needed(ids, made) and not _chooses_by(made, at)
            leave = Leave.ASSUME if assumes and is_needed else Leave.NOTHING
            self._settle_arguments(made, node, ids, leave)
            self.settle(ids, leave)

    def _are_needed(self, ids: Sequence[int], made: Shadow) -> bool:
        """Whether no value is defined where one of these is not."""
        return set(self.program.list_needed(_flat(made.outputs))).issuperset(ids)

    def settle(self, ids: Sequence[int], leave: Leave = Leave.NOTHING) -> None:
        """See that statements are defined wherever the conditions hold.

        Raises
        ------
        Undefined
        """
        for at in self.program.list_needed(ids):
            if at in self._settled:
                continue
            template = self.program.templates[at]
            if template is None:
                if at not in self.program.inputs and not is_rational(self.program.constants[at]):
                    raise Undefined("a constant is not finite")
            elif not (
                is_total(template.tree) or (is_without_roots(template.tree) and self._is_known(at))
            ):
                arguments = self.program.arguments[at]
                given = {f"a{k}": self.statements.find_quotient(a) for k, a in enumerate(arguments)}
                # Of a function with poles, and of nothing that is composed of several.
                assumes = leave is Leave.ASSUME and has_poles(template.tree)
                inner = Leave.NOTHING if at in self._exposed else Leave.EXCEPT
                self._settle_tree(template.tree, given, leave if assumes else inner, inner)
            self._settled.add(at)
            self.conditions.check_reading()

    def _settle_root(self, at: int, leave: Leave) -> None:
        """Settle a value that is smooth where it is not 0: if it is a root, where that is of more.

        A root of 0 is 0, and one of less is undefined.
        """
        template, arguments = self.program.templates[at], self.program.arguments[at]
        if template is not None and is_root(template.tree) and at not in self._settled:
            self.settle(arguments)
            given = {f"a{k}": self.statements.find_quotient(a) for k, a in enumerate(arguments)}
            self._settle_tree(template.tree, given, leave, Leave.NOTHING)
            self._settled.add(at)
        self.settle([at])

    def _settle_tree(
        self, tree: Tree, given: Mapping[Any, Quotient], leave: Leave, inner: Leave
    ) -> None:
        if not isinstance(tree, tuple):
            return
        name, *parts = tree
        for part in parts:
            self._settle_tree(part, given, inner, inner)
        for need in needs_of_function(name, parts, lambda it: self.statements.read(it, given)):
            self.conditions.require(need, leave)

    def _settle_arguments(self, made: Shadow, node: Node, ids: Sequence[int], leave: Leave) -> None:
        """See that the arguments of a node lie where its row is defined and smooth."""
        row = node.row
        if row.decision:
            return
        if row.smooth == "value":
            for at in ids:
                self._settle_root(at, leave)
                self.conditions.require(positive(self.statements.find_quotient(at)), leave)
            return
        if not row.elementwise:
            if row.elements is None or row.over or row.domain or row.kinks:
                raise Undefined(f"the domain of {row.name} is not known")
            return
        if row.kinks is not None and row.smooth not in ("over", "orders"):
            raise Undefined(f"the kinks of {row.name} are not known")
        if row.domain is not None and not row.over and not all(map(self._says_its_poles, ids)):
            raise Undefined(f"the domain of {row.name} is not known")
        inputs = [made.statements(at) for at in node.inputs]
        for entry in zip(*[a.ravel().tolist() for a in np.broadcast_arrays(*inputs)], strict=True):
            self.settle(entry)
            self._settle_entry(row, entry, leave)

    def decided_comparisons(self, made: Shadow) -> frozenset[int]:
        """The comparisons that have one outcome wherever the conditions hold."""
        nodes = enumerate(made.graph.nodes)
        return frozenset(at for at, node in nodes if node.primitive and self._decides(made, at))

    def _decides(self, made: Shadow, at: int) -> bool:
        node = made.graph.nodes[at]
        if not node.row.compares:
            return False
        try:
            entries = np.broadcast_arrays(*[made.statements(i) for i in node.inputs])
            values = np.broadcast_arrays(*[made.values[i] for i in node.inputs])
            for a, b, x, y in zip(*map(np.ravel, (*entries, *values)), strict=True):
                apart = self.statements.find_quotient(int(b)) - self.statements.find_quotient(
                    int(a)
                )
                need = positive(apart) if x < y else positive(-apart)
                if x == y or not self.conditions.holds(need):
                    return False
        except (NotReadable, Unsupported):
            return False
        return True

    def _says_its_poles(self, at: int) -> bool:
        template = self.program.templates[at]
        return template is not None and has_poles(template.tree)

    def _settle_entry(self, row: Primitive, entry: Sequence[int], leave: Leave) -> None:
        constants = tuple(self.program.constants.get(at) for at in entry)
        exponent = constants[1] if row.power else None
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            if exponent < 0:
                self.conditions.require(nonzero(self.statements.find_quotient(entry[0])), leave)
            return
        if row.domain is not None and not row.over:
            return
        given = dict(zip(row.inputs, map(self.statements.find_quotient, entry), strict=True))
        sides = [needs_of_box(box, given) for box in boxes(row.over)]
        if any(all(map(self.conditions.holds, side)) for side in sides):
            return
        whole = self._needs_of_hull(row, given)
        may_assume = leave is Leave.ASSUME and is_whole_domain(row, constants)
        if whole is None and may_assume:
            self._find_kink(row, given)
        if whole is None or not (may_assume or all(map(self.conditions.holds, whole))):
            raise Undefined(f"{row.name} may be undefined, or have a kink")
        for need in whole:
            self.conditions.require(need, leave)

    def _find_kink(self, row: Primitive, given: Mapping[str, Quotient]) -> None:
        """See whether a row has a kink where an input has one value.

        Raises
        ------
        Kink
        """
        hull = find_hull(row.over)
        for name, at in hull.gaps if hull else ():
            x = given[name] - self.reader.ring.rational(at)
            found = find_zero(x)
            if found is not None and not self.conditions.holds(nonzero(x)):
                raise Kink(*found)

    def _needs_of_hull(self, row: Primitive, given: Mapping[str, Quotient]) -> list[Need] | None:
        """What arguments need to lie where a row is smooth; None if that is not known."""
        number = self.reader.ring.rational
        corner = find_corner(row.over)
        if corner:
            parts = [given[name] - number(at) for name, at in corner]
            return [positive(functools.reduce(operator.add, (x * x for x in parts)))]
        hull = find_hull(row.over)
        if hull is None:
            return None
        gaps, found = removable_gaps(row), list(needs_of_box(hull.box, given))
        for name, at in hull.gaps:
            beside = nonzero(given[name] - number(at), f"{given[name]} != {at}")
            if (name, at) in gaps:
                self.conditions.require(beside, Leave.EXCEPT)
            elif row.kinks is not None:
                # Beside a kink the function is another one on the other side.
                return None
            else:
                found.append(beside)
        return found


def _chooses_by(made: Shadow, at: int) -> bool:
    """Whether something is chosen by what a node is, as by whether it is finite.

    Where that is undefined, something else may be chosen that is defined.
    """
    depends = {at}
    for later, node in enumerate(made.graph.nodes):
        if not node.primitive or depends.isdisjoint(node.inputs):
            continue
        if is_constant(node) or node.row.decision in ORDERS:
            return True
        depends.add(later)
    return any(step.node in depends for step in made.graph.path)


def _flat(arrays: Any) -> list[int]:
    return [at for array in arrays for at in np.ravel(array).tolist()]
