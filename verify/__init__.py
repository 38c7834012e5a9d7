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
    from symtape.process.budget import Budget as Budget
    from verify import adapters as adapters
    from verify import auditing as auditing
    from verify import errors as errors
    from verify import strategies as strategies
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
    from verify.oracles.over_region.proof import rounding_bound as rounding_bound
    from verify.oracles.proofs.row import prove_row as prove_row
    from verify.regions import box as box
    from verify.regions import broadcasting as broadcasting
    from verify.regions import integers as integers
    from verify.regions import positive as positive
    from verify.regions import positive_definite as positive_definite
    from verify.regions import product as product
    from verify.regions import rectangle as rectangle
    from verify.regions import simplex as simplex
    from verify.regions import symmetric as symmetric
    from verify.reporting.of_results import report as report

render_by(lambda: importlib.import_module("verify.reporting.renderings"))

_MODULES: Final = ("adapters", "auditing", "errors", "strategies")
"""What is reached as ``verify.<name>`` without being imported by name."""

_HOMES: Final = {
    "symtape.process.budget": "Budget",
    "verify.api": "derivative gradient hessian hvp jacobian jvp vjp",
    "verify.assertions": "DerivativeError NotedWarning UndecidedError assert_gradient "
    "assert_hessian assert_hvp assert_jacobian assert_jvp assert_vjp",
    "verify.model.case": "Case case",
    "verify.optimize": "assert_ivp assert_optimize",
    "verify.oracles.over_region.proof": "rounding_bound",
    "verify.oracles.proofs.row": "prove_row",
    "verify.regions": "box broadcasting integers positive positive_definite product rectangle "
    "simplex symmetric",
    "verify.model.result": "Result",
    "verify.model.stated_accuracy": "approximately",
    "verify.model.verdict": "Evidence ExitStatus Rung Verdict",
    "verify.reporting.of_results": "report",
}
"""Where everything else is."""

__all__ = [name for names in _HOMES.values() for name in names.split()]


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
        for home, names in _HOMES.items():
            if name in names.split():
                return globals().setdefault(name, getattr(importlib.import_module(home), name))
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
