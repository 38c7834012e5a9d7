"""Calls with complex numbers inside or for arguments, and what derivatives are compared with."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np

Z = np.array([0.6 + 0.8j, -1.2 + 0.3j, 0.4 - 1.5j])
W = np.array([1.1 - 0.4j, 0.3 + 0.9j, -0.7 - 0.2j])
M = np.array([[1.5 + 0.2j, -0.3 + 1.0j, 0.4j], [0.7, 2.0 - 0.5j, -0.6], [0.1 + 0.1j, 0.9j, 1.8]])

ELEMENTWISE: dict[str, Callable[..., Any]] = {
    **{
        f"add, {name}": f for name, f in {"left": lambda z: z + W, "right": lambda z: W + z}.items()
    },
    "subtract": lambda z: W - z,
    "multiply": lambda z: z * W,
    "a real factor": lambda z: 2.5 * z - 1.5,
    "the imaginary unit": lambda z: 1j * z,
    "divide": lambda z: z / W,
    "divided by": lambda z: W / z,
    "power": lambda z: z**3,
    "power -2": lambda z: z**-2,
    "power 0": lambda z: z**0,
    "power 2": lambda z: z**2,
    "power 0.5": lambda z: z**0.5,
    "complex power": lambda z: z ** (0.5 - 1j),
    "exponent": lambda z: (1.5 + 0.5j) ** z,
    "real base": lambda z: 2.5**z,
    "negative base": lambda z: np.power(-2.5 + 0j, z),
    "both": lambda z: z**z,
    "float_power": lambda z: np.float_power(z, 1.5),
    **{
        name: getattr(np, name)
        for name in (
            *("negative", "positive", "square", "reciprocal", "conj", "conjugate", "real", "imag"),
            *("absolute", "angle", "sign", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
            *("sqrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
            *("arcsinh", "arccosh", "arctanh", "real_if_close", "nan_to_num", "copy", "sinc"),
        )
    },
    "angle in degrees": lambda z: np.angle(z, deg=True),
    "t.real": lambda z: z.real,
    "t.imag": lambda z: z.imag,
    "t.conj()": lambda z: z.conj(),
    "far up": lambda z: np.tan(z + 30j) + np.tanh(30 * z),
    "where": lambda z: np.where(np.real(z) > 0, z * z, np.conj(z)),
    "clip of parts": lambda z: np.clip(z.real, -1, 1) + 1j * np.maximum(z.imag, 0.0),
    "astype": lambda z: (z.astype(np.complex128) * 2).astype(complex),
}
"""Functions of an array ``Z``, element by element."""

WHOLE: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "var": np.var,
    "std": np.std,
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "ptp of sizes": lambda z: np.ptp(np.abs(z)),
    "diff": np.diff,
    "gradient": np.gradient,
    "trapezoid": lambda z: np.trapezoid(z, dx=0.5),
    "average": lambda z: np.average(z, weights=[1.0, 2.0, 0.5]),
    "reshape": lambda z: z.reshape(3, 1) * W,
    "index": lambda z: z[1:] * z[0],
    "indices": lambda z: z[[2, 0, 2]] * W,
    "flip": lambda z: np.flip(z) * W,
    "roll": lambda z: np.roll(z, 1) * z,
    "concatenate": lambda z: np.concatenate([z, np.real(z), W]) ** 2,
    "stack": lambda z: np.stack([z, np.abs(z)]),
    "tile": lambda z: np.tile(z, 2) ** 2,
    "repeat": lambda z: np.repeat(z, 2) ** 2,
    "pad": lambda z: np.pad(z, 1) ** 2,
    "diag": lambda z: np.diag(z) @ M,
    "broadcast": lambda z: np.broadcast_to(z, (2, 3)) * M[:2],
    "linspace": lambda z: np.linspace(z[0], z[1], 4),
    "matmul": lambda z: M @ z,
    "matmul, left": lambda z: z @ M,
    "dot": lambda z: np.dot(z, z),
    "vdot": lambda z: np.vdot(z, W) + np.vdot(W, z) ** 2,
    "vecdot": lambda z: np.vecdot(z, W * z),
    "inner": lambda z: np.inner(M, z),
    "outer": lambda z: np.outer(z, W * z),
    "kron": lambda z: np.kron(z, W),
    "cross": lambda z: np.cross(z, W),
    "tensordot": lambda z: np.tensordot(M, z, 1),
    "einsum": lambda z: np.einsum("ij,j,i->i", M, z, np.conj(z)),
    "trace": lambda z: np.trace(np.outer(z, z)),
    "tril": lambda z: np.tril(np.outer(z, z)),
    "convolve": lambda z: np.convolve(z, W * z),
    "correlate": lambda z: np.correlate(z, W * z, "full"),
    "correlate, same": lambda z: np.correlate(z[:2], W * z, "same"),
    "polyval": lambda z: np.polyval(z, 0.5 + 0.5j),
    "vander": lambda z: np.vander(z),
    "cov": lambda z: np.cov(np.stack([z, W * z * z])),
    "corrcoef": lambda z: np.corrcoef(np.stack([z, W * z * z])),
    "norm": np.linalg.norm,
    "norm 1": lambda z: np.linalg.norm(z, 1),
    "norm 3": lambda z: np.linalg.norm(z, 3),
    "norm inf": lambda z: np.linalg.norm(z, np.inf),
    "norm fro": lambda z: np.linalg.norm(np.outer(z, W) + M, "fro"),
    "solve": lambda z: np.linalg.solve(M, z),
    "solve, matrix": lambda z: np.linalg.solve(M + np.outer(z, z), W),
    "inv": lambda z: np.linalg.inv(M + np.outer(z, W)),
    "det": lambda z: np.linalg.det(M + np.outer(z, W)),
    "det of two": lambda z: np.linalg.det((M + np.outer(z, W))[:2, :2]),
    "det of four": lambda z: np.linalg.det(np.eye(4) + np.pad(M + np.outer(z, W), (0, 1))),
    "a singular det": lambda z: np.linalg.det(np.outer([1, 1j, 2, -1], np.pad(z, (0, 1)))),
    "slogdet": lambda z: np.prod(np.stack(np.linalg.slogdet(M + np.outer(z, W)))),
    "matrix_power": lambda z: np.linalg.matrix_power(M + np.outer(z, W), 3),
    "matrix_power -2": lambda z: np.linalg.matrix_power(M + np.outer(z, W), -2),
    "tensorsolve": lambda z: np.linalg.tensorsolve(M, z),
    "ufunc outer": lambda z: np.multiply.outer(z, W),
    "reduce": lambda z: np.add.reduce(z) * np.multiply.reduce(z),
    "list": lambda z: np.array([z[0], 1j * z[1], 3.0]),
    "written into": lambda z: _written_into(z),
    "complex()": lambda z: np.array([complex(z[0]) ** 2, complex(z[1].real, z[2].imag)]),
    "cmath": lambda z: np.array([cmath.exp(z[0]), cmath.sqrt(z[1]), cmath.log(z[2], 2)]),
    "cmath.polar": lambda z: cmath.polar(z[0])[0] * cmath.polar(z[0])[1],
    "cmath.rect": lambda z: cmath.rect(abs(z[0]), z[1].imag),
    "cmath.phase": lambda z: cmath.phase(z[0]) * cmath.acos(z[1]),
    "np.complex128": lambda z: np.complex128(z[0].real) * z[1],
}
"""Functions of the array ``Z`` as a whole."""

CALLS = ELEMENTWISE | WHOLE


def _written_into(z: Any) -> Any:
    found = np.zeros(4, complex)
    found[0] = z[0]
    found[1:3] = z[1:] * 1j
    found[3] = found[0] * found[1]
    found *= found[2]
    return found


def joined(z: Any) -> Any:
    """Complex numbers as real ones, real parts first."""
    z = np.asarray(z)
    return np.concatenate([np.ravel(z.real), np.ravel(z.imag)])


def split(t: Any) -> Any:
    """The other way round, which is recorded."""
    half = t.size // 2
    return t[:half] + 1j * t[half:]


def parts(x: Any) -> Any:
    """An array as real numbers: its parts, if it is complex."""
    return joined(x) if np.iscomplexobj(x) else np.ravel(x)


def of_parts(t: Any, like: Any) -> Any:
    """The other way round, in the shape of `like`, which is recorded."""
    return np.reshape(split(t) if np.iscomplexobj(like) else t, np.shape(like))


def near(found: Any, expected: Any, rtol: float = 1e-8) -> None:
    """Compare, relative to the largest number if that is larger than 1."""
    np.testing.assert_allclose(found, expected, rtol, rtol * max(1.0, np.max(np.abs(expected))))


def weighted(f: Callable[..., Any]) -> Callable[..., Any]:
    """A real number of all that `f` returns, that is no holomorphic function of it."""

    def number(z: Any) -> Any:
        y = f(z)
        weights = np.reshape(np.cos(np.arange(1.0, 1 + np.size(y))), np.shape(y))
        weights = weights.astype(np.real(y).dtype) if hasattr(y, "dtype") else weights
        return np.sum(weights * (np.real(y) - 0.7 * np.imag(y)) + 0.1 * np.real(y * np.conj(y)))

    return number


def quotients(f: Callable[..., Any], x: Any, step: float = 1e-3) -> Any:
    """The derivative of `f` by real numbers, by central quotients that are extrapolated twice."""
    x = np.asarray(x, float)

    def slope(direction: Any, h: float) -> Any:
        return (np.asarray(f(x + h * direction)) - np.asarray(f(x - h * direction))) / (2 * h)

    columns = []
    for k in range(x.size):
        unit = np.zeros(x.size)
        unit[k] = 1.0
        one, two, four = (slope(unit.reshape(x.shape), step / n) for n in (1, 2, 4))
        first, second = (4 * two - one) / 3, (4 * four - two) / 3
        columns.append((16 * second - first) / 15)
    return np.stack(columns, axis=-1)
