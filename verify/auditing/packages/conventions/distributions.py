"""Probability distributions: the density is the derivative of the distribution function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np

from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.element import element
from verify.auditing.packages.held import function_of_x
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.members import member
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.auditing.packages.silence import silence
from verify.model.case import Case

_LINKS: Final = (("cdf", "pdf", 1.0), ("sf", "pdf", -1.0))
"""What is differentiated, what is claimed, and times what."""

_SHARES: Final = (0.02, 0.98)
"""Between which shares of the probability a distribution is judged."""

_TRIED: Final[tuple[tuple[float, ...], ...]] = (
    (1.7, 2.3, 1.2, 0.8, 1.5),
    (0.6, 0.8, 0.4, 0.7, 0.5),
    (2.0, 5.0, 3.0, 4.0, 6.0),
    (0.3, 1.9, 1.1, 2.2, 0.9),
    (-0.7, 0.4, 1.3, 0.6, 1.1),
)
"""Shape parameters, as many as a distribution has of the first that it takes."""


class Distributions:
    """``pdf`` beside ``cdf`` and ``sf``, of objects with shape parameters as in scipy.stats."""

    name = "distributions"
    summary = "objects of a module with cdf, sf and pdf: pdf is the derivative of cdf, -pdf of sf"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """The distributions that a module makes."""
        for name, value in sorted(vars(module).items()):
            if isinstance(value, type) or not _is_distribution(value, module):
                continue
            for function, claim, factor in _LINKS:
                if not callable(getattr(value, function, None)):
                    continue
                yield Pair(
                    id=f"{module.__name__}:{name}.{claim}[{function}]",
                    convention=self.name,
                    module=module.__name__,
                    function=f"{name}.{function}",
                    claim=claim if factor == 1 else f"-{claim}",
                    settings={"of": name, "function": function, "claim": claim, "factor": factor},
                )

    def pose(self, pair: Pair) -> Case:
        """By x, at the first shape parameters that the distribution takes."""
        made = member(pair.module, str(pair.settings["of"]))
        shapes, lower, upper = _shapes(made)
        function = _restrict_to_x(made, str(pair.settings["function"]), shapes, 1.0)
        claim = _restrict_to_x(made, str(pair.settings["claim"]), shapes, pair.settings["factor"])
        hints = {"x": Hint(lower=lower, upper=upper, shape=())}
        return pose(pair, Claim(function, claim, by=("x",), hints=hints))


def _is_distribution(value: Any, module: ModuleType) -> bool:
    kind = type(value)
    return (
        all(callable(getattr(kind, name, None)) for name in ("cdf", "pdf", "ppf"))
        and hasattr(value, "numargs")
        and kind.__module__ == module.__name__
    )


def _shapes(made: Any) -> tuple[tuple[float, ...], float, float]:
    """Shape parameters, and between which numbers most of the probability lies."""
    for values in _TRIED:
        shapes = values[: made.numargs]
        if len(shapes) < made.numargs:
            break
        with silence():
            ends = [float(made.ppf(share, *shapes)) for share in _SHARES]
        if np.isfinite(ends).all() and ends[0] < ends[1]:
            lower, upper = (float(f"{end:.3g}") for end in ends)
            return shapes, lower, upper
    raise NotPosed("no values of its shape parameters are known")


def _restrict_to_x(
    made: Any, name: str, shapes: Sequence[float], factor: float
) -> Callable[..., Any]:
    method = element(getattr(made, name), factor=factor)
    sign = "" if factor == 1 else "-"
    shown = f"{sign}{made.name}.{name}"
    return function_of_x(lambda x: method(x, *shapes), type(made).__module__, shown)


CONVENTION: Final = Distributions()
