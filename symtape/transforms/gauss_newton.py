"""Products with the generalised Gauss-Newton matrix, without the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.recording.misfits import check_function
from symtape.transforms.products import hvp, jvp, vjp


def _half_square(y: Any) -> Any:
    return 0.5 * np.sum(y * y)


def make_ggnvp(
    function: Callable[..., Any],
    loss: Callable[[Any], Any] = _half_square,
    argnums: int = 0,
) -> Callable[..., Callable[[Any], Any]]:
    """Products of a vector with ``J.T @ H @ J``, the generalised Gauss-Newton matrix.

    J is the Jacobian of `function`, H the Hessian of `loss` at its output.

    Parameters
    ----------
    function : callable ``(*args) -> array``
    loss : callable ``(array) -> ()``
        Half the sum of squares by default, so that H is the identity.
    argnums : int
        By which argument of `function`.

    Returns
    -------
    callable ``(*args) -> product``
        Where ``product(v)`` has the shape of the argument, as `v` has.

    Source
    ------
    N. Schraudolph, "Fast curvature matrix-vector products" (2002).

    Examples
    --------
    >>> import numpy as np, symtape
    >>> a = np.array([[1.0, 2.0], [0.0, 1.0]])
    >>> product = symtape.make_ggnvp(lambda x: a @ x)(np.array([3.0, 4.0]))
    >>> product(np.array([1.0, 0.0]))
    array([1., 2.])
    """
    check_function(function)

    def maker(*args: Any) -> Callable[[Any], Any]:
        def call_with_argument(x: Any) -> Any:
            return function(*args[:argnums], x, *args[argnums + 1 :])

        x = args[argnums]
        _, pull_back = vjp(call_with_argument, x)

        def product(v: Any) -> Any:
            y, tangent = jvp(call_with_argument, (x,), (v,))
            return pull_back(hvp(loss)(y, tangent))[0]

        return product

    return maker
