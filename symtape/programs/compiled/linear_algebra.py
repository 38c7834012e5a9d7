"""Where the functions of BLAS and LAPACK are: in the library that NumPy calls, for the same bits.

Where that has them by no name that is known, they are those that SciPy brings.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from typing import Any, Final, NamedTuple

from symtape.programs.compiled.addresses import address_in

_NAMES: Final = (("scipy_{}_64_", 64), ("{}_64_", 64), ("scipy_{}_", 32), ("{}_", 32))
"""How builds of NumPy call a function, and the bits of its whole numbers."""


class LibraryFunction(NamedTuple):
    """A function of Fortran's.

    Attributes
    ----------
    address : int
    bits : int
        Of its whole numbers.
    """

    address: int
    bits: int


@functools.cache  # a few names
def find_function(name: str) -> LibraryFunction:
    """Where a function is, such as ``"dgemm"`` or ``"dgetrf"``.

    Raises
    ------
    KeyError
        There is none of that name.
    """
    numpys = ctypes.CDLL(importlib.import_module("numpy.linalg._umath_linalg").__file__)
    for spelling, bits in _NAMES:
        found: Any = getattr(numpys, spelling.format(name), None)
        address = ctypes.cast(found, ctypes.c_void_p).value if found else None
        if address:
            return LibraryFunction(address, bits)
    # SciPy's package takes a tenth of a second to import.
    capsules: dict[str, Any] = {}
    for module in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        capsules |= importlib.import_module(module).__pyx_capi__
    return LibraryFunction(address_in(capsules[name]), 32)
