"""Conditions on real numbers: what is proved of them, assumed, or excepted on thin sets."""

from __future__ import annotations

import enum
from typing import Any, Final

from symtape.prover.reader import Reader
from symtape.prover.ring import NotReadable, Quotient
from verify.oracles.over_region.needs import Need, Undefined

_NEVER_ZERO: Final = ("exp", "gamma", "i", "pi")
"""Kernels without zeros where they are defined."""

_ANALYTIC: Final = ("atan", "asinh", "erf", "erfi", "exp")
"""Kernels that are analytic at every real number."""


class Leave(enum.Enum):
    """What may be done where a condition is not proved."""

    NOTHING = enum.auto()
    ASSUME = enum.auto()
    """It becomes a condition of the proof."""
    EXCEPT = enum.auto()
    """It may fail on a thin set: without inner points, and met by almost all lines in few."""


class Conditions:
    """What is known to hold wherever all that was told so far holds.

    Parameters
    ----------
    reader : Reader
        Whose signs are those of the box; what is told is added to them.

    Attributes
    ----------
    told : dict
        The words of what was assumed, in the order met.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.told: dict[str, None] = {}
        self._nonzero: set[str] = set()
        self._off_poles: set[tuple[str, str]] = set()
        self._has_exceptions = False

    def require(self, need: Need, leave: Leave) -> None:
        """See that a condition holds, or may be assumed, or fails on a thin set alone.

        Raises
        ------
        Undefined
        """
        if self.holds(need):
            return
        if leave is Leave.EXCEPT and self._fails_on_thin_set(need):
            self._has_exceptions = True
            return
        if leave is not Leave.ASSUME:
            raise Undefined(f"it is not known that {need.words} where the function is defined")
        self.told[need.words] = None
        self._note(need)

    def holds(self, need: Need) -> bool:
        """Whether a condition is proved."""
        x, signs = need.of, self.reader.signs
        if self._has_exceptions and not (self._is_finite(x.top) and self._is_finite(x.below)):
            return False
        if need.kind == "nonzero":
            return not x.is_zero and all(map(self._is_nonzero, self._factors(x.top)))
        if not (self.reader.ring.is_real(x.top) and self.reader.ring.is_real(x.below)):
            return False
        if signs.find_quotient_sign(x) == 1 or self._is_product_positive(x):
            return True
        return need.kind == "off poles" and x.key in self._off_poles

    def _fails_on_thin_set(self, need: Need) -> bool:
        """Whether a condition fails where an analytic function is 0, which is not 0 everywhere.

        It is one all over the box, so that it is not 0 all over a part of it either.
        """
        x = need.of
        return need.kind == "nonzero" and not x.is_zero and self._is_somewhere_nonzero(x.top)

    def _is_finite(self, polynomial: Any) -> bool:
        """Whether no function in it is of what is divided by 0 on a thin set."""
        ring = self.reader.ring
        return all(
            all(map(self._is_nonzero, self._factors(x.below)))
            and self._is_finite(x.top)
            and self._is_finite(x.below)
            for at in ring.used(polynomial)
            for x in ring.kernels[at].arguments
        )

    def _is_somewhere_nonzero(self, polynomial: Any) -> bool:
        if self._is_rational(polynomial):
            return True
        if not (self.reader.ring.is_real(polynomial) and self._is_analytic(polynomial)):
            return False
        try:
            return self.reader.signs.guess(polynomial) != 0
        except NotReadable:
            return False

    def _is_rational(self, polynomial: Any) -> bool:
        """Whether it is one in inputs, and in pi, which is no root of any."""
        ring = self.reader.ring
        return all(ring.kernels[at].name in ("symbol", "pi") for at in ring.used(polynomial))

    def _is_analytic(self, polynomial: Any) -> bool:
        ring = self.reader.ring
        return all(
            kernel.name in ("symbol", "pi")
            or (kernel.name == "root" and kernel.value.is_constant())
            or (
                all(x.below.is_constant() and self._is_analytic(x.top) for x in kernel.arguments)
                and (
                    kernel.name in _ANALYTIC
                    or (kernel.name == "log" and self._is_above_zero(*kernel.arguments))
                )
            )
            for kernel in (ring.kernels[at] for at in ring.used(polynomial))
        )

    def _is_above_zero(self, x: Quotient) -> bool:
        """Whether it is above 0 all over the box, which is connected as its other parts are not."""
        signs = self.reader.signs
        top, below = (signs.enclose(part, signs.box).sign() for part in (x.top, x.below))
        return bool(top and below) and top == below

    def _note(self, need: Need) -> None:
        top, below = need.of.top, need.of.below
        for part in (top, below):
            self._nonzero.update(map(str, self._factors(part)))
        if need.kind == "off poles":
            self._off_poles.add(need.of.key)
        if need.kind == "positive":
            self._note_positive(top, below)

    def _note_positive(self, top: Any, below: Any) -> None:
        """Take a quotient for positive from now on."""
        signs = self.reader.signs
        sign = signs.find_sign(below)
        if not sign or not self.reader.ring.is_real(top):
            raise Undefined("the sign of a quotient depends on both its parts")
        signs.note(top * sign, 1)
        lead = top.leading_coefficient()
        # A bound of a single number is one of the box.
        signs.suppose(top / lead, frozenset({sign if lead > 0 else -sign}))
        signs.note(top * sign, 1)
        self.check_reading()

    def _is_nonzero(self, factor: Any) -> bool:
        if str(factor) in self._nonzero or str(-factor) in self._nonzero:
            return True
        return self.reader.ring.is_real(factor) and bool(self.reader.signs.find_sign(factor))

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
                known = 1 if self._is_root(factor) else self.reader.signs.find_sign(factor)
                if not known:
                    return False
                sign *= known
        return sign > 0

    def _is_root(self, factor: Any) -> bool:
        """Whether it is a root or a power of what has to be positive, and so is positive."""
        found = self.reader.ring.find(factor)
        return found is not None and found[1].name in ("power", "root")

    def _factors(self, polynomial: Any) -> list[Any]:
        if polynomial == 0 or polynomial.is_constant():
            return []
        factors = [factor for factor, _ in self.reader.ring.factors(polynomial)[1]]
        return [it for it in factors if not self._is_never_zero(it)]

    def _is_never_zero(self, factor: Any) -> bool:
        found = self.reader.ring.find(factor)
        return found is not None and found[1].name in _NEVER_ZERO

    def check_reading(self) -> None:
        """See that nothing was assumed where a formula was read.

        Raises
        ------
        Undefined
        """
        needs = self.reader.needs
        if needs.assumed or needs.conditions:
            raise Undefined(", ".join((*needs.assumed, *needs.conditions)))
