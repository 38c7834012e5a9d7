"""``scipy.optimize``'s functions on tensors: solutions, by the implicit function theorem.

A root, or an optimum, is a function of the tensors that the functions given to the solver hold, by
``args`` or from around them; it does not depend on where the search begins. Of tensors the value is
that of the exact solution beside the one that SciPy returns, which is off by the tolerance of its
solver; derivatives are those of the exact solution as well, up to the third order, however many
iterations there were. What the theorem asks for is checked: that there is such a solution close by,
and that its Jacobian is regular.

Where bounds are active the solution follows them. Constraints are refused.

>>> import symtape
>>> from scipy import optimize
>>> def root(a):
...     return optimize.brentq(lambda x: x**3 + x - a, 0, 5)
>>> round(float(symtape.grad(root)(2.0)), 12), round(float(symtape.hessian(root)(2.0)), 12)
(0.25, -0.09375)

A verdict compares a claim with the derivative of the exact solution: of the refined one, which two
Newton steps from SciPy's give. That it exists and is regular is checked in floats and not enclosed.
What the solver leaves open, it allows where that is little beside what is claimed; otherwise a
claim that is right but for the tolerance is INACCURATE, and says by how much.

>>> import verify
>>> verify.gradient(root, claimed=lambda a: 1 / (3 * root(a) ** 2 + 1), at=[2.0]).verdict.value
'CORRECT'
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import optimize

from symtape.errors import Unsupported
from symtape.primitives.primitive import Primitive
from symtape.recording.nested import holds_tensor, join_nested
from symtape.recording.tensor import apply
from symtape.scipy.active import lsq_linear, nnls
from symtape.scipy.captured import call_outside
from symtape.scipy.minimizers import (
    brent,
    fmin,
    fmin_bfgs,
    fmin_cg,
    fmin_ncg,
    fmin_powell,
    fminbound,
    golden,
    leastsq,
)
from symtape.scipy.optima import curve_fit, least_squares, minimize, minimize_scalar
from symtape.scipy.roots import (
    bisect,
    brenth,
    brentq,
    fixed_point,
    fsolve,
    newton,
    ridder,
    root,
    root_scalar,
    toms748,
)
from symtape.scipy.twins import twin

__all__ = [
    "bisect",
    "brent",
    "brenth",
    "brentq",
    "curve_fit",
    "fixed_point",
    "fmin",
    "fmin_bfgs",
    "fmin_cg",
    "fmin_ncg",
    "fmin_powell",
    "fminbound",
    "fsolve",
    "golden",
    "least_squares",
    "leastsq",
    "linear_sum_assignment",
    "linprog",
    "lsq_linear",
    "minimize",
    "minimize_scalar",
    "newton",
    "nnls",
    "ridder",
    "root",
    "root_scalar",
    "toms748",
]


def _enclose_assignment(ball: Any, cost: Any, maximize: bool) -> Any:
    middles = np.asarray(ball.midpoints(np.asarray(cost, dtype=object)), np.float64)
    return optimize.linear_sum_assignment(middles, maximize)


_ASSIGNMENT: Final = Primitive(
    name="linear_sum_assignment",
    inputs="cost",
    evaluate=lambda cost, maximize: tuple(optimize.linear_sum_assignment(cost, maximize)),
    vjp=None,
    ball=_enclose_assignment,
    rounding=(0, 0),
    outputs=2,
)


def linear_sum_assignment(cost_matrix: Any, maximize: bool = False) -> Any:
    """As ``scipy.optimize.linear_sum_assignment``: rows and columns, integers of the path.

    Examples
    --------
    >>> from symtape.scipy.optimize import linear_sum_assignment
    >>> [places.tolist() for places in linear_sum_assignment([[2.0, 1.0], [1.0, 3.0]])]
    [[0, 1], [1, 0]]
    """
    if not holds_tensor(cost_matrix):
        return call_outside(optimize.linear_sum_assignment, cost_matrix, maximize)
    return apply(_ASSIGNMENT, (join_nested(cost_matrix),), {"maximize": bool(maximize)})


def _linprog(given: dict[str, Any]) -> Any:
    if any(holds_tensor(value) for value in given.values()):
        raise Unsupported(
            "linprog: the solution of a linear program is a vertex, by the objective constant and "
            "by the constraints the solution of those that are active; solve these by "
            "numpy.linalg.solve for a derivative"
        )
    return call_outside(optimize.linprog, **given)


linprog = twin(optimize.linprog, _linprog, "of plain arrays only.")
