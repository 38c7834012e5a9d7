"""OpenMDAO: explicit components, ``compute`` and ``compute_partials``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import openmdao.api as om
from openmdao.test_suite.components.paraboloid import Paraboloid
from openmdao.test_suite.components.sellar import SellarDis1withDerivatives

from benchmarks.packages.pair import Pair

COMPONENTS = {
    "Paraboloid": (Paraboloid, {}, "x", "f_xy", {"x": np.array([0.7]), "y": np.array([-0.4])}),
    "Paraboloid by y": (Paraboloid, {}, "y", "f_xy", {"x": np.array([0.7]), "y": np.array([-0.4])}),
    "SellarDis1": (
        *(SellarDis1withDerivatives, {}, "z", "y1"),
        {"z": np.array([0.7, 1.2]), "x": np.array([0.4]), "y2": np.array([1.1])},
    ),
}


def _partials(kind: type, options: dict[str, Any], of: str, by: str, inputs: Any) -> Any:
    component = kind(**options)
    problem = om.Problem(reports=False)
    problem.model.add_subsystem("it", component)
    problem.setup()
    partials: dict[Any, Any] = {}
    component.compute_partials(inputs, partials)
    return partials[of, by]


def pairs() -> Iterator[Pair]:
    """By one input of each, the others as they are."""
    for name, (kind, options, by, of, inputs) in COMPONENTS.items():

        def function(x, kind=kind, options=options, by=by, of=of, inputs=inputs):
            outputs: dict[str, Any] = {}
            kind(**options).compute({**inputs, by: x}, outputs)
            return outputs[of]

        def claim(x, function=function, kind=kind, options=options, by=by, of=of, inputs=inputs):
            shape = np.shape(function(x)) + np.shape(x)
            return np.reshape(_partials(kind, options, of, by, {**inputs, by: x}), shape)

        yield Pair(f"openmdao: {name}", function, claim, (inputs[by],), "jacobian")
