"""Functions with an argument for the order of a derivative: ``f(x, order=1)``, ``f(x, kx=1)``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

from verify.auditing.packages.behaviour.candidates import callables_of, candidate_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.held import parameters_of
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.model.case import Case

_COUNTING: Final = re.compile(r"(n_?)?(derivatives?|derivs?|der|order|nu|diff)(_?(n|order))?")
"""Names of the order, where the docstring speaks of derivatives."""

_STEPS: Final = ((0, 1), (1, 2))


class OrderArgument:
    """``f(x, order=1)`` claims to be the derivative of ``f(x)``, ``order=2`` of ``order=1``."""

    name = "order-argument"
    summary = (
        "f(x, order=1), f(x, nu=1) where the docstring says that it is a derivative, and "
        "f(x, y, kx=1), f(x, y, dy=1), of functions and methods"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Functions and methods with such arguments."""
        for name, function in callables_of(module):
            for order, by in _find_orders(function):
                for below, above in _STEPS:
                    yield Pair(
                        id=f"{module.__name__}:{name}[{order}={above}]",
                        convention=self.name,
                        module=module.__name__,
                        function=name,
                        claim=f"{name}({order}={above})",
                        settings={"argument": order, "of": below, "asked": above, "by": by},
                        sure=False,
                    )

    def pose(self, pair: Pair) -> Case:
        """By the argument that the order is of, or by the first number."""
        made, argument = candidate_of(pair.module, pair.function), str(pair.settings["argument"])
        by = pair.settings["by"] or next(iter(made.varied), None)
        if by is None:
            raise NotPosed("it has no numeric argument to differentiate by")
        claim = Claim(
            made.function,
            made.function,
            by=(by,),
            constants={argument: pair.settings["of"]},
            own={argument: pair.settings["asked"]},
        )
        return pose(pair, claim)


def _find_orders(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """The arguments that are 0 unless given, and count an order: by an argument, or by any."""
    parameters = parameters_of(function)
    told = "derivative" in (inspect.getdoc(function) or "").lower()
    counts = [it.name for it in parameters if type(it.default) is int and not it.default]
    for name in counts:
        of = re.fullmatch(r"(?:d|k|n|nu|order)_?(\w+?)|(\w+)_order", name)
        by = (of[1] or of[2]) if of else ""
        if by not in counts and by in [it.name for it in parameters]:
            yield name, by
        elif told and _COUNTING.fullmatch(name):
            yield name, ""


CONVENTION: Final = OrderArgument()
