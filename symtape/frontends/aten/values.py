"""From torch's tensors to NumPy's arrays and back."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import Unreadable
from symtape.process.extras import load

torch: Final[Any] = load("torch", "symtape.from_torch")

STRIDED: Final = torch.strided
"""The layout of a tensor that lies in memory like an array."""

_DTYPES: Final = {
    getattr(torch, name): np.dtype(name)
    for name in (
        *("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"),
        *("complex64", "complex128"),
    )
}


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """NumPy's name of a dtype.

    Raises
    ------
    Unreadable
        NumPy has none, as of bfloat16.
    """
    try:
        return _DTYPES[dtype]
    except KeyError:
        raise Unreadable(
            f"a tensor of {dtype}, which NumPy has no format for; compute in torch.float64 or "
            "torch.float32"
        ) from None


def dtype_of(tensor: Any) -> np.dtype[Any]:
    """NumPy's name of the dtype of `tensor`."""
    return numpy_dtype(tensor.dtype)


def to_torch(x: Any) -> Any:
    """A tensor of the same numbers and dtype, in memory of its own."""
    return torch.from_numpy(np.array(x))


def to_constant(tensor: Any) -> Any:
    """The numbers of a tensor that depends on no input, as an array that shares its memory."""
    if tensor.layout is not STRIDED:
        raise Unreadable(
            f"a tensor of layout {tensor.layout}; only dense tensors are read, use x.to_dense()"
        )
    if tensor.device.type != "cpu":
        raise Unreadable(
            f"a tensor on the device {tensor.device}; only those of the CPU are read, use x.cpu()"
        )
    if tensor._is_zerotensor():
        return np.zeros(tuple(tensor.shape), dtype_of(tensor))
    dtype_of(tensor)
    if tensor.is_neg() or tensor.is_conj():
        tensor = tensor.resolve_neg().resolve_conj()
    return tensor.detach().numpy()


def to_array(tensor: Any) -> Any:
    """The numbers of an answer, whatever its device and layout, as an array or a NumPy scalar.

    Raises
    ------
    TypeError
        It holds no numbers, or numbers that NumPy has no format for.
    """
    if tensor.device.type == "meta":
        raise TypeError("the answer is a tensor on the meta device, which holds no numbers")
    if tensor.layout is not STRIDED:
        tensor = tensor.to_dense()
    return to_constant(tensor.cpu())[()]
