"""Methods of one number that are derivatives of each other, as of statsmodels' links and norms."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape_conventions.making import make, required_by
from symtape_conventions.neighbourhood import Argument, Method, case_near
from verify import Case, box
from verify.auditing import NotPosed, Pair, Unpaired, classes_of, member, silence

_CHAINS: Final = (
    ("__call__", "deriv", "deriv2"),
    ("inverse", "inverse_deriv", "inverse_deriv2"),
    ("rho", "psi", "psi_deriv"),
)
"""Each method claims to be the derivative of the one before it."""

_OPTIONS: Final = {"df": 4, "alpha": 1.3, "power": 1.7, "q": 0.3}
"""What constructors require, by name."""

_GRID: Final = np.linspace(-4.0, 4.0, 81)
"""Where a link and its inverse are tried for whether they undo each other."""

_SHARES: Final = (0.05, 0.95)
"""A mean that every distribution may have, where a variance does not say of which it is."""

_STEPS: Final = (-3.0, 3.0)


class DerivativeMethods:
    """Methods of an object that takes one number, each the derivative of another."""

    name = "derivative-methods"
    summary = "deriv of __call__, inverse_deriv of inverse, psi of rho, and their derivatives"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Of the classes that a module defines, and of its objects of these."""
        for name, kind in _owners(module):
            for function, claim in _links_of(kind):
                place = f"{module.__name__}:{name}.{claim}"
                yield Pair(
                    id=place,
                    convention=self.name,
                    module=module.__name__,
                    function=name,
                    claim=claim,
                    settings={"of": function},
                )

    def pose(self, pair: Pair) -> Case:
        """One method by its argument."""
        made = _made(member(pair.module, pair.function))
        of = pair.settings["of"]
        argument = _argument(made, of)
        function, claim = (_of_one(getattr(made, name)) for name in (of, pair.claim))
        return case_near(pair, function, claim, [argument])


def _owners(module: ModuleType) -> Iterator[tuple[str, type]]:
    kinds = [*classes_of(module)]
    for kind in kinds:
        yield kind.__qualname__, kind
    for name, value in sorted(vars(module).items()):
        if type(value) in kinds:
            yield name, type(value)


def _links_of(kind: type) -> Iterator[tuple[str, str]]:
    """The methods of a class that claim to be derivatives, behind those of which they are."""
    for chain in _CHAINS:
        for function, claim in itertools.pairwise(chain):
            methods = [getattr(kind, name, None) for name in (function, claim)]
            if all(map(_takes_one, methods)):
                yield function, claim


def _takes_one(method: Any) -> bool:
    """Whether a method of a class takes one number besides its object."""
    if not inspect.isfunction(method):
        return False
    parameters = [*inspect.signature(method).parameters.values()][1:]
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    return len(required) == 1 and required[0].kind is required[0].POSITIONAL_OR_KEYWORD


def _made(owner: Any) -> Any:
    if not inspect.isclass(owner):
        return owner
    required = required_by(owner)
    if missing := [name for name in required if name not in _OPTIONS]:
        raise NotPosed(f"what {owner.__name__} takes as {', '.join(missing)} is not known")
    return make(owner, {name: _OPTIONS[name] for name in required})


def _of_one(method: Callable[..., Any]) -> Method:
    """A method of arrays as a function of a number."""

    def function(x: Any) -> Any:
        return np.reshape(method(np.reshape(x, (1,))), ())

    return Method(function, method)


def _argument(made: Any, of: str) -> Argument:
    name = next(iter(inspect.signature(getattr(made, of)).parameters))
    if of in _CHAINS[-1]:
        return Argument(name, 0.7, space=box(*_STEPS))
    if not hasattr(made, "inverse"):
        return Argument(name, 0.37, space=box(*_SHARES))
    predictors = _undone(made)
    values = predictors if of.startswith("inverse") else made.inverse(predictors)
    low, high = float(np.min(values)), float(np.max(values))
    return Argument(name, low + 0.37 * (high - low), space=box(low, high))


def _undone(link: Any) -> Any:
    """The longest stretch of predictors that a link returns for what its inverse makes of them."""
    try:
        with silence():
            means = np.asarray(link.inverse(_GRID), dtype=np.float64)
            again = np.asarray(link(means), dtype=np.float64)
    except Exception as error:  # theirs: the reason is told
        raise NotPosed(f"the link or its inverse raises: {error}") from error
    good = np.isclose(again, _GRID, rtol=1e-6, atol=1e-9) & np.isfinite(means)
    stretches = np.split(np.arange(good.size), np.flatnonzero(~good))
    longest = max(stretches, key=lambda part: np.count_nonzero(good[part]))
    kept = _GRID[longest][good[longest]]
    kept = kept[1:-1]  # At the ends a link may be singular, or cut off.
    if kept.size < 2:
        raise NotPosed("the link and its inverse undo each other at no stretch of predictors")
    return kept


CONVENTION: Final = DerivativeMethods()
