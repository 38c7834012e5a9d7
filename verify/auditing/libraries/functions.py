"""The functions that are audited: a row a function, and how each claimant spells it.

The formula is the function itself, in NumPy and SciPy, of ``x`` (and ``y``); from it come the exact
derivative, the closed form that a page prints, and symtape's own spelling. The columns are the
same function in the words of a library, blank where it has none.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

Range = tuple[float, float]

_WHOLE: Final[Range] = (-math.inf, math.inf)
_POSITIVE: Final[Range] = (0.0, math.inf)
_UNIT: Final[Range] = (-1.0, 1.0)
_FAR: Final = 1e6
_SHARE: Final[Range] = (0.0, 1.0)
_BOTH: Final = (0, 1)
_OF_ONE: Final = {(0,): "d/dx", (0, 0): "d²/dx²"}
_OF_TWO: Final = {
    (0,): "∂/∂x",
    (1,): "∂/∂y",
    (0, 0): "∂²/∂x²",
    (0, 1): "∂²/∂x∂y",
    (1, 1): "∂²/∂y²",
}


@dataclass(frozen=True, slots=True)
class Function:
    """One row.

    Attributes
    ----------
    name : str
        Unique.
    formula : str
        In ``np`` and ``special`` (scipy.special), of ``x`` or of ``x`` and ``y``.
    jax, torch, autograd : str
        The same, in ``jnp``, ``nn`` (jax.nn) and ``jsp`` (jax.scipy.special); in ``torch`` and
        ``F`` (torch.nn.functional); in ``anp`` and ``asp``.
    over, second : pair of floats
        Between which values of ``x`` and of ``y`` points are placed; where the function is not
        defined all the same they are dropped.
    kinks : tuple of float
        Values of ``x`` where there is no classical derivative, or no second one: conventions,
        which are not judged.
    by : tuple of int
        The arguments that it is differentiated by.
    thin : float
        The share of the usual points that is tried, where exact values take long.
    symtape : str
        Its spelling where that is not the formula.
    """

    name: str
    formula: str
    jax: str = ""
    torch: str = ""
    autograd: str = ""
    over: Range = _WHOLE
    second: Range = _WHOLE
    kinks: tuple[float, ...] = ()
    by: tuple[int, ...] = field(default=())
    thin: float = 1.0
    symtape: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """``("x",)`` or ``("x", "y")``."""
        return ("x", "y") if self.is_binary else ("x",)

    @property
    def is_binary(self) -> bool:
        """Whether it takes two arguments."""
        return bool(self.by)

    def derivatives(self, order: int) -> list[tuple[int, ...]]:
        """The derivatives of one order, each as the arguments it is by.

        Examples
        --------
        >>> FUNCTIONS["hypot"].derivatives(2)
        [(0, 0), (0, 1), (1, 1)]
        """
        return [*itertools.combinations_with_replacement(self.by or (0,), order)]

    def derivative_name(self, wrt: tuple[int, ...]) -> str:
        """What a derivative is called.

        Examples
        --------
        >>> FUNCTIONS["sin"].derivative_name((0, 0)), FUNCTIONS["hypot"].derivative_name((1,))
        ('d²/dx²', '∂/∂y')
        """
        return (_OF_TWO if self.is_binary else _OF_ONE)[wrt]

    @property
    def region(self) -> str:
        """Where points are placed, in words.

        Examples
        --------
        >>> FUNCTIONS["xlogy"].region
        'x in [-inf, inf], y in [0, inf]'
        """
        spaces = zip(self.arguments, (self.over, self.second), strict=False)
        return ", ".join(f"{name} in [{low:g}, {high:g}]" for name, (low, high) in spaces)

    def is_own(self, claimant: str) -> bool:
        """Whether it is one function of the claimant, and no composition of several."""
        if claimant != "symtape":
            return bool(self.spell_for(claimant))
        return re.fullmatch(r"(\w+\.)?\w+\([^()]*\)|x [*/] y", self.formula) is not None

    def spell_for(self, claimant: str) -> str:
        """How a claimant writes it; empty if it cannot."""
        return str(getattr(self, claimant)) or (self.formula if claimant == "symtape" else "")


def _numpy(name: str, torch: str = "", **rest: Any) -> Function:
    """A function that NumPy, JAX and autograd call alike, and PyTorch by the same or its name."""
    call = f"{name}({_called_with(rest)})"
    spelled = f"torch.{torch or name}({_called_with(rest)})"
    return Function(name, f"np.{call}", f"jnp.{call}", spelled, f"anp.{call}", **rest)


def _special(
    name: str, torch: str = "", jax: str = "", autograd: str = "", **rest: Any
) -> Function:
    """A function of scipy.special; the others' names where they have it, ``=`` for alike."""
    called_with = _called_with(rest)
    spelled: dict[str, Any] = {
        column: f"{module}.{name if other == '=' else other}({called_with})" if other else ""
        for column, module, other in (
            ("jax", "jsp", jax),
            ("torch", "torch", torch),
            ("autograd", "asp", autograd),
        )
    }
    return Function(name, f"special.{name}({called_with})", **spelled, **rest)


