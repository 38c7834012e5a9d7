"""Models of excess energies: ``dGE_dT``, ``d2GE_dxixjs`` and their like, as of thermo."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape_conventions.making import make_of_known
from symtape_conventions.names import derivative_named
from symtape_conventions.neighbourhood import Argument, Method, case_near
from verify import Case, box, simplex
from verify.auditing import NotPosed, Pair, Unpaired, classes_of, has_methods, member

_T: Final = 330.0
_XS: Final = (0.25, 0.55, 0.2)

_BY_PAIR: Final = [[0.0, 150.0, -80.0], [120.0, 0.0, 60.0], [-40.0, 90.0, 0.0]]
_LITTLE: Final = [[0.0, 0.1, -0.2], [0.3, 0.0, 0.15], [-0.1, 0.2, 0.0]]
_SYMMETRIC: Final = [[0.0, 0.3, 0.2], [0.3, 0.0, 0.25], [0.2, 0.25, 0.0]]

_MIXTURE: Final[Mapping[str, Any]] = {
    "T": _T,
    "xs": list(_XS),
    "tau_as": _LITTLE,
    "tau_bs": _BY_PAIR,
    "alpha_cs": _SYMMETRIC,
    "lambda_as": _LITTLE,
    "lambda_bs": _BY_PAIR,
    "rs": [2.1, 0.9, 3.1],
    "qs": [1.9, 1.4, 2.4],
    "Vs": [7e-5, 8e-5, 9e-5],
    "SPs": [18e3, 15e3, 21e3],
    "delta_d": [15.1e3, 15.8e3, 15.6e3],
    "delta_p": [0.0, 8.8e3, 12.3e3],
    "delta_h": [0.0, 19.4e3, 22.3e3],
}
"""A mixture of three, by the names of the parameters of constructors."""

_SPACES: Final = {"T": box(0.5 * _T, 1.5 * _T), "xs": simplex(3)}
"""Fractions sum to one, and formulas may use that they do."""

_SECOND: Final = "_dxixjs"
_THIRD: Final = "_dxixjxks"


class ExcessEnergies:
    """Methods without arguments named for derivatives, of models made anew by ``to_T_xs``."""

    name = "excess-energies"
    summary = "dGE_dT, d2GE_dxixjs and their like, of models with to_T_xs, as of thermo"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Each method whose name says of which other method it is the derivative."""
        for kind in classes_of(module):
            if not has_methods(kind, "to_T_xs"):
                continue
            for claim in sorted(dir(kind)):
                found = derivative_named(claim)
                if found is None or not _takes_nothing(kind, claim):
                    continue
                of, by = found
                place = f"{module.__name__}:{kind.__qualname__}.{claim}"
                quantity = "jacobian"
                if claim.endswith(_SECOND):
                    of, quantity = _root(of), "hessian"
                if claim.endswith(_THIRD):
                    words = "a third derivative by fractions may use that they sum to one"
                    yield Unpaired(place, self.name, words)
                    continue
                if not _takes_nothing(kind, of):
                    yield Unpaired(place, self.name, f"{kind.__name__} has no {of}()")
                    continue
                yield Pair(
                    id=place,
                    convention=self.name,
                    module=module.__name__,
                    function=kind.__qualname__,
                    claim=claim,
                    quantity=quantity,
                    settings={"of": of, "by": by},
                )

    def pose(self, pair: Pair) -> Case:
        """One method by temperature or by all fractions, for a mixture of three."""
        kind = member(pair.module, pair.function)
        by, of = pair.settings["by"], pair.settings["of"]
        model = make_of_known(kind, _MIXTURE)
        start = np.asarray(_MIXTURE[by])
        if by == "xs" and np.ndim(getattr(model, _root(of))()):
            raise NotPosed(f"{pair.claim} does not say which of its axes are those of fractions")
        return case_near(
            pair,
            Method(_by(model, of, by), getattr(kind, of)),
            Method(_by(model, pair.claim, by), getattr(kind, pair.claim)),
            [Argument(by, start, space=_SPACES[by])],
        )


def _takes_nothing(kind: type, name: str) -> bool:
    method = getattr(kind, name, None)
    if not inspect.isfunction(method):
        return False
    parameters = [*inspect.signature(method).parameters.values()][1:]
    return all(p.default is not p.empty for p in parameters)


def _root(name: str) -> str:
    """What is differentiated first, of a name of a derivative."""
    found = derivative_named(name)
    return name if found is None else _root(found[0])


def _by(model: Any, method: str, by: str) -> Callable[..., Any]:
    if by == "T":
        return lambda t: _stacked(getattr(model.to_T_xs(t, list(_XS)), method)())
    return lambda xs: _stacked(getattr(model.to_T_xs(_T, list(xs)), method)())


def _stacked(value: Any) -> Any:
    """Nested lists of numbers as an array, by a function that is recorded."""
    return np.stack([_stacked(each) for each in value]) if isinstance(value, list) else value


CONVENTION: Final = ExcessEnergies()
