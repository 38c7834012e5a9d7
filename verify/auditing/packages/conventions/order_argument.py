"""Functions with an argument for the order of a derivative: ``f(x, order=1)``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

from verify.auditing.packages.arguments import arguments_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.members import functions_of, member
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.model.case import Case

_ASKING: Final = ("derivative", "deriv", "der", "order", "nu", "diff_n")


class OrderArgument:
    """``f(x, order=1)`` claims to be the derivative of ``f(x)``, ``order=2`` of ``order=1``."""

    name = "order-argument"
    summary = "f(x, order=1), f(x, nu=1) where the docstring says that it is a derivative"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Functions with such an argument, of which the docstring speaks of derivatives."""
        for name, function in functions_of(module):
            asked = _find_order_parameter(function)
            if asked is None:
                continue
            for below, above in _STEPS:
                yield Pair(
                    id=f"{module.__name__}:{name}[{asked.name}={above}]",
                    convention=self.name,
                    module=module.__name__,
                    function=name,
                    claim=f"{name}({asked.name}={above})",
                    settings={"argument": asked.name, "of": below, "asked": above},
                    sure=False,
                )

    def pose(self, pair: Pair) -> Case:
        """By the first number among the arguments."""
        function = member(pair.module, pair.function)
        argument = str(pair.settings["argument"])
        numbers = [it.name for it in arguments_of(function) if it.kind == "number" and it.required]
        if not numbers:
            raise NotPosed("it has no numeric argument to differentiate by")
        claim = Claim(
            function,
            function,
            by=(numbers[0],),
            constants={argument: pair.settings["of"]},
            own={argument: pair.settings["asked"]},
        )
        return pose(pair, claim)


_STEPS: Final = ((0, 1), (1, 2))


def _find_order_parameter(function: Callable[..., Any]) -> inspect.Parameter | None:
    """The argument for the order: 0 unless it is given."""
    if "derivative" not in (inspect.getdoc(function) or "").lower():
        return None
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    for name in _ASKING:
        found = parameters.get(name)
        if found is not None and type(found.default) is int and found.default == 0:
            return found
    return None


CONVENTION: Final = OrderArgument()
