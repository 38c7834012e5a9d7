"""Functions: those of ``numpy.emath``, which answer with complex numbers where real ones end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, implements


def _complex(x: Array) -> Array:
    return x.astype(np.result_type(x.dtype, np.complex64))


def _where_negative(x: Any) -> Array:
    """As complex numbers, if one of them is real and negative; that is a decision."""
    x = to_array(x)
    beyond = np.equal(np.imag(x), 0) & (np.real(x) < 0)
    return _complex(x) if bool(np.any(beyond)) else x


def _where_large(x: Any) -> Array:
    """As complex numbers, if one of them is real and beyond 1."""
    x = to_array(x)
    beyond = np.equal(np.imag(x), 0) & (np.abs(np.real(x)) > 1)
    return _complex(x) if bool(np.any(beyond)) else x


def _declare(name: str, function: Callable[..., Any], widened: Callable[[Any], Array]) -> None:
    implements(getattr(np.emath, name))(lambda x: function(widened(x)))


for _name in ("sqrt", "log", "log2", "log10"):
    _declare(_name, getattr(np, _name), _where_negative)
for _name in ("arccos", "arcsin", "arctanh"):
    _declare(_name, getattr(np, _name), _where_large)


@implements(np.emath.logn)
def logn(n: Any, x: Any) -> Array:
    """As ``numpy.emath.logn``."""
    found: Array = np.log(_where_negative(x)) / np.log(_where_negative(n))
    return found


@implements(np.emath.power)
def power(x: Any, p: Any) -> Array:
    """As ``numpy.emath.power``."""
    p = to_array(p)
    found: Array = np.power(_where_negative(x), p)
    return found
