"""Methods of a class that are derivatives of each other by a fixed set of names and signs.

Galactic potentials have forces, which are minus the gradient; lenses have deflections and their
derivatives.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape_conventions.making import make_of_numbers
from verify import Case
from verify.auditing import (
    Claim,
    Hint,
    Pair,
    Unpaired,
    classes_of,
    element,
    has_methods,
    member,
    pose,
)


@dataclass(frozen=True, slots=True)
class _Link:
    """One method that claims to be the derivative of another.

    Attributes
    ----------
    function, claim : str
    by : tuple of str
        The arguments that it is by.
    of, places : int or None, tuple of int
        The element of what the function returns, and those of the claim.
    factor : float
    """

    function: str
    claim: str
    by: tuple[str, ...]
    of: int | None = None
    places: tuple[int, ...] = ()
    factor: float = 1.0

    @property
    def name(self) -> str:
        """What stands behind the claim's name, where it has several links."""
        return f"[{self.of}]" if self.of is not None else ""


@dataclass(frozen=True, slots=True)
class _Family:
    """Methods that a class has all of, and what claims to be what's derivative.

    Attributes
    ----------
    marks : tuple of str
        Methods by which a class is known to be of the family.
    links : tuple of _Link
    hints : dict of Hint
    """

    marks: tuple[str, ...]
    links: tuple[_Link, ...]
    hints: dict[str, Hint]


_NUMBER: Final = Hint(shape=())
_RADIUS: Final = Hint(lower=0.3, upper=2.0, shape=())
_HEIGHT: Final = Hint(lower=-0.8, upper=0.8, shape=())
_FAMILIES: Final = {
    "potential": _Family(
        ("_evaluate", "_Rforce", "_zforce"),
        (
            _Link("_evaluate", "_Rforce", ("R",), factor=-1.0),
            _Link("_evaluate", "_zforce", ("z",), factor=-1.0),
            _Link("_Rforce", "_R2deriv", ("R",), factor=-1.0),
            _Link("_zforce", "_z2deriv", ("z",), factor=-1.0),
            _Link("_Rforce", "_Rzderiv", ("z",), factor=-1.0),
        ),
        {"R": _RADIUS, "z": _HEIGHT},
    ),
    "lens": _Family(
        ("function", "derivatives", "hessian"),
        (
            _Link("function", "derivatives", ("x", "y"), places=(0, 1)),
            _Link("derivatives", "hessian", ("x", "y"), of=0, places=(0, 1)),
            _Link("derivatives", "hessian", ("x", "y"), of=1, places=(2, 3)),
        ),
        {"x": Hint(lower=0.2, upper=2.0, shape=()), "y": Hint(lower=0.2, upper=2.0, shape=())},
    ),
}


class MethodFamilies:
    """Potentials with forces and second derivatives; lenses with deflections and Hessians."""

    name = "method-families"
    summary = (
        "classes with _evaluate, _Rforce, _zforce, _R2deriv (galpy's potentials), or with "
        "function, derivatives and hessian (lenstronomy's profiles)"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Every link of each class that is of a family."""
        for kind in classes_of(module):
            for family, known in _FAMILIES.items():
                if not has_methods(kind, *known.marks):
                    continue
                for place, link in enumerate(known.links):
                    if not has_methods(kind, link.function, link.claim):
                        continue
                    name = f"{module.__name__}:{kind.__qualname__}.{link.claim}{link.name}"
                    yield Pair(
                        id=name,
                        convention=self.name,
                        module=module.__name__,
                        function=f"{kind.__qualname__}.{link.function}",
                        claim=f"{kind.__qualname__}.{link.claim}",
                        settings={"class": kind.__qualname__, "family": family, "link": place},
                    )

    def pose(self, pair: Pair) -> Case:
        """Of an instance with its default parameters."""
        family = _FAMILIES[str(pair.settings["family"])]
        link = family.links[int(pair.settings["link"])]
        owner = make_of_numbers(member(pair.module, str(pair.settings["class"])))
        function = element(getattr(owner, link.function), link.of, link.factor)
        claim = getattr(owner, link.claim)
        if link.places:
            claim = _parts(claim, link.places)
        return pose(pair, Claim(function, claim, by=link.by, hints=family.hints))


def _parts(method: Any, places: tuple[int, ...]) -> Any:
    """Some elements of what a method returns."""

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        value = method(*arguments, **named)
        return tuple(np.asarray(value[place])[()] for place in places)

    return call


CONVENTION: Final = MethodFamilies()
