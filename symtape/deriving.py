"""``symtape.derive``: closed forms of plain NumPy code.

Importing this imports no SymPy; calling it does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from symtape.errors import NotTraceable, Unsupported
from symtape.reading.faithful import check_faithful
from symtape.reading.record import flat, readable, record

if TYPE_CHECKING:
    from symtape.graph.graph import Graph
    from symtape.process.budget import Budget
    from symtape.programs.notation.derivation import ArrayDerivation
    from symtape.symbolic.derivation import Derivation


Notation: TypeAlias = Literal["array", "entries"]
_NOTATIONS: Final = ("array", "entries")


def derive(
    function: Callable[..., Any],
    *args: Any,
    names: Sequence[str] | None = None,
    order: int = 2,
    budget: Budget | None = None,
    escapes: Literal["refuse", "constant"] = "refuse",
    notation: Notation | None = None,
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
        The highest derivative that ``print`` shows. Each is derived when it is first used.
    budget : Budget, optional
        What each step may cost; none by default.
    escapes : {"refuse", "constant"}
        As in :func:`symtape.record`: what to do where a value leaves for plain Python or a library.
    notation : {"array", "entries"}, optional
        How forms are printed: ``2*A.T @ (A @ x - b)``, or entry by entry. By default in array
        notation where value and first derivative have a readable form there, entry by entry where
        not; with ``"array"`` each form that has one. What is printed in array notation was compared
        with the formulas of the entries, and says with which ``evidence``.
    **kwargs
        Arguments by keyword.

    Returns
    -------
    Derivation
        With ``.value``, ``.gradient``, ``.jacobian``, ``.hessian`` and ``.where``. Each form has
        ``.latex()``, ``.mathml()``, ``.code(language)``, ``.lambdify()`` and a ``str``;
        ``.code`` of the derivation itself is a whole function in array form.

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
        `names`, `order` or `notation` cannot be used.

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
    from symtape.programs.emitted.source import source
    from symtape.symbolic.naming import argument_names, check_names

    if order not in (0, 1, 2):
        raise ValueError(f"order={order!r}: expected 0, 1 or 2")
    if notation not in (None, *_NOTATIONS):
        raise ValueError(f"notation={notation!r}: expected one of {', '.join(_NOTATIONS)}")
    name, given = _name(function), function
    function, args = flat(function, args, kwargs)
    chosen = argument_names(function, len(args)) if names is None else check_names(names, len(args))
    graph = readable(record(function, *args, escapes=escapes))
    if len(graph.outputs) != 1:
        raise NotTraceable(
            f"the function returned {len(graph.outputs)} values; derive takes one at a time, "
            "so derive a function that returns one of them"
        )
    point = graph.cast(args)
    if not graph.escapes:
        check_faithful(function, graph, tuple(arg[()] for arg in point))
    emit = functools.partial(source, function, args, chosen, name)
    return _Made(name, given, graph, point, chosen, order, emit).derivation(notation, budget)


@dataclass(frozen=True)
class _Made:
    """A recording of which forms are derived."""

    name: str
    function: Callable[..., Any]
    graph: Graph
    point: list[Any]
    names: list[str]
    order: int
    emit: Callable[..., str]

    def derivation(self, notation: Notation | None, budget: Budget | None) -> Derivation:
        """Its forms, in array notation alone where its elements have no formulas."""
        from symtape.symbolic.derivation import Derivation
        from symtape.symbolic.walk import shadow

        try:
            made = shadow(self.graph, self.point, budget, self.names)
        except Unsupported as error:
            if notation == "entries" or self.graph.path:
                raise
            return self._derive_without_entries(error)
        if notation == "entries" or not any(x.shape for x in self.point):
            return Derivation(self.name, made, self.order, self.emit)
        return self._make_array_derivation(made, notation)

    def _make_array_derivation(self, made: Any, notation: Notation | None) -> ArrayDerivation:
        from symtape.programs.notation.derivation import ArrayDerivation
        from symtape.programs.notation.forms import ArrayForms

        forms = ArrayForms(self.function, self.graph, self.names, self.point)
        return ArrayDerivation(self.name, made, self.order, self.emit, forms, notation)

    def _derive_without_entries(self, error: Unsupported) -> Derivation:
        from symtape.programs.notation.derivation import Missing

        made = self._make_array_derivation(Missing(error, self.graph, self.names), "array")
        if made.write("value") is None:
            raise error
        return made


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "f"
