"""A pair: a function of a package, and what the package says its derivative is."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

Function = Callable[..., Any]

MODULES: Final = (
    *("astropy_models", "chemicals_correlations", "felupe_materials", "galpy_potentials"),
    *("lenstronomy_profiles", "numpy_polynomials", "openmdao_components", "scikit_fem_elements"),
    *("scikit_learn_models", "scipy_functions", "statsmodels_models", "thermo_models"),
)
"""One for each package; each has a function ``pairs``."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What is judged.

    Attributes
    ----------
    name : str
        "package: function by argument".
    function, claim : callable
    at : tuple
        The point: one entry for each argument.
    quantity : str
        "gradient", "jacobian" or "hessian".
    """

    name: str
    function: Function
    claim: Function
    at: tuple[Any, ...]
    quantity: str = "gradient"


def pairs(only: str = "") -> Iterator[Pair]:
    """Those of all packages that are installed, whose name holds `only`."""
    for name in MODULES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = list(importlib.import_module(f"benchmarks.packages.{name}").pairs())
        except ModuleNotFoundError as error:
            print(f"{name}: {error}")
            continue
        yield from (pair for pair in found if only in pair.name)
