"""Operations on numbers, as C99 writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from symtape.programs.compiled.functions import IN_C
from symtape.programs.emitted.dialect import COMPARISONS, OPERATORS, Dialect, Operator, logic
from symtape.programs.emitted.expression import Binding, Written, call, product, sum_of

_SAME: Final = (
    "ceil copysign fabs floor fmax fmin fmod isfinite isinf isnan rint signbit sqrt trunc"
)

OWN: Final[Mapping[str, str]] = {
    "expit": "x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x))",
    "heaviside": "x < 0 ? 0.0 : x > 0 ? 1.0 : x == 0 ? y : x",
    "logaddexp": "x == y ? x + log(2.0) : (x > y ? x : y) + log1p(exp(-fabs(x - y)))",
    "maximum": "x > y || isnan(x) ? x : y",
    "minimum": "x < y || isnan(x) ? x : y",
    "remainder": "fmod(x, y) == 0 || (x < 0) == (y < 0) ? fmod(x, y) : fmod(x, y) + y",
    "sign": "x > 0 ? 1.0 : x < 0 ? -1.0 : x",
    "square": "x * x",
    "xlogy": "x == 0 && !isnan(y) ? 0.0 : x * log(y)",
}
"""What C99 has not, or has otherwise where there is a nan, as functions of ``x`` and ``y``."""


def own_function(name: str) -> str:
    """One of :data:`OWN`, for the head of a file."""
    text = OWN[name]
    of = "double x, double y" if "y" in text else "double x"
    return f"static double {name_function(name)}({of})\n{{\n    return {text};\n}}"


def name_function(name: str) -> str:
    """What a function of the file is called, which no function of C is."""
    return "modulo" if name == "remainder" else name


def _write_product(a: Written, b: Written) -> Written:
    return call("square", a) if a == b and a.binding < Binding.ATOM else product("*", a, b)


def _write_choice(condition: Written, a: Written, b: Written) -> Written:
    parts = (
        condition.parenthesise(Binding.COMPARISON),
        a.parenthesise(Binding.SUM),
        b.parenthesise(Binding.SUM),
    )
    return Written("{} ? {} : {}".format(*parts), Binding.CHOICE)


_OPERATORS: Final[Mapping[str, Operator]] = {
    **{name: OPERATORS[name] for name in ("divide", "negative", "positive", "subtract")},
    **{name: OPERATORS[name] for name in COMPARISONS},
    **logic({"and": "&&", "or": "||", "xor": "!="}, "!"),
    "add": lambda a, b: product("*", Written("2.0"), a) if a == b else sum_of("+", a, b),
    "astype": lambda x: x,
    "deg2rad": lambda x: product("*", x, Written("0.017453292519943295")),
    "multiply": _write_product,
    "one": lambda x: Written("1.0"),
    "ones_like": lambda x: Written("1.0"),
    "rad2deg": lambda x: product("*", x, Written("57.29577951308232")),
    "reciprocal": lambda x: product("/", Written("1.0"), x),
    "stop_gradient": lambda x: x,
    "where": _write_choice,
    "zeros_like": lambda x: Written("0.0"),
}

C: Final = Dialect(
    title="C",
    module="",
    imports={},
    functions={
        **IN_C,
        **{name: name for name in _SAME.split()},
        "absolute": "fabs",
        "gamma": "tgamma",
        "gammaln": "lgamma",
        **{name: name_function(name) for name in OWN},
    },
    operators=_OPERATORS,
)
"""C99: functions of ``math.h``, and those of :data:`OWN`."""
