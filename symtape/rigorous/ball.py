"""Functions of balls, by the names that primitives call them by.

Every function takes ``flint.arb`` (and any exact real number: int, float, NumPy scalar) and
answers a ball that holds each value that it takes on the arguments. Object arrays are taken by
element. Comparisons answer True, False or None, and choices on None are hulls. A value that
floats would not find either (the square root of a ball that may be negative) is unknown: nan.
"""

from __future__ import annotations

from symtape.process.precision import precision as precision
from symtape.rigorous.choice import *  # noqa: F403
from symtape.rigorous.decompositions import *  # noqa: F403
from symtape.rigorous.elementary import *  # noqa: F403
from symtape.rigorous.matrices import *  # noqa: F403
from symtape.rigorous.matrix_roots import *  # noqa: F403
from symtape.rigorous.operators import *  # noqa: F403
from symtape.rigorous.scalar import UNKNOWN as UNKNOWN
from symtape.rigorous.scalar import hull as hull
from symtape.rigorous.scalar import to_ball as to_ball
from symtape.rigorous.special import *  # noqa: F403
from symtape.rigorous.steps import *  # noqa: F403
