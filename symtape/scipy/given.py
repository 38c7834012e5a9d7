"""What SciPy's functions are given: as arrays of floats, values of a point, stacks of matrices."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array
from symtape.recording.nested import join_nested
from symtape.recording.tensor import value_of

_WITHOUT_EFFECT: Final = frozenset(
    (
        *("overwrite_a", "overwrite_ab", "overwrite_a_band", "overwrite_b", "overwrite_c"),
        *("overwrite_x", "check_finite", "lwork", "method", "tol", "workers"),
    )
)
"""Arguments of SciPy's functions that say how a result is computed or stored, and not which."""


def as_in(module: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function the signature of its name in a module of SciPy's; it takes a part of that."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        plain = function.__code__.co_argcount

        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            signature, leading = _signature(module, call.__name__)
            if len(args) <= min(leading, plain) and _WITHOUT_EFFECT.isdisjoint(keywords):
                return function(*args, **keywords)  # as most calls are: binding takes long
            given = signature.bind(*args, **keywords).arguments
            return function(**{name: x for name, x in given.items() if name not in _WITHOUT_EFFECT})

        return call

    return decorate


@functools.lru_cache(maxsize=128)  # functions of SciPy
def _signature(module: str, name: str) -> tuple[inspect.Signature, int]:
    """The signature of a function, and how many arguments come before the first without effect."""
    signature = inspect.signature(getattr(importlib.import_module(module), name))
    names = list(signature.parameters)
    return signature, next((k for k, x in enumerate(names) if x in _WITHOUT_EFFECT), len(names))


def floats(x: Any) -> Array:
    """An array or a tensor as it is, if it is of floats; else an array of floats."""
    x = join_nested(x) if isinstance(x, list | tuple) else to_array(x)
    if not hasattr(x, "dtype"):
        return np.asarray(x, dtype=np.float64)
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


def found_by_scipy(name: str, *arrays: Any, **how: Any) -> Any:
    """What a function of ``scipy.linalg`` finds of values, for a decision of the path."""
    import scipy.linalg

    values = (None if x is None else value_of(x) for x in arrays)
    return getattr(scipy.linalg, name)(*values, **how)


def apply_to_stack(function: Callable[[Any], tuple[Any, ...]], a: Any) -> tuple[Any, ...]:
    """Apply `function` of a matrix, which answers several arrays, along the leading axes."""
    if a.ndim < 2:
        raise ValueError(f"an array of shape {a.shape}; expected a matrix, or a stack of them")
    if a.ndim == 2:
        return function(a)
    parts = zip(*(apply_to_stack(function, one) for one in a), strict=True)
    return tuple(np.stack(part) for part in parts)


def conjugate(a: Any) -> Any:
    """The complex conjugate; real arrays as they are, without an operation."""
    return np.conj(a) if np.iscomplexobj(a) else a


def adjoint(a: Any) -> Any:
    """The conjugate transpose of matrices."""
    return conjugate(np.swapaxes(a, -1, -2))


def orientation_factors(found: Any, wanted: Any) -> Any:
    """What turns columns of `found` so that they point as those of `wanted` do: signs or phases."""
    agreement = np.sum(np.conj(value_of(found)) * wanted, axis=-2)
    if agreement.dtype.kind != "c":
        return np.where(agreement < 0, -1, 1).astype(found.dtype)
    size = np.abs(agreement)
    return np.where(size > 0, agreement / np.where(size > 0, size, 1), 1).astype(found.dtype)


def refuse_complex(function: str, a: Any) -> None:
    """Refuse a complex matrix where the formula is that of real ones.

    Raises
    ------
    Unsupported
    """
    if np.iscomplexobj(a):
        raise Unsupported(f"{function} of a complex matrix is not recorded; expected a real one")


def refuse(function: str, **arguments: Any) -> None:
    """Refuse arguments that are not as they are by default.

    Raises
    ------
    Unsupported
        One of them is neither None nor False.
    """
    for name, given in arguments.items():
        if given is not None and given is not False:
            raise Unsupported(f"{function}({name}={given!r}) of a tensor; leave {name} out")
