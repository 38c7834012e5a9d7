"""What an expression needs in order to mean what the ring reads it as, and what is assumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from symtape.prover.ring import Quotient, Ring
from symtape.prover.values import Signs

_NEVER_ZERO: Final = ("exp", "pi", "power", "root")


@dataclass
class Needs:
    """Conditions that could not be proven over the box, by what they say.

    Attributes
    ----------
    conditions : dict
        What an expression needs to be defined, in the order met; the keys are the words.
    assumed : dict
        Signs of factors that the splitting of a root or a logarithm took for granted.
    defined : bool
        Whether it is known that expressions are defined all over the box.
    """

    ring: Ring
    signs: Signs
    conditions: dict[str, None] = field(default_factory=dict)
    assumed: dict[str, None] = field(default_factory=dict)
    defined: bool = False

    def nonzero(self, quotient: Quotient, words: str = "") -> None:
        """A divisor, called `words` where it is not made of real kernels."""
        if self.defined:
            return
        top = self._remove_units(quotient.top)
        if top.is_constant():
            return
        if not self.ring.is_real(top):
            self.conditions[f"{words or quotient} != 0"] = None
        elif not self.signs.find_sign(top):
            for factor, _ in self.ring.factors(top)[1]:
                if not self.signs.find_sign(factor):
                    self.conditions[f"{self.ring.write(factor)} != 0"] = None

    def positive(self, quotient: Quotient, identity: bool = False) -> None:
        """What a root or a logarithm is taken of, or else what an `identity` holds for alone."""
        if self.defined and not identity:
            return
        if quotient.constant is None and self.signs.find_quotient_sign(quotient) != 1:
            self.conditions[f"{quotient} > 0"] = None

    def require_off_poles(self, quotient: Quotient) -> None:
        """The argument of the gamma function."""
        if not self.defined and self.signs.find_quotient_sign(quotient) != 1:
            self.conditions[f"{quotient} is not one of 0, -1, -2, ..."] = None

    def choose_side(self, polynomial: Any) -> int:
        """The sign of `polynomial` on the side of a kink that the proof goes on for."""
        known = self.signs.find_sign(polynomial)
        if not known:
            known = self.signs.guess(polynomial)
            self.signs.note(polynomial, known)
        if not polynomial.is_constant():
            side = f"{self.ring.write(polynomial)} {'>' if known > 0 else '<'} 0"
            self.conditions[side] = None
        return known

    def assume(self, factor: Any, sign: int) -> None:
        """The sign of a factor."""
        self.assumed[f"{self.ring.write(factor)} {'>' if sign > 0 else '<'} 0"] = None
        self.signs.note(factor, sign)

    def _remove_units(self, polynomial: Any) -> Any:
        """`polynomial` without the factors that are never zero."""
        exponents = [min(part) for part in zip(*polynomial.to_dict(), strict=True)]
        for at, exponent in enumerate(exponents):
            if exponent and self.ring.kernels[at].name in _NEVER_ZERO:
                polynomial = polynomial / self.ring.generators[at] ** int(exponent)
        return polynomial
