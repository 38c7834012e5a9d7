"""Functions of a module whose names say that they are derivatives: ``f`` and ``f_prime``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from verify.auditing.packages.arguments import arguments_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.members import functions_of, member
from verify.auditing.packages.names import Reading, does_something, readings
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.model.case import Case


class NamedFunctions:
    """``f_prime`` beside ``f``, ``dX_dT`` beside ``X``, ``d2X_dT2`` beside ``dX_dT``."""

    name = "named-functions"
    summary = (
        "f_der, f_prime, f_grad, f_jac, f_hess, grad_f, dX_dT, d2X_dT2 and similar names, "
        "beside the function that the name mentions"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Every function of such a name, with its function or without."""
        for name, function in functions_of(module):
            elsewhere = does_something(name) or "_and_" in name  # Those return both.
            meant = [] if elsewhere else list(readings(name))
            there = [each for each in meant if callable(getattr(module, each.function, None))]
            place = f"{module.__name__}:{name}"
            if there:
                first = there[0]
                yield Pair(
                    id=place,
                    convention=self.name,
                    module=module.__name__,
                    function=first.function,
                    claim=name,
                    quantity=first.quantity or "gradient",
                    settings={"by": list(first.by), "quantity": first.quantity},
                    sure=False,
                )
            elif meant and _is_named_so(function, meant):
                looked_for = " or ".join(dict.fromkeys(each.function for each in meant))
                yield Unpaired(place, self.name, f"there is no {looked_for} beside it")

    def pose(self, pair: Pair) -> Case:
        """By the argument that the name says, or as the shapes tell."""
        function = member(pair.module, pair.function)
        by = [*map(str, pair.settings["by"])]
        claim = Claim(
            function,
            member(pair.module, pair.claim),
            by=argument_called(function, by),
            quantity=str(pair.settings["quantity"]),
        )
        return pose(pair, claim)


def _is_named_so(function: Callable[..., Any], meant: Sequence[Reading]) -> bool:
    """Whether a name is no accident: what it would be by is an argument, if it says one."""
    by = [each for reading in meant for each in reading.by]
    try:
        return not by or bool(argument_called(function, by))
    except NotPosed:
        return False


def argument_called(function: Callable[..., Any], by: Sequence[str]) -> tuple[str, ...]:
    """The argument that a name means: one of that name, or of its plural."""
    if not by:
        return ()
    names = [each.name for each in arguments_of(function)]
    fitting = [name for name in names if name in by or name.rstrip("s") in by or f"{name}s" in by]
    return tuple(fitting[:1])


CONVENTION = NamedFunctions()
