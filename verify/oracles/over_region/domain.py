"""Where all that a path computes is defined, as conditions on the real numbers in a box.

The conditions are what the function's own operations need. Where one of them fails, an operation
of the function is not defined, or has no derivative. That derivative and claim are defined
wherever the conditions hold is proved, never assumed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.primitive import Primitive
from symtape.prover.reader import Reader
from symtape.prover.ring import NeedsFinerKernel, NotReadable, Quotient
from symtape.prover.statements import Statements
from symtape.symbolic.boxes import boxes, lie_inside
from symtape.symbolic.interval import Interval
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.trees import Tree, is_rational

_ATTEMPTS: Final = 60

_CAPACITY: Final = 64
"""Kernels beside the inputs."""

_TOTAL: Final = (
    *("Abs", "Add", "Mul", "exp", "sign", "sin", "cos", "sinh", "cosh", "tanh", "sech"),
    *("atan", "asinh", "erf", "erfc", "erfi", "sinc", "SincDerivative"),
)
"""Functions that are defined at every real number."""

_WITH_POLES: Final = {
    "tan": "cos",
    "sec": "cos",
    "cot": "sin",
    "csc": "sin",
}
"""Circular functions, and the one that they are divided by."""

_ROWS_WITH_POLES: Final = ("gamma", "gammaln", "psi", "polygamma")
"""Rows whose templates say where they have poles."""

_GAMMA: Final = ("gamma", "loggamma", "polygamma", "digamma")
_POSITIVE: Final = frozenset({1})


class Undefined(Exception):
    """It is not known to be defined, and why."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Where all that a path computes is defined.

    Attributes
    ----------
    conditions : tuple of str
        What the function's operations need; empty if they are defined all over the box.
    box : mapping
        An interval for each bounded number, in which all points lie that meet the conditions.
    """

    conditions: tuple[str, ...]
    box: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class _Need:
    """A condition on a quotient: that it is ``positive``, ``nonzero``, or ``off poles``."""

    kind: str
    of: Quotient
    words: str


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
    BudgetSpent
    """
    units: dict[Any, Any] = {}
    for _ in range(_ATTEMPTS):
        search = _Search(program, is_known, box, units, meaning)
        try:
            search.visit(shadows[0], doubtful[0], assumes)
            search.visit(shadows[1], doubtful[1], assumes=False)
            search.settle(order)
        except NeedsFinerKernel:
            continue
        except (NotReadable, OverflowError) as error:
            raise Undefined(str(error)) from error
        return Domain(tuple(search.conditions), dict(search.reader.signs.box))
    raise Undefined("its exponents have no common unit")


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
        self.conditions: dict[str, None] = {}
        self._nonzero: set[str] = set()
        self._off_poles: set[tuple[str, str]] = set()
        self._settled: set[int] = set()

    def visit(self, made: Shadow, doubtful: Sequence[int], assumes: bool) -> None:
        """Settle the nodes that may be undefined; what the function needs is assumed."""
        for at in doubtful:
            node = made.graph.nodes[at]
            if made.ids[at] is None:
                raise Undefined(f"{node.row.name} may be undefined")
            ids = np.ravel(made.ids[at]).tolist()
            allowed = assumes and self._are_needed(ids, made)
            self._settle_arguments(made, node, ids, allowed)
            self.settle(ids, allowed)

    def _are_needed(self, ids: Sequence[int], made: Shadow) -> bool:
        """Whether no value is defined where one of these is not."""
        return set(self.program.needed(_flat(made.outputs))).issuperset(ids)

    def settle(self, ids: Sequence[int], assumes: bool = False) -> None:
        """See that statements are defined wherever the conditions hold.

        Raises
        ------
        Undefined
        """
        for at in self.program.needed(ids):
            if at in self._settled:
                continue
            template = self.program.templates[at]
            if template is None:
                if at not in self.program.inputs and not is_rational(self.program.constants[at]):
                    raise Undefined("a constant is not finite")
            elif not (
                _is_total(template.tree) or (_is_rational(template.tree) and self._is_known(at))
            ):
                arguments = self.program.arguments[at]
                given = {f"a{k}": self.statements.of(a) for k, a in enumerate(arguments)}
                # Of a function with poles, and of nothing that is composed of several.
                self._settle_tree(template.tree, given, assumes and _has_poles(template.tree))
            self._settled.add(at)
            self._check_assumptions()

    def _settle_tree(self, tree: Tree, given: Mapping[Any, Quotient], assumes: bool) -> None:
        if not isinstance(tree, tuple):
            return
        name, *parts = tree
        for part in parts:
            self._settle_tree(part, given, False)
        for need in self._needs_of(name, parts, given):
            self._require(need, assumes)

    def _needs_of(
        self, name: str, parts: Sequence[Tree], given: Mapping[Any, Quotient]
    ) -> Iterator[_Need]:
        def read(tree: Tree) -> Quotient:
            return self.statements.read(tree, given)

        if name in _TOTAL:
            return
        if name == "Pow":
            yield from self._needs_of_power(parts[0], parts[1], read)
        elif name == "log" and len(parts) == 1:
            yield _positive(read(parts[0]))
        elif name in ("asin", "acos", "atanh", "erfinv"):
            yield from self._between(read(parts[0]), -1, 1)
        elif name == "erfcinv":
            yield from self._between(read(parts[0]), 0, 2)
        elif name == "acosh":
            yield from self._between(read(parts[0]), 1, None)
        elif name in _WITH_POLES:
            below = _WITH_POLES[name]
            x = read(parts[0])
            yield _Need("nonzero", self.reader.read((below, "a0"), {"a0": x}), f"{below}({x}) != 0")
        elif name in ("coth", "csch"):
            yield _nonzero(read(parts[0]))
        elif name in _GAMMA:
            if len(parts) == 2 and not _is_natural(parts[0]):
                raise Undefined(f"the domain of {name} is not known")
            x = read(parts[-1])
            yield _Need("off poles", x, f"{x} is not one of 0, -1, -2, ...")
        else:
            raise Undefined(f"the domain of {name} is not known")

    def _needs_of_power(
        self, base: Tree, exponent: Tree, read: Callable[[Tree], Quotient]
    ) -> Iterator[_Need]:
        if base == "E":
            return
        if not is_rational(exponent) or Fraction(exponent).denominator != 1:
            yield _positive(read(base))
        elif exponent < 0:
            yield _nonzero(read(base))

    def _between(
        self, x: Quotient, low: Fraction | int | None, high: Fraction | int | None
    ) -> Iterator[_Need]:
        ring = self.reader.ring
        if low is not None:
            yield _positive(x - ring.rational(low), f"{x} > {low}")
        if high is not None:
            yield _positive(ring.rational(high) - x, f"{x} < {high}")

    def _settle_arguments(
        self, made: Shadow, node: Node, ids: Sequence[int], assumes: bool
    ) -> None:
        """See that the arguments of a node lie where its row is defined and smooth."""
        row = node.row
        if row.decision:
            return
        if row.smooth == "value":
            for at in ids:
                self.settle([at])
                self._require(_positive(self.statements.of(at)), assumes)
            return
        if not row.elementwise:
            if row.elements is None or row.over or row.domain or row.kinks:
                raise Undefined(f"the domain of {row.name} is not known")
            return
        if row.kinks is not None and row.smooth not in ("over", "orders"):
            raise Undefined(f"the kinks of {row.name} are not known")
        inputs = [_statements_of(made, at) for at in node.inputs]
        for entry in zip(*[a.ravel().tolist() for a in np.broadcast_arrays(*inputs)], strict=True):
            self.settle(entry)
            self._settle_entry(row, entry, assumes)

    def _settle_entry(self, row: Primitive, entry: Sequence[int], assumes: bool) -> None:
        constants = tuple(self.program.constants.get(at) for at in entry)
        exponent = constants[1] if row.power else None
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            if exponent < 0:
                self._require(_nonzero(self.statements.of(entry[0])), assumes)
            return
        if row.domain is not None and not row.over:
            if row.name not in _ROWS_WITH_POLES:
                raise Undefined(f"the domain of {row.name} is not known")
            return
        given = dict(zip(row.inputs, map(self.statements.of, entry), strict=True))
        parts = boxes(row.over)
        sides = [list(self._needs_of_box(box, given)) for box in parts]
        gap = _find_gap(parts)
        ways = sides
        if gap is not None:
            name, at = gap
            x = given[name] - self.reader.ring.rational(at)
            ways = [[_nonzero(x, f"{given[name]} != {at}")]]
        if any(all(map(self._holds, way)) for way in (*ways, *sides)):
            return
        # Beside a kink the function is another one on the other side.
        assumes = assumes and len(ways) == 1 and not (gap is not None and row.kinks is not None)
        if not (assumes and is_whole_domain(row, constants)):
            raise Undefined(f"{row.name} may be undefined, or have a kink")
        for need in ways[0]:
            self._require(need, True)

    def _needs_of_box(
        self, box: Mapping[str, Interval], given: Mapping[str, Quotient]
    ) -> Iterator[_Need]:
        for name, interval in box.items():
            more, _, less = name.partition(" - ")
            x = given[more] - given[less] if less else given[more]
            yield from self._between(
                x,
                *(
                    _to_fraction(end) if end.is_finite() else None
                    for end in (interval.low, interval.high)
                ),
            )

    def _require(self, need: _Need, assumes: bool) -> None:
        if self._holds(need):
            return
        if not assumes:
            raise Undefined(f"it is not known that {need.words} where the function is defined")
        self.conditions[need.words] = None
        self._note(need)

    def _note(self, need: _Need) -> None:
        top, below = need.of.top, need.of.below
        for part in (top, below):
            self._nonzero.update(map(str, self._factors(part)))
        if need.kind == "off poles":
            self._off_poles.add(need.of.key)
        if need.kind == "positive":
            self._positive(top, below)

    def _positive(self, top: Any, below: Any) -> None:
        """Take a quotient for positive from now on."""
        signs = self.reader.signs
        sign = signs.of(below)
        if not sign or not self.reader.ring.is_real(top):
            raise Undefined("the sign of a quotient depends on both its parts")
        signs.note(top * sign, 1)
        lead = top.leading_coefficient()
        # A bound of a single number is one of the box.
        signs.suppose(top / lead, frozenset({sign if lead > 0 else -sign}))
        signs.note(top * sign, 1)
        self._check_assumptions()

    def _holds(self, need: _Need) -> bool:
        x, signs = need.of, self.reader.signs
        if need.kind == "nonzero":
            return not x.is_zero and all(map(self._is_nonzero, self._factors(x.top)))
        if not (self.reader.ring.is_real(x.top) and self.reader.ring.is_real(x.below)):
            return False
        if signs.find_quotient_sign(x) == 1 or self._is_product_positive(x):
            return True
        return need.kind == "off poles" and x.key in self._off_poles

    def _is_nonzero(self, factor: Any) -> bool:
        if str(factor) in self._nonzero or str(-factor) in self._nonzero:
            return True
        return self.reader.ring.is_real(factor) and bool(self.reader.signs.of(factor))

    def _is_product_positive(self, x: Quotient) -> bool:
        """Whether the factors of `x` say that it is positive."""
        sign = 1
        for part in (x.top, x.below):
            if part == 0:
                return False
            constant, factors = self.reader.ring.factors(part)
            sign = -sign if constant < 0 else sign
            for factor, times in factors:
                if times % 2 == 0:
                    if not self._is_nonzero(factor):
                        return False
                    continue
                known = self.reader.signs.of(factor)
                if not known:
                    return False
                sign *= known
        return sign > 0

    def _factors(self, polynomial: Any) -> list[Any]:
        if polynomial == 0 or polynomial.is_constant():
            return []
        factors = [factor for factor, _ in self.reader.ring.factors(polynomial)[1]]
        return [it for it in factors if not self._is_unit(it)]

    def _is_unit(self, factor: Any) -> bool:
        """Whether it is an exponential, which is never zero."""
        found = self.reader.ring.find(factor)
        return found is not None and found[1].name in ("exp", "i", "pi")

    def _check_assumptions(self) -> None:
        needs = self.reader.needs
        if needs.assumed or needs.conditions:
            raise Undefined(", ".join((*needs.assumed, *needs.conditions)))


