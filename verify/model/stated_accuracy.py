"""A claim that states its own accuracy, and is held to exactly that."""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

from verify.errors import UsageError


@dataclass(frozen=True, slots=True)
class StatedAccuracy:
    """How far from the exact derivative each entry of a claim is said to be at most.

    Attributes
    ----------
    rtol : float
        Relative to the exact entry.
    atol : float
        Absolute, beside that.

    Examples
    --------
    >>> print(StatedAccuracy(1e-12, 0.0), "/", StatedAccuracy(1e-9, 1e-15))
    rtol=1e-12 / rtol=1e-09, atol=1e-15
    """

    rtol: float
    atol: float

    def allows(self, error: Any, least: Any) -> bool:
        """Whether it allows so large an error of what is at least so large; Arb numbers."""
        return bool(error <= self.atol + self.rtol * least)

    def __str__(self) -> str:
        given = {"rtol": self.rtol, "atol": self.atol}
        return ", ".join(f"{name}={value!r}" for name, value in given.items() if value)


class Approximation:
    """A derivative that is claimed to an accuracy; called as the derivative itself.

    Attributes
    ----------
    derivative : callable
    accuracy : StatedAccuracy
    """

    def __init__(self, derivative: Callable[..., Any], accuracy: StatedAccuracy) -> None:
        self.derivative = derivative
        self.accuracy = accuracy
        functools.update_wrapper(self, derivative, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the derivative returns."""
        return self.derivative(*args, **kwargs)

    def __repr__(self) -> str:
        return f"approximately({self.derivative!r}, {self.accuracy})"


@overload
def approximately(
    claimed: Callable[..., Any], *, rtol: float = 0.0, atol: float = 0.0
) -> Approximation: ...


@overload
def approximately(
    claimed: None = None, *, rtol: float = 0.0, atol: float = 0.0
) -> Callable[[Callable[..., Any]], Approximation]: ...


def approximately(
    claimed: Callable[..., Any] | None = None, *, rtol: float = 0.0, atol: float = 0.0
) -> Any:
    """State how accurate a claimed derivative is, where it is not meant to be exact.

    A series, a rational fit, an epsilon under a root, an iteration that stops at a tolerance: such
    a derivative is right as an approximation. Every call that takes a claim also takes one with
    its accuracy. The claim then has to meet exactly this and nothing else:

        ``abs(claim - exact) <= atol + rtol * abs(exact)``,

    entry by entry, against the enclosure of the exact derivative. Its formula and its rounding are
    not judged. The float nearest to the exact entry is always right.

    Parameters
    ----------
    claimed : callable, optional
        The derivative. Without it a decorator is returned.
    rtol : float
        Largest relative error, of each entry.
    atol : float
        Largest absolute error beside that: what entries that are, or come near, 0 may be off by.

    Returns
    -------
    Approximation
        To be called as `claimed` itself.

    Raises
    ------
    UsageError
        A tolerance that is no finite number from 0, or none that is larger.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def slope(x):
    ...     return x / np.sqrt(x**2 + 1e-12)
    >>> verify.gradient(np.abs, slope, at=[0.5]).verdict
    <Verdict.WRONG: 'WRONG'>
    >>> stated = verify.approximately(slope, rtol=1e-11)
    >>> r = verify.gradient(np.abs, stated, at=[0.5])
    >>> print(r.verdict.value, "-", r.evidence)
    CORRECT - certified at 1 point to 2⁻³⁰⁰, within rtol=1e-11

    As a decorator:

    >>> @verify.approximately(rtol=1e-6)
    ... def rough(x):
    ...     return 1 - x**2 / 2
    >>> verify.gradient(np.sin, rough, over=[-0.03, 0.03]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    accuracy = StatedAccuracy(_tolerance("rtol", rtol), _tolerance("atol", atol))
    if not (accuracy.rtol or accuracy.atol):
        raise UsageError(
            "rtol=0 and atol=0; expected one of them above 0, as in verify.approximately(g, "
            "rtol=1e-9); a claim that is exact but for rounding is given as it is"
        )
    if claimed is None:
        return lambda derivative: approximately(derivative, rtol=rtol, atol=atol)
    if not callable(claimed):
        raise UsageError(
            f"claimed={claimed!r}; expected a function of the point, called as f(x), as in "
            "verify.approximately(g, rtol=1e-9)"
        )
    derivative = claimed.derivative if isinstance(claimed, Approximation) else claimed
    return Approximation(derivative, accuracy)


def _tolerance(name: str, value: Any) -> float:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or value < 0:
        raise UsageError(f"{name}={value!r}; expected a finite number from 0, as in {name}=1e-9")
    return float(value)
