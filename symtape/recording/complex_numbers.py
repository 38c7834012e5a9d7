"""Derivatives by complex numbers: what a user is told, of what the sweep carries.

The sweep transposes: the cotangent of z is the number c for which a change dz changes the target by
the real part of ``c dz``, so that of a holomorphic function it is the derivative. The direction of
steepest ascent is the conjugate of that.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypedDict

import numpy as np

from symtape.errors import NotOnTape
from symtape.recording.tensor import Tensor

Convention = Literal["conjugate", "transpose"]
"""Whether gradients by complex numbers are conjugated, so that they point uphill, or not."""


class Complex(TypedDict, total=False):
    """What transforms may be told of complex numbers."""

    holomorphic: bool
    convention: Convention


CONJUGATE: Final[Convention] = "conjugate"
TRANSPOSE: Final[Convention] = "transpose"

CONVENTIONS: Final = (CONJUGATE, TRANSPOSE)

_PARTS: Final = (
    "differentiate np.real and np.imag of it, or take symtape.jvp, the derivative in a direction"
)


def check_convention(convention: Any) -> None:
    """Refuse what is none.

    Raises
    ------
    ValueError
        It is neither ``"conjugate"`` nor ``"transpose"``.
    """
    if convention not in CONVENTIONS:
        raise ValueError(
            f"convention={convention!r}; expected 'conjugate', by which gradients point uphill as "
            "in PyTorch and TensorFlow, or 'transpose', as in JAX"
        )


def is_complex(x: Any) -> bool:
    """Whether an array or a tensor is of complex numbers."""
    return x.dtype.kind == "c" if hasattr(x, "dtype") else np.iscomplexobj(x)


def conjugate_cotangent(x: Any, convention: Convention = CONJUGATE) -> Any:
    """A cotangent of the sweep as a gradient by `convention`, or the other way round."""
    return np.conj(x) if convention == CONJUGATE and is_complex(x) else x


def opposite_convention(convention: Convention) -> Convention:
    """The convention that differs by a conjugation."""
    return TRANSPOSE if convention == CONJUGATE else CONJUGATE


def check_holomorphic(target: Tensor, sources: list[Tensor]) -> None:
    """Refuse to call a function holomorphic that takes or returns real numbers.

    Raises
    ------
    NotOnTape
        Its target, or one of its sources, is real.
    """
    for role, tensor in (("result", target), *(("argument", source) for source in sources)):
        if not is_complex(tensor):
            raise NotOnTape(
                f"holomorphic=True, but the function has a real {role}, of {tensor.dtype}; a "
                "holomorphic function is one of complex numbers, with complex results; convert "
                "with x.astype(complex), or leave holomorphic=True out"
            )


def refuse_complex_target(target: Tensor, by_complex: bool) -> None:
    """Refuse a gradient of what is no real number.

    Raises
    ------
    NotOnTape
        Always.
    """
    by = " by complex numbers" if by_complex else ""
    raise NotOnTape(
        f"a result of dtype {target.dtype} has no gradient{by}: it changes by a real and an "
        f"imaginary part; {_PARTS}; if the function is holomorphic, pass holomorphic=True"
    )


def derivative_of(straight: Any, turned: Any) -> Any:
    """The derivative of a holomorphic function, from its cotangents for 1 and for the unit 1j.

    Raises
    ------
    NotOnTape
        The second is not 1j times the first: the function is not holomorphic.
    """
    first, second = (np.asarray(_value(x)) for x in (straight, turned))
    if first.size and np.all(np.isfinite(first)) and np.all(np.isfinite(second)):
        error = np.max(np.abs(second - first * 1j))
        scale = max(np.max(np.abs(first)), np.max(np.abs(second)))
        if error > np.sqrt(np.finfo(first.dtype).eps) * scale:
            raise NotOnTape(
                "holomorphic=True, but the function is not holomorphic at this point: it violates "
                f"the Cauchy-Riemann equations by {error:.3g}, where its derivative is of size "
                f"{scale:.3g}; {_PARTS}"
            )
    return straight


def _value(x: Any) -> Any:
    while isinstance(x, Tensor):
        x = x._value
    return x
