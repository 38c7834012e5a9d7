"""Verify derivatives: claims, verdicts with their evidence, reports.

Names are loaded when they are asked for, so that importing this costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from verify.api import derivative as derivative
    from verify.api import gradient as gradient
    from verify.api import hessian as hessian
    from verify.api import jacobian as jacobian
    from verify.cases import Case as Case
    from verify.cases import case as case
    from verify.regions import box as box
    from verify.regions import broadcasting as broadcasting
    from verify.regions import integers as integers
    from verify.regions import positive as positive
    from verify.regions import positive_definite as positive_definite
    from verify.regions import simplex as simplex
    from verify.regions import symmetric as symmetric
    from verify.result import Result as Result
    from verify.verdict import Evidence as Evidence
    from verify.verdict import ExitStatus as ExitStatus
    from verify.verdict import Rung as Rung
    from verify.verdict import Verdict as Verdict

_HOMES: Final = {
    "derivative": "verify.api",
    "gradient": "verify.api",
    "hessian": "verify.api",
    "jacobian": "verify.api",
    "Case": "verify.cases",
    "case": "verify.cases",
    "box": "verify.regions",
    "broadcasting": "verify.regions",
    "integers": "verify.regions",
    "positive": "verify.regions",
    "positive_definite": "verify.regions",
    "simplex": "verify.regions",
    "symmetric": "verify.regions",
    "Result": "verify.result",
    "Evidence": "verify.verdict",
    "ExitStatus": "verify.verdict",
    "Rung": "verify.verdict",
    "Verdict": "verify.verdict",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(home), name)
    return found
