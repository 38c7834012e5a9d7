"""Pairs that a manifest declares, as a convention among the others."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Final

from verify.auditing.packages.element import element
from verify.auditing.packages.manifest import NAME
from verify.auditing.packages.members import member
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.model.case import Case


class Declared:
    """The convention of what somebody wrote down."""

    name = NAME
    summary = "pairs that a manifest declares"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """None: they come from the manifest."""
        yield from ()

    def pose(self, pair: Pair) -> Case:
        """As the manifest says; what it does not say is found as for other pairs."""
        settings = pair.settings
        module, _, name = pair.claim.partition(":")
        function = element(member(pair.module, pair.function), settings.get("of"))
        claim = element(member(module, name), settings.get("element"), settings.get("factor", 1))
        by = tuple(settings.get("by", ()))
        made = Claim(
            function,
            claim,
            by=by,
            quantity=pair.quantity if pair.quantity == "hessian" else "",
            constants=settings.get("constants", {}),
            zero=tuple(settings.get("zero", ())),
        )
        return pose(pair, made)


CONVENTION: Final = Declared()
