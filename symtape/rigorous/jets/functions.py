"""Functions of jets, by the names that primitives call them by: what ``ball`` is to balls."""

from __future__ import annotations

import sys
from typing import Any

from symtape.rigorous.jets.choice import *  # noqa: F403
from symtape.rigorous.jets.elementary import *  # noqa: F403
from symtape.rigorous.jets.jet import Jet
from symtape.rigorous.jets.matrices import *  # noqa: F403
from symtape.rigorous.jets.special import *  # noqa: F403
from symtape.rigorous.jets.special import find_jet_function as _known
from symtape.rigorous.operators import *  # noqa: F403
from symtape.rigorous.scalar import UNKNOWN as UNKNOWN
from symtape.rigorous.scalar import hull as hull
from symtape.rigorous.scalar import to_ball as to_ball

Jet.functions = sys.modules[__name__]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return _known(name)
