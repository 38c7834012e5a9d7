"""Functions of jets, by the names that primitives call them by: what ``ball`` is to balls."""

from __future__ import annotations

from symtape.rigorous.jets.choice import *  # noqa: F403
from symtape.rigorous.jets.elementary import *  # noqa: F403
from symtape.rigorous.jets.matrices import *  # noqa: F403
from symtape.rigorous.jets.special import *  # noqa: F403
from symtape.rigorous.scalar import UNKNOWN as UNKNOWN
from symtape.rigorous.scalar import as_ball as as_ball
from symtape.rigorous.scalar import hull as hull
