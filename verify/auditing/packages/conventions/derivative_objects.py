"""Callable objects that make their derivative: splines' ``derivative``, polynomials' ``deriv``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

import numpy as np

from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.held import function_of_x
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.members import classes_of, has_methods, member
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.auditing.packages.silence import silence
from verify.model.case import Case

_KNOTS: Final = np.array([0.0, 0.7, 1.5, 2.2, 3.0, 3.4, 4.1])
_VALUES: Final = np.array([0.3, -0.6, 1.1, 0.2, -1.0, 0.4, 0.9])
_SLOPES: Final = np.array([1.0, -0.4, 0.3, -1.2, 0.5, 0.7, -0.1])
_COEFFICIENTS: Final = np.array([0.3, -1.0, 0.5, 0.2, -0.1])
_RECIPES: Final[dict[tuple[str, ...], tuple[Any, ...]]] = {
    ("x", "y"): (_KNOTS, _VALUES),
    ("xi", "yi"): (_KNOTS[:4], _VALUES[:4]),
    ("x", "y", "dydx"): (_KNOTS, _VALUES, _SLOPES),
    ("x", "y", "t"): (_KNOTS, _VALUES, _KNOTS[3:4]),
    ("c", "x"): (np.arange(8.0).reshape(4, 2) % 5 - 1.5, _KNOTS[:3]),
    ("t", "c", "k"): (np.r_[0.0, 0.0, 0.0, _KNOTS[:5], 3.0, 3.0, 3.0], _VALUES, 3),
    ("coef",): (_COEFFICIENTS,),
    ("c_or_r",): (_COEFFICIENTS,),
}
"""What a constructor is given, by the names of what it requires."""

_METHODS: Final = (("derivative", "antiderivative"), ("deriv", "integ"))


class DerivativeObjects:
    """``s.derivative()`` of ``s``, the second derivative of the first, ``s`` of its integral."""

    name = "derivative-objects"
    summary = (
        "classes whose instances can be called and have derivative() and antiderivative(), or "
        "deriv() and integ(), which return such instances: splines, polynomials"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Every such class that the module defines."""
        for kind in classes_of(module):
            for derivative, integral in _METHODS:
                if not (_makes(kind, derivative) and has_methods(kind, "__call__")):
                    continue
                place = f"{module.__name__}:{kind.__qualname__}"
                if inspect.isabstract(kind) or kind.__name__.startswith("_"):
                    continue
                for order in (1, 2):
                    yield self._pair(module, kind, f"{place}.{derivative}({order})", order)
                if _makes(kind, integral):
                    yield self._pair(module, kind, f"{place}.{integral}()", 0)

    def _pair(self, module: ModuleType, kind: type, place: str, order: int) -> Pair:
        return Pair(
            id=place,
            convention=self.name,
            module=module.__name__,
            function=kind.__qualname__,
            claim=place.rpartition(".")[2],
            settings={"order": order},
        )

    def pose(self, pair: Pair) -> Case:
        """An instance with a few coefficients or data, between its outermost knots."""
        kind = member(pair.module, pair.function)
        made, given = _instance(kind)
        method = getattr(made, pair.claim.partition("(")[0])
        order = int(pair.settings["order"])
        with silence():
            try:
                function, claim = (
                    (method(), made)
                    if order == 0
                    else (made if order == 1 else method(order - 1), method(order))
                )
            except Exception as error:  # theirs, whatever it is
                raise NotPosed(f"{pair.claim} raised {type(error).__name__}: {error}") from error
        if not (callable(function) and callable(claim)):
            raise NotPosed(f"{pair.claim} returned a {type(claim).__name__}, not a function")
        lower, upper = _reach(given)
        made_claim = Claim(
            function_of_x(function, pair.module, pair.function),
            function_of_x(claim, pair.module, f"{pair.function}.{pair.claim}"),
            by=("x",),
            hints={"x": Hint(lower=lower, upper=upper)},
        )
        return replace(pose(pair, made_claim), title=_title(pair.function, pair.claim, order))


def _title(kind: str, claim: str, order: int) -> str:
    """Which is claimed to be the derivative of which, for people."""
    if order == 0:
        return f"a {kind}, as the derivative of its {claim}"
    return f"{claim} of a {kind}" + (", as the derivative of the first" if order > 1 else "")


def _makes(kind: type, name: str) -> bool:
    """Whether a class has a method that needs no argument."""
    method = inspect.getattr_static(kind, name, None)
    if not inspect.isfunction(method):
        return False
    parameters = [*inspect.signature(method).parameters.values()][1:]
    return all(each.default is not each.empty for each in parameters)


def _instance(kind: type) -> tuple[Any, dict[str, Any]]:
    parameters = inspect.signature(kind).parameters.values()
    required = tuple(each.name for each in parameters if each.default is each.empty)
    if required not in _RECIPES:
        raise NotPosed(
            f"a {kind.__name__} is made of {', '.join(required) or 'nothing'}, for which no values "
            "are known; declare a pair of functions in a manifest"
        )
    given = _RECIPES[required]
    try:
        with silence():
            return kind(*given), dict(zip(required, given, strict=True))
    except Exception as error:  # theirs, whatever it is
        raise NotPosed(f"a {kind.__name__} cannot be made: {error}") from error


def _reach(given: dict[str, Any]) -> tuple[float, float]:
    """Between the outermost knots; where there are none, the interval of orthogonality."""
    if "t" in given:
        return 0.0, 3.0
    for name in ("x", "xi"):
        if name in given:
            return float(np.min(given[name])), float(np.max(given[name]))
    return -1.0, 1.0


CONVENTION: Final = DerivativeObjects()
