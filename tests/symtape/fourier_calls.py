"""Transforms of NumPy's and SciPy's names, by the function that takes a module."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

VECTOR = np.array([0.5, -1.25, 2.0, 0.75, -0.3])
COMPLEX = VECTOR + 1j * np.array([1.0, 0.3, -0.7, 0.2, 0.9])
ARRAY = np.array([[0.5, -1.25, 2.0, 0.1], [0.75, -0.3, 1.5, -2.2], [0.4, 1.9, -0.6, 1.2]])
MATRIX = ARRAY + 1j * np.array(
    [[0.3, 0.9, -1.1, 0.7], [1.3, -0.4, 0.2, 0.6], [-0.8, 0.5, 1.6, 2.1]]
)

Call = tuple[Callable[[Any], Callable[[Any], Any]], Any]

ALONG: dict[str, tuple[str, Any]] = {
    "fft": ("fft", COMPLEX),
    "fft of real numbers": ("fft", VECTOR),
    "ifft": ("ifft", COMPLEX),
    "rfft": ("rfft", VECTOR),
    "rfft of an even number": ("rfft", VECTOR[:4]),
    "irfft": ("irfft", COMPLEX),
    "hfft": ("hfft", COMPLEX),
    "ihfft": ("ihfft", VECTOR),
}
HOW: dict[str, dict[str, Any]] = {
    "": {},
    "cut": {"n": 3},
    "cut, even": {"n": 4},
    "filled": {"n": 7},
    "filled, even": {"n": 10},
    "one point": {"n": 1},
    "ortho": {"norm": "ortho"},
    "forward": {"norm": "forward"},
    "backward": {"norm": "backward"},
}
OVER: dict[str, dict[str, Any]] = {
    "": {},
    "s": {"s": (2, 5), "axes": (0, 1)},
    "axes": {"axes": (1, 0)},
    "one axis": {"axes": (0,)},
    "ortho": {"norm": "ortho"},
    "forward": {"norm": "forward", "s": (4, 3), "axes": (0, 1)},
}


def call(name: str, **how: Any) -> Callable[[Any], Callable[[Any], Any]]:
    """The function `name` of a module, told `how`."""
    return lambda module: lambda x: getattr(module, name)(x, **how)


CALLS: dict[str, Call] = {
    **{
        f"{title} {told}".strip(): (call(name, **how), x)
        for (title, (name, x)), (told, how) in itertools.product(ALONG.items(), HOW.items())
    },
    **{
        f"{name} along axis 0": (call(name, axis=0), x)
        for name, x in {
            **dict.fromkeys(("fft", "ifft", "irfft", "hfft"), MATRIX),
            **dict.fromkeys(("rfft", "ihfft"), ARRAY),
        }.items()
    },
    **{
        f"{name} {told}".strip(): (call(name, **how), x)
        for (name, x), (told, how) in itertools.product(
            {
                **dict.fromkeys(("fft2", "ifft2", "fftn", "ifftn", "irfft2", "irfftn"), MATRIX),
                **dict.fromkeys(("rfft2", "rfftn"), ARRAY),
            }.items(),
            OVER.items(),
        )
    },
    "fftshift": (call("fftshift"), MATRIX),
    "fftshift along 1": (call("fftshift", axes=1), ARRAY),
    "ifftshift": (call("ifftshift"), COMPLEX),
    "ifftshift along both": (call("ifftshift", axes=(0, 1)), MATRIX),
}
"""What NumPy and SciPy have alike."""

TRIGONOMETRIC: dict[str, Call] = {
    **{
        f"{name} of type {kind} {told}".strip(): (call(name, type=kind, **how), VECTOR)
        for name, kind, (told, how) in itertools.product(
            ("dct", "idct", "dst", "idst"),
            (1, 2, 3, 4),
            {
                "": {},
                "cut": {"n": 3},
                "filled": {"n": 8},
                "ortho": {"norm": "ortho"},
                "ortho alone": {"norm": "ortho", "orthogonalize": False},
                "orthogonal ends": {"norm": "forward", "orthogonalize": True},
            }.items(),
        )
    },
    **{
        f"{name} of type {kind} {told}".strip(): (call(name, type=kind, **how), ARRAY)
        for name, kind, (told, how) in itertools.product(
            ("dctn", "idctn", "dstn", "idstn"),
            (1, 2, 3, 4),
            {"": {}, "axis 0": {"axes": (0,)}, "ortho": {"norm": "ortho", "s": (4, 3)}}.items(),
        )
    },
    **{f"{name} of complex numbers": (call(name), COMPLEX) for name in ("dct", "idst")},
    **{f"{name} along axis 0": (call(name, axis=0), ARRAY) for name in ("dct", "dst")},
    **{
        f"{name} {told}".strip(): (call(name, **how), ARRAY if name.startswith("i") else MATRIX)
        for name, (told, how) in itertools.product(
            ("hfft2", "ihfft2", "hfftn", "ihfftn"), OVER.items()
        )
    },
}
"""What SciPy has alone."""