def _called_with(rest: dict[str, Any]) -> str:
    return "x, y" if "by" in rest else "x"


_ELEMENTARY: Final = (
    _numpy("sin"),
    _numpy("cos"),
    _numpy("tan"),
    _numpy("arcsin", over=_UNIT),
    _numpy("arccos", over=_UNIT),
    _numpy("arctan"),
    _numpy("sinh"),
    _numpy("cosh"),
    _numpy("tanh"),
    _numpy("arcsinh"),
    _numpy("arccosh", over=(1.0, math.inf)),
    _numpy("arctanh", over=_UNIT),
    _numpy("exp"),
    _numpy("exp2"),
    _numpy("expm1"),
    _numpy("log", over=_POSITIVE),
    _numpy("log2", over=_POSITIVE),
    _numpy("log10", over=_POSITIVE),
    _numpy("log1p", over=(-1.0, math.inf)),
    _numpy("sqrt", over=_POSITIVE),
    Function("cbrt", "np.cbrt(x)", jax="jnp.cbrt(x)"),
    _numpy("square"),
    _numpy("reciprocal"),
    _numpy("sinc"),
    _numpy("abs", kinks=(0.0,)),
)

_SPECIAL: Final = (
    _special("erf", "erf", "=", "="),
    _special("erfc", "erfc", "=", "="),
    _special("erfcx", "special.erfcx", "="),
    _special("erfinv", "erfinv", "=", "=", over=_UNIT),
    _special("erfcinv", autograd="=", over=(0.0, 2.0)),
    _special("gammaln", "lgamma", "=", "="),
    _special("digamma", "digamma", "=", "="),
    _special("gamma", jax="=", autograd="="),
    _special("rgamma", autograd="="),
    Function(
        "trigamma",
        "polygamma(1, x)",
        jax="jsp.polygamma(1, x)",
        torch="torch.polygamma(1, x)",
        autograd="asp.polygamma(1, x)",
        over=_POSITIVE,
    ),
    _special("expit", "special.expit", "=", "="),
    _special("logit", "special.logit", "=", "=", over=_SHARE),
    _special("ndtr", "special.ndtr", "="),
    _special("ndtri", "special.ndtri", "=", over=_SHARE),
    _special("log_ndtr", "special.log_ndtr", "="),
    _special("entr", "special.entr", "=", over=_POSITIVE),
    _special("i0", "special.i0", "=", "="),
    _special("i1", "special.i1", "=", "="),
    _special("i0e", "special.i0e", "=", over=(-_FAR, _FAR), kinks=(0.0,)),
    _special("i1e", "special.i1e", "=", over=(-_FAR, _FAR), kinks=(0.0,)),
    _special("k0e", "special.scaled_modified_bessel_k0", over=(0.0, _FAR)),
    _special("k0", "special.modified_bessel_k0", over=_POSITIVE),
    _special("j0", "special.bessel_j0", autograd="="),
    _special("j1", "special.bessel_j1", autograd="="),
    _special("y0", "special.bessel_y0", autograd="=", over=_POSITIVE),
    _special("y1", "special.bessel_y1", autograd="=", over=_POSITIVE),
    _special("expi", jax="=", over=_POSITIVE),
    _special("exp1", jax="=", over=_POSITIVE),
    _special("dawsn", jax="="),
    Function(
        "spherical_j0",
        "np.sin(x) / x",
        torch="torch.special.spherical_bessel_j0(x)",
        kinks=(0.0,),
        symtape="np.sinc(x / np.pi)",
    ),
)

