"""Verify derivatives: claims, verdicts with their evidence, reports.

Names are loaded when they are asked for, so that importing this costs nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any, Final

from verify.model.rendering import render_by

if TYPE_CHECKING:
    from symtape.budget import Budget as Budget
    from verify.api import derivative as derivative
    from verify.api import gradient as gradient
    from verify.api import hessian as hessian
    from verify.api import hvp as hvp
    from verify.api import jacobian as jacobian
    from verify.api import jvp as jvp
    from verify.api import vjp as vjp
    from verify.assertions import DerivativeError as DerivativeError
    from verify.assertions import NotedWarning as NotedWarning
    from verify.assertions import UndecidedError as UndecidedError
    from verify.assertions import assert_gradient as assert_gradient
    from verify.assertions import assert_hessian as assert_hessian
    from verify.assertions import assert_hvp as assert_hvp
    from verify.assertions import assert_jacobian as assert_jacobian
    from verify.assertions import assert_jvp as assert_jvp
    from verify.assertions import assert_vjp as assert_vjp
    from verify.model.case import Case as Case
    from verify.model.case import case as case
    from verify.model.result import Result as Result
    from verify.model.stated_accuracy import approximately as approximately
    from verify.model.verdict import Evidence as Evidence
    from verify.model.verdict import ExitStatus as ExitStatus
    from verify.model.verdict import Rung as Rung
    from verify.model.verdict import Verdict as Verdict
    from verify.optimize import assert_ivp as assert_ivp
    from verify.optimize import assert_optimize as assert_optimize
    from verify.regions import box as box
    from verify.regions import broadcasting as broadcasting
    from verify.regions import integers as integers
    from verify.regions import positive as positive
    from verify.regions import positive_definite as positive_definite
    from verify.regions import product as product
    from verify.regions import simplex as simplex
    from verify.regions import symmetric as symmetric

render_by(lambda: importlib.import_module("verify.report.summary"))

_ROOMS: Final = ("adapters", "strategies")
"""Packages that are reached as ``verify.<name>`` without being imported by name."""

_HOMES: Final = {
    "Budget": "symtape.budget",
    "derivative": "verify.api",
    "gradient": "verify.api",
    "hessian": "verify.api",
    "hvp": "verify.api",
    "jacobian": "verify.api",
    "jvp": "verify.api",
    "vjp": "verify.api",
    "approximately": "verify.model.stated_accuracy",
    "DerivativeError": "verify.assertions",
    "NotedWarning": "verify.assertions",
    "UndecidedError": "verify.assertions",
    "assert_gradient": "verify.assertions",
    "assert_hessian": "verify.assertions",
    "assert_hvp": "verify.assertions",
    "assert_ivp": "verify.optimize",
    "assert_jacobian": "verify.assertions",
    "assert_jvp": "verify.assertions",
    "assert_optimize": "verify.optimize",
    "assert_vjp": "verify.assertions",
    "Case": "verify.model.case",
    "case": "verify.model.case",
    "box": "verify.regions",
    "broadcasting": "verify.regions",
    "integers": "verify.regions",
    "positive": "verify.regions",
    "positive_definite": "verify.regions",
    "product": "verify.regions",
    "simplex": "verify.regions",
    "symmetric": "verify.regions",
    "Result": "verify.model.result",
    "Evidence": "verify.model.verdict",
    "ExitStatus": "verify.model.verdict",
    "Rung": "verify.model.verdict",
    "Verdict": "verify.model.verdict",
}

__all__ = list(_HOMES)


def __dir__() -> list[str]:
    """What can be had: not the strategies where Hypothesis, an extra, is not installed."""
    known = sys.modules.get("hypothesis", sys)
    found = importlib.util.find_spec("hypothesis") if known is sys else known
    rooms = [room for room in _ROOMS if found is not None or room != "strategies"]
    return sorted([*__all__, *rooms])


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"verify.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(home), name)
    return found