def _positive(x: Quotient, words: str = "") -> _Need:
    return _Need("positive", x, words or f"{x} > 0")


def _nonzero(x: Quotient, words: str = "") -> _Need:
    return _Need("nonzero", x, words or f"{x} != 0")


def _flat(arrays: Sequence[Any]) -> list[int]:
    return [at for array in arrays for at in np.ravel(array).tolist()]


def _statements_of(made: Shadow, at: int) -> Any:
    count = np.size(made.values[at])
    return np.array([made.statement(at, k) for k in range(count)]).reshape(
        np.shape(made.values[at])
    )


def _is_natural(tree: Tree) -> bool:
    return is_rational(tree) and tree >= 0 and tree == int(tree)


def _is_total(tree: Tree) -> bool:
    """Whether a formula is defined for all numbers."""
    if not isinstance(tree, tuple):
        return True
    name, *parts = tree
    if name == "Pow" and (parts[0] == "E" or _is_natural(parts[1])):
        return all(map(_is_total, parts))
    return name in _TOTAL and all(map(_is_total, parts))


def _is_rational(tree: Tree) -> bool:
    """Whether a formula that is defined has no roots, which are read as positive numbers."""
    if not isinstance(tree, tuple):
        return True
    name, *parts = tree
    if name == "Pow" and parts[0] != "E":
        return is_rational(parts[1]) and parts[1] == int(parts[1]) and _is_rational(parts[0])
    return (name in _TOTAL or name == "Pow") and all(map(_is_rational, parts))


