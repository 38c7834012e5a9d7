"""A loop that runs until it has converged is differentiated as it ran.

``symtape derive examples/root.py:square_root --at 2.0`` prints the path beside the formula.
"""

from __future__ import annotations

import verify


@verify.case(at=[2.0, 9.0])
def square_root(a: float) -> float:
    """Heron's method."""
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x
