"""``eval_gradient=True``: kernels by the logarithms of their parameters, as of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape_conventions.making import described, required_by
from symtape_conventions.neighbourhood import Argument, Method, case_near
from verify import Case, box
from verify.auditing import NotPosed, Pair, Unpaired, classes_of, has_methods, member, shorten_error

_POINTS: Final = np.array([[0.13, -0.61], [-0.87, 0.42], [1.24, 0.77], [0.58, -1.13]])
"""Between which a kernel is evaluated."""

_VARIANTS: Final[Mapping[str, tuple[Any, ...]]] = {
    "length_scale": (0.8, [0.8, 1.3]),
    "nu": (0.5, 1.5, 2.5, "inf", 0.9),
}
"""Values of parameters of constructors that choose other formulas."""

_NUMBERS: Final = {"exponent": 2.0}
_OPERANDS: Final = ("k1", "k2", "kernel")
"""Parameters of constructors that are kernels themselves."""

_SPAN: Final = (-1.5, 1.5)
"""About the logarithms of parameters, within the bounds that a kernel has."""


class EvalGradient:
    """``kernel(X, eval_gradient=True)``, the kernel and its derivatives by ``theta``."""

    name = "eval-gradient"
    summary = (
        "kernel(X, eval_gradient=True) by the logarithms of its parameters, as of scikit-learn"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Each kernel, with each of the values that choose other formulas."""
        kinds = [kind for kind in classes_of(module) if _is_kernel(kind)]
        simple = [kind.__name__ for kind in kinds if not required_by(kind)]
        for kind in kinds:
            place = f"{module.__name__}:{kind.__qualname__}.__call__"
            for options in _variants(kind, simple):
                yield Pair(
                    id=place + described(options),
                    convention=self.name,
                    module=module.__name__,
                    function=kind.__qualname__,
                    claim="eval_gradient",
                    quantity="jacobian",
                    settings={"options": options},
                )

    def pose(self, pair: Pair) -> Case:
        """A kernel between a few points, by theta."""
        kind, options = member(pair.module, pair.function), pair.settings["options"]
        try:
            kernel = _made(kind, pair.module, options)
            theta = np.asarray(kernel.theta, dtype=np.float64) + 0.1
            bounds = np.reshape(kernel.bounds, (theta.size, 2))
        except Exception as error:  # theirs: the reason is told
            raise NotPosed(f"{kind.__name__} cannot be made: {shorten_error(error)}") from error
        if not theta.size:
            raise NotPosed(f"{kind.__name__} has no parameters")
        lower = np.maximum(theta + _SPAN[0], bounds[:, 0])
        upper = np.minimum(theta + _SPAN[1], bounds[:, 1])

        def function(theta: Any) -> Any:
            return kernel.clone_with_theta(theta)(_POINTS)

        def claim(theta: Any) -> Any:
            return kernel.clone_with_theta(theta)(_POINTS, eval_gradient=True)[1]

        call = kind.__call__
        argument = Argument("theta", theta, space=box(np.round(lower, 3), np.round(upper, 3)))
        return case_near(pair, Method(function, call), Method(claim, call), [argument])


def _is_kernel(kind: type) -> bool:
    if inspect.isabstract(kind) or not has_methods(kind, "__call__", "clone_with_theta"):
        return False
    return "eval_gradient" in inspect.signature(kind.__call__).parameters


def _variants(kind: type, simple: list[str]) -> Iterator[dict[str, Any]]:
    """Options of a constructor: those it requires, with one of those that choose a formula."""
    operands = iter(simple)
    needed: dict[str, Any] = {}
    for name in required_by(kind):
        if name in _OPERANDS:
            needed[name] = next(operands, "")
        elif name in _NUMBERS:
            needed[name] = _NUMBERS[name]
    yield needed
    for name in inspect.signature(kind).parameters:
        for value in _VARIANTS.get(name, ()):
            if isinstance(value, list) and not hasattr(kind, "anisotropic"):
                continue
            yield {**needed, name: value}


def _made(kind: Any, module: str, options: Mapping[str, Any]) -> Any:
    made = {
        name: member(module, value)() if name in _OPERANDS else value
        for name, value in options.items()
    }
    return kind(**{name: np.inf if value == "inf" else value for name, value in made.items()})


CONVENTION: Final = EvalGradient()
