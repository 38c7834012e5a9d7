"""Programs compiled of what the tape claims, as claims of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import symtape
from symtape.errors import BudgetSpent, SymtapeError
from symtape.primitives.arguments import is_stand_in
from symtape.process.extras import is_installed
from symtape.recording.structure import flatten
from verify.claimants.tape import tape_derivative
from verify.errors import Refused, UsageError
from verify.model.case import Case
from verify.model.foreign import Foreign
from verify.model.quantity import Quantity
from verify.options.backends import BACKENDS


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
    count = len(case.at[0]) if case.at or case.over is None else len(case.over.arguments)
    made = CompiledDerivative(case.function, case.claimed_quantity, count, backend)
    return replace(case, claimed=made)
