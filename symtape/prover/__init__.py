"""The prover: decides whether an expression is identically zero, by ring normal form.

An expression becomes a quotient of polynomials in *kernels*: its symbols, exponentials, roots,
logarithms and special functions that no relation known here connects. Circular and hyperbolic
functions become exponentials; exponentials of sums split into products; logarithms and roots
split over irreducible factors whose sign is known; special functions are shifted to few orders by
their recurrences. The quotient is zero if its numerator, reduced by the relations i^2 = -1 and
r^n = f, has no terms. Zero is a proof; not zero is none of the opposite.
"""

from symtape.prover.prove import Proof as Proof
from symtape.prover.prove import bound_differences as bound_differences
from symtape.prover.prove import prove_by_cases as prove_by_cases
from symtape.prover.prove import prove_equal as prove_equal
from symtape.prover.prove import prove_zero as prove_zero
from symtape.prover.ring import NotReadable as NotReadable
