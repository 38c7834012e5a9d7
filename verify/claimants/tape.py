"""What symtape claims: its tape's derivative as a function of points, or its compiled program."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import symtape
from symtape.errors import BudgetSpent, SymtapeError
from symtape.primitives.primitive import is_stand_in
from symtape.process.extras import is_installed
from symtape.recording.structure import flatten, pack
from verify.errors import Refused, UsageError
from verify.model.case import Case
from verify.model.foreign import Foreign
from verify.model.quantity import Quantity
from verify.options.keywords import BACKENDS

Function = Callable[..., Any]


def tape_derivative(function: Function, quantity: Quantity, count: int) -> Function:
    """The derivative of `function` as symtape's transforms give it.

    Parameters
    ----------
    function : callable
        Of points, whose directions it does not look at.
    quantity : Quantity
    count : int
        Of the arguments and directions at a point.

    Returns
    -------
    callable
        Of points; returns the parts of the derivative.

    Examples
    --------
    >>> import numpy as np
    >>> product = tape_derivative(lambda x, g: np.sin(x), Quantity("vjp", directions=1), 2)
    >>> product(0.0, 3.0)
    (np.float64(3.0),)
    """
    if quantity.name in _PRODUCTS:
        return _product(function, quantity, count)
    if quantity.name == "hessian":
        return _hessian(function, quantity, count)
    transform = symtape.grad if quantity.name == "gradient" else symtape.jacobian
    return transform(function, argnums=quantity.rows(count))


def _hessian(function: Function, quantity: Quantity, count: int) -> Function:
    moving = quantity.moving(count)
    whole = symtape.hessian(function, argnums=moving)
    if quantity.rows(count) == quantity.columns(count) == moving:
        return whole

    def blocks(*point: Any) -> Any:
        found = whole(*point)
        return tuple(found[moving.index(i)][moving.index(j)] for i, j in quantity.parts(count))

    return blocks


def _product(function: Function, quantity: Quantity, count: int) -> Function:
    """A product, as a function of points that hold its directions behind the arguments."""
    rows, along, multiply = (
        quantity.rows(count),
        quantity.direction_places(count),
        _PRODUCTS[quantity.name],
    )

    def product(*point: Any) -> Any:
        def restricted(*xs: Any) -> Any:
            whole = list(point)
            for at, x in zip(rows, xs, strict=True):
                whole[at] = x
            return function(*whole)

        return multiply(restricted, [point[i] for i in rows], [point[i] for i in along])

    return product


def _pull_back(function: Function, primals: list[Any], cotangents: list[Any]) -> Any:
    value, pull_back = symtape.vjp(function, *primals)
    return pull_back(pack(value, iter(cotangents)))


def _push_forward(function: Function, primals: list[Any], tangents: list[Any]) -> Any:
    found = flatten(symtape.jvp(function, primals, tangents)[1])
    return found[0] if len(found) == 1 else tuple(found)


def _multiply_hessian(function: Function, primals: list[Any], vectors: list[Any]) -> Any:
    return symtape.hvp(function, tuple(range(len(primals))))(*primals, tuple(vectors))


_PRODUCTS: Final = {"vjp": _pull_back, "jvp": _push_forward, "hvp": _multiply_hessian}


@dataclass(frozen=True)
class CompiledDerivative:
    """The derivative that the tape claims, as a program for each shape and path.

    Parameters
    ----------
    function : callable
    quantity : Quantity
    count : int
        Of the arguments and directions at a point.
    backend : str

    Examples
    --------
    >>> import numpy as np
    >>> CompiledDerivative(lambda x: np.sum(x**3), Quantity("gradient"), 1, "numpy")(np.ones(2))
    (array([3., 3.]),)
    """

    function: Callable[..., Any]
    quantity: Quantity
    count: int
    backend: str

    def __post_init__(self) -> None:
        # Who claims, in reports.
        object.__setattr__(self, "__qualname__", f"program of symtape ({self.backend})")

    @functools.cached_property
    def program(self) -> Any:
        """The compiled function."""
        derivative = tape_derivative(self.function, self.quantity, self.count)
        return symtape.jit(derivative, backend=self.backend)

    def __call__(self, *point: Any) -> Any:
        """What its program returns; of tensors, by the operations of that program.

        Raises
        ------
        Refused
            No program can be made of it here; says why.
        """
        try:
            if any(map(is_stand_in, flatten(point))):
                self.program.record_at(*(getattr(x, "_value", x) for x in point))
            return self.program(*point)
        except BudgetSpent:
            raise
        except (SymtapeError, RecursionError) as error:
            raise Refused(f"symtape.compile cannot compile this: {error}") from None


def claimed_by_programs(case: Case, backend: str) -> Case:
    """`case`, claimed by compiled programs where it is the tape that claims.

    Parameters
    ----------
    case : Case
    backend : str
        One of ``BACKENDS``.

    Raises
    ------
    UsageError
        There is no such back end, or it is not installed.
    """
    if backend not in BACKENDS:
        raise UsageError(f"--compiled {backend!r}: expected one of {', '.join(BACKENDS)}")
    if backend in ("fused", "llvm") and not is_installed("llvmlite"):
        raise UsageError(f"--compiled {backend} needs llvmlite: pip install 'symtape[llvm]'")
    if case.claimed is not None or isinstance(case.function, Foreign):
        return case
    made = CompiledDerivative(case.function, case.claimed_quantity, case.count, backend)
    return replace(case, claimed=made)
