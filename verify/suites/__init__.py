"""The built-in suites: cases that ship with the verifier, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from verify.model.case import Case

__all__ = ["DESCRIPTIONS", "SUITES"]

DESCRIPTIONS: Final = {
    "seeds": "the programs of the two TensorFlow guides on automatic differentiation",
    "primitives": "every differentiable operation of the vocabulary",
    "classics": "Rosenbrock, Helmholtz energy, Van der Pol, Kepler's equation and others",
}


def _load(name: str) -> list[Case]:
    found: list[Case] = importlib.import_module(f"verify.suites.{name}").cases()
    return found


SUITES: Final[dict[str, Callable[[], list[Case]]]] = {
    name: partial(_load, name) for name in DESCRIPTIONS
}
"""Each makes its cases when it is called; nothing is imported before."""