_ACTIVATIONS: Final = (
    Function("sigmoid", "special.expit(x)", jax="nn.sigmoid(x)", torch="torch.sigmoid(x)"),
    Function(
        "log_sigmoid", "special.log_expit(x)", jax="nn.log_sigmoid(x)", torch="F.logsigmoid(x)"
    ),
    Function(
        "softplus",
        "np.logaddexp(0, x)",
        jax="nn.softplus(x)",
        torch="F.softplus(x)",
        autograd="anp.logaddexp(0.0, x)",
    ),
    Function("silu", "x * special.expit(x)", jax="nn.silu(x)", torch="F.silu(x)"),
    Function("gelu", "x * special.ndtr(x)", jax="nn.gelu(x, approximate=False)", torch="F.gelu(x)"),
    Function("mish", "x * np.tanh(np.logaddexp(0, x))", jax="nn.mish(x)", torch="F.mish(x)"),
    Function(
        "elu",
        "np.where(x > 0, x, np.expm1(np.minimum(x, 0)))",
        jax="nn.elu(x)",
        torch="F.elu(x)",
        kinks=(0.0,),
    ),
    Function(
        "celu",
        "np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0) / 0.5))",
        jax="nn.celu(x, 0.5)",
        torch="F.celu(x, 0.5)",
        kinks=(0.0,),
    ),
    Function(
        "selu",
        "1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))",
        jax="nn.selu(x)",
        torch="F.selu(x)",
        kinks=(0.0,),
    ),
    Function(
        "soft_sign",
        "x / (1 + np.abs(x))",
        jax="nn.soft_sign(x)",
        torch="F.softsign(x)",
        kinks=(0.0,),
    ),
    Function("squareplus", "(x + np.sqrt(x**2 + 4)) / 2", jax="nn.squareplus(x)"),
    Function("tanhshrink", "x - np.tanh(x)", torch="F.tanhshrink(x)"),
    Function("log1mexp", "np.log(-np.expm1(-x))", jax="nn.log1mexp(x)", over=_POSITIVE),
)

_PAIRS: Final = (
    _numpy("arctan2", "atan2", by=_BOTH),
    Function("hypot", "np.hypot(x, y)", "jnp.hypot(x, y)", "torch.hypot(x, y)", by=_BOTH),
    _numpy("power", "pow", over=_POSITIVE, by=_BOTH),
    _numpy("logaddexp", by=_BOTH),
    _numpy("logaddexp2", by=_BOTH),
    Function(
        "multiply", "x * y", "jnp.multiply(x, y)", "torch.mul(x, y)", "anp.multiply(x, y)", by=_BOTH
    ),
    Function(
        "divide", "x / y", "jnp.divide(x, y)", "torch.div(x, y)", "anp.divide(x, y)", by=_BOTH
    ),
    _special("xlogy", "special.xlogy", "=", second=_POSITIVE, by=_BOTH),
    _special("xlog1py", "special.xlog1py", "=", second=(-1.0, math.inf), by=_BOTH),
    _special("betaln", "", "=", "=", over=_POSITIVE, second=_POSITIVE, by=_BOTH),
    _special("beta", "", "=", "=", over=(0.0, 100.0), second=(0.0, 100.0), by=_BOTH),
    _special("rel_entr", "", "=", over=_POSITIVE, second=_POSITIVE, by=_BOTH),
)

FUNCTIONS: Final = {row.name: row for row in (*_ELEMENTARY, *_SPECIAL, *_ACTIVATIONS, *_PAIRS)}
"""Every row, by name."""
