"""``symtape.derive``: closed forms of plain NumPy code.

Importing this imports no SymPy; calling it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from symtape.errors import NotTraceable
from symtape.graph.fidelity import departure, opaque, points_around
from symtape.record import flat, readable, record

if TYPE_CHECKING:
    from symtape.budget import Budget
    from symtape.graph.graph import Graph
    from symtape.symbolic.derivation import Derivation

__all__ = ["derive"]


def derive(
    function: Callable[..., Any],
    *args: Any,
    names: Sequence[str] | None = None,
    order: int = 2,
    budget: Budget | None = None,
    escapes: Literal["refuse", "constant"] = "refuse",
    **kwargs: Any,
) -> Derivation:
    """Derive closed forms of a function's value, gradient, Jacobian and Hessian.

    The function is recorded at `args` and each operation read as a formula; the chain rule runs
    on the program of the formulas, so long computations stay small. Where the function decides
    by its arguments (``if``, ``np.where``, ``max``), the forms are those of the way it took at
    `args`, and say so in ``where``.

    Parameters
    ----------
    function : callable
        Plain NumPy code that returns one number or array.
    *args : array_like, or tree
        The point; it fixes the shapes. Of a tree each number and array is an argument, called by
        its path: ``params_w`` is ``params["w"]``.
    names : sequence of str, optional
        What the arguments are called; by default as in the function's signature.
    order : {2, 1, 0}
        How far ``print`` goes. Whatever it is, each derivative is derived when it is asked for.
    budget : Budget, optional
        What each step may cost; none by default.
    escapes : {"refuse", "constant"}
        As in :func:`symtape.record`: what to do where a value leaves for plain Python or a library.
    **kwargs
        Arguments by keyword.

    Returns
    -------
    Derivation
        With ``.value``, ``.gradient``, ``.jacobian``, ``.hessian`` and ``.where``. Each form has
        ``.latex()``, ``.mathml()``, ``.code(language)``, ``.lambdify()`` and a ``str``.

    Raises
    ------
    Escaped
        A value left, as by ``math.sin(x)``, so that the forms would not be those of the function.
    NotTraceable
        The function returns no number or array, or several; or what was recorded is not the
        function, because values left it.
    Unsupported
        It uses an operation without a formula; names it and the line.
    BudgetSpent
        A step cost more than `budget`.
    ValueError
        `names` or `order` cannot be used.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> d = symtape.derive(lambda x, y: np.exp(-x * y) if x > 0 else y, 1.0, 2.0)
    >>> print(d)
    f(x, y) = exp(-x*y)
    <BLANKLINE>
    gradient
      df/dx = -y*exp(-x*y)
      df/dy = -x*exp(-x*y)
    <BLANKLINE>
    hessian
      d2f/dx^2  = y**2*exp(-x*y)
      d2f/dx dy = (x*y - 1)*exp(-x*y)
      d2f/dy^2  = x**2*exp(-x*y)
    <BLANKLINE>
    where x > 0
    """
    from symtape.symbolic.derivation import Derivation
    from symtape.symbolic.naming import argument_names, check_names
    from symtape.symbolic.shadow import shadow

    if order not in (0, 1, 2):
        raise ValueError(f"order={order!r}: expected 0, 1 or 2")
    name = _name(function)
    function, args = flat(function, args, kwargs)
    chosen = argument_names(function, len(args)) if names is None else check_names(names, len(args))
    graph = readable(record(function, *args, escapes=escapes))
    if len(graph.outputs) != 1:
        raise NotTraceable(
            f"the function returned {len(graph.outputs)} values; derive takes one at a time, "
            "so derive a function that returns one of them"
        )
    point = [
        np.asarray(arg, dtype=graph.nodes[at].dtype)
        for at, arg in zip(graph.inputs, args, strict=True)
    ]
    if not graph.escapes:
        _check_fidelity(function, graph, tuple(arg[()] for arg in point))
    made = shadow(graph, point, budget, chosen)
    return Derivation(name, made, order)


def _check_fidelity(function: Callable[..., Any], graph: Graph, point: tuple[Any, ...]) -> None:
    """Refuse a recording that is not the function, of which a closed form would be untrue."""
    from symtape.rigorous.floats import may_return

    if (node := opaque(graph)) is not None:
        raise NotTraceable(
            f"{node.name} at {node.origin} gives an array of dtype {node.dtype}, which has no "
            "formula; compute with arrays of floats"
        )
    with np.errstate(all="ignore"):
        found = departure(function, graph, (point, *points_around(graph, point)), may_return)
    if found is not None:
        raise NotTraceable(str(found))


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "f"
