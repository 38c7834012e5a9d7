"""The spellings of torch, beside those of :mod:`tests.symtape.frontends.spellings`.

``TORCH[row]`` is an expression in ``x``, ``y`` and ``z``, tensors of the shared inputs of the row,
or the reason why torch has no call that is the same function in exact arithmetic.
"""

from __future__ import annotations

from tests.symtape.frontends.spellings import SPELLINGS, Absent, Spelling

__all__ = ["TORCH"]

_SAME = (
    *("absolute", "add", "all", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan"),
    *("arctan2", "arctanh", "argmax", "argmin", "argsort", "ceil", "cos", "cosh", "cross"),
    *("erf", "erfc", "erfinv", "exp", "exp2", "expm1", "flip", "floor"),
    *("float_power", "floor_divide", "fmax", "fmin", "fmod", "greater", "greater_equal"),
    *("heaviside", "hypot", "i0", "isfinite", "isinf", "isnan", "less", "less_equal", "log"),
    *(
        "log10",
        "log1p",
        "log2",
        "logaddexp",
        "logaddexp2",
        "logit",
        "max",
        "maximum",
        "mean",
        "min",
        "minimum",
    ),
    *("multiply", "negative", "not_equal", "outer", "positive", "prod", "deg2rad", "rad2deg"),
    *("reciprocal", "remainder", "rint", "sign", "signbit", "sin", "sinc", "sinh", "sqrt"),
    *("square", "subtract", "sum", "tan", "tanh", "tril", "triu", "trunc", "copysign"),
    *("xlogy", "count_nonzero", "divide", "matmul", "expit"),
)
"""Rows that torch calls by a name of NumPy's."""

_NAMES = {"rint": "round", "power": "pow", "cross": "linalg.cross", "expit": "sigmoid"}
"""Where the name is another."""

_BINARY = frozenset(
    (
        *("add", "arctan2", "cross", "copysign", "divide", "float_power", "fmax", "fmin"),
        *("floor_divide", "fmod", "greater", "greater_equal", "heaviside", "hypot", "less"),
        *("less_equal", "logaddexp", "logaddexp2", "matmul", "maximum", "minimum", "multiply"),
        *("not_equal", "outer", "remainder", "subtract", "xlogy"),
    )
)

TORCH: dict[str, str | Absent] = {
    **{row: f"torch.{_NAMES.get(row, row)}({'x, y' if row in _BINARY else 'x'})" for row in _SAME},
    "all": "torch.all(x > -9)",
    "any": "torch.any(x > 1)",
    "argwhere": "torch.argwhere(x > 0)",
    "argpartition": Absent("torch has no argpartition; its topk is read as a sort"),
    "astype": "x.to(torch.float32)",
    "astype_discrete": "(x * 2).to(torch.int64)",
    "beta": Absent("torch has no beta; the exponential of betaln is spelled with three lgammas"),
    "betainc": Absent("torch.special has no betainc"),
    "betaln": "torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)",
    "binom": Absent("torch has no binom"),
    "bitwise_and": "(x > 0) & (y > 0)",
    "bitwise_or": "(x > 0) | (y > 0)",
    "bitwise_xor": "(x > 0) ^ (y > 0)",
    "boxcox": "(x**y - 1) / y",
    "boxcox1p": "torch.expm1(y * torch.log1p(x)) / y",
    "broadcast_to": "torch.broadcast_to(x, (2, 3))",
    "cbrt": Absent("torch has no cbrt, and 1/3 in a power is rounded"),
    "cholesky": "torch.linalg.cholesky(x)",
    "concatenate": "torch.cat([x, y])",
    "conjugate": "torch.conj(x)",
    "convolve": "torch.nn.functional.conv1d(x[None, None], y.flip(0)[None, None], padding=1)[0, 0]",
    "cosine_integral": Absent("torch.special has no integrals of cosines"),
    "cumprod": "torch.cumprod(x, 0)",
    "cumsum": "torch.cumsum(x, 0)",
    "dawsn": Absent("torch.special has no dawsn"),
    "det": "torch.linalg.det(x)",
    "diagonal": "torch.diagonal(x)",
    "diagonal_matrix": "torch.diag_embed(x)",
    "eigh": "torch.linalg.eigh(x)[0]",
    "eigvalsh": "torch.linalg.eigvalsh(x)",
    "einsum": "torch.einsum('ij,jk->ki', x, y)",
    "entr": "torch.special.entr(x)",
    "equal": "torch.eq(x, y)",
    "erfcinv": "torch.erfinv(1 - x / 4)",
    "erfcx": "torch.special.erfcx(x)",
    "erfi": Absent("torch.special has no erfi"),
    "euclidean_norm": "torch.linalg.norm(x)",
    "exp1": Absent("torch.special has no exponential integrals"),
    "exp10": Absent("torch has no exp10, and the logarithm of 10 would be rounded"),
    "expi": Absent("torch.special has no exponential integrals"),
    "expm": "torch.linalg.matrix_exp(x)",
    "expn": Absent("torch.special has no exponential integrals"),
    "exprel": "torch.expm1(x) / x",
    "fabs": "torch.abs(x)",
    "flip": "torch.flip(x, (0,))",
    "fresnel_cosine": Absent("torch.special has no Fresnel integrals"),
    "fresnel_sine": Absent("torch.special has no Fresnel integrals"),
    "frexp_exponent": Absent("torch.frexp has no reading, as it takes numbers apart bit by bit"),
    "gamma": "torch.exp(torch.lgamma(x))",
    "gammainc": "torch.special.gammainc(x, y)",
    "gammaincc": "torch.special.gammaincc(x, y)",
    "gammaln": "torch.lgamma(x)",
    "gammasgn": Absent("torch.special has no gammasgn"),
    "getitem": "x[1:] * x[[2, 0]]",
    "getitem_by": "x[torch.argsort(y)]",
    "i0e": "torch.special.i0e(x)",
    "i1": "torch.special.i1(x)",
    "i1e": "torch.special.i1e(x)",
    "imag": Absent("torch.imag takes complex tensors alone"),
    "inv": "torch.linalg.inv(x)",
    "invert": "~(x > 0)",
    "iv": Absent("torch.special has no Bessel functions of other orders than 0 and 1"),
    "ive": Absent("torch.special has no Bessel functions of other orders than 0 and 1"),
    "j0": "torch.special.bessel_j0(x)",
    "j1": "torch.special.bessel_j1(x)",
    "jv": Absent("torch.special has no Bessel functions of other orders than 0 and 1"),
    "k0": "torch.special.modified_bessel_k0(x)",
    "k0e": "torch.special.scaled_modified_bessel_k0(x)",
    "k1": "torch.special.modified_bessel_k1(x)",
    "k1e": "torch.special.scaled_modified_bessel_k1(x)",
    "kl_div": "x * torch.log(x / y) - x + y",
    "kv": Absent("torch.special has no Bessel functions of other orders than 0 and 1"),
    "kve": Absent("torch.special has no Bessel functions of other orders than 0 and 1"),
    "ldexp": "torch.ldexp(x, torch.tensor(3))",
    "log_expit": "F.logsigmoid(x)",
    "log_ndtr": "torch.special.log_ndtr(x)",
    "log_softmax": "torch.log_softmax(x, 0)",
    "loggamma": "torch.lgamma(x)",
    "logical_and": "torch.logical_and(x > 0, y > 0)",
    "logical_not": "torch.logical_not(x > 0)",
    "logical_or": "torch.logical_or(x > 0, y > 0)",
    "logical_xor": "torch.logical_xor(x > 0, y > 0)",
    "logsumexp": "torch.logsumexp(x, 0)",
    "ndtr": Absent("torch.special.ndtr goes through erf with sqrt(1/2), which is rounded"),
    "ndtri": "torch.special.ndtri(x)",
    "ndtri_exp": "torch.special.ndtri(torch.exp(x))",
    "ones_like": "x * torch.ones_like(x)",
    "pinv": "torch.linalg.pinv(x)",
    "poch": "torch.exp(torch.lgamma(x + y) - torch.lgamma(x))",
    "polygamma": "torch.polygamma(2, x)",
    "power": "torch.pow(x, y)",
    "power_norm": "torch.linalg.vector_norm(x, 3)",
    "psi": "torch.digamma(x)",
    "qr": "torch.linalg.qr(x)[1]",
    "real": "torch.real(x)",
    "rel_entr": "x * torch.log(x / y)",
    "reshape": "torch.reshape(x, (3, 1))",
    "rgamma": "torch.exp(-torch.lgamma(x))",
    "roll": "torch.roll(x, 1)",
    "round": "torch.round(x, decimals=1)",
    "scatter": "F.pad(x, (1, 1))",
    "searchsorted": "torch.searchsorted(x, y)",
    "sine_integral": Absent("torch.special has no integrals of sines"),
    "singular_values": "torch.linalg.svdvals(x)",
    "slogdet": "torch.linalg.slogdet(x)[1]",
    "softmax": "torch.softmax(x, 0)",
    "solve": "torch.linalg.solve(x, y)",
    "solve_triangular": "torch.linalg.solve_triangular(x, y[:, None], upper=False)[:, 0]",
    "sort": "torch.sort(x)[0]",
    "stack": "torch.stack([x, y])",
    "std": "torch.std(x, correction=0)",
    "stop_gradient": "x.detach()",
    "svd": "torch.linalg.svd(x)[1]",
    "transpose": "x.T",
    "var": "torch.var(x, correction=0)",
    "where": "torch.where(x > 0, x, y)",
    "xlog1py": "torch.special.xlog1py(x, y)",
    "y0": "torch.special.bessel_y0(x)",
    "y1": "torch.special.bessel_y1(x)",
    "yv": Absent("torch.special has no Bessel functions of other orders than 0 and 1"),
    "zeros_like": "x + torch.zeros_like(x)",
}


def _is_inner(row: str) -> bool:
    """Whether a row is recorded by gradients alone, for which no framework has a call."""
    spelling = SPELLINGS[row]
    return isinstance(spelling, Spelling) and isinstance(spelling.numpy, Absent)


for _row in SPELLINGS:
    if _is_inner(_row):
        TORCH.setdefault(_row, SPELLINGS[_row].numpy)  # type: ignore[union-attr]