def _has_poles(tree: Tree) -> bool:
    """Whether a formula is one function with poles, of an argument."""
    if not isinstance(tree, tuple) or tree[0] not in (*_WITH_POLES, *_GAMMA):
        return False
    return all(part == "a0" or _is_natural(part) for part in tree[1:])


def _find_gap(parts: Sequence[Mapping[str, Interval]]) -> tuple[str, Fraction] | None:
    """The only number that two boxes leave out, and of which argument."""
    if len(parts) != 2 or len(parts[0]) != 1 or list(parts[0]) != list(parts[1]):
        return None
    [(name, one)], [(_, other)] = parts[0].items(), parts[1].items()
    below, above = (one, other) if one.high <= other.low else (other, one)
    whole = not below.low.is_finite() and not above.high.is_finite()
    if " - " in name or not whole or below.high != above.low:
        return None
    return name, _to_fraction(above.low)


def _to_fraction(end: Any) -> Fraction:
    exact = end.fmpq()
    return Fraction(int(exact.p), int(exact.q))


_PROBES: Final = (0, 2.0**-30, 0.25, 0.5, 1, 1.5, 2, 3, 40)
"""Distances from 0, and from each end of the boxes of a row, at which it is asked."""


@functools.lru_cache(maxsize=1024)  # rows and constants in programs
def is_whole_domain(row: Primitive, constants: tuple[Any, ...]) -> bool:
    """Whether a row is undefined, or has a kink, wherever it is not proved.

    The row itself is asked, at numbers around the ends of where it is proved; arguments that are
    constants are these.

    Examples
    --------
    >>> import symtape
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> [is_whole_domain(PRIMITIVES[name], (None,)) for name in ("log", "arcsin", "sinc")]
    [True, True, False]
    """
    ends = {0.0}
    for box in boxes(row.over):
        for side in box.values():
            ends |= {float(end) for end in (side.low, side.high) if end.is_finite()}
    near = sorted({end + sign * x for end in ends for x in _PROBES for sign in (1, -1)})
    choices = [near if value is None else [float(value)] for value in constants]
    points = [np.array(column) for column in zip(*itertools.product(*choices), strict=True)]
    beyond = ~lie_inside(row.over, row.inputs, points)
    excluded = np.zeros(beyond.shape, dtype=bool)
    with np.errstate(all="ignore"):
        try:
            if row.domain is not None:
                excluded |= ~np.asarray(row.domain(*points), dtype=bool)
            if row.kinks is not None:
                excluded |= np.asarray(row.kinks(*points), dtype=bool)
        except TypeError:  # it asks for parameters
            return False
    return bool(np.all(excluded[beyond]))
