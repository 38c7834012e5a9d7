"""Convention: how a library says which of its functions is the derivative of which."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Protocol

from verify.auditing.packages.pair import Pair, Unpaired
from verify.model.case import Case


class NotPosed(Exception):
    """A pair that cannot be judged; its words are the reason that the listing gives."""


class Convention(Protocol):
    """A convention: finds pairs in a module, and poses each as a case.

    It is registered by an entry point of the group ``symtape.conventions``, whose value is an
    instance.
    """

    @property
    def name(self) -> str:
        """A short name, as in ``--only fit_deriv``: lower case, words joined by hyphens."""
        ...

    @property
    def summary(self) -> str:
        """What it looks for, in one line."""
        ...

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """The pairs that a module defines; of its own members, not of those that it imports."""
        ...

    def pose(self, pair: Pair) -> Case:
        """The function, the claim and the region of a pair, as a case to be judged.

        Raises
        ------
        NotPosed
            It cannot be judged, and why.
        """
        ...
