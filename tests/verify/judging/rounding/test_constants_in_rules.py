"""A rule that computes with constants must not round them before they are recorded.

The recorded derivative is evaluated in exact arithmetic; an order ``v - 1`` that had been rounded
to a float would make it the derivative of another function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from scipy import special

import verify
from verify.model.verdict import Verdict

VECTOR: Final = np.array([0.3, 1.7, -0.45])

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "jv": lambda x: special.jv(0.3, x),
    "yv": lambda x: special.yv(0.3, x),
    "iv": lambda x: special.iv(0.3, x),
    "kv": lambda x: special.kv(0.3, x),
    "ive": lambda x: special.ive(0.3, x),
    "kve": lambda x: special.kve(0.3, x),
    "jv of a whole order": lambda x: special.jv(2, x),
    "yv of a whole order": lambda x: special.yv(2, x),
    "gammainc": lambda x: special.gammainc(0.3, x),
    "betainc": lambda x: special.betainc(0.3, 1.7, x),
    "expn": lambda x: special.expn(1, x),
    "boxcox": lambda x: special.boxcox(x, 0.3),
    "xlogy": lambda x: special.xlogy(0.3, x),
    "poch": lambda x: special.poch(x, 0.3),
    "power": lambda x: x**0.3,
    "exponent": lambda x: 0.3**x,
    "norm": lambda x: np.linalg.norm(x * VECTOR, 2.3),
    "norm below 1": lambda x: np.linalg.norm(x * VECTOR, 0.3),
    "norm of fractions": lambda x: np.linalg.norm(x * VECTOR, -1.7),
    "quantile": lambda x: np.quantile(x * VECTOR, 0.37),
    "nanquantile": lambda x: np.nanquantile(x * VECTOR, 0.37),
    "spread": lambda x: np.std(x + VECTOR**2 * x, ddof=0.3),
    "linspace": lambda x: np.sum(np.linspace(0.1, x, 5) ** 2),
    "geomspace": lambda x: np.sum(np.geomspace(0.1, x, 5)),
    "logspace": lambda x: np.sum(np.logspace(0.1, 0.4, 5, base=x)),
    "correlation": lambda x: np.corrcoef([0.1, 0.7, -0.2], np.exp(x * VECTOR))[0, 1],
    "fit": lambda x: np.sum(np.polyfit([0.1, 1.2, 2.5], x * VECTOR, 1)),
    "unwrap": lambda x: np.sum(np.unwrap(x * np.array([0.1, 5.0, 1.0])) ** 2),
    "period": lambda x: np.interp(x, [0.1, 2.0, 3.3], [0.3, 1.7, -0.45], period=1.1),
}


@pytest.mark.parametrize("judge", [verify.gradient, verify.hessian])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_recorded_derivative_is_exact(name: str, judge: Any) -> None:
    result = judge(FUNCTIONS[name], at=[(0.7,)])
    assert result.verdict is Verdict.CORRECT, str(result)
