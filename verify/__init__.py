"""Verify derivatives: claims, verdicts with their evidence, reports.

Names are loaded when they are asked for, so that importing this costs nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from symtape.symbolic.budget import Budget
    from verify import adapters as adapters
    from verify import errors as errors
    from verify import strategies as strategies
    from verify.api import derivative, gradient, hessian, hvp, jacobian, jvp, vjp
    from verify.assertions import (
        DerivativeError,
        NotedWarning,
        UndecidedError,
        assert_gradient,
        assert_hessian,
        assert_hvp,
        assert_jacobian,
        assert_jvp,
        assert_vjp,
    )
    from verify.cases import Case, case
    from verify.optimize import assert_ivp, assert_optimize
    from verify.proofs.row import prove_row
    from verify.regions import (
        box,
        broadcasting,
        integers,
        positive,
        positive_definite,
        product,
        simplex,
        symmetric,
    )
    from verify.result import Result
    from verify.stated_accuracy import approximately
    from verify.verdict import Evidence, ExitStatus, Rung, Verdict

__all__ = [
    "Budget",
    "Case",
    "DerivativeError",
    "Evidence",
    "ExitStatus",
    "NotedWarning",
    "Result",
    "Rung",
    "UndecidedError",
    "Verdict",
    "approximately",
    "assert_gradient",
    "assert_hessian",
    "assert_hvp",
    "assert_ivp",
    "assert_jacobian",
    "assert_jvp",
    "assert_optimize",
    "assert_vjp",
    "box",
    "broadcasting",
    "case",
    "derivative",
    "gradient",
    "hessian",
    "hvp",
    "integers",
    "jacobian",
    "jvp",
    "positive",
    "positive_definite",
    "product",
    "prove_row",
    "simplex",
    "symmetric",
    "vjp",
]

_MODULES: Final = ("adapters", "errors", "strategies")
"""What is reached as ``verify.<name>`` without being imported by name."""

_HOMES: Final = {
    "symtape.symbolic.budget": "Budget",
    "verify.api": "derivative gradient hessian hvp jacobian jvp vjp",
    "verify.assertions": "DerivativeError NotedWarning UndecidedError assert_gradient "
    "assert_hessian assert_hvp assert_jacobian assert_jvp assert_vjp",
    "verify.cases": "Case case",
    "verify.optimize": "assert_ivp assert_optimize",
    "verify.proofs.row": "prove_row",
    "verify.regions": "box broadcasting integers positive positive_definite product simplex "
    "symmetric",
    "verify.result": "Result",
    "verify.stated_accuracy": "approximately",
    "verify.verdict": "Evidence ExitStatus Rung Verdict",
}
"""Where everything else is."""


def __dir__() -> list[str]:
    """What can be had: not the strategies where Hypothesis, an extra, is not installed."""
    known = sys.modules.get("hypothesis", sys)
    found = importlib.util.find_spec("hypothesis") if known is sys else known
    modules = [it for it in _MODULES if found is not None or it != "strategies"]
    return sorted([*__all__, *modules])


if not TYPE_CHECKING:  # for which there is no name but those that are imported above

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f"verify.{name}")
        home = next((home for home, names in _HOMES.items() if name in names.split()), None)
        if home is None:
            raise AttributeError(f"module 'verify' has no attribute {name!r}")
        return globals().setdefault(name, getattr(importlib.import_module(home), name))
