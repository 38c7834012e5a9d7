"""astropy.modeling: ``evaluate`` by each parameter, and ``fit_deriv``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import numpy as np
from astropy.modeling import functional_models, physical_models, powerlaws

from benchmarks.packages.pair import Pair

X = np.array([-1.3, -0.2, 0.4, 1.7, 2.9])
Y = np.array([0.3, -0.6, 1.1, 0.2, -1.0])


def _of_model(name: str, model: type, parameters: tuple[str, ...]) -> Iterator[Pair]:
    values = np.round(np.random.default_rng(1).uniform(0.3, 1.6, len(parameters)), 3).tolist()
    positive = model.__module__.endswith("powerlaws") or "Log" in name
    x = np.abs(X) + 0.1 if positive else X / 8 if name.startswith("Arc") else X
    grid = (x,) if model.n_inputs == 1 else (x, Y)
    made = model()

    def values_by(index):
        def function(value):
            return made.evaluate(*grid, *values[:index], value, *values[index + 1 :])

        def claim(value):
            each = made.fit_deriv(*grid, *values[:index], value, *values[index + 1 :])
            return np.asarray(each[index])

        return function, claim

    made.fit_deriv(*grid, *values)
    for index, parameter in enumerate(parameters):
        function, claim = values_by(index)
        yield Pair(f"astropy: {name} by {parameter}", function, claim, (values[index],), "jacobian")


def pairs() -> Iterator[Pair]:
    """Every model that has derivatives of its own, at a few abscissas."""
    for module in (functional_models, powerlaws, physical_models):
        for name, model in [*vars(module).items()]:
            if not inspect.isclass(model) or model.__module__ != module.__name__:
                continue
            if getattr(model, "fit_deriv", None) is None or not model.param_names:
                continue
            try:
                yield from _of_model(name, model, model.param_names)
            except (TypeError, ValueError, NotImplementedError):
                continue
