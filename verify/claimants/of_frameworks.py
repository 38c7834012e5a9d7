"""The derivatives that a framework takes of its own functions, as the claims of a case."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from symtape.recording.structure import flatten
from verify.adapters import adapt_function
from verify.errors import UsageError
from verify.model.case import Case, name_function
from verify.model.quantity import Quantity


def adapt_case(case: Case) -> Case:
    """`case` with functions of other frameworks as callables of arrays."""
    return replace(
        case,
        function=adapt_function(case.function),
        claimed=None if case.claimed is None else adapt_function(case.claimed),
        modes={mode: adapt_function(derivative) for mode, derivative in case.modes.items()},
    )


def claimed_by_framework(case: Case, count: int) -> Case:
    """`case`, claimed by the framework that its function is of, where nobody else does.

    Parameters
    ----------
    case : Case
        As it is going to be judged, but for who claims.
    count : int
        Of the function's arguments.
    """
    framework = getattr(case.function, "framework", None)
    if framework is None or case.claimed is not None:
        return case
    if case.quantity == "vjp" and case.directions > 1:
        raise UsageError(
            f"the vjp of a function with {case.directions} outputs: give it as claimed=, a "
            "function of the arguments and of a cotangent for each output"
        )
    module = importlib.import_module(f"verify.adapters.{framework}")
    found = {
        mode: _SelectedDerivative(derivative, case.claimed_quantity, count)
        if case.wrt is not None
        else derivative
        for mode, derivative in module.derivatives(case.function, case.quantity).items()
    }
    (mode, claimed), *rest = found.items()
    return replace(case, claimed=claimed, mode=mode, modes={**dict(rest), **case.modes})


class _SelectedDerivative:
    """A derivative by all arguments, of which some are asked for."""

    def __init__(self, derivative: Callable[..., Any], quantity: Quantity, count: int) -> None:
        self._derivative, self._quantity, self._count = derivative, quantity, count
        self.__wrapped__ = derivative
        self.framework = getattr(derivative, "framework", "")
        self.__name__ = self.__qualname__ = name_function(derivative)

    def __call__(self, *point: Any) -> Any:
        """The parts that are asked for."""
        quantity, count = self._quantity, self._count
        found = flatten(self._derivative(*self._fill_point(point)))
        if quantity.name == "jvp":
            return found[0] if len(found) == 1 else tuple(found)
        places = quantity.parts(len(point))
        at = [i[0] if len(i) == 1 else count * i[0] + i[1] for i in places]
        return found[at[0]] if len(at) == 1 else tuple(found[k] for k in at)

    def _fill_point(self, point: tuple[Any, ...]) -> list[Any]:
        """The point, with directions of zeros for the other arguments."""
        if self._quantity.name not in ("jvp", "hvp"):
            return list(point)
        xs = list(point[: self._count])
        along = dict(zip(self._quantity.rows(len(point)), point[self._count :], strict=True))
        zeros = (np.zeros(np.shape(x), dtype=x.dtype)[()] for x in xs)
        return xs + [along.get(k, zero) for k, zero in enumerate(zeros)]
