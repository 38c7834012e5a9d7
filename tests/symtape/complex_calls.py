"""Calls with complex numbers inside or for arguments, and what derivatives are compared with."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from scipy import special

Z = np.array([0.6 + 0.8j, -1.2 + 0.3j, 0.4 - 1.5j])
W = np.array([1.1 - 0.4j, 0.3 + 0.9j, -0.7 - 0.2j])
M = np.array([[1.5 + 0.2j, -0.3 + 1.0j, 0.4j], [0.7, 2.0 - 0.5j, -0.6], [0.1 + 0.1j, 0.9j, 1.8]])


def _of_both(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda z: f(z) * f(z.imag)


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
            *("arcsinh", "arccosh", "arctanh", "real_if_close", "copy", "sinc"),
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
    **{
        f"emath.{name}": _of_both(getattr(np.emath, name))
        for name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh")
    },
    "emath.logn": lambda z: np.emath.logn(2, z.real),
    "emath.power": lambda z: np.emath.power(z.real, 1.5) + np.emath.power(z, 2),
    "nan_to_num": np.nan_to_num,
    "isreal": lambda z: np.where(np.isreal(z), 1, z) * np.where(np.iscomplex(z), z, 1),
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


def _matrix(z: Any) -> Any:
    return M + np.outer(z, W)


def _hermitian(z: Any) -> Any:
    return _matrix(z) + np.conj(_matrix(z)).T


def _definite(z: Any) -> Any:
    return _matrix(z) @ np.conj(_matrix(z)).T + np.eye(3)


def _by_vectors(values: Any, vectors: Any) -> Any:
    return (vectors * np.exp(0.1 * values)) @ np.conj(vectors).T


def _by_both(u: Any, s: Any, vh: Any) -> Any:
    return (u * s**0.3) @ vh


FACTORISATIONS: dict[str, Callable[..., Any]] = {
    "expm": lambda z: scipy.linalg.expm(_matrix(z)),
    "cholesky": lambda z: np.linalg.cholesky(_definite(z)),
    "cholesky, upper": lambda z: np.linalg.cholesky(_definite(z), upper=True),
    "cholesky of a triangle": lambda z: np.linalg.cholesky(np.tril(_definite(z)) + 1j * np.eye(3)),
    "eigvalsh": lambda z: np.linalg.eigvalsh(_hermitian(z)),
    "eigvalsh of a triangle": lambda z: np.linalg.eigvalsh(_matrix(z)),
    "eigvalsh of the upper": lambda z: np.linalg.eigvalsh(_matrix(z), UPLO="U"),
    "eigh": lambda z: _by_vectors(*np.linalg.eigh(_hermitian(z))),
    "eigh of a triangle": lambda z: _by_vectors(*np.linalg.eigh(_matrix(z), UPLO="U")),
    "sizes of eigenvectors": lambda z: np.abs(np.linalg.eigh(_hermitian(z)).eigenvectors),
    "svdvals": lambda z: np.linalg.svd(_matrix(z), compute_uv=False),
    "svdvals of a tall matrix": lambda z: np.linalg.svd(_matrix(z)[:, :2], compute_uv=False),
    "svd": lambda z: _by_both(*np.linalg.svd(_matrix(z))),
    "svd of a tall matrix": lambda z: _by_both(*np.linalg.svd(_matrix(z)[:, :2], False)),
    "svd of a wide matrix": lambda z: _by_both(*np.linalg.svd(_matrix(z)[:2], False)),
    "sizes of singular vectors": lambda z: np.abs(np.linalg.svd(_matrix(z)).U),
    "qr": lambda z: np.concatenate(np.linalg.qr(_matrix(z))),
    "qr of a tall matrix": lambda z: np.concatenate(np.linalg.qr(_matrix(z)[:, :2])),
    "r of qr": lambda z: np.linalg.qr(_matrix(z), mode="r"),
    "pinv": lambda z: np.linalg.pinv(_matrix(z)),
    "pinv of a tall matrix": lambda z: np.linalg.pinv(_matrix(z)[:, :2]),
    "pinv of a wide matrix": lambda z: np.linalg.pinv(_matrix(z)[:2]),
    "pinv, hermitian": lambda z: np.linalg.pinv(_hermitian(z), hermitian=True),
    "svdvals, hermitian": lambda z: np.linalg.svd(_hermitian(z), compute_uv=False, hermitian=True),
    "lstsq": lambda z: np.linalg.lstsq(_matrix(z)[:, :2], z * W, None)[0],
    "residuals of lstsq": lambda z: np.linalg.lstsq(_matrix(z)[:, :2], z * W, None)[1],
    "cond": lambda z: np.linalg.cond(_matrix(z)),
    "norm 2": lambda z: np.linalg.norm(_matrix(z), 2),
    "norm nuc": lambda z: np.linalg.norm(_matrix(z), "nuc"),
    "eigvals": lambda z: np.linalg.eigvals(_matrix(z)),
    "eig": lambda z: np.linalg.eig(_matrix(z)).eigenvalues ** 2,
    "eigenvectors": lambda z: np.linalg.eig(_matrix(z)).eigenvectors,
    "eigenvalues of a real matrix": lambda z: np.linalg.eigvals(np.real(_matrix(z))),
    "eigenvectors of a real matrix": lambda z: np.linalg.eig(np.real(_matrix(z))).eigenvectors,
    "eigenvectors of a turning matrix": lambda z: (
        np.linalg.eig(
            np.array([[z[0].real, -2.0, 0.1], [1.0, z[1].imag, 0.3], [0.2, -0.1, 3.0]])
        ).eigenvectors
    ),
    "roots": lambda z: np.roots(np.concatenate([z, W])),
    "roots of real coefficients": lambda z: np.roots(np.concatenate([z.real, z.imag])),
}
"""Of matrices that depend on the array ``Z``."""

ORDERED: dict[str, Callable[..., Any]] = {
    "max": lambda z: np.max(z**2),
    "min": lambda z: np.min(np.outer(z, W), axis=1),
    "sort": lambda z: np.sort(z * W) * W,
    "sort_complex": lambda z: np.sort_complex(z) * W,
    "sorted real numbers": lambda z: np.sort_complex(z.real) * W,
    "maximum": lambda z: np.maximum(z, W),
    "minimum": lambda z: np.minimum(z, W),
    "fmax": lambda z: np.fmax(z, W),
    "fmin": lambda z: np.fmin(z, W),
    "clip": lambda z: np.clip(z, -0.9 + 0j, 0.5 + 0j),
    "accumulated maxima": lambda z: np.maximum.accumulate(z),
    "nanmax": lambda z: np.nanmax(z),
}
"""What goes by NumPy's order of complex numbers: by real parts, and then by imaginary ones."""

SPECIAL: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(special, name)
        for name in (
            *("erf", "erfc", "erfcx", "erfi", "ndtr", "log_ndtr", "dawsn", "wofz", "exp1", "expi"),
        )
    },
    "wofz of real numbers": lambda z: special.wofz(z.real),
    **{
        f"{f.__name__}, {place}": lambda z, f=f, place=place: f(z)[place]
        for f, count in (
            (special.airy, 4),
            (special.fresnel, 2),
            (special.shichi, 2),
            (special.sici, 2),
        )
        for place in range(count)
    },
}
"""Functions of an array ``Z`` which SciPy knows in the complex plane."""

CALLS = ELEMENTWISE | WHOLE | FACTORISATIONS | ORDERED | SPECIAL


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
