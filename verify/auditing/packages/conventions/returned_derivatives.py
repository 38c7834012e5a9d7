"""Functions that return a value and its derivatives together: ``f_and_der``, ``value_and_grad``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

from verify.auditing.packages.arguments import arguments_of
from verify.auditing.packages.element import element
from verify.auditing.packages.members import functions_of, member
from verify.auditing.packages.names import does_something
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.model.case import Case

_NAMED: Final = re.compile(
    r"_(?:and|with|f)_(?:der|deriv|derivative|derivatives|grad|gradient|jac|jacobian)(?P<n>\d?)$"
)
_VARIABLES: Final = ("x", "T", "t", "z", "r", "tau", "V", "v", "y")
"""What is differentiated by, by name, where a function has several arguments."""


class ReturnedDerivatives:
    """Each element of what is returned claims to be the derivative of the one before it."""

    name = "returned-derivatives"
    summary = "f_and_der, f_and_der2, f_and_grad, f_and_jac: the value and then its derivatives"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Every function of such a name, a pair for each derivative."""
        for name, _ in functions_of(module):
            found = _NAMED.search(name)
            if found is None or does_something(name):
                continue
            for order in range(1, int(found["n"] or 1) + 1):
                yield Pair(
                    id=f"{module.__name__}:{name}[{order}]",
                    convention=self.name,
                    module=module.__name__,
                    function=name,
                    claim=name,
                    settings={"order": order},
                    sure=False,
                )

    def pose(self, pair: Pair) -> Case:
        """An element of what is returned, and the next one."""
        function = member(pair.module, pair.function)
        order = int(pair.settings["order"])
        several = "jac" in pair.function.rpartition("_")[2]
        claim = Claim(
            element(function, order - 1),
            element(function, order),
            by=() if several else _variable(function),
        )
        return pose(pair, claim)


def _variable(function: Callable[..., Any]) -> tuple[str, ...]:
    names = [each.name for each in arguments_of(function) if each.kind == "number"]
    return tuple([name for name in _VARIABLES if name in names][:1])


CONVENTION: Final = ReturnedDerivatives()
