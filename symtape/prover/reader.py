"""Reads formulas into the ring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from symtape.prover.cases import Cases, Signed
from symtape.prover.needs import Needs
from symtape.prover.powers import Powers
from symtape.prover.ring import Kernel, NotReadable, Quotient, Ring
from symtape.prover.special import Special
from symtape.prover.steps import Steps
from symtape.prover.values import Signs
from symtape.symbolic.interval import Interval
from symtape.symbolic.trees import Tree, is_rational

_CIRCULAR: Final = ("sin", "cos", "tan", "cot", "sec", "csc")
_POSITIVE: Final[Signed] = frozenset({1})
_NEGATIVE: Final[Signed] = frozenset({-1})
_NOT_NEGATIVE: Final[Signed] = frozenset({0, 1})
_HYPERBOLIC: Final = {f"{name}h": name for name in _CIRCULAR}
_NO_FUNCTIONS: Final = ("Derivative", "Integral", "Piecewise", "Subs")


class Reader:
    """From expressions to quotients of one ring.

    Parameters
    ----------
    box : mapping
        An interval for each bounded symbol, by its name.
    capacity : int
        Most kernels.
    units : dict
        See :class:`~symtape.prover.ring.Ring`.
    atomic : bool
        Keep exponentials of sums in one piece.
    one_side : bool
        Where an absolute value or a sign is not decided all over the box, go on for one side,
        and say which.
    cases : Cases, optional
        What decides steps and signs that are not decided all over the box.
    steps : Steps, optional
        In place of that, what makes kernels of steps.
    defined : bool
        Whether it is known that what is read is defined all over the box.
    """

    def __init__(
        self,
        box: Mapping[str, Interval],
        capacity: int = 64,
        units: dict[Any, Any] | None = None,
        atomic: bool = False,
        one_side: bool = False,
        cases: Cases | None = None,
        steps: Steps | None = None,
        defined: bool = False,
    ) -> None:
        self.one_side = one_side
        self.cases, self.steps = cases, steps
        self.ring = Ring(capacity, {} if units is None else units)
        self.signs = Signs(self.ring, box)
        self.needs = Needs(self.ring, self.signs, defined=defined)
        self.powers = Powers(self.needs, atomic)
        self.special = Special(self.powers)

    def symbol(self, name: str) -> Quotient:
        """A real variable."""
        return self.ring.kernel(("symbol", name), lambda: Kernel("symbol", note=name))

    def read(self, tree: Tree, given: Mapping[Any, Quotient]) -> Quotient:
        """A formula as a quotient, its placeholders standing for `given`.

        Raises
        ------
        NotReadable
        """
        return _Reading(self, given).read_tree(tree)


class _Reading:
    """One expression, each sub-expression once."""

    def __init__(self, reader: Reader, given: Mapping[Any, Quotient]) -> None:
        self.reader, self.ring, self.powers = reader, reader.ring, reader.powers
        self.needs = reader.needs
        self._known: dict[Any, Quotient] = dict(given)

    def read_tree(self, tree: Tree) -> Quotient:
        found = self._known.get(tree)
        if found is None:
            found = self._known[tree] = self._read_tree(tree)
        return found

    def _read_tree(self, tree: Tree) -> Quotient:
        if is_rational(tree):
            return self.ring.rational(Fraction(tree))
        if not isinstance(tree, tuple):
            return self._leaf(tree)
        kind, *parts = tree
        match kind:
            case "Add":
                return self._sum([self.read_tree(term) for term in parts])
            case "Mul":
                return self._product(parts)
            case "Pow":
                return self._power(*parts)
        return self._function(kind, parts)

    def _leaf(self, leaf: Any) -> Quotient:
        if leaf == "I":
            return self.ring.i
        if leaf == "E":
            return self.powers.exp(self.ring.one)
        if leaf == "pi":
            return self.ring.function("pi")
        if getattr(leaf, "is_Symbol", False):
            return self.reader.symbol(str(leaf))
        raise NotReadable(f"the number {leaf}")

    def _sum(self, terms: list[Quotient]) -> Quotient:
        total = self.ring.zero
        for term in terms:
            total = total + term
        return total

    def _product(self, factors: Any) -> Quotient:
        result = self.ring.one
        for factor in factors:
            result = result * self.read_tree(factor)
        return result

    def _power(self, base: Tree, exponent: Tree) -> Quotient:
        if not is_rational(exponent):
            if base == "E":
                return self.powers.exp(self.read_tree(exponent))
            return self.powers.exp(self.read_tree(exponent) * self.powers.log(self.read_tree(base)))
        x = self.read_tree(base)
        if exponent.denominator == 1:
            if exponent < 0:
                self.needs.nonzero(x, self._name_circular(base))
            return x ** int(exponent)
        if exponent < 0:
            self.needs.nonzero(x)
        return self.powers.root(x, exponent)

    def _name_circular(self, tree: Tree) -> str:
        """A circular function by its name, rather than by the exponentials it is read as."""
        if isinstance(tree, tuple) and tree[0] in _CIRCULAR:
            return f"{tree[0]}({self.read_tree(tree[1])})"
        return ""

    def _function(self, kind: Any, parts: list[Tree]) -> Quotient:
        name = kind if isinstance(kind, str) else kind.__name__
        if name == "hyper":
            above, below = (list(map(self.read_tree, numbers[1:])) for numbers in parts[:2])
            return self.reader.special.hypergeometric(above, below, self.read_tree(parts[2]))
        if name in _NO_FUNCTIONS or any(isinstance(it, tuple) and it[0] == "Tuple" for it in parts):
            raise NotReadable(f"the function {name}")
        arguments = [self.read_tree(part) for part in parts]
        if name == "exp":
            return self.powers.exp(*arguments)
        if name == "log":
            logs = [self.powers.log(x) for x in arguments]
            return logs[0] if len(logs) == 1 else logs[0] / logs[1]
        if name in _CIRCULAR or name in _HYPERBOLIC:
            return self._circular(name, *arguments)
        choice = _CHOICES.get(name)
        if choice is not None:
            return choice(self, *arguments)
        reading = self.reader.special.reading(name)
        if reading is not None:
            return reading(*arguments)
        return self.reader.special.unknown(name, arguments, "")

    def _circular(self, name: str, x: Quotient) -> Quotient:
        """By exponentials (DLMF 4.14.1, 4.14.2, 4.28.1, 4.28.2)."""
        hyperbolic = name in _HYPERBOLIC
        name = _HYPERBOLIC.get(name, name)
        i = self.ring.one if hyperbolic else self.ring.i
        turn = self.powers.exp(i * x)
        back = turn.inverse()
        half = self.ring.rational(Fraction(1, 2))
        sine, cosine = (turn - back) * half / i, (turn + back) * half
        if name in ("cot", "csc"):
            self.needs.nonzero(sine, f"sin({x})")
        if name in ("tan", "sec") and not hyperbolic:
            self.needs.nonzero(cosine, f"cos({x})")
        match name:
            case "sin":
                return sine
            case "cos":
                return cosine
            case "tan":
                return sine / cosine
            case "cot":
                return cosine / sine
            case "sec":
                return cosine.inverse()
            case _:
                return sine.inverse()

    def sign(self, x: Quotient) -> int:
        """The sign of `x` all over the box."""
        if x.is_zero:
            return 0
        known = self.reader.signs.find_quotient_sign(x)
        if known is None and self.reader.one_side:
            known = self.needs.choose_side(x.top) * self.needs.choose_side(x.below)
        if known is None and self.reader.cases is not None:
            return self._is_among(x, _POSITIVE) - self._is_among(x, _NEGATIVE)
        if known is None:
            raise NotReadable(f"the sign of {x} is not known")
        return known

    def _is_among(self, x: Quotient, accepted: Signed) -> bool:
        """Whether the sign of `x` is one of `accepted`, in the present case."""
        assert self.reader.cases is not None
        return self.reader.cases.holds(self._find_signed(x), self.reader.signs, accepted)

    def _find_signed(self, x: Quotient) -> Any:
        """A polynomial of the sign of `x`."""
        below = self.reader.signs.find_sign(x.below)
        if not below or not self.ring.is_real(x.top):
            raise NotReadable(f"the sign of {x} is not known")
        return x.top * below

    def _sign(self, x: Quotient) -> Quotient:
        return self.ring.rational(self.sign(x))

    def _size(self, x: Quotient) -> Quotient:
        return -x if self.sign(x) < 0 else x

    def _step(self, x: Quotient, *at_zero: Quotient) -> Quotient:
        at = at_zero[0].constant if at_zero and not x.is_zero else None
        if self.reader.cases is not None and at in (0, 1):
            return self.ring.rational(int(self._is_among(x, _NOT_NEGATIVE if at else _POSITIVE)))
        if self.reader.steps is not None and at in (0, 1):
            polynomial = self._find_signed(x)
            if self.reader.signs.find_sign(polynomial) is None:
                return self.reader.steps.step(self.ring, polynomial, int(at))
        sign = self.sign(x)
        if sign == 0:
            return at_zero[0] if at_zero else self.ring.rational(Fraction(1, 2))
        return self.ring.rational((1 + sign) // 2)

    def _largest(self, *xs: Quotient) -> Quotient:
        best = xs[0]
        for x in xs[1:]:
            best = x if self.sign(x - best) > 0 else best
        return best

    def _least(self, *xs: Quotient) -> Quotient:
        return -self._largest(*[-x for x in xs])

    def _angle(self, y: Quotient, x: Quotient) -> Quotient:
        """The angle of a point, by the arc tangent where that is continuous (DLMF 4.23.28)."""
        ring, half_turn = self.ring, self.read_tree("pi")
        if (across := self.reader.signs.find_quotient_sign(x)) == 1:
            return ring.function("atan", y / x)
        side = self.ring.rational(self.sign(y))
        if across == -1:
            return ring.function("atan", y / x) + side * half_turn
        return side * half_turn * self.ring.rational(Fraction(1, 2)) - ring.function("atan", x / y)


_CHOICES: Final[dict[str, Callable[..., Quotient]]] = {
    "sign": _Reading._sign,
    "Abs": _Reading._size,
    "Heaviside": _Reading._step,
    "Max": _Reading._largest,
    "Min": _Reading._least,
    "atan2": _Reading._angle,
}
