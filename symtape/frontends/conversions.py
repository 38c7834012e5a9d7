"""``float``, ``type``, ``array.dot`` and their like, as they keep tensors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.frontends.arrays import MAKERS
from symtape.frontends.lists import takes_lists
from symtape.frontends.scalars import as_complex, as_float
from symtape.mode import is_recorded
from symtape.recording.in_place import holds_tensor, joined, lifted, lowered
from symtape.recording.tensor import Tensor


def _float(*args: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], Tensor) and is_recorded():
        return lifted(as_float(lowered(args[0])))
    return float(*args)


def _complex(*args: Any) -> Any:
    if not any(isinstance(x, Tensor) for x in args) or not is_recorded():
        return complex(*args)
    real, *rest = [lowered(x) for x in args]
    found = as_complex(real) if isinstance(real, Tensor) else real
    for imaginary in rest:
        found = found + (as_complex(imaginary) if isinstance(imaginary, Tensor) else imaginary) * 1j
    return lifted(found)


def _type(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], Tensor) and is_recorded():
        return args[0].__class__
    return type(*args, **keywords)


def _dot(of: Any, *args: Any, **keywords: Any) -> Any:
    """``of.dot(...)``, where compiled code would ask a tensor for an array."""
    if of is np:
        return takes_lists(np.dot)(*args, **keywords)
    if type(of) is np.ndarray and holds_tensor(args) and is_recorded():
        return np.dot(of, *map(joined, args[:1]), *args[1:], **keywords)
    return of.dot(*args, **keywords)


def _as_array(of: Any, *args: Any, **keywords: Any) -> Any:
    """``of.__array__()``, as a line of code calls it."""
    if isinstance(of, Tensor) and is_recorded():
        return MAKERS["asarray"](of, *args, **keywords)
    return of.__array__(*args, **keywords)


KEPT: Final = {"float": _float, "complex": _complex, "type": _type}
KEPT_METHODS: Final = {"dot": _dot, "__array__": _as_array}
