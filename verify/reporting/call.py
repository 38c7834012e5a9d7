"""A line of Python that asserts a claim again, at the one point that matters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from verify.model.case import Case, name_function
from verify.model.result import Result

_CALLABLE: Final = re.compile(r"[^\W\d][\w.]*(\([\w.()]+\))?")
"""A name, or what a transform of a framework makes of one: ``jax.grad(f)``."""

_MOST_NUMBERS: Final = 8
"""A point of more than this is not written into a line of code."""


def call_line(result: Result, evidence: str = "certified", *, claimed: bool = True) -> str:
    """The line, in which a large point is taken from the error that was raised.

    Parameters
    ----------
    result : Result
    evidence : str
        What was asked for.
    claimed : bool
        Whether the claim was given, and is not the one that goes without saying.

    Examples
    --------
    >>> import numpy as np, verify
    >>> call_line(verify.gradient(np.sin, claimed=np.cos, at=[0.5]))
    'verify.assert_gradient(sin, cos, at=[0.5])'
    >>> rough = verify.approximately(np.cos, rtol=1e-9)
    >>> call_line(verify.gradient(np.sin, claimed=rough, at=[0.5]))
    'verify.assert_gradient(sin, verify.approximately(cos, rtol=1e-09), at=[0.5])'
    """
    witness, case = result.witness, result.case
    if witness is None:
        return ""
    parts = [_name_callable(case.function)]
    if claimed and case.claimed is not None:
        name = _name_callable(case.claimed)
        stated = case.accuracy
        parts.append(name if stated is None else f"verify.approximately({name}, {stated})")
    parts.append(f"at=[{_point(witness.x)}]")
    if case.wrt is not None:
        parts.append(f"argnums={_argnums(case)}")
    if evidence != "certified":
        parts.append(f"evidence={evidence!r}")
    return f"verify.assert_{case.quantity}({', '.join(parts)})"


def _argnums(case: Case) -> Any:
    """As they were given: one, or several; of a Hessian the same twice."""
    found = case.wrt[0] if case.quantity == "hessian" else case.wrt
    return found[0] if len(found) == 1 else tuple(found)


def _name_callable(function: Callable[..., Any]) -> str:
    name = name_function(function)
    return name if _CALLABLE.fullmatch(name) else f"<{name}>"


def _point(x: tuple[Any, ...]) -> str:
    if sum(np.size(argument) for argument in x) > _MOST_NUMBERS:
        return "error.result.witness.x"
    shown = ", ".join(_code(argument) for argument in x)
    return shown if len(x) == 1 else f"({shown})"


def _code(x: Any) -> str:
    """An argument as a person would write it; ``np`` only where it is needed."""
    array = np.asarray(x)
    plain = str(array.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    if array.dtype == np.float64:
        return plain
    if array.ndim:
        return f"np.array({plain}, np.{array.dtype.name})"
    return f"np.{array.dtype.name}({plain})"
