"""``float``, ``complex`` and ``type`` as they keep tensors."""

from __future__ import annotations

from typing import Any, Final

from symtape.reading.scalars import to_complex, to_float
from symtape.recording.in_place import lift_tensors, lower_buffers
from symtape.recording.tensor import Tensor


def _float(*args: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], Tensor):
        return lift_tensors(to_float(lower_buffers(args[0])))
    return float(*args)


def _complex(*args: Any) -> Any:
    if not any(isinstance(x, Tensor) for x in args):
        return complex(*args)
    real, *rest = [lower_buffers(x) for x in args]
    found = to_complex(real) if isinstance(real, Tensor) else real
    for imaginary in rest:
        found = found + (to_complex(imaginary) if isinstance(imaginary, Tensor) else imaginary) * 1j
    return lift_tensors(found)


def _type(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].__class__
    return type(*args, **keywords)


CONVERSIONS: Final = {float: _float, complex: _complex, type: _type}
