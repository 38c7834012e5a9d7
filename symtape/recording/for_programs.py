"""Recordings that become programs, which look at their values themselves when they run."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, NoReturn

import numpy as np

from symtape.errors import NotTraceable
from symtape.numeric.masked import finite
from symtape.recording.stack import ELSEWHERE, STACK
from symtape.recording.structure import flatten, is_tree, pack
from symtape.recording.tensor import Tensor

FOR_PROGRAM: Final[ContextVar[bool]] = ContextVar("a program is recorded", default=False)
"""Whether what is recorded becomes a program."""

MADE: Final[ContextVar[list[Any] | None]] = ContextVar("sparse arrays made", default=None)
"""Sparse derivatives of a plain run, while somebody asks for them."""


class UnmadeOutput:
    """What a program returns of numbers that it computes, and nothing can compute with meanwhile.

    Parameters
    ----------
    numbers : Tensor or array
    make : callable
        From the value of `numbers` to what is returned.
    """

    __slots__ = ("make", "numbers")

    def __init__(self, numbers: Any, make: Callable[[Any], Any]) -> None:
        self.numbers, self.make = numbers, make

    def _refuse_use(self, *_: Any) -> NoReturn:
        raise NotTraceable(
            "a compiled function computes with a sparse derivative, which it can only return; take "
            "symtape.jacobian or symtape.hessian inside of it, or compile the derivative alone"
        )

    __getattr__ = __getitem__ = __matmul__ = __rmatmul__ = __len__ = __iter__ = _refuse_use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse_use
    __neg__ = __abs__ = __pow__ = _refuse_use
    __array_ufunc__ = None


def is_unfollowed() -> bool:
    """Whether a derivative may be found in any way: nobody follows it, or a program alone does."""
    if not STACK.recorders:
        return not len(ELSEWHERE)
    return FOR_PROGRAM.get() and len(ELSEWHERE) == 1


def replace_by_values(x: Any) -> Any:
    """`x` with the values of tensors in their places."""
    leaves = [leaf._value if isinstance(leaf, Tensor) else leaf for leaf in flatten(x)]
    return pack(x, iter(leaves)) if is_tree(x) else leaves[0]


def are_finite(found: dict[int, Any]) -> bool:
    """Whether every cotangent is finite: to a program a decision, asked again when it runs."""
    if not FOR_PROGRAM.get():
        return finite(found)
    return all(_is_finite(getattr(g, "value", g)) for g in found.values())


def _is_finite(g: Any) -> bool:
    if isinstance(g, Tensor) and STACK.traces(g):
        return bool(np.all(np.isfinite(g)))
    return finite({0: g})
