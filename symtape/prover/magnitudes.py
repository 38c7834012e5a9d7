"""How large a difference may be that does not vanish: bounds of quotients all over a box."""

from __future__ import annotations

import functools
import operator
from typing import Any, Final

from flint import arb

from symtape.process.work import charge
from symtape.prover.ring import Kernel, NotReadable, Quotient
from symtape.prover.values import Signs

_OF_TERM: Final = 2


class Magnitudes:
    """Bounds of the absolute values of quotients, term by term.

    Parameters
    ----------
    signs : Signs
        Whose box they hold on.
    """

    def __init__(self, signs: Signs) -> None:
        self.signs, self.ring = signs, signs.ring
        self._sizes: dict[int, Any] = {}

    def quotient(self, x: Quotient) -> Any:
        """At most so large; an Arb number.

        Raises
        ------
        NotReadable
            Nothing bounds it.
        """
        found = self._largest(x.top) / self._least(x.below)
        if not found.is_finite():
            raise NotReadable("nothing bounds the difference")
        return found.upper()

    def _largest(self, polynomial: Any) -> Any:
        total = arb(0)
        for exponents, coefficient in polynomial.to_dict().items():
            used = [(at, int(power)) for at, power in enumerate(exponents) if power]
            charge(_OF_TERM * (1 + len(used)))
            sizes = [self._size(at) ** power for at, power in used]
            total += functools.reduce(operator.mul, sizes, abs(arb(coefficient)))
        return total.upper()

    def _least(self, polynomial: Any) -> Any:
        terms = polynomial.to_dict()
        if len(terms) == 1:
            [(exponents, coefficient)] = terms.items()
            if all(not power or self._is_on_circle(at) for at, power in enumerate(exponents)):
                return abs(arb(coefficient)).lower()
        if not self.ring.is_real(polynomial):
            raise NotReadable("nothing bounds the difference")
        return self.signs.at(polynomial, self.signs.box).size().low.lower()

    def _size(self, at: int) -> Any:
        if at not in self._sizes:
            if self._is_on_circle(at):
                self._sizes[at] = arb(1)
            elif not self.ring.kernels[at].real:
                raise NotReadable("nothing bounds a complex number")
            else:
                generator = self.ring.generators[at]
                self._sizes[at] = self.signs.at(generator, self.signs.box).size().high.upper()
        return self._sizes[at]

    def _is_on_circle(self, at: int) -> bool:
        """Whether it is i, or the exponential of an imaginary number."""
        kernel = self.ring.kernels[at]
        return kernel.name == "i" or (kernel.name == "exp" and self._is_imaginary(kernel))

    def _is_imaginary(self, kernel: Kernel) -> bool:
        [argument] = kernel.arguments
        real = self.ring.i * argument
        return not self.ring.is_real(argument.top) and all(
            self.ring.is_real(part) for part in (real.top, real.below)
        )
