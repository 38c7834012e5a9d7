"""``fit_deriv``: models with ``evaluate`` and derivatives by each parameter, as of Astropy."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape_conventions.neighbourhood import Argument, Method, case_near
from verify import Case
from verify.auditing import NotPosed, Pair, Unpaired, classes_of, has_methods, member

_DEGREE: Final = 2
"""Of polynomials, each of whose degrees is to be said."""

_ABSCISSAS: Final = (0.6, 0.35, 0.45)
"""Where to begin: neither at an end of a domain nor at a centre by default."""


class FitDeriv:
    """``evaluate(x, *parameters)`` and ``fit_deriv(x, *parameters)``, a part for each parameter."""

    name = "fit-deriv"
    summary = "evaluate(x, *parameters) and fit_deriv(x, *parameters) of models, as of Astropy"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """A pair for each parameter of each model."""
        for kind in classes_of(module):
            if not has_methods(kind, "evaluate", "fit_deriv") or inspect.isabstract(kind):
                continue
            claim = f"{module.__name__}:{kind.__qualname__}.fit_deriv"
            options = _options(kind)
            try:
                parameters = _made(kind, options).param_names
            except Exception as error:  # noqa: BLE001  # theirs: the reason is told
                yield Unpaired(claim, self.name, f"{kind.__name__} cannot be made: {error}")
                continue
            for parameter in parameters:
                yield Pair(
                    id=f"{claim}[{parameter}]",
                    convention=self.name,
                    module=module.__name__,
                    function=kind.__qualname__,
                    claim="fit_deriv",
                    settings={"parameter": parameter, "options": options},
                )

    def pose(self, pair: Pair) -> Case:
        """The model by one parameter; abscissas and all parameters are its arguments."""
        kind, options = member(pair.module, pair.function), pair.settings["options"]
        model, parameter = _made(kind, options), pair.settings["parameter"]
        inputs, parameters = [*model.inputs], [*model.param_names]
        if len(inputs) > len(_ABSCISSAS):
            raise NotPosed(f"it is a model of {len(inputs)} inputs, which are not known")
        at = parameters.index(parameter)

        # Some models keep what they computed last: each call has its own.
        def function(*values: Any) -> Any:
            found = _made(kind, options).evaluate(*_split(values, len(inputs)))
            return np.reshape(found, ())

        def claim(*values: Any) -> Any:
            made = _made(kind, options)
            parts = made.fit_deriv(*_split(values, len(inputs)))
            by_column = getattr(made, "col_fit_deriv", True)
            return np.reshape(parts[at] if by_column else np.asarray(parts)[:, at], ())

        abscissas = [Argument(*each) for each in zip(inputs, _ABSCISSAS, strict=False)]
        return case_near(
            pair,
            Method(function, kind.evaluate),
            Method(claim, kind.fit_deriv),
            [*abscissas, *(_argument(model, name) for name in parameters)],
            by=parameter,
        )


def _options(kind: type) -> dict[str, int]:
    """What a constructor requires besides: degrees of polynomials."""
    parameters = inspect.signature(kind).parameters.values()
    required = (p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD)
    return {p.name: _DEGREE for p in required if p.name.endswith("degree")}


def _made(kind: Any, options: Mapping[str, int]) -> Any:
    return kind(**options)


def _split(values: tuple[Any, ...], inputs: int) -> list[Any]:
    """Abscissas as arrays of one entry, which models expect; parameters as they are."""
    return [*(np.reshape(x, (1,)) for x in values[:inputs]), *values[inputs:]]


def _argument(model: Any, name: str) -> Argument:
    default = float(np.ravel(getattr(model, name).value)[0])
    low, high = getattr(model, "bounds", {}).get(name, (None, None))
    start = default or 0.3  # Most derivatives vanish where every parameter does.
    return Argument(
        name,
        start,
        -np.inf if low is None else float(low),
        np.inf if high is None else float(high),
    )


CONVENTION: Final = FitDeriv()
